"""Schema → what became of each keyword: enforced, loosened, narrowed, an annotation, or a word that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

#: The note of an unknown keyword that is near another one, as the native report writes it.
_MEANT = re.compile(r"did you mean (.+)\?")


@dataclass(frozen=True)
class Entry:
    """One keyword at one place.

    `status` is one of

    * `enforced`;
    * `loosened`: `slips` says what comes through;
    * `narrowed`: `slips` says which valid values are left out;
    * `annotation`: it asks nothing of a document, as its specification says, and `note` says why;
    * `unknown`: no keyword of the schema's draft, so it asks nothing; `note` names the keyword that may be meant.
    """

    pointer: str
    keyword: str
    status: str
    slips: str = ""
    note: str = ""

    @property
    def meant(self) -> str | None:
        """The keyword that an unknown one may be meant for, None where none is near."""
        near = _MEANT.fullmatch(self.note) if self.status == "unknown" else None
        return None if near is None else near[1]


class Note(str):
    """A fact about a language as a whole, as text.

    `code` is the kind of note, for programs, and `pointers` are the JSON pointers of the schemas that it speaks of:

    * `root-asks-nothing`: any JSON is valid; the pointers are those of the definitions;
    * `no-names`: no string meets these `propertyNames`, so the objects have no members;
    * `sorted`, `closed-objects`, `forbidden-texts`, `escaped-texts`: the options, or a tool that sorted the properties;
    * `tags`: the tags of the family that calls the tools, and what becomes of them in the texts of a call;
    * `uncalled`: a tool that cannot be called;
    * `end`: a vocabulary whose end tokens are not those of the family that calls the tools.

    >>> from frisket import Grammar
    >>> note = Grammar.from_json_schema({"$defs": {"A": {"type": "null"}}}).report.notes[0]
    >>> print(note)
    the root asks nothing, so any JSON is valid: it only defines #/$defs/A; add a $ref to the one that is meant
    >>> note.code, note.pointers
    ('root-asks-nothing', ['/$defs/A'])
    """

    code: str
    pointers: list[str]

    def __new__(cls, text: str, code: str, pointers: list[str] | None = None) -> Note:
        note = super().__new__(cls, text)
        note.code, note.pointers = code, pointers or []
        return note


@dataclass
class Report:
    """The outcome of every keyword; `exact` if nothing was loosened.

    Keywords that do ask something are listed where a value can come to them, annotations and unknown keywords wherever
    they stand. What only names, describes or holds schemas (`title`, `default`, `$defs` …) is not listed. Entries are
    made when somebody asks: a compile pays nothing for them.

    >>> from frisket import Grammar
    >>> report = Grammar.from_json_schema({"type": "string", "format": "phone", "maxlength": 9}).report
    >>> print(report)
    --   (root)  format: phone: no format of JSON Schema
    ??   (root)  maxlength: did you mean maxLength?
    ok   (root)  type
    >>> report.exact, [entry.keyword for entry in report.unknown]
    (True, ['maxlength'])
    """

    loosened: list[Entry] = field(default_factory=list)
    narrowed: list[Entry] = field(default_factory=list)
    #: Facts about the language as a whole.
    notes: list[Note] = field(default_factory=list)
    #: Entries that are neither loosened nor narrowed (those of a loosened place and keyword are passed over).
    source: Callable[[], Iterable[Entry]] | None = None
    _said: list[Entry] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def exact(self) -> bool:
        return not self.loosened

    @property
    def entries(self) -> list[Entry]:
        """Every entry, by pointer."""
        if self._said is None:
            self._said = list(dict.fromkeys(self.source() if self.source is not None else ()))
        slipping = {(entry.pointer, entry.keyword) for entry in [*self.loosened, *self.narrowed]}
        others = [entry for entry in self._said if (entry.pointer, entry.keyword) not in slipping]
        return sorted([*others, *self.loosened, *self.narrowed], key=lambda entry: (entry.pointer, entry.keyword))

    @property
    def annotations(self) -> list[Entry]:
        """Keywords that ask nothing of a document by specification: a format that is none of JSON Schema's …"""
        return [entry for entry in self.entries if entry.status == "annotation"]

    @property
    def unknown(self) -> list[Entry]:
        """Words that are no keywords of the schema's draft, and ask nothing for that."""
        return [entry for entry in self.entries if entry.status == "unknown"]

    def beside(self, entries: Iterable[Entry]) -> Report:
        """This report and what else is known of the same places."""
        found = list(entries)
        return replace(
            self,
            loosened=[*self.loosened, *(entry for entry in found if entry.status == "loosened")],
            narrowed=[*self.narrowed, *(entry for entry in found if entry.status == "narrowed")],
        )

    def to_json(self) -> dict[str, Any]:
        """The report for a program."""
        return {
            "exact": self.exact and not self.narrowed,
            **({"notes": self.notes} if self.notes else {}),
            "entries": [
                {
                    "pointer": e.pointer,
                    "keyword": e.keyword,
                    "status": e.status,
                    **({"slips": e.slips} if e.slips else {}),
                    **({"note": e.note} if e.note else {}),
                }
                for e in self.entries
            ],
        }

    def __str__(self) -> str:
        marks = {"enforced": "ok ", "loosened": "NOT", "narrowed": "<  ", "annotation": "-- ", "unknown": "?? "}
        lines = [
            f"{marks[entry.status]}  {entry.pointer or '(root)'}  {entry.keyword}"
            + (f": {entry.slips or entry.note}" if entry.slips or entry.note else "")
            for entry in self.entries
        ]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        from frisket.markup import ROOT, notebook, shown, table

        rows = [
            [
                f"<td><code>{shown(text)}</code></td>"
                for text in (entry.status, entry.pointer or ROOT, entry.keyword, entry.slips or entry.note)
            ]
            for entry in self.entries
        ]
        notes = "".join(f"<p>{shown(note)}</p>" for note in self.notes)
        return notebook(table("Coverage of the schema", ["status", "place", "keyword", "remark"], [], [], rows), notes)
