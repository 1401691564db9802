"""Another engine in a process of its own: schema or grammar, and texts → refused, or which texts it accepts.

A schema gets a time limit; an engine that hangs or dies is started again and the schema counts as crashed. Every engine
reads a vocabulary of the 256 bytes, so what is compared is the language and not the tokenizer.

    python tests/conformance/rival.py llguidance < requests        the worker's side: a line of JSON in, a line out
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from typing import Any

RIVALS = ("llguidance", "xgrammar")
SECONDS = 20.0


class Refused(Exception):
    """The engine does not take the schema."""


class Unsatisfiable(Exception):
    """The engine says that no document can satisfy the schema."""


class Crashed(Exception):
    """The engine died, or gave no answer in time."""


class Rival:
    """One engine, restarted whenever it falls. `python`: the interpreter that has it installed."""

    def __init__(self, name: str, python: str = sys.executable, seconds: float = SECONDS) -> None:
        self.name, self._python, self._seconds = name, python, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self.version = self._ask({"version": True})["version"]

    def accepted(
        self, schema: str, texts: list[str], notation: str = "json_schema", start: str | None = None
    ) -> list[bool]:
        """Of each text, whether it is accepted as a whole. Raises Refused, Unsatisfiable or Crashed.

        `schema` is a text in the notation; `start` is the rule where it begins, if it has rules.
        """
        answer = self._ask({"schema": schema, "texts": texts, "notation": notation, "start": start})
        if "refused" in answer:
            error = Unsatisfiable if "unsatisfiable" in answer["refused"].lower() else Refused
            raise error(answer["refused"])
        if "crashed" in answer:
            raise Crashed(answer["crashed"])
        return list(answer["accepted"])

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None

    def _ask(self, request: dict[str, Any]) -> Any:
        if self._process is None:
            self._process = subprocess.Popen(
                [self._python, __file__, self.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._read(60)  # ready: importing an engine is no part of any schema's time
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._read(self._seconds))

    def _read(self, seconds: float) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        line = self._process.stdout.readline() if ready else b""
        if not line:
            code = self._process.poll()
            self.close()
            raise Crashed(f"no answer in {seconds:.0f} s" if not ready else f"the process ended ({code})")
        return line


#: (text, notation, start) → whether a text is accepted.
Compile = Callable[[str, str, "str | None"], Callable[[str], bool]]


def llguidance_engine() -> Compile:
    module: Any = importlib.import_module("llguidance")
    tokenizer = module.LLTokenizer("byte")

    def grammar(text: str, notation: str, start: str | None) -> Any:
        if notation == "json_schema":
            return module.LLMatcher.grammar_from_json_schema(text)
        usual = "root" if notation == "gbnf" else "start"
        if notation not in ("lark", "gbnf") or start not in (None, usual):
            raise ValueError(f"no reader for {notation} that begins with {start or usual}")
        if notation == "gbnf":
            text = importlib.import_module("llguidance.gbnf_to_lark").gbnf_to_lark(text)
        return module.LLMatcher.grammar_from_lark(text)

    def compile_schema(schema: str, notation: str, start: str | None) -> Callable[[str], bool]:
        matcher = module.LLMatcher(tokenizer, grammar(schema, notation, start), log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())

        def accepts(text: str) -> bool:
            reader = matcher.deep_copy()
            taken = reader.try_consume_tokens(list(text.encode()))
            if reader.is_error():
                raise RuntimeError(reader.get_error())
            return bool(taken == len(text.encode()) and reader.is_accepting())

        return accepts

    return compile_schema


def xgrammar_engine() -> Compile:
    module: Any = importlib.import_module("xgrammar")
    info = module.TokenizerInfo(
        [*(bytes([value]) for value in range(256)), b"<end>"],
        module.VocabType.RAW,
        vocab_size=257,
        stop_token_ids=[256],
    )
    compiler = module.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def compiled_grammar(text: str, notation: str, start: str | None) -> Any:
        if notation == "json_schema":
            # strict_mode would close every object and refuse documents that the schema allows.
            return compiler.compile_json_schema(text, strict_mode=False)
        if notation == "lark" and start in (None, "start"):
            return compiler.compile_grammar(module.Grammar.from_lark(text, tokenizer_info=info))
        if notation in ("gbnf", "ebnf"):
            return compiler.compile_grammar(module.Grammar.from_ebnf(text, root_rule_name=start or "root"))
        raise ValueError(f"no reader for {notation} that begins with {start}")

    def compile_schema(schema: str, notation: str, start: str | None) -> Callable[[str], bool]:
        compiled = compiled_grammar(schema, notation, start)

        def accepts(text: str) -> bool:
            matcher = module.GrammarMatcher(compiled)
            return bool(all(matcher.accept_token(value) for value in text.encode()) and matcher.is_completed())

        return accepts

    return compile_schema


def serve(name: str) -> None:
    """Answers requests until stdin ends; what the engine itself prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    compile_schema = {"llguidance": llguidance_engine, "xgrammar": xgrammar_engine}[name]()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "version" in request:
            answer: dict[str, Any] = {"version": importlib.metadata.version(name)}
        else:
            try:
                accepts = compile_schema(request["schema"], request["notation"], request["start"])
            except BaseException as error:  # a panic of PyO3 is no Exception
                answer = {"refused": f"{type(error).__name__}: {str(error)[:300]}"}
            else:
                try:
                    answer = {"accepted": [accepts(text) for text in request["texts"]]}
                except BaseException as error:
                    answer = {"crashed": f"{type(error).__name__}: {str(error)[:300]}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
