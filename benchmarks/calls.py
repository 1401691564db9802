"""Seed → calls of tools as the Berkeley Function-Calling Leaderboard has them: the schema of all tools × the text.

Names, types and texts are our own; the shape is that of its single-turn categories: up to four tools to choose from,
and one or two calls with short arguments.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

CITIES = ("Oslo", "Buenos Aires", "Nairobi", "San Francisco", "Kyoto", "Lyon", "Leeds", "Quito")
PEOPLE = ("Ana Ruiz", "Tom Okafor", "Mei Lin", "Jonas Berg", "Priya Nair")
TOPICS = ("solar panels", "late trains", "the budget for 2027", "a leaking roof", "jazz in the sixties")

#: Name → parameters (type, or a list to choose from), and those of them that need not be given.
TOOLS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "get_current_weather": ({"location": CITIES, "unit": ["celsius", "fahrenheit"]}, ("unit",)),
    "calculate_triangle_area": ({"base": int, "height": int, "unit": ["cm", "m", "in"]}, ("unit",)),
    "send_email": ({"to": PEOPLE, "subject": TOPICS, "urgent": bool}, ("urgent",)),
    "book_flight": (
        {"origin": CITIES, "destination": CITIES, "passengers": int, "cabin_class": ["economy", "business"]},
        (),
    ),
    "search_articles": (
        {"query": TOPICS, "max_results": int, "sort_by": ["date", "relevance"]},
        ("max_results", "sort_by"),
    ),
    "convert_currency": (
        {"amount": float, "from_currency": ["EUR", "USD", "NOK"], "to_currency": ["EUR", "USD", "JPY"]},
        (),
    ),
    "set_thermostat": (
        {"room_name": ["kitchen", "bedroom", "office"], "temperature": float, "hold_schedule": bool},
        ("hold_schedule",),
    ),
    "create_calendar_event": ({"title": TOPICS, "attendees": [PEOPLE], "duration_minutes": int}, ("attendees",)),
    "get_stock_price": (
        {"ticker_symbol": ["ACME", "GLBX", "INIT"], "date_range": ["1d", "5d", "1mo"]},
        ("date_range",),
    ),
    "find_restaurants": (
        {"city": CITIES, "cuisine": ["thai", "italian", "ethiopian"], "party_size": int, "outdoor_seating": bool},
        ("outdoor_seating",),
    ),
}


def calls(count: int, seed: int = 1) -> Iterator[tuple[dict[str, Any], str]]:
    """So many pairs of a schema and a text that it accepts."""
    rng = random.Random(seed)
    for _ in range(count):
        names = rng.sample(sorted(TOOLS), rng.randint(1, 4))
        chosen = [_call(rng, rng.choice(names)) for _ in range(rng.choice((1, 1, 1, 2)))]
        yield {"type": "array", "items": {"anyOf": [_tool(name) for name in names]}, "minItems": 1}, json.dumps(chosen)


def _tool(name: str) -> dict[str, Any]:
    parameters, optional = TOOLS[name]
    arguments = {
        "type": "object",
        "properties": {key: _schema(kind) for key, kind in parameters.items()},
        "required": [key for key in parameters if key not in optional],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"name": {"const": name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _schema(kind: Any) -> dict[str, Any]:
    if isinstance(kind, tuple):
        return {"type": "string"}
    if isinstance(kind, list):
        return {"enum": kind} if isinstance(kind[0], str) else {"type": "array", "items": {"type": "string"}}
    return {"type": {int: "integer", float: "number", bool: "boolean"}[kind]}


def _call(rng: random.Random, name: str) -> dict[str, Any]:
    parameters, optional = TOOLS[name]
    given = {key: _value(rng, kind) for key, kind in parameters.items() if key not in optional or rng.random() < 0.6}
    return {"name": name, "arguments": given}


def _value(rng: random.Random, kind: Any) -> Any:
    if isinstance(kind, list) and not isinstance(kind[0], str):
        return rng.sample(kind[0], rng.randint(1, 3))
    if isinstance(kind, list | tuple):
        return rng.choice(kind)
    return {int: rng.randint(1, 60), float: round(rng.uniform(1, 900), 2), bool: rng.random() < 0.5}[kind]
