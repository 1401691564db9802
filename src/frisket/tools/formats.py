"""Name of a model family → its wire format, as data, with the sources that describe it.

Similar formats stand together: a family that differs from another in a few fields gives those fields only.
"""

from __future__ import annotations

import re
from dataclasses import replace

from frisket.tools.family import Family

_VLLM = "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm"
_LLAMA_CPP = "https://github.com/ggml-org/llama.cpp/blob/master/models/templates"
_HUGGING_FACE = "https://huggingface.co"

_THINK = ("<think>", "</think>")
_OBJECT = '{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}'
_PARAMETERS = _OBJECT.replace('"arguments"', '"parameters"')
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"

#: One JSON object for each call, between tags.
_HERMES = Family(
    "hermes", "Hermes 2 Pro, Hermes 3, Hermes 4, Qwen 2.5",
    ("https://github.com/NousResearch/Hermes-Function-Calling", f"{_VLLM}/tool_parsers/hermes_tool_parser.py"),
    call=(f"<tool_call>$ws{_OBJECT}$ws</tool_call>",), separators=("\n", ""), text_between=True,
    stops=("<|im_end|>",),
)  # fmt: skip
_TAGGED_OBJECTS = (
    _HERMES,
    replace(
        _HERMES, name="qwen3", models="Qwen 3, QwQ, SmolLM 3", thinking=_THINK,
        sources=(
            f"{_HUGGING_FACE}/Qwen/Qwen3-8B/blob/main/tokenizer_config.json",
            f"{_VLLM}/tool_parsers/hermes_tool_parser.py",
        ),
    ),
    replace(
        _HERMES, name="granite4", models="Granite 4.0", stops=("<|end_of_text|>",),
        sources=(
            f"{_HUGGING_FACE}/ibm-granite/granite-4.0-h-small/blob/main/chat_template.jinja",
            f"{_VLLM}/tool_parsers/granite4_tool_parser.py",
        ),
    ),
    Family(
        "gigachat3", "GigaChat 3.1",
        (f"{_LLAMA_CPP}/GigaChat3.1-10B-A1.8B.jinja", f"{_VLLM}/tool_parsers/gigachat3_tool_parser.py"),
        call=(f"<|function_call|>$ws{_OBJECT}",), parallel=False, stops=("<|message_sep|>",),
    ),
    Family(
        "internlm2", "InternLM 2, InternLM 2.5",
        (
            "https://github.com/InternLM/InternLM/blob/main/chat/chat_format.md",
            f"{_VLLM}/tool_parsers/internlm2_tool_parser.py",
        ),
        call=(f"<|action_start|><|plugin|>$ws{_PARAMETERS}$ws<|action_end|>",), parallel=False, stops=("<|im_end|>",),
    ),
)  # fmt: skip

