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

#: Most compiled grammars that are kept, and most bytes of them together with their specifications.
COUNT, WEIGHT = 256, 256 << 20
#: Kind, specification, options, and the fingerprint of the vocabulary.
Key = tuple[str, str, JSONSchemaOptions, str]
#: Most vocabularies that are kept, one for each set of stop tokens. Nearly all requests of a model have the same set.
STOP_SETS = 8


class Wanted(Protocol):
    """The specification of a request: if kind, specification and options are equal, the grammars are."""

    @property
    def kind(self) -> str: ...

    @property
    def specification(self) -> str: ...

    @property
    def options(self) -> JSONSchemaOptions: ...

    def grammar(self, limits: Limits | None = None) -> Grammar: ...


class Compiler:
    """Compiled grammars of one tokenizer, shared by equal requests. Thread-safe.

    `vocabulary_of` makes the vocabulary whose end tokens are the given ones, or for None the tokenizer's own. `limits`
    are those of each grammar. After each `compile`, at most `count` grammars are kept, of at most `weight` bytes; until
    the next one they may grow within their limits. `counted`: whether an engine's metrics count them.
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
        #: Requests whose grammar was kept, and requests whose grammar was compiled.
        self.hits = self.misses = 0
        self._lock = Lock()
        self._vocabularies: dict[frozenset[int] | None, Vocabulary] = {}
        # In order of use: the least recently used comes first.
        self._kept: dict[Key, Kept] = {}

    @property
    def memory_bytes(self) -> int:
        """The present bytes of the kept grammars, which grow with every mask that they learn."""
        with self._lock:
            return sum(map(Kept.weight, self._kept.values()))

    def vocabulary(self, stops: Collection[int] | None = None) -> Vocabulary:
        """The vocabulary with these tokens as its end; made once for each set of them."""
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
        """The compiled grammar of a request; FrisketError says what cannot be enforced."""
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
        """Keep a grammar, and drop the least recently used ones while there are too many, or too many bytes."""
        gone = []  # freed after the lock is released
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = kept
            # All are weighed again, since a grammar grows while it is used.
            held = sum(map(Kept.weight, self._kept.values()))
            while held > self._weight or len(self._kept) > self._count:
                gone.append(self._kept.pop(next(iter(self._kept))))
                held -= gone[-1].weight()


class Kept(NamedTuple):
    """A compiled grammar, and the bytes of the specification that it was made from."""

    compiled: CompiledGrammar
    source: int

    def weight(self) -> int:
        return self.source + self.compiled.memory_bytes
