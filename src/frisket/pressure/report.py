"""Generation → PressureReport: the pressure of each step, of each path and of the whole answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from frisket.outline import Place
from frisket.pressure.page import excerpt, page
from frisket.pressure.pressure import Pressure
from frisket.pressure.schema_path import grammar_paths
from frisket.token_name import token_name

if TYPE_CHECKING:
    from frisket.decoding.answer import Generation
    from frisket.vocabulary import Vocabulary

#: Version of the files that `PressureReport.to_json` writes.
FORMAT = "frisket-trace-1"


class Likely(NamedTuple):
    """A token that could have come at a step."""

    text: str
    before: float
    """Its probability under the model alone."""
    after: float | None
    """Its probability among the allowed tokens; None if the mask forbids it."""


class StepPressure(NamedTuple):
    """One step of an answer, with all data to show it."""

    text: str
    token: int | None
    """None if the answer ended without a call of the model, since only the end could follow."""
    path: str
    """The names of the parts and the JSON Pointer of the place where the token was chosen (`Step.path`)."""
    schema_path: str
    """The path under which the step is counted: `path` with `*` for indexes, and for keys outside the schema."""
    logprob: float | None
    log_feasible: float | None
    """log α; None if the logits were not computed, so that α is unknown."""
    allowed: int
    overruled: bool
    forced: bool
    favourite: str | None
    """The text or the name of the model's likeliest token before the mask."""
    called: bool = True
    """Whether a call of the network was made for this step, and not for it together with earlier ones."""
    budgeted: bool = False
    """Whether `max_tokens` decided the token (`Step.budgeted`)."""
    likeliest: tuple[Likely, ...] = ()
    """The likeliest tokens before and after the mask, if they were recorded."""

    @property
    def pressure(self) -> Pressure:
        return Pressure.of(self.log_feasible, overruled=self.overruled, forced=self.forced)


@dataclass(frozen=True)
class PressureReport:
    """The effect of masks on a model's probabilities along one answer; made by `Generation.report`.

    Figures are sums over steps, in nats: see `Pressure`. If an answer ended without a call of the model, because only
    the end could follow, that end is a step whose α is unknown.
    """

    text: str
    finish_reason: str
    steps: tuple[StepPressure, ...]

    @classmethod
    def of(cls, generation: Generation[Any], vocabulary: Vocabulary) -> PressureReport:
        """The report of an answer; its model's vocabulary gives the texts of the favourites."""
        steps = list(_steps(generation, vocabulary))
        if generation.finish_reason in ("end", "budget") and not (generation.steps and generation.steps[-1].ends):
            steps.append(StepPressure("", None, "", "", None, None, 1, overruled=False, forced=True, favourite=None))
        return cls(generation.text, generation.finish_reason, tuple(steps))

    @cached_property
    def total(self) -> Pressure:
        """The pressure of the whole answer."""
        return sum(self.paths.values(), Pressure())

    @cached_property
    def paths(self) -> dict[str, Pressure]:
        """The pressure of each schema path, the largest first; text without a path counts at the root."""
        steps: dict[str, list[StepPressure]] = {}
        for step in self.steps:
            steps.setdefault(step.schema_path, []).append(step)
        found = {path: Pressure.of_all(members) for path, members in steps.items()}
        return dict(sorted(found.items(), key=lambda item: (-item[1].nats, item[0])))

    def to_json(self) -> str:
        """The report as one line of JSON, which `from_json` and `frisket trace` read."""
        document = {
            "format": FORMAT,
            "text": self.text,
            "finish_reason": self.finish_reason,
            "total": self.total.as_dict(),
            "paths": {path: pressure.as_dict() for path, pressure in self.paths.items()},
            "steps": [_plain(step) for step in self.steps],
        }
        # In ASCII, since a key may contain half a surrogate pair, which UTF-8 cannot encode.
        return json.dumps(document, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> PressureReport:
        """The report from the JSON of `to_json`; ValueError for any other text. Totals are computed again."""
        document = json.loads(text)
        if not isinstance(document, Mapping) or document.get("format") != FORMAT:
            raise ValueError(f'a trace is a JSON object with "format": "{FORMAT}"')
        try:
            steps = tuple(_checked(_read(step)) for step in document["steps"])
            return cls(str(document["text"]), str(document["finish_reason"]), steps)
        except (KeyError, TypeError) as error:
            raise ValueError(f"a trace of this format has other fields: {error}") from None

    def to_html(self) -> str:
        """The report as one self-contained page: the text as a heat map, and the paths and steps with the most
        pressure.

        All text is escaped, and the page loads nothing and runs no script.
        """
        return page(self)

    def _repr_html_(self) -> str:
        return excerpt(self)


def _steps(generation: Generation[Any], vocabulary: Vocabulary) -> Iterator[StepPressure]:
    folded = grammar_paths(generation.grammar)
    place = Place((), ())
    path = counted = ""
    for step in generation.steps:
        here = step._place
        if here is not None and here is not place:  # places are one object while the text stays in one value
            place = here
            path, counted = str(place), folded[place]
        favourite = step.data.decode("utf-8", "replace") if step.favourite == step.token else ""
        yield StepPressure(
            step.text,
            step.token,
            path,
            counted,
            step.logprob,
            step.log_feasible,
            step.allowed,
            step.overruled,
            step.allowed == 1,
            favourite or _shown(step.favourite, vocabulary),
            step.called,
            step.budgeted,
        )


def _shown(token: int, vocabulary: Vocabulary) -> str:
    """The text of a token, with U+FFFD for incomplete characters; a special token has its name."""
    data = vocabulary.token(token) if token < vocabulary.size else None
    return (token_name(vocabulary, token) or f"<{token}>") if data is None else data.decode("utf-8", "replace")


def _plain(step: StepPressure) -> dict[str, Any]:
    """A step as JSON, with its likeliest tokens if they were kept."""
    written = step._asdict()
    if not step.likeliest:
        del written["likeliest"]
    return written


def _read(written: Mapping[str, Any]) -> StepPressure:
    likeliest = tuple(Likely(*one) for one in written.get("likeliest", ()))
    return StepPressure(**{**written, "likeliest": likeliest})


def _checked(step: StepPressure) -> StepPressure:
    """The step, checked; TypeError if a field has a wrong type."""
    likely = [figure for one in step.likeliest for figure in (one.before, one.after or 0.0)]
    texts: Sequence[object] = (
        step.text, step.path, step.schema_path, step.favourite or "", *(one.text for one in step.likeliest)
    )  # fmt: skip
    numbers: Sequence[object] = (step.log_feasible or 0.0, step.logprob or 0.0, step.allowed, *likely)
    flags: Sequence[object] = (step.overruled, step.forced, step.called, step.budgeted)
    for kind, figures in ((str, texts), ((int, float), numbers), (bool, flags)):
        if not all(isinstance(figure, kind) for figure in figures):
            raise TypeError("a step holds a text, a number or a flag where another of these belongs")
    return step
