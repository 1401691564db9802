"""Template × a text that it matches → the object of the filled template, also while the text grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frisket.events.partial_object import partial_object

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.notations.combination.part import Template


@dataclass(frozen=True, slots=True)
class Filled:
    """Reads the values of a template's holes from a text into its object."""

    grammar: Grammar
    template: Template

    def __call__(self, text: str) -> Any:
        found = self.grammar.captures(text)
        return self.template.into(**{name: of.value(found[name][0].text) for name, of in self.template.holes})

    def partial(self, values: Iterable[tuple[tuple[str, ...], Any]]) -> Any:
        """The object of the values so far; they are not validated, and missing ones are None."""
        known = {names[0]: value for names, value in values if names}
        if isinstance(self.template.into, type):
            return partial_object(self.template.into, known)
        return self.template.into(**{name: known.get(name) for name, _ in self.template.holes})
