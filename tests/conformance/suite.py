"""The official JSON Schema test suite × frisket → figures, and the list of what is refused.

    python -m tests.conformance.suite                    all drafts, compared with the committed baseline
    python -m tests.conformance.suite --draft 2020-12    one draft
    python -m tests.conformance.suite --update           write the baseline (it may only shrink)

A schema is *exact* if it compiled without loosening and every instance was accepted or rejected as the suite says.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.data import find_data_dir

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
    tests: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    under: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    crashed: dict[str, str] = field(default_factory=dict)


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
        formats=case.formats,  # type: ignore[arg-type]
    )
    grammar = Grammar.from_json_schema(case.schema, options, documents)
    if grammar.report is not None and grammar.report.narrowed:
        entry = grammar.report.narrowed[0]
        raise UnsupportedSchemaError(f"not exact: {entry.pointer}: {entry.slips}")
    return grammar.accepts


def run(folder: Path, draft: str, compile_case: Any = compile_frisket, *, sample: int = 1) -> Figures:
    """Every schema of one draft, or one in `sample`."""
    from frisket.errors import FrisketError, UnsatisfiableSchemaError

    figures = Figures()
    documents = registry(folder, draft)
    for number, case in enumerate(cases(folder, draft)):
        if number % sample:
            continue
        figures.schemas += 1
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


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The official JSON Schema test suite")
    parser.add_argument("--draft", choices=list(DRAFTS), action="append")
    parser.add_argument("--update", action="store_true", help="write the baseline of refusals")
    parser.add_argument("--verbose", action="store_true", help="every wrong instance and every refusal")
    chosen = parser.parse_args(arguments)
    folder = find_data_dir()
    if folder is None:
        print("no data: set FRISKET_DATA to the folder that holds json-schema-test-suite/", file=sys.stderr)
        return 2
    compilers: dict[str, Any] = {"frisket": compile_frisket}
    baseline = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    failed = False
    print(f"{'draft':8} {'engine':11} schemas  exact           refused  invalid accepted  valid rejected  crashes")
    for draft in chosen.draft or DRAFTS:
        for engine, compile_case in compilers.items():
            figures = run(folder, draft, compile_case)
            share = 100 * figures.exact / figures.schemas
            print(
                f"{draft:8} {engine:11} {figures.schemas:7}  {figures.exact:5} ({share:5.1f} %)"
                f"  {len(figures.refused):7}  {len(figures.under):16}  {len(figures.over):14}  {len(figures.crashed):7}"
            )
            if engine != "frisket":
                continue
            if chosen.verbose:
                for label, lines in (("ACCEPTED", figures.under), ("REJECTED", figures.over)):
                    for line in lines:
                        print(f"  {label} {line}")
                for label, named in (("REFUSED", figures.refused), ("CRASHED", figures.crashed)):
                    for name, reason in named.items():
                        print(f"  {label} {name}\n      {reason}")
                print(" ", Counter(reason.split(":")[0] for reason in figures.refused.values()))
            known = baseline.get(draft, {})
            new = [name for name in figures.refused if name not in known]
            failed |= bool(figures.under or figures.over or figures.crashed or (new and not chosen.update))
            if new and not chosen.update:
                print(f"  {len(new)} refusals are not in the baseline, such as {new[0]}")
            baseline[draft] = dict(sorted(figures.refused.items()))
    if chosen.update:
        BASELINE.write_text(json.dumps(baseline, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
