"""`python -m benchmarks.llama_cpp SOURCE BUILD LIBRARY` → answers where llama.cpp's own converter fails, and times.

SOURCE are llama.cpp's sources, BUILD is its build with the drop-in (docs/how-to/in-llama-cpp.md), LIBRARY the folder of
libfrisket_dropin. llama.cpp's own converter is judged on the schemas and documents of MaskBench. SmolLM2 then answers
under those that it refuses or gets wrong, by llama-server, and another validator reads the answers. Last come the times
that llama-completion prints for schemas that both get right: with the drop-in, with llama.cpp's own grammar, without.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import random
import re
import select
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np

import frisket
from frisket.models.smollm2 import path as smollm2_path
from tests.data import maskbench, required_data_dir
from tests.runtimes.walks import METASCHEMA

from . import report

HERE = Path(__file__).parent
PROMPT = "A very short JSON document:\n"
#: Seconds for one schema in llama.cpp's own grammar, and for one answer.
PATIENCE = 20
ANSWER_PATIENCE = 300
#: Answers that end within so many tokens count; each schema has so many tries, with another seed each.
MOST_TOKENS = 150
TRIES = 2
#: Tokens of an answer that is timed.
TIMED_TOKENS = 60


@dataclass(frozen=True)
class Wrong:
    """A schema that llama.cpp's own converter refuses or gets wrong, and how."""

    name: str
    schema: dict[str, Any]
    kind: str
    evidence: str


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.llama_cpp", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--answers", type=int, default=50)
    parser.add_argument("--timed", type=int, default=8, help="schemas whose answers are timed")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    commit = report.commit()
    os.environ["LD_LIBRARY_PATH"] = f"{options.library.resolve()}:{options.build.resolve() / 'bin'}"
    rows = list(maskbench(required_data_dir()))
    with tempfile.TemporaryDirectory() as folder:
        kinds, wrong, right = _judged(rows, _linked(options, Path(folder)))
        answers = _answers(wrong, options, Path(folder) / "server.log")
        times = _times(right, options, Path(folder))
    page = _page(kinds, answers, times, options, commit)
    print(page)
    path = options.out / f"llama-cpp-{datetime.date.today()}-{commit}.md"
    path.write_text(page, encoding="utf-8")


def _linked(options: argparse.Namespace, folder: Path) -> Path:
    """The program that asks llama.cpp's converter and its grammar."""
    program, libraries = folder / "judge", options.build.resolve() / "bin"
    include = [f"-I{options.source / name}" for name in ("common", "src", "include", "ggml/include")]
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-Wl,--unresolved-symbols=ignore-in-shared-libs"]
    names = [f"-l{name}" for name in ("llama-common", "llama", "ggml", "ggml-base")]
    source = str(HERE / "llama_cpp.cpp")
    subprocess.run(["g++", "-O1", "-std=c++17", source, *include, *link, *names, "-o", str(program)], check=True)
    return program


def _judged(
    rows: list[dict[str, Any]], program: Path
) -> tuple[Counter[str], list[Wrong], list[tuple[dict[str, Any], str]]]:
    """How many schemas there are of each kind; those that are wrong; those that are right, with llama.cpp's grammar."""
    kinds: Counter[str] = Counter()
    wrong, right = [], []
    running = _started(program)
    for row in rows:
        documents = [json.dumps(test["data"], ensure_ascii=False) for test in row["tests"]]
        answer = _asked(running, {"schema": row["schema"], "documents": documents})
        if answer is None:
            answer = {"refusal": "it crashes" if _has_ended(running) else f"it takes more than {PATIENCE} s"}
            running.kill()
            running = _started(program)
        judged = zip(row["tests"], documents, answer.get("accepts", ()), strict=False)
        missed = [(test["valid"], document) for test, document, taken in judged if taken != test["valid"]]
        accepted = next((document for valid, document in missed if not valid), None)
        if "refusal" in answer:
            kind, evidence = "refused", answer["refusal"].split("\n")[-1]
        elif accepted is not None:
            kind, evidence = "accepts what is invalid", accepted
        elif missed:
            kind, evidence = "refuses what is valid", missed[0][1]
        else:
            kind, evidence = "right", ""
            right.append((row["schema"], answer["grammar"]))
        kinds[kind] += 1
        if kind != "right" and _compiles(row["schema"]):
            wrong.append(Wrong(row["id"], row["schema"], kind, evidence))
    running.kill()
    order = ["refused", "accepts what is invalid", "refuses what is valid"]
    return kinds, sorted(wrong, key=lambda each: (order.index(each.kind), len(json.dumps(each.schema)))), right


