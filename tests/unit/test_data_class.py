"""Data classes of the front end → which may change, which hold no attributes but their fields, which are compared.

Nodes are shared and serve as keys of caches, so they never change; there are many, so they have slots.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import frisket

PACKAGES = ("json_schema", "notations", "decoding")

#: Those that are filled while something is read or counted.
MUTABLE = {
    "json_schema.report.Report",
}

#: The few of each answer or grammar, whose attributes users may look through with `vars`.
OPEN = {
    "json_schema.options.JSONSchemaOptions",
    "json_schema.report.Entry",
    "json_schema.report.Report",
    "decoding.answer.Generation",
    "decoding.loop.Step",
    "decoding.sampler.Sampler",
    "decoding.task.Task",
}

#: Two nodes at different places are different nodes, whatever they hold.
BY_IDENTITY = ("notations.combination.part.Rules",)


def data_classes() -> dict[str, type[Any]]:
    found = {}
    for package in PACKAGES:
        root = importlib.import_module(f"frisket.{package}")
        names = [module.name for module in pkgutil.walk_packages(root.__path__, f"{root.__name__}.")]
        for name in (root.__name__, *names):
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, type) and is_dataclass(value) and value.__module__ == name:
                    found[f"{name.removeprefix('frisket.')}.{value.__qualname__}"] = value
    return found


CLASSES = data_classes()


def test_the_exceptions_are_there() -> None:
    assert CLASSES.keys() >= MUTABLE | OPEN and len(CLASSES) > 35
    assert frisket.Step is CLASSES["decoding.loop.Step"]


@pytest.mark.parametrize("name", CLASSES)
def test_a_data_class_is_frozen_has_slots_and_is_compared(name: str) -> None:
    params: Any = CLASSES[name].__dataclass_params__
    # The nodes of a tree are many, and making a frozen one takes three times as long.
    is_node = name.startswith("notations.regex.ast.")
    mutable = name in MUTABLE or is_node
    assert params.frozen is not mutable
    assert ("__slots__" in vars(CLASSES[name])) is (name not in OPEN)
    assert params.eq is not name.startswith(BY_IDENTITY)


@pytest.mark.parametrize("name", [name for name in CLASSES if name.startswith(BY_IDENTITY)])
def test_nodes_are_told_apart_by_identity(name: str) -> None:
    tp = CLASSES[name]
    one, other = (tp(**{field.name: 0 for field in fields(tp) if field.init}) for _ in range(2))
    assert one != other and one == one and len({one, other}) == 2
