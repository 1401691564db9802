"""Parameters of a vLLM request → StructuredOutput."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from frisket.engines.structured_output import KINDS, StructuredOutput, read_options
from frisket.engines.vllm.budget import Budget
from frisket.errors import FrisketError
from frisket.json_schema.options import JSONSchemaOptions

#: The entry of `SamplingParams.extra_args` (over HTTP: `vllm_xargs`) with options of `JSONSchemaOptions`.
EXTRA = "frisket"


class Specification(str):
    """The text of a specification that also holds the whole request, since vLLM gives a backend only the text."""

    wanted: StructuredOutput
    budget: Budget | None

    def __new__(cls, text: str, wanted: StructuredOutput, budget: Budget | None = None) -> Specification:
        made = super().__new__(cls, text)
        made.wanted, made.budget = wanted, budget
        return made


def structured_output(params: Any, extra: Mapping[str, Any] | None, base: JSONSchemaOptions) -> StructuredOutput:
    """The request in `SamplingParams.structured_outputs`; options of `extra_args` override vLLM's own, and these
    `base`.

    FrisketError for a request that frisket does not serve.
    """
    if params.whitespace_pattern is not None:
        raise FrisketError(
            "whitespace_pattern is not supported",
            where="structured_outputs/whitespace_pattern",
            hint='say `extra_args={"frisket": {"whitespace": "compact"}}`, or pretty, bounded, free',
            code="request",
        )
    options = StructuredOutput.with_flags(
        base,
        disable_any_whitespace=params.disable_any_whitespace,
        disable_additional_properties=params.disable_additional_properties,
    )
    options = read_options((extra or {}).get(EXTRA), options, place=f"extra_args/{EXTRA}")
    given = [kind for kind in KINDS if getattr(params, kind) is not None]
    if len(given) != 1:
        raise FrisketError(
            f"a request has one kind of structured output, not {len(given)}",
            where="structured_outputs",
            hint=f"one of {', '.join(KINDS)}",
            code="request",
        )
    (kind,) = given
    value = getattr(params, kind)
    if kind == "choice" and isinstance(value, str):
        value = json.loads(value)
    return StructuredOutput.of(kind, value, options)