def _has_ended(running: subprocess.Popen[str]) -> bool:
    """Whether the process has ended, or does so within a second."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(1)
    return running.poll() is not None


def _compiles(schema: dict[str, Any]) -> bool:
    """Whether frisket's libraries take the schema: metaschemas are known to the Python package alone."""
    if METASCHEMA in json.dumps(schema):
        return False
    try:
        frisket.Grammar.from_json_schema(schema)
    except frisket.FrisketError:
        return False
    return True


def _started(program: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def _asked(running: subprocess.Popen[str], question: Any) -> Any:
    """The answer; None where the process has died, or takes too long."""
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write(json.dumps(question) + "\n")
    running.stdin.flush()
    if not select.select([running.stdout], [], [], PATIENCE)[0]:
        return None
    line = running.stdout.readline()
    return json.loads(line) if line else None


@contextlib.contextmanager
def _server(options: argparse.Namespace, log: Path) -> Iterator[str]:
    """The address of llama-server with SmolLM2."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [options.build / "bin" / "llama-server", "-m", smollm2_path(), "-c", "2048", "-np", "1"]
    command += ["-t", str(options.threads), "--port", str(port), "--host", "127.0.0.1"]
    address = f"http://127.0.0.1:{port}"
    with log.open("wb") as said, subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT) as process:
        try:
            for _ in range(600):
                with contextlib.suppress(urllib.error.URLError, ConnectionError):
                    urllib.request.urlopen(f"{address}/health").close()
                    break
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()


def _answers(wrong: list[Wrong], options: argparse.Namespace, log: Path) -> dict[str, Any]:
    """Answers that came to their end, and whether they are valid; how many were cut."""
    finished: list[tuple[Wrong, str, bool]] = []
    cut = tried = 0
    with _server(options, log) as address:
        for each in wrong:
            if len(finished) == options.answers:
                break
            tried += 1
            for seed in range(TRIES):
                question = {"prompt": PROMPT, "json_schema": each.schema, "n_predict": MOST_TOKENS, "seed": seed}
                request = urllib.request.Request(
                    f"{address}/completion",
                    json.dumps({**question, "temperature": 0.8}).encode(),
                    {"Content-Type": "application/json"},
                )
                with urllib.request.urlopen(request, timeout=ANSWER_PATIENCE) as response:
                    answer = json.load(response)
                if answer["stop_type"] != "eos":
                    cut += 1
                    continue
                finished.append((each, answer["content"], _is_valid(each.schema, answer["content"])))
                print(len(finished), each.name, finished[-1][2], answer["content"][:80], flush=True)
                break
    complaints = [line for line in log.read_text(errors="replace").splitlines() if "llg error" in line]
    return {"finished": finished, "cut": cut, "tried": tried, "complaints": complaints}


def _is_valid(schema: dict[str, Any], text: str) -> bool:
    try:
        jsonschema_rs.validator_for(schema).validate(json.loads(text))
    except (ValueError, jsonschema_rs.ValidationError):
        return False
    return True


def _times(right: list[tuple[dict[str, Any], str]], options: argparse.Namespace, folder: Path) -> list[Any]:
    """For each timed schema and way: the tokens, and the milliseconds of sampling and of the model for one."""
    random.Random(48).shuffle(right)
    chosen = [(schema, grammar) for schema, grammar in right if _compiles(schema)][: options.timed]
    found = []
    for schema, grammar in chosen:
        (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
        (folder / "grammar.gbnf").write_text(grammar, encoding="utf-8")
        ways = {
            "frisket": ["-jf", folder / "schema.json"],
            "llama.cpp": ["--grammar-file", folder / "grammar.gbnf"],
            "none": ["--ignore-eos"],
        }
        found.append({way: _timed(words, options) for way, words in ways.items()})
        print(found[-1], flush=True)
    return found


def _timed(words: list[Any], options: argparse.Namespace) -> tuple[int, float, float]:
    """The tokens, and the milliseconds of sampling and of the model for one."""
    command = [options.build / "bin" / "llama-completion", "-m", smollm2_path(), "-no-cnv", "--no-display-prompt"]
    words = ["-c", "2048", "-t", str(options.threads), "-n", str(TIMED_TOKENS), "--perf", "-p", PROMPT, *words]
    command += ["--temp", "0", *words]
    said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stderr
    assert "llg error" not in said, said
    sampling = re.search(r" sampling time = +([\d.]+) ms", said)
    evaluated = re.search(r":        eval time = +([\d.]+) ms / +(\d+) runs", said)
    assert sampling is not None and evaluated is not None, said
    # The first token comes of the prompt.
    runs = int(evaluated[2])
    return runs + 1, float(sampling[1]) / (runs + 1), float(evaluated[1]) / max(runs, 1)


def _page(
    kinds: Counter[str], answers: dict[str, Any], times: list[Any], options: argparse.Namespace, commit: str
) -> str:
    machine = report.machine()
    finished = answers["finished"]
    valid = sum(is_valid for *_, is_valid in finished)
    total = sum(kinds.values())
    lines = [
        "# llama.cpp with the drop-in, where its own converter refuses a schema or gets it wrong",
        "",
        f"llama.cpp of {_version(options.source)}, SmolLM2-135M-Instruct (Q4_1), jsonschema-rs as the other validator. "
        f"Commit {commit}, {datetime.date.today()}; {machine['cpu']}, {machine['cores']} cores, "
        f"load {machine['load']}; `python -m benchmarks.llama_cpp SOURCE BUILD LIBRARY`.",
        "",
        f"Of {total:,} schemas of MaskBench, each with its documents, llama.cpp's converter and grammar are right on "
        f"{kinds['right']:,}; on {kinds['accepts what is invalid']:,} they accept a document that is invalid, on "
        f"{kinds['refuses what is valid']:,} they refuse one that is valid (some for the order of its members alone), "
        f"and {kinds['refused']:,} they refuse whole.",
        "",
        f"`llama-server` with the drop-in: **{len(finished)} answers that came to their end, {valid} valid**, for "
        f"{answers['tried']} schemas, the smallest of each kind first; {answers['cut']} tries were cut at "
        f"{MOST_TOKENS} tokens. `llg error` stood in the server's log {len(answers['complaints'])} times.",
        "",
        "| schema | llama.cpp's own converter | in short | the drop-in's answer | valid |",
        "|---|---|---|---|---|",
    ]
    for wrong, text, is_valid in finished:
        cells = [wrong.name, wrong.kind, _code(wrong.evidence), _code(text), "yes" if is_valid else "**no**"]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "## The mask's share of a token's time",
        "",
        f"`llama-completion`, {options.threads} thread of the model, greedy, {len(times)} schemas that both get right, "
        f"up to {TIMED_TOKENS} tokens each; times that it prints itself. Sampling is all that follows the logits: the "
        f"mask, and the rest of llama.cpp's sampler, which the last row has alone. llama.cpp looks at the drawn token "
        f"first, and at all others only where that may not come, in both.",
        "",
        "| mask | tokens | sampling a token, mean (ms) | median of schemas | slowest schema "
        "| model a token, mean (ms) | share of sampling |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for way in times[0]:
        tokens, sampling, model = (np.array(column) for column in zip(*(each[way] for each in times), strict=True))
        mean, spent = float(np.average(sampling, weights=tokens)), float(np.average(model, weights=tokens))
        cells = [f"{tokens.sum():,}", *(f"{value:.2f}" for value in (mean, np.median(sampling), sampling.max(), spent))]
        lines.append(f"| {way} | {' | '.join(cells)} | {mean / (mean + spent):.1%} |")
    return "\n".join([*lines, ""])


def _version(source: Path) -> str:
    """The package that the sources lie in, as PyPI has it."""
    return next((part for part in source.resolve().parts if part.startswith("llama_cpp_python")), source.name)


def _code(text: str) -> str:
    """A short text for a cell."""
    text = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return f"`{text if len(text) <= 100 else text[:99] + '…'}`"


if __name__ == "__main__":
    main()
