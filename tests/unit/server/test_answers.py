"""OpenAI's own client × the server: every answer is of the form that was asked for."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any, Literal

import pytest

from frisket import Grammar
from frisket.json_schema import JSONSchemaOptions
from tests.unit.server.running import Running, running, until

pytestmark = pytest.mark.filterwarnings("ignore")

SCHEMA = {
    "type": "object",
    "properties": {"priority": {"enum": ["low", "high"]}, "n": {"type": "integer", "minimum": 0, "maximum": 99}},
    "required": ["priority", "n"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "ticket", "strict": True, "schema": SCHEMA}}
WANTED: list[tuple[dict[str, Any], Grammar]] = [
    ({"response_format": FORMAT}, Grammar.from_json_schema(SCHEMA)),
    ({"extra_body": {"structured_outputs": {"json": SCHEMA}}}, Grammar.from_json_schema(SCHEMA)),
    ({"extra_body": {"guided_json": json.dumps(SCHEMA)}}, Grammar.from_json_schema(SCHEMA)),
    ({"extra_body": {"structured_outputs": {"regex": "[a-f]{2,5}"}}}, Grammar.from_regex("[a-f]{2,5}")),
    ({"extra_body": {"guided_regex": "[a-f]{2,5}"}}, Grammar.from_regex("[a-f]{2,5}")),
    ({"extra_body": {"structured_outputs": {"choice": ["red", "green"]}}}, Grammar.from_choices(["red", "green"])),
    ({"extra_body": {"guided_choice": ["red", "green"]}}, Grammar.from_choices(["red", "green"])),
    ({"extra_body": {"guided_grammar": 'root ::= "a" "b"{2,3}'}}, Grammar.from_regex("ab{2,3}")),
    ({"extra_body": {"structured_outputs": {"grammar": 'root ::= "a" "b"{2,3}'}}}, Grammar.from_regex("ab{2,3}")),
]
ASK: dict[str, Any] = {"model": "embedded", "messages": [{"role": "user", "content": "My card was charged twice"}]}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def streamed(server: Running, **asked: Any) -> tuple[list[str], list[str], Any]:
    """The texts and the finish reasons of a stream, and its usage."""
    count = asked.get("n", 1)
    texts, reasons, usage = [""] * count, [""] * count, None
    for chunk in server.client().chat.completions.create(stream=True, stream_options={"include_usage": True}, **asked):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            assert not reasons[choice.index]
            texts[choice.index] += choice.delta.content or ""
            reasons[choice.index] = choice.finish_reason or ""
    return texts, reasons, usage


@pytest.mark.parametrize("number", range(len(WANTED)))
def test_every_form_whole_and_in_pieces(server: Running, number: int) -> None:
    wanted, grammar = WANTED[number]
    asked = {**ASK, **wanted, "temperature": 1.0, "seed": 5, "n": 3}
    answer = server.client().chat.completions.create(**asked)
    texts = [choice.message.content for choice in answer.choices]
    assert all(grammar.accepts(text) for text in texts), texts
    assert [choice.finish_reason for choice in answer.choices] == ["stop"] * 3
    again, reasons, usage = streamed(server, **asked)
    assert (again, reasons, usage) == (texts, ["stop"] * 3, answer.usage)
    alone = server.client().chat.completions.create(**{**asked, "n": 1, "seed": 6})
    assert alone.choices[0].message.content == texts[1]


def test_json_objects_and_free_text(server: Running) -> None:
    create = server.client().chat.completions.create
    answer = create(**ASK, response_format={"type": "json_object"}, temperature=0)
    text = answer.choices[0].message.content
    assert isinstance(json.loads(text), dict) if answer.choices[0].finish_reason == "stop" else text.startswith("{")
    free = create(**ASK, response_format={"type": "text"}, max_tokens=4)
    assert free.choices[0].finish_reason == "length" and free.usage.completion_tokens == 4


def test_types_are_parsed_by_the_client(server: Running) -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    ticket = pydantic.create_model("Ticket", priority=(Literal["low", "high"], ...), urgent=(bool, ...))
    chat = server.client().chat.completions.parse(**ASK, response_format=ticket)
    assert isinstance(chat.choices[0].message.parsed, ticket)
    response = server.client().responses.parse(model="embedded", input="My card", text_format=ticket)
    assert response.status == "completed" and isinstance(response.output_parsed, ticket)
    with server.client().responses.stream(model="embedded", input="My card", text_format=ticket) as stream:
        names = [event.type for event in stream]
        assert stream.get_final_response().output_parsed == response.output_parsed
    assert names[:4] == ["response.created", "response.in_progress", "response.output_item.added",
                         "response.content_part.added"]  # fmt: skip
    assert names[-1] == "response.completed" and "response.output_text.delta" in names


def test_answers_that_are_cut_say_so(server: Running) -> None:
    create = server.client().chat.completions.create
    cut = create(**ASK, response_format=FORMAT, max_completion_tokens=3, extra_body={"on_budget": "cut"})
    assert cut.choices[0].finish_reason == "length" and cut.usage.completion_tokens == 3
    response = server.client().responses.create(
        model="embedded", input="x", max_output_tokens=2, extra_body={"on_budget": "cut"},
        text={"format": {"type": "json_schema", "name": "t", "schema": SCHEMA}},
    )  # fmt: skip
    assert response.status == "incomplete" and response.incomplete_details.reason == "max_output_tokens"
    stopped = create(**ASK, extra_body={"guided_regex": "ab{1,3}c{1,3}"}, stop=["c"])
    assert stopped.choices[0].finish_reason == "stop"
    assert re.fullmatch("ab+", stopped.choices[0].message.content)


def test_answers_are_whole_within_their_tokens(server: Running) -> None:
    create = server.client().chat.completions.create
    with pytest.raises(pytest.importorskip("openai").BadRequestError) as refusal:
        create(**ASK, response_format=FORMAT, max_completion_tokens=3)
    assert refusal.value.code == "budget" and "and max_completion_tokens gives 3" in str(refusal.value)
    least = int(re.search(r"raise max_completion_tokens to (\d+)", str(refusal.value)).group(1))
    for most in (least, least + 1, least + 9):
        answer = create(**ASK, response_format=FORMAT, max_completion_tokens=most, temperature=2.0, seed=most)
        assert answer.choices[0].finish_reason == "stop" and answer.usage.completion_tokens <= most + 1
        assert set(json.loads(answer.choices[0].message.content)) == set(SCHEMA["properties"])
    long = create(**ASK, extra_body={"guided_regex": "(ab)*", "min_tokens": 6}, max_completion_tokens=20)
    assert long.usage.completion_tokens > 5


def test_options_of_a_document(server: Running) -> None:
    create = server.client().chat.completions.create
    for seed in range(4):
        more: dict[str, Any] = {"response_format": FORMAT, "temperature": 2.0, "seed": seed}
        text = create(**ASK, **more, extra_body={"frisket": {"whitespace": "compact"}}).choices[0].message.content
        assert " " not in text and "\n" not in text and json.loads(text)
    tight = {"json": {"type": "object", "properties": SCHEMA["properties"]}, "disable_additional_properties": True}
    text = create(**ASK, extra_body={"structured_outputs": tight}, temperature=2.0, seed=1).choices[0].message.content
    assert set(json.loads(text)) <= {"priority", "n"}


def test_the_server_s_own_options_hold_where_a_request_says_nothing_else() -> None:
    options = JSONSchemaOptions(closed_objects=True, whitespace="compact")
    with running(options=options) as server:
        create = server.client().chat.completions.create
        loose = {"type": "object", "properties": SCHEMA["properties"]}
        format_ = {"type": "json_schema", "json_schema": {"name": "loose", "schema": loose}}
        for seed in range(4):
            more: dict[str, Any] = {"temperature": 2.0, "seed": seed}
            text = create(**ASK, response_format=format_, **more).choices[0].message.content
            assert set(json.loads(text)) <= set(SCHEMA["properties"]) and " " not in text
            text = create(**ASK, extra_body={"guided_json": SCHEMA, "frisket": {"whitespace": "pretty"}}, **more)
            assert "\n" in text.choices[0].message.content


def test_logprobs_are_those_of_the_tokens(server: Running) -> None:
    answer = server.client().chat.completions.create(**ASK, response_format=FORMAT, logprobs=True, top_logprobs=3)
    entries = answer.choices[0].logprobs.content
    assert b"".join(bytes(entry.bytes) for entry in entries).decode() == answer.choices[0].message.content
    for entry in entries:
        assert entry.logprob <= 0
        assert [top.logprob for top in entry.top_logprobs] == sorted(
            (top.logprob for top in entry.top_logprobs), reverse=True
        )
        same = [top.logprob for top in entry.top_logprobs if top.bytes == entry.bytes]
        assert not same or same[0] == pytest.approx(entry.logprob, abs=1e-5)


@pytest.mark.parametrize("stream", [False, True])
def test_a_bias_moves_what_the_model_likes_and_not_what_is_allowed(server: Running, stream: bool) -> None:
    letters = {letter: str(ord(letter)) for letter in "abz"}  # the first tokens of this model are the bytes

    def answer(**bias: float) -> str:
        more: dict[str, Any] = {"logit_bias": {letters[letter]: gain for letter, gain in bias.items()}}
        more |= {"extra_body": {"guided_regex": "[ab]"}, "stream": stream}
        told = server.client().chat.completions.create(**ASK, **more)
        if not stream:
            return str(told.choices[0].message.content)
        return "".join(chunk.choices[0].delta.content or "" for chunk in told)

    assert answer(a=100) == answer(b=-100) == answer(a=50, z=100) == "a"
    assert answer(b=100) == answer(a=-100) == "b"
    # What a grammar leaves no choice of comes, whatever is said of it.
    told = server.client().completions.create(
        model="embedded", prompt="x", logit_bias={letters["z"]: -100}, extra_body={"guided_regex": "z"}
    )
    assert told.choices[0].text == "z"


def test_completions_take_the_prompt_as_it_is(server: Running) -> None:
    create = server.client().completions.create
    asked: dict[str, Any] = {"model": "embedded", "prompt": "keys: a", "extra_body": {"guided_regex": "[a-z]{4}"}}
    answer = create(**asked, logprobs=2)
    choice = answer.choices[0]
    assert re.fullmatch("[a-z]{4}", choice.text) and choice.finish_reason == "stop"
    assert "".join(choice.logprobs.tokens) == choice.text
    assert choice.logprobs.text_offset[0] == 0
    pieces = [chunk.choices[0].text for chunk in create(**asked, stream=True)]
    assert "".join(pieces) == choice.text
    assert create(**asked, echo=True).choices[0].text == "keys: a" + choice.text
    ids = server.service.model.encode("keys: a")
    assert create(**{**asked, "prompt": ids}).choices[0].text == choice.text


def test_conversations(server: Running) -> None:
    turns = [
        {"role": "system", "content": "Answer."},
        {"role": "user", "content": [{"type": "text", "text": "red or green?"}]},
        {"role": "assistant", "content": "red"},
        {"role": "user", "content": "and now?"},
    ]
    answer = server.client().chat.completions.create(
        model="embedded", messages=turns, extra_body={"guided_choice": ["red", "green"]}
    )
    assert answer.choices[0].message.content in ("red", "green")


def test_many_at_once(server: Running) -> None:
    """Answers that are written together are those that are written alone."""
    alone = [
        server.client().chat.completions.create(**ASK, **wanted).choices[0].message.content for wanted, _ in WANTED
    ]
    found: list[str | None] = [None] * (3 * len(WANTED))

    def ask(number: int) -> None:
        wanted = WANTED[number % len(WANTED)][0]
        found[number] = server.client().chat.completions.create(**ASK, **wanted).choices[0].message.content

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone * 3
    assert (server.service.scheduler.active, server.service.scheduler.queued) == (0, 0)


def test_the_model_is_listed(server: Running) -> None:
    assert [model.id for model in server.client().models.list()] == ["embedded"]
    assert server.client().models.retrieve("embedded").owned_by == "frisket"
    assert server.error("/v1/models/other", None) == (404, "model-not-found")


def test_health_and_figures(server: Running) -> None:
    for _ in range(2):  # the second finds the grammar of the first
        server.client().chat.completions.create(**ASK, response_format=FORMAT)
    until(lambda: server.ask("/health")[1]["active"] == 0)  # a client has its answer before the server has closed it
    assert server.ask("/health") == (200, {"status": "ok", "active": 0, "queued": 0})
    status, text = server.ask("/metrics")
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert status == 200
    assert float(figures['frisket_answers_total{outcome="whole"}']) > 0
    assert float(figures['frisket_requests_total{route="/v1/chat/completions",status="200"}']) > 0
    assert float(figures["frisket_compile_cache_hits"]) > 0
    assert float(figures["frisket_active_answers"]) == 0
    # The vocabulary and the masks of all grammars: what a server holds beside its compiled grammars.
    assert float(figures["frisket_mask_cache_bytes"]) == server.service.vocabulary.memory_bytes > 0


def test_pressure_is_counted_under_a_grammar_alone(server: Running) -> None:
    def figures() -> dict[str, float]:
        lines = [line.rsplit(" ", 1) for line in server.ask("/metrics")[1].splitlines() if not line.startswith("#")]
        return {name: float(figure) for name, figure in lines if "pressure" in name or name.endswith("_tokens_total")}

    before = figures()
    server.client().chat.completions.create(**ASK, max_tokens=5)
    free = figures()
    assert free["frisket_tokens_total"] == before["frisket_tokens_total"] + 5
    assert free["frisket_pressure_nats_count"] == before["frisket_pressure_nats_count"]
    # The embedded model has never wanted to say this.
    choice = {"guided_choice": ["qqzzqq"]}
    server.client().chat.completions.create(**ASK, extra_body=choice)
    masked = figures()
    tokens = masked["frisket_tokens_total"] - free["frisket_tokens_total"]
    assert masked["frisket_pressure_nats_count"] - free["frisket_pressure_nats_count"] == tokens > 0
    assert masked["frisket_pressure_nats_sum"] > free["frisket_pressure_nats_sum"] + 1
    assert masked["frisket_overruled_tokens_total"] > free["frisket_overruled_tokens_total"]
    assert masked["frisket_forced_tokens_total"] > free["frisket_forced_tokens_total"]
