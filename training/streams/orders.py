"""What somebody says at a counter → the items of the order."""

from __future__ import annotations

import random
from typing import Any

from streams.sample import Sample, held_out, keys, words

MILKY = ("latte", "cappuccino", "flat white", "mocha", "hot chocolate", "chai latte", "macchiato")
BLACK = ("americano", "espresso", "black tea", "green tea", "lemonade")
FOOD = (
    "blueberry muffin",
    "croissant",
    "cheese sandwich",
    "bagel",
    "brownie",
    "chocolate cookie",
    "banana bread",
    "cinnamon roll",
)
NUMBERS = words("zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve")
SIZES = {"S": ("small", "little", "small"), "M": ("medium", "regular", "normal"), "L": ("large", "big", "large")}
MILKS = {"skim": ("skim", "skimmed"), "oat": ("oat",), "soy": ("soy",), "almond": ("almond",), "whole": ("whole",)}
OPENINGS = [
    "",
    "",
    "",
    "I'd like ",
    "Can I get ",
    "Could I have ",
    "I'll have ",
    "We want ",
    "Hi, ",
    "uh ",
    "Um, ",
    "Give me ",
    "Hello, can I have ",
    "I want to order ",
    "For me ",
    "Let me get ",
    "Please bring us ",
    "just ",
    "We'd like ",
]
ENDINGS = [
    "",
    "",
    "",
    " please",
    ", please",
    " thanks",
    ", to go",
    " for here",
    ". That's all",
    ", thank you",
    " to take away",
]


def orders(rng: random.Random) -> Sample:
    count = rng.choice((1, 1, 1, 2, 2, 2, 2, 3, 3))
    lines, words = [], []
    for item in rng.sample(MILKY + BLACK + FOOD + MILKY, count):
        line, phrase = order_line(rng, item)
        lines.append(line)
        words.append(phrase)
    joint = rng.choice([" and ", " and ", ", and ", " and also ", " plus ", " and uh "])
    spoken = words[0] if count == 1 else rng.choice([", ", ", ", " and "]).join(words[:-1]) + joint + words[-1]
    opening = rng.choice(OPENINGS)
    text = opening + spoken + rng.choice(ENDINGS)
    if rng.random() < 0.3:
        text = text[0].upper() + text[1:]
    if opening.startswith(("Can", "Could", "Hello")):
        text += "?"
    elif rng.random() < 0.2:
        text += "."
    return Sample("orders", keys("orders"), text, {"items": lines}, held_out("orders", lines))


def order_line(rng: random.Random, item: str) -> tuple[dict[str, Any], str]:
    quantity = rng.choice((1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, rng.randint(1, 12)))
    line: dict[str, Any] = {"item": item, "quantity": quantity}
    before, after = [], ""
    if item not in FOOD:
        size = rng.choice(("", "", "S", "M", "L", "L"))
        if size:
            before.append(rng.choice(SIZES[size]))
        line["size"] = size or "M"
        milk = (
            rng.choice(("", "", "", "oat", "oat", "soy", "almond", "skim", "whole", "none"))
            if item in MILKY
            else rng.choice(("",) * 8 + ("oat", "soy", "none"))
        )
        if milk == "none":
            after = rng.choice((" without milk", " with no milk"))
        elif milk:
            word = rng.choice(MILKS[milk])
            if item in MILKY and rng.random() < 0.55:
                before.append(f"{word} milk" if rng.random() < 0.15 else word)
            else:
                after = f" with {word} milk"
        line["milk"] = milk or ("whole" if item in MILKY else "none")
    noun = " ".join([*before, item if quantity == 1 else plural(item)])
    if quantity == 1:
        number = rng.choice(["an" if noun[0] in "aeo" else "a"] * 3 + ["one", "1", "another"])
    else:
        number = rng.choice(
            [NUMBERS[quantity]] * 3 + [str(quantity), "a couple of" if quantity == 2 else NUMBERS[quantity]]
        )
    return line, f"{number} {noun}{after}"


def plural(item: str) -> str:
    if item == "banana bread":
        return "banana breads"
    return item + ("es" if item.endswith(("ch", "s")) else "s")
