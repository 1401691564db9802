"""Positions in real schemas × all 128,256 tokens of Llama 3 → differences between the engine's mask and brute force.

Brute force knows nothing of masks: a token is allowed iff `Grammar.accepts_prefix(text so far + its bytes)`. A token is
tried only if its own beginnings passed (what no sentence begins with does not become one by going on); with
`--every-token` also those are tried.

    python -m tests.exhaustive.brute_force --positions 500

Half of the positions lie in the schemas' own documents, half on random walks under the masks, which prefer what
documents rarely hold: quotes, escapes, white space, digits and pieces of characters. Exit status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from frisket import CompiledGrammar, Grammar, Matcher
from frisket._core import Vocabulary
from frisket.errors import FrisketError
from tests.data import llama3_tokens, maskbench, required_data_dir

EOS = "<|eot_id|>"


@dataclass
class Branch:
    """A node of the tokens' tree: the tokens that end here, and what may follow."""

    token_ids: list[int] = field(default_factory=list)
    branches: dict[int, Branch] = field(default_factory=dict)


def tree(tokens: list[bytes | None]) -> Branch:
    """All tokens by their bytes."""
    root = Branch()
    for token_id, token in enumerate(tokens):
        branch = root
        for value in token or b"":
            branch = branch.branches.setdefault(value, Branch())
        if token:
            branch.token_ids.append(token_id)
    return root


def allowed(grammar: Grammar, text: bytes, root: Branch) -> set[int]:
    """The tokens after which some sentence is still possible."""
    accepts_prefix: Callable[[bytes], bool] = grammar.core.accepts_prefix
    found: set[int] = set()
    agenda = [(text, root)]
    while agenda:
        so_far, branch = agenda.pop()
        for value, below in branch.branches.items():
            longer = so_far + bytes([value])
            if accepts_prefix(longer):
                found.update(below.token_ids)
                if below.branches:
                    agenda.append((longer, below))
    return found


def allowed_trying_all(grammar: Grammar, text: bytes, tokens: list[bytes | None]) -> set[int]:
    """The same, without the tree."""
    return {n for n, token in enumerate(tokens) if token and grammar.core.accepts_prefix(text + token)}


def mask_of(matcher: Matcher, vocabulary: Vocabulary) -> set[int]:
    """The tokens whose bit is set."""
    bitmask = np.zeros(vocabulary.mask_words, dtype=np.uint32)
    matcher.fill_mask(bitmask)
    return set(np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist())


def along(document: Any, compiled: CompiledGrammar, by_text: dict[bytes, int], rng: random.Random) -> bytes:
    """The beginning of a document, spelled in one of its styles and cut between two tokens."""
    separators = rng.choice(((",", ":"), (", ", ": ")))
    text = json.dumps(document, ensure_ascii=False, separators=separators).encode()
    cuts, at = [0], 0
    matcher = compiled.matcher()
    while at < len(text):
        end = next(end for end in range(min(at + 40, len(text)), at, -1) if text[at:end] in by_text)
        if not matcher.try_advance(by_text[text[at:end]]):
            break
        at = end
        cuts.append(at)
    return text[: rng.choice(cuts)]


def astray(compiled: CompiledGrammar, tokens: list[bytes | None], rng: random.Random) -> bytes:
    """A random walk under the masks that likes what is awkward."""
    matcher, text = compiled.matcher(), b""
    for _ in range(rng.randrange(1, 25)):
        follows = [token_id for token_id in matcher.allowed() if tokens[token_id]]
        if not follows:
            break
        some = rng.sample(follows, min(len(follows), 200))
        awkward = [
            n for n in some if set(tokens[n] or b"") & set(b'"\\ \n0123456789') or (tokens[n] or b"")[-1] >= 0x80
        ]
        token_id = rng.choice(awkward if awkward and rng.random() < 0.5 else some)
        matcher.advance(token_id)
        text += tokens[token_id] or b""
    return text


def positions(
    entries: list[dict[str, Any]], vocabulary: Vocabulary, tokens: list[bytes | None], rng: random.Random
) -> Iterator[tuple[str, Grammar, CompiledGrammar, bytes]]:
    """Without end: (schema, its grammar, a beginning of one of its documents)."""
    by_text = {token: token_id for token_id, token in enumerate(tokens) if token}
    while True:
        for entry in rng.sample(entries, len(entries)):
            try:
                grammar = Grammar.from_json_schema(entry["schema"])
                compiled = grammar.compile(vocabulary)
            except FrisketError:
                continue
            documents = [test["data"] for test in entry["tests"] if test["valid"]]
            if documents:
                yield entry["id"], grammar, compiled, along(rng.choice(documents), compiled, by_text, rng)
            yield entry["id"], grammar, compiled, astray(compiled, tokens, rng)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=int, default=2000, help="leave out texts of more bytes (default 2000)")
    parser.add_argument("--every-token", action="store_true", help="try tokens whose beginnings already failed, too")
    options = parser.parse_args()
    folder = required_data_dir()
    tokens = llama3_tokens(folder)
    names = json.loads((folder / "tokenizers" / "llama3" / "tokenizer.json").read_text(encoding="utf-8"))[
        "added_tokens"
    ]
    special = {entry["content"]: entry["id"] for entry in names}
    vocabulary = Vocabulary(tokens, special=special, eos=[special[EOS]])
    root = tree(tokens)
    entries = list(maskbench(folder))
    schemas: set[str] = set()
    compared, differing, ones, start = 0, 0, 0, time.monotonic()
    for name, grammar, compiled, text in positions(entries, vocabulary, tokens, random.Random(options.seed)):
        if len(text) > options.longest:
            continue
        matcher = compiled.matcher()
        if text:
            matcher.advance_bytes(text)
        ours = mask_of(matcher, vocabulary)
        theirs = allowed_trying_all(grammar, text, tokens) if options.every_token else allowed(grammar, text, root)
        if grammar.accepts(text):
            theirs.add(special[EOS])
        compared, ones = compared + 1, ones + len(theirs)
        schemas.add(name)
        if ours != theirs:
            differing += 1
            show(name, text, {n: tokens[n] for n in ours - theirs}, {n: tokens[n] for n in theirs - ours})
        bar(compared, options.positions, differing)
        if compared == options.positions:
            break
    seconds = time.monotonic() - start
    print(
        f"{compared} positions of {len(schemas)} schemas x {vocabulary.size} tokens ({ones} allowed): "
        f"{differing} positions differ; {seconds:.0f} s"
    )
    return 1 if differing else 0


def show(name: str, text: bytes, extra: dict[int, bytes | None], missing: dict[int, bytes | None]) -> None:
    """One difference, short enough to read."""
    print(f"\n{name} after {text!r}")
    for what, tokens in (("allowed wrongly", extra), ("forbidden wrongly", missing)):
        if tokens:
            print(f"  {what}: {len(tokens)} tokens, such as {dict(list(sorted(tokens.items()))[:5])}")


def bar(done: int, total: int, differing: int) -> None:
    """Progress, where somebody looks; a line now and then where nobody does."""
    if sys.stderr.isatty():
        filled = 40 * done // total
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{total} positions, {differing} differ{end}")
        sys.stderr.flush()
    elif done % 50 == 0:
        print(f"{done}/{total} positions, {differing} differ", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
