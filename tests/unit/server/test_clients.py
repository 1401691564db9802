"""Libraries that people ask models with × the server: each gets the object that it asks for, in every way it has."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Literal

import pytest

from tests.unit.server.running import Running, running

pytestmark = pytest.mark.filterwarnings("ignore")

QUESTION = "My card was charged twice"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.fixture
def ticket() -> Any:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    return pydantic.create_model(
        "Ticket", __doc__="A ticket.", priority=(Literal["low", "high"], ...), urgent=(bool, ...)
    )


def asked(server: Running, ask: Callable[[Any], Awaitable[Any]]) -> Any:
    """What `ask` makes with a client that ends with its event loop."""
    openai = pytest.importorskip("openai", reason="openai is not installed")

    async def run() -> Any:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
            return await ask(client)

    return asyncio.run(run())


@pytest.mark.parametrize("mode", ["JSON_SCHEMA", "TOOLS", "TOOLS_STRICT", "RESPONSES_TOOLS"])
def test_instructor(server: Running, ticket: Any, mode: str) -> None:
    instructor = pytest.importorskip("instructor", reason="instructor is not installed")
    client = instructor.from_openai(server.client(), mode=getattr(instructor.Mode, mode))
    messages = [{"role": "user", "content": QUESTION}]
    found = client.chat.completions.create(model="embedded", messages=messages, response_model=ticket, max_retries=0)
    assert isinstance(found, ticket)


@pytest.mark.parametrize("output", ["NativeOutput", "ToolOutput"])
@pytest.mark.parametrize("api", ["OpenAIChatModel", "OpenAIResponsesModel"])
def test_pydantic_ai(server: Running, ticket: Any, api: str, output: str) -> None:
    ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from pydantic_ai.models import openai as models
    from pydantic_ai.providers.openai import OpenAIProvider

    async def ask(client: Any) -> Any:
        model = getattr(models, api)("embedded", provider=OpenAIProvider(openai_client=client))
        return (await ai.Agent(model, output_type=getattr(ai, output)(ticket)).run(QUESTION)).output

    assert isinstance(asked(server, ask), ticket)


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
@pytest.mark.parametrize("responses", [False, True])
def test_langchain(server: Running, ticket: Any, method: str, responses: bool) -> None:
    langchain = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
    model = langchain.ChatOpenAI(
        base_url=f"{server.url}/v1", api_key="none", model="embedded", max_retries=0, use_responses_api=responses
    )
    typed = model.with_structured_output(ticket, method=method)
    assert isinstance(typed.invoke(QUESTION), ticket)
    assert isinstance(list(typed.stream(QUESTION))[-1], ticket)
    (call,) = model.bind_tools([ticket], tool_choice="Ticket", parallel_tool_calls=False).invoke(QUESTION).tool_calls
    assert ticket(**call["args"])


@pytest.mark.parametrize("api", ["OpenAIChatCompletionsModel", "OpenAIResponsesModel"])
def test_openai_agents(server: Running, ticket: Any, api: str) -> None:
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    agents.set_tracing_disabled(True)

    @agents.function_tool  # type: ignore[untyped-decorator]
    def look_up(city: Literal["Paris", "Rome"]) -> str:
        """The weather of a city."""
        cities.append(city)
        return "sunny"

    async def ask(client: Any) -> Any:
        model = getattr(agents, api)(model="embedded", openai_client=client)
        first = agents.ModelSettings(tool_choice="required", parallel_tool_calls=False)
        agent = agents.Agent(name="a", model=model, output_type=ticket, tools=[look_up], model_settings=first)
        whole = await agents.Runner.run(agent, QUESTION)
        pieces = agents.Runner.run_streamed(agent, QUESTION)
        events = [event async for event in pieces.stream_events()]
        return whole.final_output, pieces.final_output, len(events)

    cities: list[str] = []
    whole, pieces, events = asked(server, ask)
    assert isinstance(whole, ticket) and isinstance(pieces, ticket) and events
    assert len(cities) >= 2


def test_litellm(server: Running, ticket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it is fetched at the import otherwise
    litellm = pytest.importorskip("litellm", reason="litellm is not installed")
    to: dict[str, Any] = {"api_base": f"{server.url}/v1", "api_key": "none"}
    to["messages"] = [{"role": "user", "content": QUESTION}]
    for model in ("openai/embedded", "hosted_vllm/embedded"):
        answer = litellm.completion(model=model, response_format=ticket, **to)
        assert ticket.model_validate_json(answer.choices[0].message.content)
