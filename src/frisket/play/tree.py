"""Branches of a search × the chosen answer → a prefix tree with the outcome of each path."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from frisket import Generation, Vocabulary
from frisket.extension import Branch
from frisket.play.token import described
from frisket.strategies.weighted import Samples

#: Most paths that are drawn: all answers, and the latest abandoned paths.
MOST = 200
#: Most characters of a node's text that are sent.
CHARACTERS = 400


@dataclass(frozen=True)
class Path:
    """One path from the root: its tokens, including the end of the sequence."""

    tokens: tuple[int, ...]
    fate: str
    logprob: float
    draft: str | None

    @staticmethod
    def of(answer: Generation[Any], fate: str) -> Path:
        return Path(tuple(step.token for step in answer.steps), fate, answer.logprob, answer.draft)


@dataclass
class Grove:
    """The paths of one search; all are counted, and those to draw are kept."""

    fates: Counter[str] = field(default_factory=Counter)
    answers: list[Path] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)

    def add(self, branch: Branch) -> None:
        self.fates[branch.fate] += 1
        kept = self.answers if branch.fate == "answer" else self.others
        kept.append(Path.of(branch.answer, branch.fate))
        if len(kept) > MOST:
            del kept[0]

    def paths(self, chosen: Path) -> list[Path]:
        """The paths to draw, always including the chosen one."""
        found = [*self.answers, *self.others[::-1]][:MOST]
        return found if chosen in found else [chosen, *found[: MOST - 1]]


def tree(grove: Grove, found: Samples[Generation[Any]], chosen: Generation[Any], vocabulary: Vocabulary) -> Any:
    """The tree's nodes, each with the tokens from one fork to the next; a leaf has its path's outcome.

    `share` is the share of a path in the sum of all weights that the strategy gave.
    """
    shares: dict[tuple[int, ...], float] = {}
    for one, weight in zip(found, found.weights.tolist(), strict=True):
        tokens = tuple(step.token for step in one.value.steps)
        shares[tokens] = shares.get(tokens, 0.0) + weight
    won = Path.of(chosen, "answer")
    paths = grove.paths(won)
    writer = _Writer(vocabulary, shares if len(found) > 1 else {}, won)
    drafts = list(dict.fromkeys(path.draft for path in paths))
    roots = [{"draft": draft, "nodes": writer.nodes([path for path in paths if path.draft == draft], 0)}
             for draft in sorted(drafts, key=lambda draft: draft == won.draft)]  # fmt: skip
    return {
        "roots": roots,
        "fates": grove.fates,
        "drawn": len(paths),
        "count": grove.fates.total(),
        "log_evidence": found.log_evidence,
    }


@dataclass(frozen=True)
class _Writer:
    vocabulary: Vocabulary
    shares: dict[tuple[int, ...], float]
    won: Path

    def nodes(self, paths: Sequence[Path], at: int) -> list[dict[str, Any]]:
        """One node for each token at step `at`: abandoned paths first, then answers, and the chosen path last.

        In this order a page can draw branches beside a line that goes straight on.
        """
        groups: dict[int, list[Path]] = {}
        for path in paths:
            if len(path.tokens) > at:
                groups.setdefault(path.tokens[at], []).append(path)
        return [self._node(group, at) for group in sorted(groups.values(), key=self._rank)]

    def _rank(self, paths: Sequence[Path]) -> tuple[bool, bool, float]:
        answers = [path.logprob for path in paths if path.fate == "answer"]
        return self.won in paths, bool(answers), max(answers or [path.logprob for path in paths])

    def _node(self, paths: Sequence[Path], at: int) -> dict[str, Any]:
        end = at + 1
        first, shortest = paths[0].tokens, min(len(path.tokens) for path in paths)
        while end < shortest and all(path.tokens[end] == first[end] for path in paths):
            end += 1
        text = "".join(described(self.vocabulary, token)["text"] for token in first[at:end])
        node: dict[str, Any] = {"at": at, "ids": list(first[at:end]), "text": text[:CHARACTERS]}
        ended = [path for path in paths if len(path.tokens) == end]
        if ended:
            node["leaf"] = self._leaf(ended)
        if len(ended) < len(paths):
            node["nodes"] = self.nodes(paths, end)
        return node

    def _leaf(self, ended: Sequence[Path]) -> dict[str, Any]:
        logprob = ended[0].logprob
        return {
            "fates": Counter(path.fate for path in ended),
            "logprob": logprob if math.isfinite(logprob) else None,
            "share": self.shares.get(ended[0].tokens),
            "chosen": self.won in ended,
        }
