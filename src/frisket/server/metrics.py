"""Requests and tokens → metrics in the format of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from frisket import Step, Vocabulary
from frisket.extension import Compiler
from frisket.server.scheduler import Scheduler

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

#: Histogram bounds of −log α: the allowed tokens had 99 %, 90 %, half, a tenth … of the probability.
NATS = (0.01, 0.1, 0.7, 2.3, 4.6, 6.9, 11.5, 23)


class Metrics:
    """The metrics of one server."""

    def __init__(self, scheduler: Scheduler, compiler: Compiler, vocabulary: Vocabulary) -> None:
        self.registry = CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"frisket_{name}", text, labels, registry=self.registry)

        def histogram(name: str, text: str) -> Histogram:
            return Histogram(f"frisket_{name}_seconds", text, buckets=SECONDS, registry=self.registry)

        self.requests = counter("requests", "Requests that were answered.", "route", "status")
        self.answers = counter(
            "answers", "Answers under a grammar: whole, cut (by a limit or a stop string), failed, left.", "outcome"
        )
        self.prompt_tokens = counter("prompt_tokens", "Tokens of prompts.")
        self.tokens = counter("tokens", "Tokens of answers.")
        self.forced = counter("forced_tokens", "Tokens of answers that were the only ones allowed.")
        self.overruled = counter(
            "overruled_tokens", "Tokens of answers under a grammar where it forbade the model's likeliest token."
        )
        self.pressure = Histogram(
            "frisket_pressure_nats", "−log of the probability that a model gave to all allowed tokens, for each token.",
            buckets=NATS, registry=self.registry,
        )  # fmt: skip
        self.compiling = histogram("compile", "From a schema or a grammar to its first matcher.")
        self.first = histogram("first_token", "From the request to its first token.")
        self.request = histogram("request", "From a request to the end of its answers.")
        for name, text, read in (
            ("active_answers", "Answers that are being written.", lambda: scheduler.active),
            ("queued_answers", "Answers that wait.", lambda: scheduler.queued),
            ("compile_cache_hits", "Grammars that were compiled already.", lambda: compiler.hits),
            ("compile_cache_misses", "Grammars that were compiled.", lambda: compiler.misses),
            ("compile_cache_bytes", "What the grammars weigh that are kept.", lambda: compiler.memory_bytes),
            ("mask_cache_bytes", "What all grammars share: the vocabulary and its masks.",
             lambda: vocabulary.memory_bytes),
        ):  # fmt: skip
            Gauge(f"frisket_{name}", text, registry=self.registry).set_function(read)

    def count(self, step: Step, *, masked: bool) -> None:
        """Count one token of an answer; `masked` if it was written under a grammar.

        The path in the document is no label: schemas come from clients, and every new label value would be kept
        forever.
        """
        self.tokens.inc()
        if masked:
            self.forced.inc(step.forced)
            self.overruled.inc(step.overruled)
            self.pressure.observe(-step.log_feasible)

    def text(self) -> bytes:
        return generate_latest(self.registry)
