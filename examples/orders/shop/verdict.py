"""An answer × the cart that was wanted → what is wrong with it, the first thing that is."""

from __future__ import annotations

from collections.abc import Callable

from frisket.errors import FrisketError

from .cart import Cart
from .catalogue import Catalogue, NotSold


def verdict(answer: Callable[[], Cart], wanted: Cart, catalogue: Catalogue) -> str:
    """`constraint errors`, `not sold`, `wrong SKUs`, `wrong prices` or `right`."""
    try:
        got, right = catalogue.quote(answer()), catalogue.quote(wanted)
    except NotSold:
        return "not sold"
    except (ValueError, FrisketError):
        return "constraint errors"
    if got.skus != right.skus:
        return "wrong SKUs"
    return "right" if got.cents == right.cents else "wrong prices"
