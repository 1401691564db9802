"""Facts about a person → those that are asked for."""

from __future__ import annotations

import random

from streams.agent import STEMS
from streams.sample import NAMES, Sample, held_out, words
from streams.triage import TIMES

CITIES = words(
    "Paris, Oslo, Rome, Tokyo, Lima, Cairo, Berlin, Madrid, Boston, Delhi, Seoul, Nairobi, Vienna, Prague, "
    "Dublin, Quito"
)
JOBS = words(
    "baker, nurse, pilot, teacher, farmer, painter, lawyer, driver, cook, engineer, singer, judge, waiter, "
    "actor, doctor"
)
COLORS = words("red, blue, green, yellow, black, white, pink, orange, purple, grey")
PETS = words("dog, cat, parrot, horse, hamster, snake, rabbit, goat")


def generic(rng: random.Random) -> Sample:
    """Facts about a person, asked for under any of their names in any order: what an unseen schema looks like."""
    name = rng.choice(NAMES)
    facts = {
        "name": (name, "{v}"),
        "age": (rng.randint(5, 95), rng.choice(["is {v} years old", "is {v}", "turned {v} {w}"])),
        "city": (rng.choice(CITIES), rng.choice(["lives in {v}", "comes from {v}", "moved to {v}"])),
        "job": (rng.choice(JOBS), rng.choice(["works as a {v}", "is a {v}", "wants to be a {v}"])),
        "color": (rng.choice(COLORS), rng.choice(["likes {v}", "loves the color {v}", "wears {v}"])),
        "pet": (rng.choice(PETS), rng.choice(["has a {v}", "owns a {v}"])),
        "email": (
            f"{name.lower()}{rng.choice(['', str(rng.randint(1, 99))])}@{rng.choice(STEMS)}."
            f"{rng.choice(['com', 'org', 'net'])}",
            rng.choice(["writes from {v}", "has the mail {v}", "can be reached at {v}"]),
        ),
        "married": (rng.random() < 0.5, ""),
    }
    told = rng.sample([key for key in facts if key != "name"], rng.randint(1, 4))
    parts = []
    for key in told:
        value, pattern = facts[key]
        pattern = ("is married" if value else "is single") if key == "married" else pattern
        parts.append(pattern.format(v=value, w=rng.choice(TIMES[:3])))
    text = (
        f"{name} "
        + (parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1])
        + rng.choice(["", "."])
    )
    wanted = rng.sample(["name", *told], rng.randint(1, len(told) + 1))
    return Sample(
        "generic", tuple(wanted), text, {key: facts[key][0] for key in wanted}, held_out("generic", name, told)
    )
