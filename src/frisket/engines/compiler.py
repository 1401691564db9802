"""Requests × stop tokens → CompiledGrammar, shared by the requests of one engine."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Lock
from typing import NamedTuple, Protocol

from frisket.engines import metrics
from frisket.grammar import CompiledGrammar, Grammar
from frisket.json_schema.options import JSONSchemaOptions
from frisket.limit import Limits
from frisket.vocabulary import Vocabulary

#: Compiled grammars that are kept, and bytes of them and of what they were made of.
COUNT, WEIGHT = 256, 256 << 20
#: Kind, specification, options, and the fingerprint of the vocabulary.
Key = tuple[str, str, JSONSchemaOptions, str]
#: Sets of stop tokens that a vocabulary is kept for. Nearly all requests of a model have the same.
STOP_SETS = 8


class Wanted(Protocol):
    """The specification of a request; where kind, specification and options are equal, the grammar is."""

    @property
    def kind(self) -> str: ...

    @property
    def specification(self) -> str: ...

    @property
    def options(self) -> JSONSchemaOptions: ...

    def grammar(self, limits: Limits | None = None) -> Grammar: ...


class Compiler:
    """Compiled grammars of one tokenizer, shared by equal requests. Thread-safe.

    `vocabulary_of` makes the vocabulary whose end is any of the given tokens, or the tokenizer's own end for None.
    `limits` are those of each grammar. At most `count` grammars are kept, which weigh at most `weight` bytes at
    the end of each `compile`; until the next they grow within their limits. `counted`: an engine's metrics count them.
    """

    def __init__(
        self,
        vocabulary_of: Callable[[frozenset[int] | None], Vocabulary],
        *,
        limits: Limits | None = None,
        count: int = COUNT,
        weight: int = WEIGHT,
        counted: bool = False,
    ) -> None:
        self._vocabulary_of = vocabulary_of
        self._limits = limits
        self._count, self._weight, self._counted = count, weight, counted
        #: Requests whose grammar was there, and requests for which it was compiled.
        self.hits = self.misses = 0
        self._lock = Lock()
        self._vocabularies: dict[frozenset[int] | None, Vocabulary] = {}
        # The least recently used comes first.
        self._kept: dict[Key, Kept] = {}

    @property
    def memory_bytes(self) -> int:
        """The bytes of the kept grammars, as of now: they grow with every mask that they learn."""
        with self._lock:
            return sum(map(Kept.weight, self._kept.values()))

    def vocabulary(self, stops: Collection[int] | None = None) -> Vocabulary:
        """The vocabulary whose end is any of the stop tokens; made once for each set of them."""
        key = frozenset(stops) if stops else None
        with self._lock:
            found = self._vocabularies.pop(key, None)
            if found is None:
                found = self._vocabulary_of(key)
            self._vocabularies[key] = found  # the newest comes last
            if len(self._vocabularies) > STOP_SETS:
                del self._vocabularies[next(iter(self._vocabularies))]
        return found

    def compile(self, wanted: Wanted, stops: Collection[int] | None = None) -> CompiledGrammar:
        """The grammar of a request; FrisketError says what cannot be enforced."""
        vocabulary = self.vocabulary(stops)
        key = (wanted.kind, wanted.specification, wanted.options, vocabulary.fingerprint)
        with self._lock:
            kept = self._kept.pop(key, None)
        is_new = kept is None
        if kept is None:
            self.misses += 1
            compiled = wanted.grammar(self._limits).compile(vocabulary, limits=self._limits)
            kept = Kept(compiled, len(wanted.specification) + compiled.grammar.core.memory_bytes)
        else:
            self.hits += 1
        if self._counted:
            metrics.count("frisket_engine_grammars", "compiled" if is_new else "cached")
        self._keep(key, kept)
        return kept.compiled

    def _keep(self, key: Key, kept: Kept) -> None:
        """Keep a grammar, and let go of the least recently used until all weigh no more than they may."""
        gone = []  # freed after the lock
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = kept
            # Weighed anew each time: what a grammar weighs is known only when it has been used.
            held = sum(map(Kept.weight, self._kept.values()))
            while held > self._weight or len(self._kept) > self._count:
                gone.append(self._kept.pop(next(iter(self._kept))))
                held -= gone[-1].weight()


class Kept(NamedTuple):
    """A grammar, and the bytes of what it was made of."""

    compiled: CompiledGrammar
    source: int

    def weight(self) -> int:
        return self.source + self.compiled.memory_bytes
