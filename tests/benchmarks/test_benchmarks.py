"""The benchmark's own arithmetic, and that its inputs are what they say; no test asserts a time."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest

from benchmarks import ablation, floor, report
from benchmarks.bounds import apart, bound, generated, hard, hostile, stream
from benchmarks.bounds.bound import Row
from benchmarks.corpus import Case, Tokenizer
from benchmarks.run import Limit, Run, environment, run
from benchmarks.worker import Timing
from frisket import Grammar, Vocabulary, _core


def timing(status: str, first: int, masks: list[int]) -> Timing:
    times = np.array(masks, np.int64)
    return Timing(status, "", first, *[times] * 6)


def test_ratios_are_over_the_schemas_that_both_compiled() -> None:
    ours, theirs = Run("frisket"), Run("other")
    ours.timings = {
        "a": timing("right", 1000, [1000]),
        "b": timing("right", 1000, [1000]),
        "c": timing("right", 1, [1]),
    }
    theirs.timings = {"a": timing("right", 4000, [3000]), "b": timing("over", 6000, [5000]), "c": Timing("skipped")}
    both = report.ratios(ours, theirs)
    assert both["schemas"]["count"] == 2 and both["mask"]["mean"] == 4 and both["first"]["mean"] == 5
    right = report.ratios(ours, theirs, ("right",))
    assert right["schemas"]["count"] == 1 and right["mask"]["mean"] == 3


def test_a_row_holds_only_if_it_was_measured_and_right() -> None:
    assert Row("p", "n", "q", 1.0, 2.0).holds
    assert not Row("p", "n", "q", 3.0, 2.0).holds
    assert Row("p", "n", "q", 3.0, 2.0, at_least=True).holds
    assert not Row("p", "n", "q", None, 2.0).holds
    assert not Row("p", "n", "q", 1.0, 2.0, failed=True).holds
    page = bound.markdown([Row("p", "n|m", "q", 3.0, 2.0, "s", "issue"), Row("p", "n", "q", 1.0, 2.0)])
    assert "## p: 1 of 2 hold" in page and "**no**" in page and "n\\|m" in page and "≤ 2.00 *" in page


def test_an_ablation_judges_by_microseconds() -> None:
    everything = {"a": timing("right", 1000, [1000, 3000]), "b": timing("refused", 1, [])}
    slower = {"a": timing("right", 11_000, [1500, 3500]), "b": timing("refused", 1, [])}
    slightly = {"a": timing("right", 10_990, [1490, 3490]), "b": timing("refused", 1, [])}
    page = ablation.table({ablation.ALL_ON: everything, "literals": slower, "exclusion": slightly})
    assert "| all on | 2.00 |" in page
    rows = {line.split("|")[1].strip(): line for line in page.splitlines()}
    assert rows["`literals`"].endswith("| mask mean, compile p50 |") and "+0.50" in rows["`literals`"]
    assert rows["`exclusion`"].endswith("| nothing |") and "+9.99" in rows["`exclusion`"]


def test_an_ablation_compares_schemas_that_come_out_alike() -> None:
    everything = {"a": timing("right", 1000, [1000, 3000]), "b": timing("refused", 1, [])}
    other = {"a": timing("over", 1000, [1000]), "b": timing("refused", 1, [])}
    with pytest.raises(SystemExit, match=r"a: right, but over .* without literals"):
        ablation.table({ablation.ALL_ON: everything, "literals": other})


def test_a_row_of_an_ablation_names_what_is_off() -> None:
    assert ablation.switched(ablation.ALL_ON) == ""
    assert ablation.switched("literals+sweep") == "literals,sweep"
    assert ablation.switched(ablation.ALL_OFF) == ",".join(ablation.ACCELERATORS)


def test_a_process_has_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ablation.VARIABLE, raising=False)
    with environment({ablation.VARIABLE: "literals"}):
        assert os.environ[ablation.VARIABLE] == "literals"
    assert ablation.VARIABLE not in os.environ


def answer() -> int:
    return 5


def fail() -> None:
    raise ValueError("no")


def die() -> None:
    import os

    os._exit(3)


def idle() -> None:
    import time

    time.sleep(60)


def test_a_process_apart_answers_fails_dies_or_is_killed() -> None:
    found = apart.run(answer)
    assert found.value == 5 and found.peak_megabytes > 0
    assert apart.run(fail).error == "ValueError: no"
    assert "exit 3" in apart.run(die).error
    assert apart.run(idle, seconds=0.5).killed


@pytest.mark.parametrize("name", ["maxLength 50", "date-time", "400 tools", "anyOf of 100 objects, kind last"])
def test_hard_inputs_allow_and_forbid_what_they_say(name: str) -> None:
    (found,) = (entry for entry in hard.inputs() if entry.name == name)
    grammar = Grammar.from_json_schema(found.schema)
    for document in found.valid:
        assert grammar.accepts(hard.text_of(document))
    for document in found.invalid:
        assert not grammar.accepts(hard.text_of(document))


def test_the_stream_is_new_schemas_of_known_parts() -> None:
    import random

    draw = random.Random(1)
    pool = stream.parts(draw)
    made = [stream.document(draw, pool, number) for number in range(10)]
    assert len({json.dumps(schema) for schema, _ in made}) == 10
    for schema, document in made:
        assert Grammar.from_json_schema(schema).accepts(json.dumps(document))


def bytes_tokenizer() -> Tokenizer:
    from pathlib import Path

    return Tokenizer(Path("bytes"), (*(bytes([value]) for value in range(256)), None), 256)


def test_a_hostile_input_is_answered_or_named() -> None:
    tokenizer = bytes_tokenizer()
    assert hostile.attempt(tokenizer, "maxItems 2^64-1").answer == "answered"
    assert hostile.attempt(tokenizer, "grammar: root ::= root").answer.startswith("EmptyGrammarError")


def test_the_runner_measures_and_judges() -> None:
    from benchmarks.corpus import Instance

    case = Case("one", {"enum": [1, 22]}, '{"enum": [1, 22]}', (Instance(True, (50, 50)), Instance(False, (51,))))
    ours, inside = run(["frisket", "frisket_native"], bytes_tokenizer(), [case], limit=Limit(60, 4000))
    for found in (ours.timings["one"], inside.timings["one"]):
        assert found.status == "right", found.detail
        assert len(found.masks) == len(found.warm_masks) == 3
        assert len(found.commits) == 2
        # Of the rejected token the mask alone.
        assert found.tokens.tolist() == [*(found.masks[:2] + found.commits), found.masks[2]]
        assert found.first > 0 and found.masks.min() > 0


def test_the_floor_is_measured_in_the_place_of_each_mask() -> None:
    from benchmarks.corpus import Instance

    case = Case("one", {"enum": [1, 22]}, '{"enum": [1, 22]}', (Instance(True, (50, 50)), Instance(False, (51,))))
    found = floor.measure(bytes_tokenizer(), [case], rounds=1)
    assert [len(times) for times in found.calls.values()] == [3] * 5
    assert len(found.cold) == len(found.warm) == 3 and found.words.tolist() == [1, 1, 1]
    assert floor.in_place(found).count("\n") == 2 + 5
    # The parts add up to what they are parts of.
    *parts, whole = (float(row.split("|")[3].replace(",", "")) for row in floor.by_excess(found).splitlines()[2:])
    assert sum(parts) == pytest.approx(whole, abs=0.5)


def test_replay_timed_stops_where_the_mask_does() -> None:
    vocabulary = Vocabulary.from_bytes([b"a", b"b", None], eos=[2])
    compiled: Any = Grammar.from_choices(["ab"]).compile(vocabulary)
    masks, advances, can_end = _core.replay_timed(compiled, [0, 1])
    assert (len(masks), len(advances), can_end) == (2, 2, True)
    masks, advances, can_end = _core.replay_timed(compiled, [0, 0, 1])
    assert (len(masks), len(advances), can_end) == (2, 1, False)


def test_generated_hostile_inputs_are_the_same_in_every_process() -> None:
    assert generated.COUNT >= 200
    names = [generated.name_of(number) for number in range(generated.COUNT)]
    assert len(set(names)) == generated.COUNT
    assert generated.drawn(6) == generated.drawn(6)


def test_a_generated_input_is_measured_call_by_call() -> None:
    import frisket

    vocabulary = frisket.Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256])
    number = next(number for number in range(100) if "numbers" in generated.name_of(number))
    found = generated.measured(vocabulary, number)
    assert found.wrong == "" and "from_json_schema" in found.calls and found.limited_call
