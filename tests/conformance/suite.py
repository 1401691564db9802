"""The official JSON Schema test suite × frisket → figures, and the list of what is refused.

    python -m tests.conformance.suite                    all drafts, compared with the committed baseline
    python -m tests.conformance.suite --draft 2020-12    one draft
    python -m tests.conformance.suite --update           write the baseline (it may only shrink)
    python -m tests.conformance.suite --rivals           llguidance's and xgrammar's columns beside ours (`[bench]`;
                                                         --rivals-python: the interpreter that has them installed)

A schema is *exact* if it compiled without loosening and every instance was accepted or rejected as the suite says.
Engines that differ from the suite on purpose (they assert formats, fix the order of members) are measured by it all the
same: the figure says how much of the specification an engine keeps, not how good it is at what it sets out to do.

Two conventions move the rivals' figures, here on 2020-12's 383 required schemas. A schema that an engine calls
unsatisfiable is one of which it accepts nothing; counted as refused instead, llguidance 1.9.1 is exact on 147 and
refuses 214, not 154 and 207. xgrammar runs without its `strict_mode`, which closes objects that the schema leaves open;
with it, 0.2.8 is exact on 151, accepts 263 invalid instances and rejects 87 valid ones, not 140, 299 and 60.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.conformance import rival
from tests.data import required_data_dir

DRAFTS = {
    "4": ("draft4", "http://json-schema.org/draft-04/schema#"),
    "6": ("draft6", "http://json-schema.org/draft-06/schema#"),
    "7": ("draft7", "http://json-schema.org/draft-07/schema#"),
    "2019-09": ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    "2020-12": ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
}
BASELINE = Path(__file__).parent / "suite_baseline.json"


@dataclass
class Case:
    """One schema of the suite with its instances."""

    name: str
    schema: Any
    tests: list[dict[str, Any]]
    formats: str


@dataclass
class Figures:
    """What came of one draft."""

    schemas: int = 0
    exact: int = 0
    names: list[str] = field(default_factory=list)
    tests: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    under: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    crashed: dict[str, str] = field(default_factory=dict)

    def part(self, optional: bool) -> Figures:
        """The same of the required files alone, or of the optional ones (formats among them)."""

        def keep(name: str) -> bool:
            return name.startswith("optional/") == optional

        names = [name for name in self.names if keep(name)]
        refused = {name: reason for name, reason in self.refused.items() if keep(name)}
        under, over = ([line for line in lines if keep(line)] for lines in (self.under, self.over))
        crashed = {name: reason for name, reason in self.crashed.items() if keep(name)}
        lines = [*under, *over, *crashed]
        wrong = {name for name in names if any(line.startswith(name) for line in lines)}
        exact = len(names) - len(wrong | refused.keys())
        return Figures(len(names), exact, names=names, refused=refused, under=under, over=over, crashed=crashed)


def cases(folder: Path, draft: str) -> Iterator[Case]:
    """Every schema of a draft: required files, then optional ones."""
    directory, uri = DRAFTS[draft]
    root = folder / "json-schema-test-suite" / "tests" / directory
    for file in sorted(root.rglob("*.json")):
        relative = file.relative_to(root)
        # format.json of every draft treats formats as annotations; draft 7's optional content.json asserts contents.
        asserts = "format" in relative.parts or relative.name in ("format-assertion.json", "content.json")
        for number, case in enumerate(json.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)):
            schema = case["schema"]
            if isinstance(schema, dict) and "$schema" not in schema:
                schema = {"$schema": uri, **schema}
            yield Case(
                f"{relative.with_suffix('')}/{number} {case['description']}",
                schema,
                case["tests"],
                "assert" if asserts else "annotate",
            )


def registry(folder: Path, draft: str) -> Any:
    """The suite's remote documents and the metaschemas."""
    from jsonschema_specifications import REGISTRY
    from referencing import Resource
    from referencing.jsonschema import specification_with

    remotes = folder / "json-schema-test-suite" / "remotes"
    default = specification_with(DRAFTS[draft][1])
    found = REGISTRY
    for file in sorted(remotes.rglob("*.json")):
        contents = json.loads(file.read_text(encoding="utf-8"))
        uri = f"http://localhost:1234/{file.relative_to(remotes).as_posix()}"
        found = found.with_resource(uri, Resource.from_contents(contents, default_specification=default))
    return found


def compile_frisket(case: Case, documents: Any) -> Any:
    """A function from a JSON text to whether frisket accepts it."""
    from frisket import Grammar
    from frisket.errors import UnsupportedSchemaError
    from frisket.json_schema import JSONSchemaOptions

    options = JSONSchemaOptions(
        property_order="any",
        numbers="free",
        max_exponent_digits=3,
        max_integer_digits=330,
        max_second_digits=40,
        formats=case.formats,  # type: ignore[arg-type]
    )
    grammar = Grammar.from_json_schema(case.schema, options, documents)
    if grammar.report is not None and grammar.report.narrowed:
        entry = grammar.report.narrowed[0]
        raise UnsupportedSchemaError(f"not exact: {entry.pointer}: {entry.slips}")
    return grammar.accepts


