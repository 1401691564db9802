"""The fields that all requests for text share → sampler, grammar and limits of an answer."""

from __future__ import annotations

import json
import math
import secrets
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from pydantic import ConfigDict, Field, field_validator

from frisket import FrisketError, Grammar, JSONSchemaOptions, Limits, Sampler
from frisket.extension import DEFAULT, KINDS, MOST_PENALTY, StructuredOutput, read_options
from frisket.options import OnBudget, Style
from frisket.server.body import Body
from frisket.server.failure import Failure
from frisket.server.field import SCHEMA
from frisket.server.settings import Settings

Text = str

#: Largest seed (64 bits) and largest count (31 bits), for numbers without another bound.
MOST_SEED, MOST_INTEGER = 2**64 - 1, 2**31 - 1
#: Most stop strings of a request, and most characters of all together: making their automaton takes milliseconds.
MOST_STOPS, MOST_STOP_CHARACTERS = 256, 4096
#: Most entries of a list of messages, items or tools.
MOST_ENTRIES = 4096


class StructuredOutputs(Body):
    """vLLM's `structured_outputs`."""

    json_: Any = Field(None, alias="json")
    json_object: bool | None = None
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    structural_tag: Any = None
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False


class StreamOptions(Body):
    include_usage: bool = False
    include_obfuscation: bool = False


