"""Name of another library → the AttributeError that says what to write here.

Users of Outlines, xgrammar, llguidance, lm-format-enforcer and instructor try the names that they know. Only a name
that is missing costs something: no call of a matcher gets slower, and `dir` of an object lists none of these names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

__all__ = ["ExplainsNames", "explain_names", "explain_operators", "missing"]

Class = TypeVar("Class", bound=type)

_MATCHER_OF = "write grammar.compile(vocabulary).matcher()"
_OF_MATCHER = "it is a method of grammar.compile(vocabulary).matcher()"
_COMPILE = "write grammar.compile(vocabulary)"
_VOCABULARY = "write frisket.Vocabulary.from_huggingface(tokenizer)"
_GENERATE = "write frisket.generate(model, prompt, target)"
_NOTATIONS = "rules are read by Grammar.from_gbnf, from_ebnf, from_abnf or from_lark"
_PROCESSOR = "write frisket.engines.transformers.GrammarProcessor(grammar.compile(vocabulary))"
_PLUGIN = "this engine has a plug-in, which its page shows: docs/engines"
_HOSTED = "models behind an API are asked by frisket.hosted.connect(client, model).generate(prompt, target)"
_TYPE = "write Grammar.from_type({})"
_ADVANCE = "write matcher.advance(token), or try_advance for False instead of an error"
_ENDS = "matcher.can_end says whether the text may end here, matcher.ended whether an end token was taken"
_FORCED = "write matcher.forced_bytes()"
_MASK = "write matcher.mask(), or matcher.fill_mask(bitmask, row)"
_IDS = "it holds the bytes of tokens; the tokenizer or model.{} does this"

#: Names of models in other libraries.
_OF_MODELS: Mapping[str, str] = {
    **dict.fromkeys(("generate", "chat", "create", "complete", "predict"), _GENERATE),
    **dict.fromkeys(("stream", "generate_stream", "create_partial"), "write frisket.stream(model, prompt, target)"),
    "generate_batch": "write frisket.generate_many(model, prompts, target)",
    "sample": "write frisket.sample(model, prompt, target, n)",
    **dict.fromkeys(("vocab_size", "n_vocab"), "write model.vocabulary.size"),
    **dict.fromkeys(("eos_token_id", "eos_token_ids"), "write model.vocabulary.eos"),
}

#: Class or module → (name of another library → what to write here).
_ADVICE: Mapping[str, Mapping[str, str]] = {
    "frisket": {
        **dict.fromkeys(("Generator", "gen", "generator", "complete", "chat", "create"), _GENERATE),
        **dict.fromkeys(("from_transformers", "Transformers", "transformers"), "write frisket.models.transformers"),
        **dict.fromkeys(("from_llamacpp", "LlamaCpp", "llamacpp"), "write frisket.models.gguf"),
        **dict.fromkeys(("from_vllm", "from_vllm_offline", "from_sglang", "from_mlxlm", "vllm", "sglang"), _PLUGIN),
        **dict.fromkeys(
            (
                *("from_openai", "from_anthropic", "from_gemini", "from_mistral", "from_provider", "from_litellm"),
                *("from_ollama", "from_genai", "from_bedrock", "from_vertexai", "from_groq", "from_cohere", "from_xai"),
                *("from_deepseek", "from_openrouter", "from_together", "from_fireworks", "from_perplexity"),
                *("patch", "apatch", "Instructor", "AsyncInstructor", "openai"),
            ),
            _HOSTED,
        ),
        "Partial": "frisket.stream(model, prompt, target) has the value so far: `partial`",
        **dict.fromkeys(("GrammarCompiler", "CompileGrammar", "Compiler", "compile"), _COMPILE),
        **dict.fromkeys(
            ("GrammarMatcher", "LLMatcher", "LLInterpreter", "Guide", "RegexGuide", "TokenEnforcer", "FSM"), _MATCHER_OF
        ),
        "Index": _COMPILE,
        **dict.fromkeys(("TokenizerInfo", "LLTokenizer", "Tokenizer", "TokenizerData"), _VOCABULARY),
        **dict.fromkeys(
            ("JsonSchema", "JsonSchemaParser", "JsonCompiler", "JSONSchema", "json_schema"),
            "write frisket.Grammar.from_json_schema(schema)",
        ),
        **dict.fromkeys(("Regex", "RegexParser", "RegexCompiler"), "write frisket.Grammar.from_regex(pattern)"),
        **dict.fromkeys(("CFG", "cfg", "LarkCompiler", "EBNF", "Lark", "GBNF"), f"{_NOTATIONS} of frisket"),
        **dict.fromkeys(("Choice", "select", "StringParser"), "write frisket.Grammar.from_choices(texts)"),
        **dict.fromkeys(("StructuralTag", "StructTag"), "write frisket.Grammar.from_structural_tag(tag)"),
        **dict.fromkeys(("either", "UnionParser"), "write frisket.parts.choice(a, b)"),
        **dict.fromkeys(("SequenceParser", "concat"), "write frisket.parts.seq(a, b)"),
        **dict.fromkeys(("Template", "prompt"), "frisket.parts.template is a text with holes"),
        **dict.fromkeys(
            (
                *("LogitsProcessor", "GrammarLogitsProcessor", "OutlinesLogitsProcessor", "JSONLogitsProcessor"),
                *("RegexLogitsProcessor", "CFGLogitsProcessor", "GrammarProcessor", "LogitsProcessorList"),
            ),
            _PROCESSOR,
        ),
        **dict.fromkeys(
            ("apply_mask", "apply_token_bitmask_inplace"), "write frisket.logits.torch.apply_mask, or that of numpy"
        ),
        **dict.fromkeys(
            ("allocate_bitmask", "allocate_token_bitmask"), "write frisket.logits.torch.allocate_bitmask, or numpy's"
        ),
        "fill_next_token_bitmask": "write matcher.fill_mask(bitmask, row), or frisket.fill_masks for several matchers",
        **dict.fromkeys(
            ("SamplingParams", "samplers", "sampling", "multinomial", "greedy"), "write sampler=frisket.Sampler(…)"
        ),
        **dict.fromkeys(("embedded", "smollm2", "gguf"), "it is in frisket.models"),
        **dict.fromkeys(("batch", "generate_batch"), "write frisket.generate_many(model, prompts, target)"),
        "BatchGrammarMatcher": "write frisket.fill_masks(matchers, bitmask)",
        "reset_token_bitmask": "a mask writes its whole row, so nothing has to be reset",
        "beam_search": "write strategy=frisket.strategies.Beams(n)",
        "engines": "import its modules by name, such as frisket.engines.transformers",
        "GREEDY": "it is frisket.Sampler.GREEDY",
        "Schema": "a target is the schema itself, as a dict, or a class",
        **dict.fromkeys(
            ("types", "Maybe", "IterableModel", "CitationMixin"),
            "a target is any type of Python, such as int, list[Ticket] or pydantic.EmailStr",
        ),
        **dict.fromkeys(("grammars", "grammar_from"), f"{_NOTATIONS}, and Grammar.from_json_schema(True) is any JSON"),
        **dict.fromkeys(
            ("inputs", "Chat", "Messages", "system", "user", "assistant"),
            'a chat is a list of messages: [{"role": "user", "content": "…"}]',
        ),
        **dict.fromkeys(("Image", "Audio", "Video", "Vision"), "a prompt is text"),
        **dict.fromkeys(("processors", "integrations", "contrib", "hf", "backends"), _PROCESSOR),
        "build_transformers_prefix_allowed_tokens_fn": _PROCESSOR,
        **dict.fromkeys(("build_vllm_logits_processor", "build_llamacpp_logits_processor"), _PLUGIN),
        **dict.fromkeys(
            ("build_token_enforcer_tokenizer_data", "build_vllm_token_enforcer_tokenizer_data", "tokenizer"),
            _VOCABULARY,
        ),
        **dict.fromkeys(
            ("CharacterLevelParserConfig", "GenerateJsonSchemaOptions"), "write frisket.JSONSchemaOptions(…)"
        ),
        **dict.fromkeys(("LLParserLimits", "timeout"), "write frisket.Limits(…)"),
        "BatchGrammarCompiler": _COMPILE,
        "get_model_structural_tag": "write frisket.Grammar.from_tools(tools, family)",
        **dict.fromkeys(("get_bitmask_shape", "bitmask_dtype"), "frisket.logits.numpy.allocate_bitmask has the layout"),
        **dict.fromkeys(("handle_response_model", "process_response", "retry", "Mode"), _HOSTED),
    },
    "frisket.parts": {
        **dict.fromkeys(("select", "either", "alternatives", "one_of", "union"), "write choice(a, b)"),
        **dict.fromkeys(("concat", "sequence", "join"), "write seq(a, b)"),
        **dict.fromkeys(("literal", "string", "const_string"), "write lit(text)"),
        **dict.fromkeys(("gen", "free_text", "any_text"), "write text(), regex(pattern) or until(end)"),
        **dict.fromkeys(
            ("one_or_more", "zero_or_more", "at_least", "at_most", "between", "exactly", "star", "plus", "many"),
            "write repeat(part, least, most)",
        ),
        **dict.fromkeys(("maybe", "zero_or_one"), "write optional(part)"),
        **dict.fromkeys(("json_schema", "schema"), "write json(schema)"),
        **dict.fromkeys(("number", "integer", "boolean", "date", "datetime"), "write json(int), or another type"),
        "token": "write special(name)",
    },
    "frisket.logits": dict.fromkeys(
        ("apply_mask", "allocate_bitmask", "feasible_mass"), "it is in frisket.logits.numpy and frisket.logits.torch"
    ),
    "frisket.models": {
        **dict.fromkeys(("openai", "anthropic", "gemini", "mistral"), _HOSTED),
        **dict.fromkeys(
            ("llamacpp", "from_llamacpp", "llama_cpp", "LlamaCpp"), "frisket.models.gguf loads such a file"
        ),
        **dict.fromkeys(
            ("huggingface", "hf", "from_transformers", "Transformers"), "it is frisket.models.transformers"
        ),
        **dict.fromkeys(("vllm", "sglang", "onnx", "mlx"), _PLUGIN),
    },
    "Grammar": {
        **dict.fromkeys(("advance", "allowed", "fill_mask", "mask"), _OF_MATCHER),
        "matcher": _MATCHER_OF,
        **dict.fromkeys(("from_pydantic", "from_model", "from_class", "from_pydantic_model"), _TYPE.format("Model")),
        **dict.fromkeys(("from_dataclass", "from_typed_dict", "from_enum", "from_literal"), _TYPE.format("type")),
        **dict.fromkeys(
            ("from_function", "from_callable", "from_tool"), "write Grammar.from_tools([function], family)"
        ),
        **dict.fromkeys(
            ("from_schema", "from_json", "from_dict", "json_schema", "grammar_from_json_schema", "from_json_object"),
            "write Grammar.from_json_schema(schema)",
        ),
        **dict.fromkeys(
            ("builtin_json_grammar", "any_json", "json"), "write Grammar.from_json_schema(True), which allows any JSON"
        ),
        **dict.fromkeys(
            ("from_string", "from_grammar", "from_cfg", "from_bnf", "from_rules", "from_text", "from_file"), _NOTATIONS
        ),
        "grammar_from_lark": "write Grammar.from_lark(text)",
        **dict.fromkeys(("from_pattern", "grammar_from_regex", "regex"), "write Grammar.from_regex(pattern)"),
        **dict.fromkeys(
            ("from_choice", "from_list", "from_options", "from_texts", "choice", "select"),
            "write Grammar.from_choices(texts)",
        ),
        **dict.fromkeys(("concat", "sequence"), "write frisket.parts.seq(a, b)"),
        **dict.fromkeys(("union", "either"), "write frisket.parts.choice(a, b)"),
        **dict.fromkeys(
            ("match", "matches", "fullmatch", "validate", "is_valid", "check"),
            "write grammar.accepts(text)",
        ),
        **dict.fromkeys(("parse", "loads", "decode"), "write grammar.value(text)"),
        **dict.fromkeys(
            ("to_json_schema", "serialize_json"), "grammar.schema is the JSON Schema; pickle keeps a grammar"
        ),
        "generate": "write frisket.generate(model, prompt, grammar)",
    },
    "Vocabulary": {
        **dict.fromkeys(
            ("from_tokenizer", "from_transformers", "from_tokenizers", "from_hf"),
            "write Vocabulary.from_huggingface(tokenizer)",
        ),
        "from_pretrained": "write Vocabulary.from_huggingface(folder), or transformers.AutoTokenizer by name",
        **dict.fromkeys(("from_file", "from_path"), "Vocabulary.from_huggingface(path) reads a tokenizer.json"),
        **dict.fromkeys(
            ("from_list", "from_tokens", "from_vocab", "from_dict"), "write Vocabulary.from_bytes(tokens), by id"
        ),
        **dict.fromkeys(("vocab_size", "n_vocab"), "write vocabulary.size"),
        **dict.fromkeys(("eos_token_id", "eos_token_ids", "stop_token_ids"), "write vocabulary.eos"),
        **dict.fromkeys(("special_tokens", "special_token_ids"), "write vocabulary.special"),
        **dict.fromkeys(
            ("decoded_vocab", "tokens", "get_vocab"), "vocabulary.token(token_id) has the bytes of a token"
        ),
        **{name: _IDS.format(name) for name in ("encode", "decode")},
    },
    "CompiledGrammar": {
        **dict.fromkeys(
            (
                *("advance", "allowed", "fill_mask", "mask", "accept_token", "fill_next_token_bitmask"),
                *("consume_token", "least_tokens", "can_finish", "forced_bytes"),
            ),
            "each text has a matcher of its own: compiled.matcher()",
        ),
        **dict.fromkeys(("tokenizer_info", "tokenizer"), "write compiled.vocabulary"),
        "memory_size_bytes": "write compiled.memory_bytes",
        **dict.fromkeys(("accepts", "value", "schema"), "it is in compiled.grammar"),
    },
    "Stream": {
        "next": "write next(answer)",
        **dict.fromkeys(
            ("result", "final", "collect", "wait", "parsed", "output", "get_final_completion"),
            "write answer.generation().value()",
        ),
        **dict.fromkeys(("tokens", "finish_reason", "logprob"), "write answer.generation(), which has it"),
    },
    "Generation": dict.fromkeys(
        ("parsed", "output", "result", "content", "data", "json", "model_dump", "model_dump_json", "answer"),
        "write generation.value(); `text` is what was written",
    ),
    **dict.fromkeys(("Embedded", "GGUF", "Transformers"), _OF_MODELS),
    "Matcher": {
        **dict.fromkeys(("accept_token", "consume_token", "commit_token", "try_consume_token"), _ADVANCE),
        **dict.fromkeys(
            ("consume_tokens", "try_consume_tokens", "accept_tokens", "advance_tokens"),
            "advance takes one token; matcher.validate(tokens) says how many of several may come",
        ),
        **dict.fromkeys(("validate_tokens", "validate_tokens_raw"), "write matcher.validate(tokens)"),
        "accept_string": 'write matcher.advance_bytes(b"…")',
        "fill_next_token_bitmask": "write matcher.fill_mask(bitmask, row)",
        **dict.fromkeys(("compute_mask", "compute_bitmask", "compute_logit_bias", "get_mask"), _MASK),
        **dict.fromkeys(("get_tokens", "allowed_tokens", "get_allowed_tokens"), "write matcher.allowed()"),
        **dict.fromkeys(("is_terminated", "is_completed", "is_accepting", "is_stopped", "is_finished"), _ENDS),
        **dict.fromkeys(("find_jump_forward_string", "compute_ff_bytes", "compute_ff_tokens"), _FORCED),
        **dict.fromkeys(("deep_copy", "copy", "clone"), "write matcher.fork()"),
        "stop_token_ids": "write matcher.compiled.vocabulary.eos",
        **dict.fromkeys(
            ("get_error", "is_error"), "a call that fails raises an error, and leaves the matcher as it was"
        ),
    },
}


def missing(owner: object, name: str) -> AttributeError:
    """The error for a name that a class, an object or a module (given by its name) does not have.

    >>> missing("frisket.models", "hf")
    AttributeError("module 'frisket.models' has no attribute 'hf': it is frisket.models.transformers")
    """
    if isinstance(owner, str):
        who, keys = f"module {owner!r}", [owner]
    else:
        kind = owner if isinstance(owner, type) else type(owner)
        who = f"type object {kind.__name__!r}" if kind is owner else f"{kind.__name__!r} object"
        keys = [base.__name__ for base in kind.__mro__]
    advice = next((_ADVICE[key][name] for key in keys if name in _ADVICE.get(key, ())), None)
    return AttributeError(f"{who} has no attribute {name!r}" + (f": {advice}" if advice else ""))


class ExplainsNames(type):
    """The type of classes whose missing names, those of constructors above all, are told with what to write instead."""

    if not TYPE_CHECKING:  # a checker would then accept every name

        def __getattr__(cls, name: str) -> object:
            raise missing(cls, name)


class _ForeignName:
    """A name on a class that raises as if it were not there.

    `__getattr__` of a native class would take 45 ns from each call of a method, half of what a cached mask takes. That
    of a class of Python would hide the AttributeErrors inside of its properties.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> object:
        raise missing(owner if instance is None else instance, self._name)


