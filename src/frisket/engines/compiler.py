"""What requests want × stop tokens → CompiledGrammar: what the requests of one engine share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Lock
from typing import Protocol

from frisket.grammar import CompiledGrammar, Grammar
from frisket.json_schema.options import JSONSchemaOptions
from frisket.limit import Limits
from frisket.recent import Recent
from frisket.vocabulary import Vocabulary

#: Compiled grammars that are kept, and bytes of their specifications.
COUNT, WEIGHT = 256, 64_000_000
#: Sets of stop tokens that a vocabulary is kept for. Nearly all requests of a model have the same.
STOP_SETS = 8


class Wanted(Protocol):
    """What a request asks for; where kind, specification and options are equal, the grammar is."""

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
    `limits` are those of each grammar.
    """

    def __init__(
        self, vocabulary_of: Callable[[frozenset[int] | None], Vocabulary], *, limits: Limits | None = None
    ) -> None:
        self._vocabulary_of = vocabulary_of
        self._limits = limits
        #: Requests whose grammar was there, and requests for which it was compiled.
        self.hits = self.misses = 0
        self._lock = Lock()
        self._vocabularies: dict[frozenset[int] | None, Vocabulary] = {}
        self._compiled: Recent[CompiledGrammar] = Recent(count=COUNT, weight=WEIGHT)

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
        compiled = self._compiled.get(key)
        if compiled is None:
            self.misses += 1
            compiled = wanted.grammar(self._limits).compile(vocabulary, limits=self._limits)
            self._compiled.put(key, compiled, len(wanted.specification))
        else:
            self.hits += 1
        return compiled