class Parameters(Body):
    """How an answer is written: the fields of OpenAI's clients, and of vLLM's `extra_body`."""

    model: str
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    seed: int | None = Field(None, ge=0, le=MOST_SEED)
    stream: bool | None = False
    # In addition to OpenAI's own fields:
    top_k: int | None = Field(None, ge=-1, le=MOST_INTEGER)
    min_p: float | None = Field(None, ge=0, le=1)
    repetition_penalty: float | None = Field(None, ge=1 / MOST_PENALTY, le=MOST_PENALTY)
    structured_outputs: StructuredOutputs | None = None
    guided_json: Any = None
    guided_regex: str | None = None
    guided_choice: list[str] | None = None
    guided_grammar: str | None = None
    structural_tag: Any = None
    frisket: dict[str, Any] | None = None
    on_budget: OnBudget | None = None
    min_tokens: int | None = Field(None, ge=0, le=MOST_INTEGER)
    # Accepted without effect:
    user: str | None = None
    metadata: dict[str, Any] | None = None
    store: bool | None = None
    service_tier: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None
    prompt_cache_retention: str | None = None
    cache_salt: str | None = None
    request_id: str | None = None
    priority: int | None = Field(None, ge=-MOST_INTEGER, le=MOST_INTEGER)

    @field_validator("temperature", "top_p", "min_p", "repetition_penalty", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if type(value) is not int:
            return value
        return float(value) if abs(value) < 2**1023 else math.inf  # infinity is refused

    def sampler(self, settings: Settings) -> Sampler:
        sampler = Sampler(temperature=settings.temperature)
        if self.temperature is not None:
            sampler = replace(sampler, temperature=self.temperature)
        if self.top_k is not None and self.top_k > 0:
            sampler = replace(sampler, top_k=self.top_k)
        for name in ("top_p", "min_p", "repetition_penalty"):
            if getattr(self, name) is not None:
                sampler = replace(sampler, **{name: getattr(self, name)})
        return sampler

    def first_seed(self) -> int:
        """The seed of the first answer; each further answer has the next number."""
        return secrets.randbits(62) if self.seed is None else self.seed

    def structured(self, settings: Settings, more: Asked | None = None, *, tools: bool = False) -> Asked | None:
        """The request's structured output, from any field, or None. `tools` make JSON options legal without one."""
        base = settings.options
        given = [] if more is None else [more.with_options(base)]
        found = [*given, *self._structured(base)]
        if len(found) > 1:
            raise Failure(
                400, f"{' and '.join(one.where for one in found)} ask for structured output at once", code="request",
                where=found[1].where, hint="leave one response_format, structured_outputs or guided_… in the request",
            )  # fmt: skip
        if not found:
            if self.frisket is not None and not tools:
                raise Failure(
                    400, "options of a JSON document, but none is asked for", code="request", where="/frisket"
                )
            return None
        if len(found[0].specification.encode()) > settings.max_schema_bytes:
            raise Failure(
                400, f"the {found[0].kind} has more than {settings.max_schema_bytes:,} bytes", code="limit",
                where=found[0].where, hint="make it smaller, or start the server with a larger --max-schema-bytes",
            )  # fmt: skip
        return found[0].with_options(self.options(found[0].options))

    def options(self, base: JSONSchemaOptions) -> JSONSchemaOptions:
        """How JSON is spelled: the field `frisket` without `describe`."""
        given = {name: value for name, value in (self.frisket or {}).items() if name != "describe"}
        for name in given:
            if name in type(self).model_fields:
                raise Failure(
                    400, f"{name} is no option of JSON", code="request", where=f"/frisket/{name}",
                    hint=f"{name} is a field of the request: it stands beside frisket, not inside",
                )  # fmt: skip
        return read_options(given, base, place="/frisket")

    def style(self) -> Style | None:
        """How the prompt describes the answer; None if it only names the properties."""
        given = (self.frisket or {}).get("describe")
        if given is None or given is False:
            return None
        if given is True:
            return "typescript"
        if given not in get_args(Style):
            raise Failure(
                400, f"no description has the style {given!r}", code="request", where="/frisket/describe",
                hint=f"true, or one of {', '.join(get_args(Style))}",
            )  # fmt: skip
        found: Style = given
        return found

    def _structured(self, base: JSONSchemaOptions) -> list[Asked]:
        old = {"json": self.guided_json, "regex": self.guided_regex, "choice": self.guided_choice,
               "grammar": self.guided_grammar}  # fmt: skip
        found = [Asked.of(kind, value, f"/guided_{kind}", base) for kind, value in old.items() if value is not None]
        if self.structural_tag is not None:
            found.append(Asked.of("structural_tag", self.structural_tag, "/structural_tag", base))
        new = self.structured_outputs
        if new is not None:
            options = StructuredOutput.with_flags(
                base,
                disable_any_whitespace=new.disable_any_whitespace,
                disable_additional_properties=new.disable_additional_properties,
            )
            for kind in KINDS:
                value = getattr(new, "json_" if kind == "json" else kind)
                if value is not None:
                    found.append(Asked.of(kind, value, f"/structured_outputs/{kind}", options))
        return found


@dataclass(frozen=True)
class Asked:
    """A structured output, and its place in the request, for errors of its grammar."""

    output: StructuredOutput
    where: str

    @classmethod
    def of(cls, kind: str, value: Any, where: str, options: JSONSchemaOptions = DEFAULT) -> Asked:
        try:
            return cls(StructuredOutput.of(kind, value, options), where)
        except FrisketError as error:
            raise Failure.of(error, where=where) from error

    @property
    def kind(self) -> str:
        return self.output.kind

    @property
    def specification(self) -> str:
        return self.output.specification

    @property
    def options(self) -> JSONSchemaOptions:
        return self.output.options

    def with_options(self, options: JSONSchemaOptions) -> Asked:
        return replace(self, output=replace(self.output, options=options))

    def grammar(self, limits: Limits | None = None) -> Grammar:
        try:
            grammar = self.output.grammar(limits)
            if grammar.report is not None:
                grammar.report.check_asks()
            return grammar
        except FrisketError as error:
            raise Failure.of(error, where=self.where) from error


class JSONSchema(Body):
    """OpenAI's `json_schema`. The schema is enforced whatever `strict` is."""

    name: str
    schema_: Any = Field(None, alias="schema")
    description: str | None = None
    strict: bool | None = None


class ResponseFormat(Body):
    """OpenAI's `response_format`, with vLLM's structural tags."""

    model_config = ConfigDict(extra="allow")
    type: Literal["text", "json_object", "json_schema", "structural_tag"]
    json_schema: JSONSchema | None = None

    def structured(self) -> Asked | None:
        where = "/response_format"
        if self.type != "structural_tag" and self.model_extra:
            name = next(iter(self.model_extra))
            hint = SCHEMA if name == "schema" else None
            raise Failure(400, f"there is no field {name!r} here", code="request", where=f"{where}/{name}", hint=hint)
        if self.type == "json_schema":
            return read_schema(self.json_schema and self.json_schema.schema_, f"{where}/json_schema/schema")
        if self.type == "structural_tag":
            return Asked.of("structural_tag", {"type": self.type, **(self.model_extra or {})}, where)
        return Asked.of("json_object", True, where) if self.type == "json_object" else None


def read_schema(schema: Any, where: str) -> Asked:
    """A JSON Schema as an object, or a bool."""
    if schema is None:
        raise Failure(
            400, "there is no schema", code="schema-invalid", where=where,
            hint='say which, or {"type": "json_object"} for any object',
        )  # fmt: skip
    if not isinstance(schema, dict | bool):
        raise Failure(400, "a schema is an object", code="schema-invalid", where=where)
    return Asked.of("json", json.dumps(schema, ensure_ascii=False), where)


def stops(given: str | list[str] | None) -> list[str]:
    found = [given] if isinstance(given, str) else given or []
    if any(not word for word in found):
        raise Failure(400, "a stop string has at least one character", code="request", where="/stop")
    if len(found) > MOST_STOPS or sum(map(len, found)) > MOST_STOP_CHARACTERS:
        raise Failure(
            400, f"there are {len(found):,} stop strings of {sum(map(len, found)):,} characters", code="limit",
            where="/stop", hint=f"send at most {MOST_STOPS}, of {MOST_STOP_CHARACTERS:,} characters together",
        )  # fmt: skip
    return found