def run_rival(folder: Path, draft: str, engine: rival.Rival, *, sample: int = 1) -> Figures:
    """As `run`, for another engine in its own process."""
    figures = Figures()
    for number, case in enumerate(cases(folder, draft)):
        if number % sample:
            continue
        figures.schemas += 1
        figures.names.append(case.name)
        figures.tests += len(case.tests)
        texts = [dumps(test["data"]) for test in case.tests]
        try:
            accepted = engine.accepted(dumps(case.schema), texts)
        except rival.Unsatisfiable:
            accepted = [False] * len(texts)
        except rival.Refused as error:
            figures.refused[case.name] = str(error)
            continue
        except rival.Crashed as error:
            figures.crashed[case.name] = str(error)
            continue
        right = True
        for test, text, found in zip(case.tests, texts, accepted, strict=True):
            if found != test["valid"]:
                right = False
                (figures.under if found else figures.over).append(f"{case.name}: {test['description']}: {text[:120]}")
        figures.exact += right
    return figures


def run(folder: Path, draft: str, compile_case: Any = compile_frisket, *, sample: int = 1) -> Figures:
    """Every schema of one draft, or one in `sample`."""
    from frisket.errors import FrisketError, UnsatisfiableSchemaError

    figures = Figures()
    documents = registry(folder, draft)
    for number, case in enumerate(cases(folder, draft)):
        if number % sample:
            continue
        figures.schemas += 1
        figures.names.append(case.name)
        figures.tests += len(case.tests)
        try:
            accepts = compile_case(case, documents)
        except UnsatisfiableSchemaError:
            wrong = [f"{case.name}: {test['description']}" for test in case.tests if test["valid"]]
            figures.over += wrong
            figures.exact += not wrong
            continue
        except FrisketError as error:
            figures.refused[case.name] = f"{error.code}: {error.message}"
            continue
        except Exception as error:
            figures.crashed[case.name] = f"{type(error).__name__}: {error}"
            continue
        right = True
        for test in case.tests:
            text = dumps(test["data"])
            name = f"{case.name}: {test['description']}: {text[:120]}"
            try:
                accepted = accepts(text)
            except Exception as error:
                figures.crashed[name] = f"{type(error).__name__}: {error}"
                right = False
                continue
            if accepted != test["valid"]:
                right = False
                (figures.under if accepted else figures.over).append(name)
        figures.exact += right
    return figures


def dumps(value: Any) -> str:
    """The instance as Python writes it, numbers as the suite writes them."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {dumps(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def grown(figures: Figures, draft: str, baseline: dict[str, dict[str, str]]) -> list[str]:
    """Refusals that the committed baseline does not have."""
    return [name for name in figures.refused if name not in baseline.get(draft, {})]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The official JSON Schema test suite")
    parser.add_argument("--draft", choices=list(DRAFTS), action="append")
    parser.add_argument("--update", action="store_true", help="write the baseline of refusals, if none is new")
    parser.add_argument("--verbose", action="store_true", help="every wrong instance and every refusal")
    parser.add_argument("--rivals", action="store_true", help="llguidance and xgrammar on the same cases")
    parser.add_argument("--rivals-python", default=sys.executable, help="the interpreter that has them installed")
    chosen = parser.parse_args(arguments)
    folder = required_data_dir()
    rivals: list[rival.Rival] = []
    if chosen.rivals:
        for name in rival.RIVALS:
            try:
                rivals.append(rival.Rival(name, chosen.rivals_python))
            except rival.Crashed:
                print(
                    f"{name} is not there: pip install 'frisket-llm[bench]', or name its --rivals-python",
                    file=sys.stderr,
                )
    baseline = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    failed = False
    print(f"{'draft':8} {'engine':16} schemas  exact           refused  invalid accepted  valid rejected  crashes")
    for draft in chosen.draft or DRAFTS:
        figures = run(folder, draft)
        name = f"frisket {importlib.metadata.version('frisket-llm')}"
        _print_rows(draft, name, figures)
        if chosen.verbose:
            _print_details(figures)
        new = grown(figures, draft, baseline)
        failed |= bool(figures.under or figures.over or figures.crashed or new)
        if new:
            print(f"  {len(new)} refusals are not in the baseline, such as {new[0]}: {figures.refused[new[0]]}")
        else:
            gone = len(baseline.get(draft, {})) - len(figures.refused)
            if gone and not chosen.update:
                print(f"  {gone} refusals of the baseline are gone: --update")
            baseline[draft] = dict(sorted(figures.refused.items()))
        for engine in rivals:
            _print_rows(draft, f"{engine.name} {engine.version}", run_rival(folder, draft, engine))
    for engine in rivals:
        engine.close()
    if chosen.update:
        BASELINE.write_text(json.dumps(baseline, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(failed)


def _print_rows(draft: str, name: str, figures: Figures) -> None:
    for part, found in (("", figures), ("required", figures.part(False)), ("optional", figures.part(True))):
        print(
            f"{draft if not part else '':8} {name if not part else '  ' + part:16} {found.schemas:7}"
            f"  {found.exact:5} ({100 * found.exact / found.schemas:5.1f} %)  {len(found.refused):7}"
            f"  {len(found.under):16}  {len(found.over):14}  {len(found.crashed):7}",
            flush=True,
        )


def _print_details(figures: Figures) -> None:
    for label, lines in (("ACCEPTED", figures.under), ("REJECTED", figures.over)):
        for line in lines:
            print(f"  {label} {line}")
    for label, named in (("REFUSED", figures.refused), ("CRASHED", figures.crashed)):
        for name, reason in named.items():
            print(f"  {label} {name}\n      {reason}")
    print(" ", Counter(reason.split(":")[0] for reason in figures.refused.values()))


if __name__ == "__main__":
    sys.exit(main())
