"""The one model of an order: what the API takes, what a prompt says, what the mask allows, what validates an answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

DrinkName = Literal[
    "latte", "cappuccino", "flat white", "mocha", "hot chocolate", "chai latte", "macchiato", "americano", "espresso",
    "black tea", "green tea", "lemonade",
]  # fmt: skip
FoodName = Literal[
    "blueberry muffin", "croissant", "cheese sandwich", "bagel", "brownie", "chocolate cookie", "banana bread",
    "cinnamon roll",
]  # fmt: skip


class Line(BaseModel):
    """What all lines of a cart have in common."""

    model_config = ConfigDict(extra="forbid")


class Drink(Line):
    item: DrinkName
    quantity: int = Field(ge=1, le=12)
    size: Literal["S", "M", "L"]
    milk: Literal["whole", "skim", "oat", "soy", "almond", "none"]


class Food(Line):
    """Food has neither size nor milk: two classes say so, and no answer can say otherwise."""

    item: FoodName
    quantity: int = Field(ge=1, le=12)


class Cart(BaseModel):
    """A café order."""

    model_config = ConfigDict(extra="forbid")
    items: list[Drink | Food] = Field(min_length=1, max_length=8)
