"""JSON of a request → its checked fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from frisket.options import OnBudget
from frisket.play.notation import NOTATIONS
from frisket.play.search import WIDEST, width
from frisket.server.body import Body
from frisket.strategies.spelling import read_strategy

#: Tokens that the user chose, in one request.
Tokens = Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=8192)]


class Source(Body):
    """A text in a notation, the options of JSON documents, and the model whose vocabulary is used."""

    notation: str
    text: str
    options: dict[str, Any] = Field(default_factory=dict)
    model: str

    @field_validator("notation")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in NOTATIONS:
            raise ValueError(f"no notation is called {name!r}; there are {', '.join(NOTATIONS)}")
        return name


class Mend(Body):
    """A schema, and whether fixes may change which documents are valid."""

    text: str
    unsafe: bool = False


class Ask(Source):
    """The inputs of an answer. With `masked=False` the model writes freely, with the same random numbers, and the text
    is cut when the tokens run out."""

    prompt: str
    describe: Literal["", "typescript", "prose", "json_schema", "example"] = ""
    temperature: float = Field(0.0, ge=0, le=10, allow_inf_nan=False)
    seed: int = Field(0, ge=0, lt=1 << 63)
    max_tokens: int = Field(256, ge=1)
    on_budget: OnBudget = "finish"
    masked: bool = True
    draft: str | None = Field(None, max_length=100_000)
    """An answer in free text that the model reads before it answers, as in the strategy `Draft`."""

    @field_validator("temperature", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        return float(value) if type(value) is int else value


class Search(Ask):
    """The inputs of a search by a strategy; at temperature 0 the strategy uses its own default sampler."""

    strategy: str = Field(max_length=200)

    @field_validator("strategy")
    @classmethod
    def _spelled(cls, text: str) -> str:
        most = width(read_strategy(text))
        if most > WIDEST:
            raise ValueError(f"{text} holds {most:,} answers at once; here at most {WIDEST}")
        return text


class Run(Body):
    """Go back to a step, take these tokens, and then draw more: a given number, or all that are left."""

    back: int | None = Field(None, ge=0)
    tokens: Tokens = Field(default_factory=list)
    by_hand: Tokens | None = None
    """When an answer is made again: the steps that the user chose; None for all of `tokens`."""
    steps: int | None = Field(None, ge=0)


class Explain(Body):
    """A text, or the id of a token, that the user expected at a step."""

    text: str | None = Field(None, max_length=10_000)
    token: int | None = Field(None, ge=0)