#: Class without a constructor → what makes its objects.
_MADE_BY = {"Matcher": "write compiled.matcher()", "CompiledGrammar": _COMPILE}


def _no_constructor(cls: type, *arguments: object, **options: object) -> object:
    raise TypeError(f"{cls.__name__}() makes nothing: {_MADE_BY[cls.__name__]}")


def explain_names(kind: Class) -> Class:
    """A decorator: the names of other libraries on objects of the class are told. Their `dir` does not list them."""
    names = _ADVICE[kind.__name__]
    if kind.__name__ in _MADE_BY:
        setattr(kind, "__new__", _no_constructor)  # noqa: B010
    for name in names:
        assert not hasattr(kind, name), f"{kind.__name__}.{name} is there"
        setattr(kind, name, _ForeignName(name))
    setattr(kind, "__dir__", lambda self: [name for name in object.__dir__(self) if name not in names])  # noqa: B010
    return kind


def explain_operators(kind: Class) -> Class:
    """A decorator: the operators of Outlines' terms are told with the call to write."""
    for name, sign, call in (("add", "+", "seq"), ("or", "|", "choice")):

        def refused(self: object, other: object, sign: str = sign, call: str = call) -> None:
            raise TypeError(f"a {type(self).__name__} takes no {sign}: write frisket.parts.{call}(a, b)")

        setattr(kind, f"__{name}__", refused)
        setattr(kind, f"__r{name}__", refused)
    return kind
