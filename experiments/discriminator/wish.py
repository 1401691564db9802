"""Chance → a wish about files, perhaps behind the last action, and the action that fulfils it."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from experiments.trained_model import Texts
from frisket.models.prompt import property_names, render

ORDERS = ("first", "last")
FOLDERS = ("docs", "src", "notes", "data", "music", "photos", "plans", "old", "tests", "home")
STEMS = ("todo", "readme", "main", "index", "report", "budget", "letter", "recipe", "menu", "diary", "map", "song")
ENDS = (".txt", ".md", ".csv", ".py")
FIELDS = {"read": ("path",), "delete": ("path",), "copy": ("path", "to"), "list": ("path", "deep")}
PHRASES: dict[str, tuple[str, ...]] = {
    "read": ("show {path}", "open {path}", "what is in {path}", "print {path}"),
    "delete": ("remove {path}", "erase {path}", "get rid of {path}", "throw {path} away"),
    "copy": ("copy {path} to {to}", "put a copy of {path} in {to}", "save {path} as {to}"),
    "list": ("which files are in {path}", "list {path}"),
    "list deep": ("list all below {path}", "which files are under {path}"),
}
SAME = ("the same for {path}", "and {path}, too", "again, with {path}")
IT = {
    "read": ("show it", "open that one"),
    "delete": ("now remove it", "erase that one"),
    "copy": ("copy it to {to}", "save that one as {to}"),
}
STRING = {"type": "string", "minLength": 1, "maxLength": 40}


@dataclass(frozen=True)
class Wish:
    text: str
    action: Mapping[str, Any]
    """Its name and its fields."""
    last: Mapping[str, Any] | None = None
    """The action before, where the prompt shows it."""
    needs_last: bool = False
    """Whether the text alone does not say what is wanted."""

    def prompt(self, order: str) -> str:
        """What the model is asked: the last action stands there as it was written, in the same order."""
        return self.text if self.last is None else f"{document(self.last, order)} then {self.text}"

    @property
    def is_held_out(self) -> bool:
        """One combination of a kind and a path in eight; no such action is trained on, in any words."""
        return zlib.crc32(f"{self.action['action']} {self.action['path']}".encode()) % 8 == 0


def document(action: Mapping[str, Any], order: str) -> str:
    """The JSON of an action, with its name first or last.

    >>> document({"action": "read", "path": "docs/map.md"}, "last")
    '{"path": "docs/map.md", "action": "read"}'
    """
    name, fields = action["action"], {key: action[key] for key in FIELDS[action["action"]]}
    return json.dumps({"action": name, **fields} if order == "first" else {**fields, "action": name})


def schema(order: str) -> dict[str, Any]:
    """One of four objects, told apart by `action`."""
    branches = []
    for name, fields in FIELDS.items():
        parts: dict[str, Any] = {key: {"type": "boolean"} if key == "deep" else STRING for key in fields}
        tag = {"action": {"const": name}}
        parts = {**tag, **parts} if order == "first" else {**parts, **tag}
        branches.append({"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False})
    return {"anyOf": branches}


def draw(rng: random.Random, *, shown: bool) -> Wish:
    """With the last action in the prompt, every second wish cannot be understood without it."""
    last = _action(rng) if shown else None
    if last is not None and rng.random() < 0.5:
        if rng.random() < 0.5 or last["action"] == "list":
            action = {**last, "path": _path(rng, last["action"])}
            return Wish(rng.choice(SAME).format(**action), action, last, needs_last=True)
        kind = rng.choice([kind for kind in IT if kind != last["action"]])
        action = {"action": kind, "path": last["path"], "to": _path(rng, kind)}
        return Wish(rng.choice(IT[kind]).format(**action), action, last, needs_last=True)
    action = _action(rng)
    phrases = PHRASES["list deep" if action["action"] == "list" and action["deep"] else action["action"]]
    return Wish(rng.choice(phrases).format(**action), action, last)


def pair(rng: random.Random) -> tuple[str, str]:
    """One prompt and target: in half of them the name comes first, and half of them show the last action."""
    while (found := draw(rng, shown=rng.random() < 0.5)).is_held_out:
        pass
    order = rng.choice(ORDERS)
    return render(found.prompt(order), property_names(schema(order))), document(found.action, order)


def held_out(count: int, *, shown: bool) -> list[Wish]:
    """Different wishes for actions that training never asks for."""
    rng, found = random.Random(f"held out {shown}"), dict[tuple[str, str], Wish]()
    while len(found) < count:
        one = draw(rng, shown=shown)
        if one.is_held_out:
            found[one.prompt("first"), json.dumps(dict(one.action))] = one
    return list(found.values())


def texts() -> Texts:
    shapes = (
        '{"',
        '": "',
        '", "',
        '"}',
        '": ',
        ', "',
        "input: ",
        "\noutput: ",
        "keys: ",
        ", ",
        " then ",
        "true",
        "false",
    )
    words = {word for phrases in (*PHRASES.values(), SAME, *IT.values()) for one in phrases for word in one.split(" ")}
    spaced = [f" {word}" for word in sorted(words) if "{" not in word]
    return Texts(
        [*FOLDERS, *STEMS, *ENDS, *FIELDS, "action", "path", "deep", *shapes, *spaced, *(word[1:] for word in spaced)]
    )


def _action(rng: random.Random) -> dict[str, Any]:
    kind = rng.choice(list(FIELDS))
    return {"action": kind, "path": _path(rng, kind), "to": _path(rng, kind), "deep": rng.random() < 0.5}


def _path(rng: random.Random, kind: str) -> str:
    folder = rng.choice(FOLDERS)
    return f"{folder}/{rng.choice(STEMS)}" + ("" if kind == "list" else rng.choice(ENDS))
