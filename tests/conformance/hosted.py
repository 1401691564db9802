"""MaskBench schemas × a vendor's dialect → random documents of the converted schema, decoded and validated.

    python -m tests.conformance.hosted --every 10 --to openai

frisket's own masks stand for the vendor: a vocabulary of single bytes, random walks under the converted schema. Each
document is decoded and held against the original. A document that fails is explained if the loss map has an entry at
or below the keyword that it breaks; any other is a defect, and the command exits with 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import jsonschema_rs

from frisket import Grammar, JSONSchemaOptions, Vocabulary, hosted
from frisket.errors import FrisketError, LimitExceededError, UnsupportedSchemaError
from frisket.json_pointer import escape, follow
from tests.data import maskbench, required_data_dir

#: Bytes that a walk chooses itself; then the shortest way out is taken.
STEPS = 200
#: Of two ways, how often a walk prefers one that goes on to one that closes a text.
DOCUMENTS = 4

END = 256
VOCABULARY = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[END])


def documents(schema: dict[str, Any], chance: random.Random, count: int) -> Iterator[Any]:
    """Random documents of a converted schema, written byte by byte under its masks."""
    options = JSONSchemaOptions(whitespace="compact", relaxed=True)
    compiled = Grammar.from_json_schema(schema, options).compile(VOCABULARY)
    for _ in range(count):
        matcher, text = compiled.matcher(), b""
        for _ in range(STEPS):
            allowed = [token for token in matcher.allowed() if token != END]
            if not allowed:
                break
            plain = [token for token in allowed if chr(token) in '{}[]",:0123456789.truefalsn abc']
            token = chance.choice(plain or allowed)
            matcher.advance(token)
            text += bytes([token])
        rest = matcher.completion()
        assert rest is not None, text
        yield json.loads(text + bytes(rest))


def failures(schema: Any, validator: Any, converted: hosted.Converted, value: Any) -> list[str]:
    """What a decoded value breaks in the original schema without a loss that says so."""
    return [
        f"{where or '(root)'} breaks {keyword}"
        for error in validator.iter_errors(value)
        for where, keyword in [_place(schema, error.schema_path)]
        if not is_explained(schema, converted.losses, where, keyword)
    ]


#: Keywords whose subschemas are lost with them.
WHOLE = {
    "propertyNames",
    "dependencies",
    "dependentSchemas",
    "not",
    "if",
    "contains",
    "patternProperties",
    "anyOf",
    "oneOf",
}


def is_explained(schema: Any, losses: dict[str, dict[str, str]], where: str, keyword: str) -> bool:
    """Whether the keyword is lost itself, or with one above, or has something below, behind references too, that is."""
    said = f"{where}/{keyword}/"
    above = {f"{place}/{name}/" for place, names in losses.items() for name in names if name in WHOLE}
    above |= {f"{place}/{name}/" for place, names in losses.items() if "if" in names for name in ("then", "else")}
    is_lost = keyword in losses.get(where, {}) or any(
        said.startswith(root) for one in above for root in reached(schema, one)
    )
    return is_lost or any(f"{place}/".startswith(root) for place in losses for root in reached(schema, said))


def reached(schema: Any, pointer: str) -> set[str]:
    """A pointer, and those of all that references below it lead to, each with a slash at its end."""
    found: set[str] = set()
    agenda = [pointer]
    while agenda:
        if (where := agenda.pop()) in found:
            continue
        found.add(where)
        try:
            parts = [follow(schema, where.rstrip("/"))]
        except (KeyError, IndexError, ValueError, TypeError):
            continue
        while parts:
            part = parts.pop()
            if isinstance(part, dict) and isinstance(reference := part.get("$ref"), str):
                agenda.append(reference.partition("#")[2].rstrip("/") + "/")
            parts += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return found


def _place(root: Any, path: list[str | int]) -> tuple[str, str]:
    """The pointer of the subschema and the keyword that an error names, references followed."""
    node, where = root, ""
    for part in path[:-1]:
        if part == "$ref" and isinstance(node, dict) and isinstance(node["$ref"], str):
            where = node["$ref"].partition("#")[2]
            node = follow(root, where)
            continue
        node = node[int(part)] if isinstance(node, list) else node[part]
        where += "/" + escape(part)
    return where, str(path[-1])


def look(schema: Any, to: str, seed: int) -> tuple[str, list[str]]:
    """One schema's outcome, and what was not explained."""
    try:
        converted = hosted.convert(schema, to)
    except LimitExceededError:
        return "beyond the vendor's sizes", []
    except UnsupportedSchemaError:
        return "refused", []
    try:
        validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    except ValueError:
        return "the validator cannot read it", []
    lost = False
    try:
        for value in documents(converted.schema, random.Random(seed), DOCUMENTS):
            try:
                decoded = converted.decode(value)
            except ValueError as error:
                lost = True
                if not any("additionalProperties" in said for said in converted.losses.values()):
                    return "UNEXPLAINED", [f"not decoded: {error}"]
                continue
            if not validator.is_valid(decoded):
                lost = True
                if unexplained := failures(schema, validator, converted, decoded):
                    return "UNEXPLAINED", [f"{unexplained[0]}: {json.dumps(decoded)[:200]}"]
    except FrisketError as error:
        return f"frisket cannot walk it ({error.code})", []
    if lost:
        return "some invalid, explained by the loss map", []
    return "all valid" + (", with losses" if converted.losses else ", nothing lost"), []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=10, help="one schema in so many")
    parser.add_argument("--to", choices=hosted.dialects(), default="openai")
    parser.add_argument("--first", type=int, default=0, help="the first schema")
    arguments = parser.parse_args()
    folder = required_data_dir()
    outcomes: Counter[str] = Counter()
    for number, entry in islice(enumerate(maskbench(folder)), arguments.first, None, arguments.every):
        try:
            outcome, shown = look(entry["schema"], arguments.to, number)
        except Exception as error:
            outcome, shown = "ERROR", [f"{type(error).__name__}: {error}"]
        outcomes[outcome] += 1
        for line in shown:
            print(f"{entry['id']}: {line}"[:400], flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:6}  {outcome}")
    return int(any(name in outcomes for name in ("UNEXPLAINED", "ERROR")))


if __name__ == "__main__":
    sys.exit(main())
