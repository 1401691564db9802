"""Which places of a schema speak of a value."""

import pytest

from frisket.explanation.place import places
from frisket.json_pointer import to_pointer

SCHEMA = {
    "properties": {"named": {"type": "string"}, "far": {"$ref": "#/$defs/node"}},
    "patternProperties": {"^n": {"maxLength": 3}, "(": {"title": "a pattern that Python cannot read"}},
    "additionalProperties": {"type": "null"},
    "allOf": [{"properties": {"named": {"minLength": 1}}}, True],
    "if": {"required": ["far"]},
    "dependentSchemas": {"far": {"properties": {"far": {"type": "object"}}}},
    "$defs": {
        "node": {"properties": {"next": {"$ref": "#/$defs/node"}}, "items": [{"const": 1}], "additionalItems": {}},
        "a/b": {"type": "array"},
    },
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ["", "/if", "/allOf/0", "/dependentSchemas/far"]),
        (
            ("named",),
            ["/properties/named", "/patternProperties/^n", "/patternProperties/(", "/allOf/0/properties/named"],
        ),
        (("nothing",), ["/patternProperties/^n", "/patternProperties/("]),
        (("far", "next", "next"), ["/$defs/node/properties/next", "/$defs/node"]),
        (("far", 0), ["/$defs/node/items/0", "/$defs/node/additionalItems"]),
        (("far", 1), ["/$defs/node/additionalItems"]),
    ],
    ids=repr,
)
def test_all_places_that_speak_of_a_value(path: tuple[str | int, ...], expected: list[str]) -> None:
    found = {to_pointer(place) for place in places(SCHEMA, path)}
    assert set(expected) <= found


def test_other_members_are_not_spoken_of() -> None:
    found = places({"properties": {"a": {}, "b": {}}, "additionalProperties": {"type": "null"}}, ("a",))
    assert found == [("properties", "a")]
    assert places({"properties": {"a": {}}, "additionalProperties": {"type": "null"}}, ("b",)) == [
        ("additionalProperties",)
    ]


def test_a_circle_of_references_ends() -> None:
    assert places({"$ref": "#"}, ()) == [()]
    assert places({"$ref": "#/nowhere"}, ("a",)) == []
    assert places(True, ("a",)) == []
