"""A keyword less × the language: every keyword that the report calls enforced must make a difference.

    python -m tests.conformance.mutation                    one MaskBench schema in twenty
    python -m tests.conformance.mutation --sample 1         all of them
    python -m tests.conformance.mutation --schemas Glaive   those whose name holds the text

Each keyword is taken out in turn. A *witness* is a document that the grammar of one of the two schemas accepts and that
of the other does not; jsonschema-rs must say the same of it. Candidates: walks under the grammar of "without the
keyword, and not as it was" with the way there required, walks under both grammars, the file's instances and mutations
of them. A keyword without a witness is *redundant* if no value satisfies "without the keyword, and not as it was" (the
algebra finds that empty), and *undecided* otherwise: the search was too short, or other parts say the same.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.conformance.converse import mutate
from tests.conformance.judge import read
from tests.conformance.walk import MANNERS, DeadEnd, Hints, Late, Table, Walker
from tests.data import find_data_dir, maskbench

SECONDS = 10


def keywords(schema: Any, grammar: Any) -> Iterator[tuple[str, str]]:
    """The keywords of the document itself (not of metaschemas) that are reported as enforced: pointer and name."""
    for entry in grammar.report.entries:
        if entry.status == "enforced" and entry.keyword not in ("$ref", "$schema", "$defs", "definitions"):
            pointer = entry.pointer
            if pointer.rsplit("/", 1)[-1] == entry.keyword:
                pointer = pointer.rsplit("/", 1)[0]
            if isinstance(part := find(schema, pointer), dict) and entry.keyword in part:
                yield pointer, entry.keyword


def find(schema: Any, pointer: str) -> Any:
    """What a JSON pointer leads to, None if nowhere."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, dict) and step in schema:
            schema = schema[step]
        elif isinstance(schema, list) and step.isdigit() and int(step) < len(schema):
            schema = schema[int(step)]
        else:
            return None
    return schema


def without(schema: Any, pointer: str, keyword: str) -> Any:
    """The schema with one keyword less."""
    changed = copy.deepcopy(schema)
    del find(changed, pointer)[keyword]
    return changed


def inlined(schema: Any, pointer: str) -> tuple[Any, str]:
    """The schema with a copy of the definition at one place that refers to it, and the pointer to that copy.

    A definition cannot be required; the way to a place can.
    """
    schema = copy.deepcopy(schema)
    for _ in range(6):
        steps = pointer.split("/")
        if steps[1:2] not in (["definitions"], ["$defs"]):
            break
        definition = "/".join(steps[:3])
        place = next((at for at, part in places(schema, "") if part.get("$ref") == f"#{definition}"), None)
        if place is None or place.startswith(definition):
            break
        part = find(schema, place)
        part.clear()
        part.update(copy.deepcopy(find(schema, definition)))
        pointer = "/".join([place, *steps[3:]])
    return schema, pointer


