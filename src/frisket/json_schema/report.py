"""Schema → the outcome of each keyword: enforced, loosened, narrowed, an annotation, or unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from frisket.errors import InvalidSchemaError

#: The note on an unknown keyword that is similar to a known one, as the native report writes it.
_MEANT = re.compile(r"did you mean (.+)\?")


@dataclass(frozen=True)
class Entry:
    """One keyword at one place.

    `status` is one of

    * `enforced`;
    * `loosened`: `slips` says which invalid values are allowed;
    * `narrowed`: `slips` says which valid values are left out;
    * `annotation`: by its specification it does not constrain documents, and `note` says why;
    * `unknown`: no keyword of the schema's draft, and so without effect; `note` names a similar keyword.
    """

    pointer: str
    keyword: str
    status: str
    slips: str = ""
    note: str = ""

    @property
    def meant(self) -> str | None:
        """The known keyword that is similar to an unknown one; None if there is none."""
        near = _MEANT.fullmatch(self.note) if self.status == "unknown" else None
        return None if near is None else near[1]


class Note(str):
    """A fact about a language as a whole, as text.

    `code` is the kind of note, for programs, and `pointers` are the JSON pointers of the schemas that the note is
    about:

    * `root-asks-nothing`: any JSON is valid; the pointers are those of the definitions;
    * `no-names`: no string satisfies these `propertyNames`, so the objects have no members;
    * `sorted`, `closed-objects`, `forbidden-texts`, `escaped-texts`: effects of options or of sorted names;
    * `tags`: the tags of the family that calls the tools, and how the texts of a call avoid them;
    * `uncalled`: a tool that cannot be called;
    * `end`: the vocabulary's end tokens are not those of the family that calls the tools.

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

    Keywords that constrain documents are listed where a value can come to them, annotations and unknown keywords
    everywhere. Keywords that only name, describe or contain schemas (`title`, `default`, `$defs` …) are not listed. The
    entries are made on request, so a compile spends no time on them.

    Printed, each entry is a line with a mark: `ok` enforced, `<` narrowed, `NOT` loosened, `--` an annotation, `??`
    unknown. Then come the pointer, the keyword, and `slips` or `note`; `notes` come last.

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
    #: Makes the entries that are neither loosened nor narrowed; a place and keyword that is loosened is skipped.
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
        """Keywords that by specification constrain no document, such as a format that JSON Schema does not define."""
        return [entry for entry in self.entries if entry.status == "annotation"]

    @property
    def unknown(self) -> list[Entry]:
        """Words that are not keywords of the schema's draft, and so have no effect."""
        return [entry for entry in self.entries if entry.status == "unknown"]

    @cached_property
    def misspelt(self) -> list[Entry]:
        """Unknown words that are similar to a keyword, and so may mean it (`Entry.meant`)."""
        return [entry for entry in self.unknown if entry.meant is not None]

    def check_asks(self, where: str = "") -> None:
        """InvalidSchemaError for a schema of members or definitions alone, since any JSON would be valid."""
        note = next((one for one in self.notes if one.code == "root-asks-nothing"), None)
        if note is None:
            return
        meant = next((entry.meant for entry in self.misspelt), None)
        if note.pointers:
            hint = f'write {{"$ref": "#{note.pointers[0]}", …}}'
        elif meant is not None:
            hint = f"do you mean {meant}?"
        else:
            hint = (
                'for an object with these members write {"type": "object", "properties": {…}, "required": […]}; for a '
                "class, pass the class; for any JSON, pass True"
            )
        raise InvalidSchemaError(str(note), where=where, hint=hint)

    def beside(self, entries: Iterable[Entry]) -> Report:
        """The report with more entries about the same places."""
        found = list(entries)
        return replace(
            self,
            loosened=[*self.loosened, *(entry for entry in found if entry.status == "loosened")],
            narrowed=[*self.narrowed, *(entry for entry in found if entry.status == "narrowed")],
        )

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values."""
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
