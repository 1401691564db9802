"""A counter → an HTTP API. `Cart` validates what clients send, as it does what models write.

POST /orders {"said": "…"}     what a customer said → its outcome
POST /carts  a Cart            a cart that was put together by hand → its quote
GET  /waiting                  what waits for a person
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from .cart import Cart
from .catalogue import Catalogue, NotSold, Quote
from .counter import Counter


class Said(BaseModel):
    model_config = ConfigDict(extra="forbid")
    said: str = Field(min_length=1, max_length=500)


def application(counter: Counter, catalogue: Catalogue) -> Starlette:
    """One request at a time: the model and the database are used by the thread of the loop."""

    async def orders(request: Request) -> JSONResponse:
        outcome = counter.take(Said.model_validate_json(await request.body()).said)
        return JSONResponse(
            {
                "tier": outcome.tier,
                "cart": outcome.cart and outcome.cart.model_dump(mode="json"),
                "quote": outcome.quote and quoted(outcome.quote),
                "reasons": outcome.reasons,
                "number": outcome.number,
            },
            200 if outcome.quote else 202,
        )

    async def carts(request: Request) -> JSONResponse:
        return JSONResponse(quoted(catalogue.quote(Cart.model_validate_json(await request.body()))))

    async def waiting(_: Request) -> JSONResponse:
        return JSONResponse([{"number": n, "said": said, "reason": why} for n, said, why in catalogue.waiting()])

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ValidationError)
        return JSONResponse({"errors": error.errors(include_url=False, include_input=False)}, 422)

    async def not_sold(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"errors": [{"type": "not_sold", "msg": f"not sold: {error}"}]}, 409)

    routes = [
        Route("/orders", orders, methods=["POST"]),
        Route("/carts", carts, methods=["POST"]),
        Route("/waiting", waiting, methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={ValidationError: invalid, NotSold: not_sold})


def quoted(quote: Quote) -> dict[str, Any]:
    lines = [{"sku": one.sku, "milk": one.milk, "quantity": one.quantity, "cents": one.cents} for one in quote.lines]
    return {"lines": lines, "cents": quote.cents}
