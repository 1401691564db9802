"""Libraries that people ask models with × the server: each gets the object that it asks for, in every way it has.

With FRISKET_RECORD=1, their requests are written to `requests.json`, which `test_requests` sends where no library is
installed.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.unit.server.running import Running, running

pytestmark = pytest.mark.filterwarnings("ignore")

QUESTION = "My card was charged twice"


REQUESTS = Path(__file__).with_name("requests.json")
#: What is drawn anew for each request.
DRAWN = re.compile(r"\b(call|fc|msg|rs|resp|ctc|chatcmpl|lc_run-)_?-?[0-9a-f-]{12,}")
#: The packages whose requests are recorded, by the beginnings of their tests' names.
PACKAGES = {"instructor": "instructor", "pydantic_ai": "pydantic-ai-slim", "langchain": "langchain-openai",
            "openai_agents": "openai-agents", "litellm": "litellm", "openai": "openai"}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    pytest.importorskip("starlette", reason="starlette is not installed")
    from frisket.server import exchange

    recorded: dict[str, dict[str, Any]] = {}
    parse = exchange.parse

    def record(data: bytes, model: Any) -> Any:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::test_")[2]
        package = next((found for name, found in PACKAGES.items() if test.startswith(name)), "openai")
        body = json.loads(DRAWN.sub(lambda match: f"{match[1]}_1", data.decode()))
        client = f"{package} {importlib.metadata.version(package)}"
        path = {"ChatRequest": "/v1/chat/completions", "ResponseRequest": "/v1/responses"}[model.__name__]
        recorded[client + json.dumps(body, sort_keys=True)] = {"client": client, "path": path, "body": body}
        return parse(data, model)

    with pytest.MonkeyPatch.context() as patch, running() as found:
        if os.environ.get("FRISKET_RECORD"):
            patch.setattr(exchange, "parse", record)
        yield found
    if recorded:
        asked = {entry["client"].partition(" ")[0] for entry in recorded.values()}
        kept = json.loads(REQUESTS.read_text(encoding="utf-8")) if REQUESTS.exists() else []
        kept = [entry for entry in kept if entry["client"].partition(" ")[0] not in asked]
        entries = sorted([*kept, *recorded.values()], key=lambda entry: json.dumps(entry, sort_keys=True))
        lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
        REQUESTS.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


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


@pytest.mark.parametrize("api", ["OpenAIChatModel", "OpenAIResponsesModel"])
def test_pydantic_ai_streams_and_calls_tools(server: Running, ticket: Any, api: str) -> None:
    ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from pydantic_ai.models import openai as models
    from pydantic_ai.providers.openai import OpenAIProvider

    cities: list[str] = []

    async def ask(client: Any) -> Any:
        model = getattr(models, api)("embedded", provider=OpenAIProvider(openai_client=client))
        agent = ai.Agent(model, output_type=ai.ToolOutput(ticket))

        @agent.tool_plain  # type: ignore[untyped-decorator]
        def look_up(city: Literal["Paris", "Rome"]) -> str:
            cities.append(city)
            return "sunny"

        async with agent.run_stream(QUESTION) as stream:
            return await stream.get_output()

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


@pytest.mark.parametrize("responses", [False, True])
def test_langchain_streams_calls_and_goes_on(server: Running, responses: bool) -> None:
    langchain = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    @tool  # type: ignore[untyped-decorator]
    def look_up(city: Literal["Paris", "Rome"]) -> str:
        """The weather of a city."""
        return "sunny"

    model = langchain.ChatOpenAI(
        base_url=f"{server.url}/v1", api_key="none", model="embedded", max_retries=0, use_responses_api=responses,
        stream_usage=True,
    ).bind_tools([look_up], tool_choice="required", parallel_tool_calls=False)  # fmt: skip
    said: Any = None
    pieces = 0
    for chunk in model.stream([HumanMessage(QUESTION)]):
        said = chunk if said is None else said + chunk
        pieces += bool(chunk.tool_call_chunks)
    (call,) = said.tool_calls
    assert call["args"]["city"] in ("Paris", "Rome") and pieces > 3
    again = model.invoke([HumanMessage(QUESTION), said, ToolMessage("sunny", tool_call_id=call["id"])])
    assert again.tool_calls[0]["name"] == "look_up"


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
    tool = {"type": "function", "function": {"name": "open", "parameters": ticket.model_json_schema()}}
    more: dict[str, Any] = {"tools": [tool], "tool_choice": "required", "parallel_tool_calls": False}
    chunks = list(litellm.completion(model="openai/embedded", stream=True, **more, **to))
    whole = litellm.stream_chunk_builder(chunks)
    (call,) = whole.choices[0].message.tool_calls
    assert ticket.model_validate_json(call.function.arguments)
    told = {"role": "tool", "tool_call_id": call.id, "content": "done"}
    history = [*to["messages"], whole.choices[0].message.model_dump(), told]
    again = litellm.completion(model="openai/embedded", **{**to, "messages": history}, **more)
    assert again.choices[0].message.tool_calls
    flat = {"type": "function", **tool["function"]}  # type: ignore[dict-item]
    response = litellm.responses(
        model="openai/embedded", input=QUESTION, tools=[flat], tool_choice="required",
        api_base=to["api_base"], api_key="none",
    )  # fmt: skip
    assert response.output[0].type == "function_call"


def test_openai(server: Running, ticket: Any) -> None:
    openai = pytest.importorskip("openai", reason="openai is not installed")
    client, messages = server.client(), [{"role": "user", "content": QUESTION}]
    tool = openai.pydantic_function_tool(ticket)
    one: dict[str, Any] = {"tool_choice": "required", "parallel_tool_calls": False}
    with client.chat.completions.stream(model="embedded", messages=messages, tools=[tool], **one) as stream:
        kinds = [event.type for event in stream]
        (call,) = stream.get_final_completion().choices[0].message.tool_calls
    assert kinds.count("tool_calls.function.arguments.delta") > 3 and isinstance(call.function.parsed_arguments, ticket)
    flat = openai.pydantic_function_tool(ticket)["function"]
    with client.responses.stream(
        model="embedded", input=QUESTION, tools=[{"type": "function", **flat}], **one
    ) as responses:
        kinds = [event.type for event in responses]
        (item,) = responses.get_final_response().output
    assert kinds.count("response.function_call_arguments.delta") > 3 and ticket.model_validate_json(item.arguments)
    words: Any = {"type": "grammar", "syntax": "lark", "definition": 'start: ("red" | "blue") "!"'}
    custom: Any = {"type": "custom", "name": "paint", "description": "Paints.", "format": words}
    (painted,) = client.responses.create(model="embedded", input=QUESTION, tools=[custom], **one).output
    assert painted.type == "custom_tool_call" and painted.input in ("red!", "blue!")
