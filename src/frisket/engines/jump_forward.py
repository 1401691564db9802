"""`model.generate` of transformers × CompiledGrammar → the same tokens in fewer calls of the network.

transformers makes the candidates of its assisted generation itself (`GenerationMixin._get_candidate_generator`), and no
argument replaces them. But it accepts a whole decoding loop, `custom_generate`: this module is one, for a single row.
"""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

from frisket._core import CompiledGrammar
from frisket.decoding.draft import Drafter, Memory
from frisket.decoding.reading import Reading
from frisket.engines.transformers import refusal
from frisket.models.transformers import TransformersSession

Tensor: TypeAlias = Any  # torch is optional, for type checkers too


class JumpForward:
    """A decoding loop for `model.generate` that reads required text in one call of the network.

        processor = GrammarProcessor(compiled)
        model.generate(**inputs, logits_processor=[processor], custom_generate=JumpForward(compiled, tokenizer))

    Greedy search or sampling still chooses each token from the model's own scores, after the logits processors. So the
    tokens are those of `generate` without it, if the network computes the same for several tokens as for one. It takes
    one prompt, one row, and a cache that can be cut; an EngineError refuses anything else. One object serves any
    number of calls, and learns from them which drafts are right, and whether drafts pay.
    """

    def __init__(self, grammar: CompiledGrammar, tokenizer: Any) -> None:
        self._grammar = grammar
        self._drafter = Drafter(lambda text: tokenizer.encode(text, add_special_tokens=False), Memory())

    def __call__(
        self,
        model: Any,
        input_ids: Tensor,
        logits_processor: Any,
        stopping_criteria: Any,
        generation_config: Any,
        **model_kwargs: Any,
    ) -> Tensor:
        """The ids of the prompt and of the answer, as `generate` returns them."""
        import torch

        mask = model_kwargs.get("attention_mask")
        if len(input_ids) != 1 or generation_config.num_beams > 1 or (mask is not None and not bool(mask.all())):
            raise refusal("a draft is read for one row without padding", hint="call generate with one prompt, no beams")
        if generation_config.return_dict_in_generate:
            raise refusal("ids alone are returned here", hint="drop return_dict_in_generate")
        session = TransformersSession(torch, model, 1 << 30, input_ids[0].tolist())
        if not session.rewinds:
            raise refusal("the cache of this model cannot take tokens back", hint="drop custom_generate")
        matcher, drafter, reading = self._grammar.matcher(), self._drafter, Reading(session, self._drafter.pace)
        is_legal = True  # as long as the processor that masks is there
        while True:
            scores = torch.from_numpy(reading.logits())[None].to(input_ids.device)
            scores = logits_processor(input_ids, scores)
            if generation_config.do_sample:
                chosen = torch.multinomial(scores.softmax(-1), 1)
            else:
                chosen = scores.argmax(-1, keepdim=True)
            input_ids = torch.cat((input_ids, chosen), dim=-1)
            if bool(stopping_criteria(input_ids, None).all()):
                return input_ids
            token, draft = int(chosen), None
            is_legal = is_legal and not matcher.ended
            if is_legal:
                drafter.learn(matcher.mask(), token)
                is_legal = matcher.try_advance(token)
            if is_legal:
                last = matcher.compiled.vocabulary.token(token) or b""
                draft = partial(drafter, matcher, last)
            reading.push(token, draft, generation_config.max_length - input_ids.shape[1] - 1)
