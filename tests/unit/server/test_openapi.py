"""The OpenAPI document × what the server does: schemathesis asks every endpoint, and holds each answer against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("schemathesis", reason='schemathesis is not installed: pip install ".[dev]"')
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import frisket
from frisket.server import Settings, make_application

pytestmark = pytest.mark.filterwarnings("ignore")

STREAM = "text/event-stream"
#: How many requests each endpoint gets that are as the document says, and as many that are not.
EXAMPLES = 60


@pytest.fixture(scope="module")
def model() -> Any:
    return frisket.models.embedded()


@pytest.fixture
def application(model: Any) -> Iterator[Any]:
    found = make_application(model, Settings(max_tokens=64, max_choices=2, max_body_bytes=1_000_000))
    yield found
    found.state.service.scheduler.close()


class Asked:
    """The endpoints of one application, asked and judged; `seen` counts status by path and kind of answer."""

    def __init__(self, application: Any, **headers: str) -> None:
        self.schema = schemathesis.openapi.from_asgi("/openapi.json", application)
        self.document = application.state.document
        self.headers = headers
        self.seen: Counter[tuple[str, int, str]] = Counter()
        checks = schemathesis.checks
        # What grammars and limits refuse, a schema cannot say: a request that it allows may have status 400.
        self.checks = [check for check in checks.CHECKS.get_all() if check is not checks.positive_data_acceptance]

    def ask(self, case: Any) -> Any:
        response = case.call(headers=self.headers or None, timeout=None)
        kind = response.headers["content-type"][0].partition(";")[0]
        self.seen[case.operation.path, response.status_code, kind] += 1
        case.validate_response(response, checks=self.checks)
        return response


@pytest.fixture
def asked(application: Any) -> Asked:
    return Asked(application)


PATHS = ("/v1/chat/completions", "/v1/completions", "/v1/responses")
OPERATIONS = [*(("post", path) for path in PATHS), ("get", "/v1/models"), ("get", "/v1/models/{name}"),
              ("get", "/health"), ("get", "/metrics"), ("get", "/openapi.json")]  # fmt: skip
FIXED = settings(
    max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@st.composite
def few(draw: st.DrawFn, cases: Any, required: list[str]) -> Any:
    """Requests with few optional fields: those with many contradict themselves, and are refused for that alone."""
    case = draw(cases)
    if isinstance(case.body, dict):
        optional = sorted(case.body.keys() - set(required))
        kept = draw(st.sets(st.sampled_from(optional), max_size=3)) if optional else set()
        case.body = {name: value for name, value in case.body.items() if name in kept or name in required}
    return case


def test_the_document_is_a_document_of_openapi(asked: Asked) -> None:
    asked.schema.validate()
    assert asked.document["openapi"] == "3.1.0"
    assert {(method, path) for path, of in asked.document["paths"].items() for method in of} == set(OPERATIONS)


def test_what_unknown_fields_may_say(application: Any) -> None:
    schemas = application.state.document["components"]["schemas"]
    assert schemas["ChatRequest"]["additionalProperties"] == {"enum": [None, [], {}]}
    assert schemas["ResponseFormat"]["additionalProperties"] is True, "a structural tag has fields of its own"


def test_every_route_is_described(application: Any) -> None:
    described = set(application.state.document["paths"])
    assert {route.path.replace(":path", "") for route in application.routes} == described


@pytest.mark.parametrize("path", PATHS)
def test_every_example_is_served(asked: Asked, path: str) -> None:
    operation = asked.schema[path]["POST"]
    examples = operation.definition.raw["requestBody"]["content"]["application/json"]["examples"]
    assert examples
    for example in examples.values():
        case = operation.Case(body=example["value"], media_type="application/json")
        assert asked.ask(case).status_code == 200
    assert {kind for at, status, kind in asked.seen if (at, status) == (path, 200)} == {"application/json", STREAM}


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_drawn_requests(asked: Asked, method: str, path: str) -> None:
    operation = asked.schema[path][method.upper()]
    modes = schemathesis.GenerationMode
    required = ["model", "messages", "prompt", "input"]

    @FIXED
    @given(few(operation.as_strategy(generation_mode=modes.POSITIVE), required))
    def as_described(case: Any) -> None:
        asked.ask(case)

    @FIXED
    @given(operation.as_strategy(generation_mode=modes.NEGATIVE))
    def otherwise(case: Any) -> None:
        asked.ask(case)

    as_described()
    if operation.body:
        otherwise()


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_requests_at_the_edges(asked: Asked, method: str, path: str) -> None:
    """Each field at each of its bounds and beyond, of each wrong type, left out; each method that is not served."""
    operation, modes = asked.schema[path][method.upper()], schemathesis.GenerationMode
    cases = asked.schema.iter_coverage_cases(
        operation, generation_modes=[modes.POSITIVE, modes.NEGATIVE], generation_config=asked.schema.config.generation
    )
    for case in cases:
        asked.ask(case)
    statuses = {status for _, status, _ in asked.seen}
    assert statuses >= ({200, 400, 404, 405} if method == "post" else {200, 405})


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_document_says_where_a_key_is_needed(model: Any, method: str, path: str) -> None:
    application = make_application(model, Settings(api_key="sesame", name="mine"))
    asked = Asked(application, Authorization="Bearer sesame")
    operation = asked.schema[path][method.upper()]
    described = operation.definition.raw
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("examples", {})
    more = {"body": next(iter(body.values()))["value"], "media_type": "application/json"} if body else {}
    case = operation.Case(path_parameters={"name": "mine"} if "{name}" in path else None, **more)
    assert asked.ask(case).status_code == 200
    is_open = path in ("/health", "/openapi.json")
    assert is_open == ("security" not in described) == ("401" not in described["responses"])
    assert case.call(timeout=None).status_code == (200 if is_open else 401)
    application.state.service.scheduler.close()


def test_zero_is_not_false(asked: Asked) -> None:
    body = {"model": "embedded", "input": "x", "guided_choice": ["a"], "background": 0}
    assert asked.ask(asked.schema["/v1/responses"]["POST"].Case(body=body)).status_code == 400