#: One JSON array or list of objects for all calls.
_ARRAYS = (
    Family(
        "apertus", "Apertus",
        (
            f"{_HUGGING_FACE}/swiss-ai/Apertus-8B-Instruct-2509/blob/main/chat_template.jinja",
            f"{_VLLM}/tool_parsers/apertus_tool_parser.py",
        ),
        call=('{"$name":$ws$arguments$ws}',), calls="<|tools_prefix|>[$calls]<|tools_suffix|>",
        separators=(", ", ","), thinking=("<|inner_prefix|>", "<|inner_suffix|>"), thinking_holds_calls=True,
        stops=("<|assistant_end|>",),
    ),
    Family(
        "command_a", "Command R7B, Command A, Command A+",
        (
            f"{_HUGGING_FACE}/CohereLabs/c4ai-command-r7b-12-2024", "https://docs.cohere.com/docs/command-a-hf",
            f"{_VLLM}/parser/cohere_command.py",
        ),
        call=('{"tool_call_id":$ws"$id",$ws"tool_name":$ws"$name",$ws"parameters":$ws$arguments$ws}',),
        calls="<|START_ACTION|>$ws[$ws$calls$ws]$ws<|END_ACTION|>", separators=(",\n    ", ", ", ",", "\n,"),
        id="[0-9]{1,4}", content=("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
        other_content=(("<|START_TEXT|>", "<|END_TEXT|>"),), text_before=False,
        thinking=("<|START_THINKING|>", "<|END_THINKING|>"), stops=("<|END_OF_TURN_TOKEN|>",),
    ),
    Family(
        "granite3", "Granite 3.0, Granite 3.1, Granite 3.2, Granite 3.3",
        (
            f"{_HUGGING_FACE}/ibm-granite/granite-3.0-8b-instruct/blob/main/tokenizer_config.json",
            f"{_VLLM}/parser/granite.py",
        ),
        call=(_OBJECT,), calls="<|tool_call|>$ws[$calls]", separators=(", ", ","),
        other_content=(("<response>", "</response>"),), thinking=_THINK, stops=("<|end_of_text|>",),
    ),
    Family(
        "jamba", "Jamba 1.5, Jamba 1.6",
        (f"{_HUGGING_FACE}/ai21labs/AI21-Jamba-1.5-Mini", f"{_VLLM}/tool_parsers/jamba_tool_parser.py"),
        call=(_OBJECT,), calls="<tool_calls>$ws[$ws$calls$ws]$ws</tool_calls>", separators=(",\n", ", ", ","),
        stops=("<|eom|>",),
    ),
    Family(
        "minimax_m1", "MiniMax M1",
        (f"{_HUGGING_FACE}/MiniMaxAI/MiniMax-M1-80k/blob/main/docs/function_call_guide.md",),
        call=(_OBJECT,), calls="<tool_calls>$ws$calls$ws</tool_calls>", separators=("\n",), thinking=_THINK,
        stops=("<end_of_sentence>",),
    ),
    Family(
        "mistral_v3", "Mistral 7B v0.3, Mistral Nemo, Mistral Large 2, Mistral Small 3",
        (
            "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/tokens/tokenizers/instruct.py",
            f"{_VLLM}/parser/mistral.py",
        ),
        call=('{"name":$ws"$name",$ws"arguments":$ws$arguments,$ws"id":$ws"$id"$ws}', _OBJECT),
        calls="[TOOL_CALLS]$ws[$calls]", separators=(", ", ","), id="[A-Za-z0-9]{9}", stops=("</s>",),
    ),
    Family(
        "nemotron", "Llama Nemotron Super 49B v1.5, Nemotron Nano 9B v2",
        (f"{_HUGGING_FACE}/nvidia/NVIDIA-Nemotron-Nano-9B-v2/blob/main/tokenizer_config.json",),
        call=(_OBJECT,), calls="<TOOLCALL>[$calls]</TOOLCALL>", separators=(", ", ","), thinking=_THINK,
        stops=("<SPECIAL_12>", "<|eot_id|>"),
    ),
    Family(
        "phi4_mini", "Phi-4-mini",
        (f"{_HUGGING_FACE}/microsoft/Phi-4-mini-instruct", f"{_VLLM}/tool_parsers/phi4mini_tool_parser.py"),
        call=(_OBJECT,), calls="functools[$calls]", separators=(", ", ","), stops=("<|end|>", "<|endoftext|>"),
    ),
)  # fmt: skip

#: The name of the tool, then a JSON object of arguments.
_DEEPSEEK_V3 = Family(
    "deepseek_v3", "DeepSeek V3",
    (
        f"{_HUGGING_FACE}/deepseek-ai/DeepSeek-V3/blob/main/tokenizer_config.json",
        f"{_VLLM}/tool_parsers/deepseekv3_tool_parser.py",
    ),
    call=("<｜tool▁call▁begin｜>function<｜tool▁sep｜>$name\n```json\n$arguments\n```<｜tool▁call▁end｜>",),
    calls="<｜tool▁calls▁begin｜>$calls<｜tool▁calls▁end｜>", separators=("\n",), stops=("<｜end▁of▁sentence｜>",),
)  # fmt: skip
_NAMES_AND_OBJECTS = (
    _DEEPSEEK_V3,
    replace(
        _DEEPSEEK_V3, name="deepseek_r1", models="DeepSeek R1", thinking=_THINK,
        sources=(
            f"{_HUGGING_FACE}/deepseek-ai/DeepSeek-R1/blob/main/tokenizer_config.json",
            f"{_VLLM}/tool_parsers/deepseekv3_tool_parser.py",
        ),
    ),
    replace(
        _DEEPSEEK_V3, name="deepseek_v31", models="DeepSeek V3.1, DeepSeek V3.2-Exp", separators=("",),
        call=("<｜tool▁call▁begin｜>$name<｜tool▁sep｜>$arguments<｜tool▁call▁end｜>",), thinking=_THINK,
        sources=(
            f"{_HUGGING_FACE}/deepseek-ai/DeepSeek-V3.1/blob/main/tokenizer_config.json",
            f"{_VLLM}/tool_parsers/deepseekv31_tool_parser.py",
        ),
    ),
    Family(
        "functionary_v31", "Functionary v3.1",
        (
            "https://github.com/MeetKai/functionary/blob/main/functionary/prompt_template/llama31_prompt_template.py",
            "https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/",
        ),
        call=("<function=$name>$arguments</function>",), text_between=True, stops=("<|eom_id|>", "<|eot_id|>"),
    ),
    Family(
        "functionary_v32", "Functionary v3.2",
        ("https://github.com/MeetKai/functionary/blob/main/functionary/prompt_template/llama3_prompt_template_v3.py",),
        call=("$name\n$arguments",), separators=(">>>",), content=("all\n", ""), preamble=("all\n", ">>>"),
        stops=("<|eot_id|>",), note="the prompt ends with >>>; a tool cannot be called all",
    ),
    Family(
        "gpt_oss", "gpt-oss",
        (
            "https://cookbook.openai.com/articles/openai-harmony",
            "https://github.com/openai/harmony/blob/main/docs/format.md",
        ),
        call=(
            "<|channel|>commentary to=functions.$name <|constrain|>json<|message|>$arguments",
            "<|channel|>commentary to=functions.$name<|message|>$arguments",
            " to=functions.$name<|channel|>commentary <|constrain|>json<|message|>$arguments",
            " to=functions.$name<|channel|>commentary json<|message|>$arguments",
        ),
        content=("<|channel|>final<|message|>", ""),
        other_content=(("<|channel|>final <|constrain|>json<|message|>", ""),),
        preamble=("<|channel|>commentary<|message|>", "<|end|><|start|>assistant"),
        thinking=("<|channel|>analysis<|message|>", "<|end|><|start|>assistant"), turn="<|start|>assistant",
        parallel=False, stops=("<|call|>", "<|return|>"),
        note="<|call|> and <|return|> end the message: both must be stops of the vocabulary",
    ),
    Family(
        "kimi_k2", "Kimi K2, Kimi K2.5",
        (
            f"{_HUGGING_FACE}/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md",
            f"{_VLLM}/parser/kimi_k2.py",
        ),
        call=("<|tool_call_begin|>functions.$name:$id<|tool_call_argument_begin|>$arguments<|tool_call_end|>",),
        calls="<|tool_calls_section_begin|>$calls<|tool_calls_section_end|>", id="[0-9]{1,4}", thinking=_THINK,
        stops=("<|im_end|>",),
        note="identifiers count all calls of a conversation, so any number may stand in them",
    ),
    Family(
        "llama3", "Llama 3.1, Llama 3.2, Llama 3.3, Llama 4 (JSON)",
        (
            "https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/",
            f"{_VLLM}/tool_parsers/llama_tool_parser.py",
        ),
        call=(_PARAMETERS,), separators=("; ",), opener="{", text_before=False, special=frozenset({"<|python_tag|>"}),
        stops=("<|eom_id|>", "<|eot_id|>"),
        note="no marker announces a call, so other text never begins with a brace",
    ),
    Family(
        "mistral_v11", "Mistral Medium 3, Mistral Small 3.2, Ministral 3, Magistral, Devstral",
        (
            "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/tokens/tokenizers/instruct.py",
            f"{_VLLM}/parser/mistral.py",
        ),
        call=("[TOOL_CALLS]$name[ARGS]$arguments", "[TOOL_CALLS]$name[CALL_ID]$id[ARGS]$arguments"),
        id="[A-Za-z0-9]{9}", thinking=("[THINK]", "[/THINK]"), stops=("</s>",),
    ),
    Family(
        "solar_open", "Solar Open",
        (
            f"{_HUGGING_FACE}/upstage/Solar-Open-100B/blob/main/chat_template.jinja",
            f"{_LLAMA_CPP}/upstage-Solar-Open-100B.jinja",
        ),
        call=("<|tool_call:begin|>$id<|tool_call:name|>$name<|tool_call:args|>$arguments<|tool_call:end|>",),
        calls="<|tool_calls|>$calls", id="[A-Za-z0-9_-]{1,40}", content=("<|content|>", ""),
        preamble=("<|content|>", "<|end|><|begin|>assistant"),
        thinking=("<|think|>", "<|end|><|begin|>assistant"), turn="<|begin|>assistant",
        stops=("<|calls|>", "<|flush|>", "<|end|>"),
        note="<|end|> ends the message only where no other part follows",
    ),
)  # fmt: skip

#: A tag for each parameter.
_QWEN3_CODER = Family(
    "qwen3_coder", "Qwen 3 Coder, Qwen 3.5, Qwen 3.6, Nemotron 3, Step 3.5",
    (
        f"{_HUGGING_FACE}/Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8/blob/main/chat_template.jinja",
        f"{_VLLM}/parser/qwen3.py",
    ),
    call=("<tool_call>\n<function=$name>\n$arguments</function>\n</tool_call>",), separators=("\n", ""),
    arguments="parameters", parameter="<parameter=$key>\n$value\n</parameter>\n", python_words=True,
    text_between=True, thinking=_THINK, stops=("<|im_end|>",),
)  # fmt: skip
_DEEPSEEK_V32 = Family(
    "deepseek_v32", "DeepSeek V3.2",
    (
        f"{_HUGGING_FACE}/deepseek-ai/DeepSeek-V3.2/blob/main/encoding/README.md",
        f"{_VLLM}/parser/deepseek_v32.py",
    ),
    call=('<｜DSML｜invoke name="$name">\n$arguments</｜DSML｜invoke>\n',),
    calls="<｜DSML｜function_calls>\n$calls</｜DSML｜function_calls>", arguments="parameters",
    parameter='<｜DSML｜parameter name="$key" string="$kind">$value</｜DSML｜parameter>\n', nothing="\n",
    thinking=_THINK, stops=("<｜end▁of▁sentence｜>",),
)  # fmt: skip
_PARAMETER_TAGS = (
    _QWEN3_CODER,
    replace(
        _QWEN3_CODER, name="seed_oss", models="Seed-OSS",
        call=("<seed:tool_call>\n<function=$name>\n$arguments</function>\n</seed:tool_call>",),
        parameter="<parameter=$key>$value</parameter>\n", thinking=("<seed:think>", "</seed:think>"),
        stops=("<seed:eos>",),
        sources=(
            f"{_HUGGING_FACE}/ByteDance-Seed/Seed-OSS-36B-Instruct/blob/main/chat_template.jinja",
            f"{_VLLM}/parser/seed_oss.py",
        ),
    ),
    _DEEPSEEK_V32,
    replace(
        _DEEPSEEK_V32, name="deepseek_v4", models="DeepSeek V4",
        calls="<｜DSML｜tool_calls>\n$calls</｜DSML｜tool_calls>",
        sources=(f"{_LLAMA_CPP}/deepseek-ai-DeepSeek-V4.jinja", f"{_VLLM}/parser/deepseek_v4.py"),
    ),
    Family(
        "glm45", "GLM-4.5, GLM-4.6, GLM-4.7, Ling 3, Laguna",
        (f"{_HUGGING_FACE}/zai-org/GLM-4.5/blob/main/chat_template.jinja", f"{_VLLM}/parser/glm47_moe.py"),
        call=("<tool_call>$name$ws$arguments</tool_call>",), separators=("\n", ""), arguments="parameters",
        parameter="<arg_key>$key</arg_key>$ws<arg_value>$value</arg_value>$ws", text_between=True, thinking=_THINK,
        stops=("<|role_end|>", "</assistant>", "<|user|>", "<|observation|>"),
    ),
    Family(
        "minicpm5", "MiniCPM 5",
        (f"{_LLAMA_CPP}/openbmb-MiniCPM5-1B.jinja", f"{_VLLM}/tool_parsers/minicpm5xml_tool_parser.py"),
        call=('<function name="$name">$arguments</function>',), separators=("\n", ""), arguments="parameters",
        parameter='<param name="$key">$value</param>', python_words=True, verbatim=("<![CDATA[", "]]>", "<&\n"),
        text_between=True, thinking=_THINK, stops=("<|im_end|>",),
    ),
    Family(
        "minimax_m2", "MiniMax M2, MiniMax M2.1",
        (
            f"{_HUGGING_FACE}/MiniMaxAI/MiniMax-M2/blob/main/docs/tool_calling_guide.md",
            f"{_VLLM}/parser/minimax_m2.py",
        ),
        call=('<invoke name="$name">\n$arguments</invoke>\n',),
        calls="<minimax:tool_call>\n$calls</minimax:tool_call>", arguments="parameters",
        parameter='<parameter name="$key">$value</parameter>\n', thinking=_THINK, stops=("[e~[",),
    ),
)  # fmt: skip

#: A list of calls as Python writes them.
_PYTHON_CALLS = (
    Family(
        "llama4_pythonic", "Llama 4, ToolACE",
        (
            "https://www.llama.com/docs/model-cards-and-prompt-formats/llama4/",
            f"{_VLLM}/tool_parsers/llama4_pythonic_tool_parser.py",
        ),
        call=("$name($arguments)",), calls="[$calls]", separators=(", ",), arguments="python", opener="[",
        text_before=False, name_pattern=_IDENTIFIER, stops=("<|eom|>", "<|eot|>"),
        note="no marker announces a call, so other text never begins with a bracket",
    ),
    Family(
        "lfm2", "LFM2, LFM2.5",
        ("https://docs.liquid.ai/lfm/key-concepts/tool-use", f"{_VLLM}/tool_parsers/lfm2_tool_parser.py"),
        call=("$name($arguments)",), calls="<|tool_call_start|>[$calls]<|tool_call_end|>", separators=(", ",),
        arguments="python", json_objects=True, python_values=frozenset({"array"}), name_pattern=_IDENTIFIER,
        thinking=_THINK, stops=("<|im_end|>",),
    ),
    Family(
        "olmo3", "Olmo 3",
        (
            f"{_HUGGING_FACE}/allenai/Olmo-3-7B-Instruct/blob/main/chat_template.jinja",
            f"{_VLLM}/tool_parsers/olmo3_tool_parser.py",
        ),
        call=("$name($arguments)",), calls="<function_calls>$ws$calls$ws</function_calls>", separators=("\n",),
        arguments="python", name_pattern=_IDENTIFIER, stops=("<|im_end|>",),
    ),
)  # fmt: skip

#: Pattern of special tokens in these families; all other markers are ordinary text.
_TOKEN = re.compile(r"<\|[^|]*\|>|<｜[^｜]*｜>|\[/?[A-Z_]+\]")


def _with_tokens(family: Family) -> Family:
    """The family with every special token of its messages added to those that it names."""
    around = (family.content, *family.other_content, family.preamble or (), family.thinking or ())
    texts = (*family.call, family.calls, *(marker for pair in around for marker in pair))
    return replace(family, special=family.special.union(*map(_TOKEN.findall, texts)))


#: All families by name, in alphabetical order.
FAMILIES = {
    each.name: _with_tokens(each)
    for each in sorted(
        (*_TAGGED_OBJECTS, *_ARRAYS, *_NAMES_AND_OBJECTS, *_PARAMETER_TAGS, *_PYTHON_CALLS), key=lambda each: each.name
    )
}