def places(schema: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a schema by pointer, definitions last."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from places(item, f"{pointer}/{index}")
    elif isinstance(schema, dict):
        yield pointer, schema
        for key in sorted(schema, key=lambda key: key in ("definitions", "$defs")):
            if key not in ("enum", "const", "default", "examples"):
                yield from places(schema[key], f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")


def opposed(schema: Any, pointer: str, keyword: str) -> tuple[Any, Any]:
    """Schemas of what only the missing keyword keeps out: of whole documents that get there, and of the place alone."""
    schema, pointer = inlined(schema, pointer)
    changed = without(schema, pointer, keyword)
    part = find(changed, pointer)
    rest = dict(part)
    part.clear()
    part["allOf"] = [rest, {"not": copy.deepcopy(find(schema, pointer))}]
    alone = {"allOf": part["allOf"]}
    for name in ("$schema", "$defs", "definitions"):
        if name in schema:
            alone[name] = schema[name]
    steps = pointer.split("/")[1:]
    depth = 0
    while depth + 1 <= len(steps) and isinstance(
        holder := find(changed, "".join(f"/{one}" for one in steps[:depth])), dict
    ):
        step = steps[depth]
        if step == "properties" and depth + 1 < len(steps):
            name = steps[depth + 1].replace("~1", "/").replace("~0", "~")
            holder["required"] = sorted({*holder.get("required", []), name})
            holder["type"] = "object"
        elif step == "items":
            holder["minItems"] = max(1, holder.get("minItems", 1))
            holder["type"] = "array"
        listed = isinstance(holder.get(step), list) or step in ("properties", "patternProperties")
        depth += 2 if listed else 1
    return changed, alone


def check(entry: dict[str, Any], walker: Walker, chance: random.Random) -> list[tuple[str, str, str]]:
    """(verdict, pointer and keyword, evidence) of every enforced keyword of a schema."""
    import jsonschema_rs

    from frisket import Grammar
    from frisket.errors import FrisketError, UnsatisfiableSchemaError
    from frisket.json_schema import JSONSchemaOptions

    options = JSONSchemaOptions(property_order="any", numbers="free")
    schema = entry["schema"]
    try:
        grammar = Grammar.from_json_schema(schema, options)
        judge = jsonschema_rs.validator_for(schema, validate_formats=True)
    except (FrisketError, ValueError):
        return []
    hints = Hints.from_schema(schema)
    own = [test["data"] for test in entry["tests"]]
    results = []
    for pointer, keyword in keywords(schema, grammar):
        name = f"{pointer or '(root)'} {keyword}"
        changed = without(schema, pointer, keyword)
        try:
            other = Grammar.from_json_schema(changed, options)
            other_judge = jsonschema_rs.validator_for(changed, validate_formats=True)
        except UnsatisfiableSchemaError:
            results.append(("witness", name, "nothing satisfies the schema without it"))
            continue
        except (FrisketError, ValueError) as error:
            results.append(("undecided", name, f"the schema without it is refused: {str(error)[:100]}"))
            continue
        walker.until = time.monotonic() + SECONDS
        verdict = ("undecided", name, "")
        focused = None
        whole, alone = opposed(schema, pointer, keyword)
        way = Hints.from_schema(whole)
        with contextlib.suppress(FrisketError, ValueError):
            focused = Grammar.from_json_schema(whole, options)
        for text in candidates(grammar, other, focused, own, hints, way, walker, chance):
            try:
                here, there = grammar.accepts(text), other.accepts(text)
            except FrisketError:  # a limit: no answer
                continue
            if here != there:
                document = read(text)
                judged = judge.is_valid(document), other_judge.is_valid(document)
                verdict = ("witness" if judged == (here, there) else "disputed", name, text.decode()[:300])
                break
        if verdict[0] == "undecided":
            try:
                Grammar.from_json_schema(alone, options)
            except UnsatisfiableSchemaError:
                verdict = ("redundant", name, "nothing satisfies the rest and breaks it")
            except (FrisketError, ValueError):
                pass
        results.append(verdict)
    return results


def candidates(
    grammar: Any,
    other: Any,
    focused: Any,
    own: list[Any],
    hints: Hints,
    way: Hints,
    walker: Walker,
    chance: random.Random,
) -> Iterator[bytes]:
    """Texts that may tell the two grammars apart, the likeliest first."""
    from frisket.errors import FrisketError

    seen: list[Any] = list(own)
    for document in own:
        yield json.dumps(document, ensure_ascii=False).encode()
    try:
        if focused is not None:
            compiled = focused.core.compile(walker.table.core)
            for _ in range(6):
                text, whole = walker.walk(compiled.matcher(), chance, MANNERS[-1], 0, way)
                if whole:
                    yield text
    except (Late, DeadEnd, FrisketError):
        pass
    both = [side.core.compile(walker.table.core) for side in (other, grammar)]
    try:
        for number in range(48):
            manner = MANNERS[number % len(MANNERS)]
            text, whole = walker.walk(both[number % 8 == 7].matcher(), chance, manner, 60, hints)
            if whole:
                yield text
                seen.append(json.loads(text))
    except (Late, DeadEnd, FrisketError):
        return
    for _ in range(600):
        if time.monotonic() > walker.until:
            return
        document = mutate(copy.deepcopy(chance.choice(seen)), chance)
        text = json.dumps(document, ensure_ascii=False)
        if "\\ud" not in text and "Infinity" not in text:
            yield text.encode("utf-8", "replace")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Every enforced keyword makes a difference")
    parser.add_argument("--sample", type=int, default=20, help="one schema in so many")
    parser.add_argument("--schemas", default="")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="what is undecided")
    chosen = parser.parse_args(arguments)
    folder = find_data_dir()
    if folder is None:
        print("no data: set FRISKET_DATA", file=sys.stderr)
        return 2
    entries = [entry for entry in maskbench(folder) if chosen.schemas in entry["id"]]
    random.Random(chosen.seed).shuffle(entries)
    walker = Walker(Table.small())
    counts: Counter[str] = Counter()
    undecided: Counter[str] = Counter()
    began, schemas = time.monotonic(), 0
    for entry in entries[:: chosen.sample]:
        if chosen.minutes is not None and time.monotonic() - began > 60 * chosen.minutes:
            break
        schemas += 1
        for verdict, name, evidence in check(entry, walker, random.Random(f"{chosen.seed}/{entry['id']}")):
            counts[verdict] += 1
            if verdict == "undecided":
                undecided[name.rsplit(" ", 1)[1]] += 1
            if verdict == "disputed" or (verdict == "undecided" and chosen.verbose):
                print(f"{verdict}: {entry['id']}: {name}: {evidence}")
    print(f"schemas: {schemas}, keywords: {sum(counts.values())}, seed {chosen.seed}")
    for verdict, count in counts.most_common():
        print(f"{count:7,}  {verdict}")
    if undecided:
        print("undecided:", dict(undecided.most_common()))
    return int(counts["disputed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
