"""The types of the Rust extension: the contract between the front ends (Python) and the engine (Rust).

A front end calls `GrammarBuilder` to make nodes; a node is an `int`, equal nodes have equal ids, and a node may be
used any number of times. *Regular* nodes describe languages of bytes and close under `and_`/`not_`; *structural* nodes
(`seq`, `rule`, `special`, `object`) may recurse and may not appear below `and_`, `not_`, `cat`, `bounded` or `quoted`.
"""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from frisket.events.span import Span
from frisket.explanation import Explanation
from frisket.json_schema.report import Report
from frisket.vocabulary import Vocabulary as PublicVocabulary

__all__ = [
    "Cancellation",
    "CompiledGrammar",
    "Grammar",
    "GrammarBuilder",
    "Limits",
    "Matcher",
    "Vocabulary",
    "apply_mask",
    "copy_masked",
    "core_build",
    "core_version",
    "feasible_mass",
    "fill_masks",
    "replay_timed",
]

@final
class Cancellation:
    """Ends calls from another thread, for good.

    Every call that was given it, under way or to come, raises LimitExceededError with the code `cancelled` and leaves
    its object as it was. A call under way sees it within some tens of microseconds, in rare cases milliseconds. That
    of a large schema ends within half a millisecond: what it has built is freed in a thread of its own."""

    def __new__(cls) -> Self: ...
    def cancel(self) -> None:
        """End every call that was given this, now and later."""
    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""

@final
class Limits:
    """The limits of a grammar and its calls; frozen. LimitExceededError names the limit that was reached and its value.

    `steps`: elementary steps of one call (of the builder, of `compile`, of a matcher). A dear operation counts as
    several, so that a step takes some 40 nanoseconds at most.
    A whole build, the reading of its schema included, may take as many as one call.
    They are the same on every machine, so that what is refused once is refused always. The default, 50 million, is a
    hundred times what the dearest masks of real schemas take, and at most two seconds of a processor.

    `memory_bytes`: the size to which a compiled grammar (or a builder) may grow; 256 MiB by default, a real schema's
    takes a few hundred KB to a few MB. A compiled grammar that reaches it forgets what it has learned and goes on:
    it keeps the positions of its matchers, and a matcher that is next used takes some last steps again and gives the
    same masks. Only a call that alone needs more is an error; its additions to caches of all grammars count until it
    ends. The memory that grammars of a vocabulary share has a bound of its own (`Vocabulary`).

    `seconds`: wall-clock time of one call of `compile` and of a matcher, and of a whole build, the reading of its
    schema included. None by default: the clock would make what is refused depend on how busy the machine is.

    `cancellation`: who may end the calls."""

    def __new__(
        cls,
        *,
        memory_bytes: int = ...,
        steps: int = ...,
        seconds: float | None = None,
        cancellation: Cancellation | None = None,
    ) -> Self: ...
    @property
    def memory_bytes(self) -> int:
        """Bytes that a compiled grammar, or a builder, may grow to."""
    @property
    def steps(self) -> int:
        """Elementary steps that one call may take."""
    @property
    def seconds(self) -> float | None:
        """Seconds that one call, or a whole build, may take; None for any time."""
    @property
    def cancellation(self) -> Cancellation | None:
        """Who may end the calls, if anybody."""
    def started(self) -> Self:
        """These limits for several calls, which together take no more than `seconds` from now on."""
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...
    def __hash__(self) -> int: ...

@final
class GrammarBuilder:
    """Nodes of one grammar. Not thread-safe. An exception of a signal handler (Ctrl-C) ends a long call, too."""

    def __new__(cls, *, limits: Limits | None = None) -> Self: ...
    def fork(self, *, limits: Limits | None = None) -> Self:
        """A copy: equal nodes have equal ids in both, and either may go on alone."""
    def check(self, steps: int = 0, memory_bytes: int = 0) -> None:
        """Raises LimitExceededError if the build is cancelled, late or too large: for the work of a front end between
        two calls. The time of a build begins with its first call, or with this.

        `steps`: the front end's own work since its last check, in steps of a limit; they add up over a build.
        `memory_bytes`: memory that it has allocated since then and keeps until the build is over."""

    # -- regular: languages of bytes ----------------------------------------------------------------------------
    def empty(self) -> int:
        """Matches nothing."""
    def epsilon(self) -> int:
        """Matches the empty text."""
    def literal(self, data: bytes) -> int:
        """Exactly these bytes."""
    def words(self, words: Sequence[bytes]) -> int:
        """Any one of many literals (an enum, a key set); 100,000 of them are fine."""
    def byte_class(self, ranges: Sequence[tuple[int, int]]) -> int:
        """One byte in any of the inclusive ranges."""
    def char_class(self, ranges: Sequence[tuple[int, int]]) -> int:
        """One code point (surrogates excluded), as UTF-8, in any of the inclusive ranges."""
    def cat(self, nodes: Sequence[int]) -> int:
        """Concatenation of regular nodes. Structural nodes: use `seq`."""
    def alt(self, nodes: Sequence[int]) -> int:
        """Union; of regular or structural nodes."""
    def repeat(self, node: int, min: int, max: int | None = None) -> int:
        """`node`{min,max}; of a regular or structural node. Counts are made when reached: 10,000 compiles as 10."""
    def and_(self, nodes: Sequence[int]) -> int:
        """Intersection of regular nodes."""
    def not_(self, node: int) -> int:
        """Complement of a regular node among ALL byte strings (intersect with `any_text()` for valid UTF-8)."""
    def any_text(self) -> int:
        """Every valid UTF-8 text (control characters and quotes included), the empty one too."""
    def bounded(self, node: int, min: int, max: int | None) -> int:
        """The texts of a regular node that have `min` to `max` code points."""
    def quoted(self, node: int, escapes: str = "raw") -> int:
        """The JSON strings, quotes included, whose DECODED text (UTF-8) is in the node; `raw` takes rules, too.

        `raw`: one spelling per text: raw UTF-8, two-character escapes for `" \\ \\b \\f \\n \\r \\t`, lower-case
        `\\u00xx` for the other control characters. `free`: every spelling of RFC 8259
        (`\\/`, `\\u0061`, surrogate pairs)."""
    def regex(self, pattern: str, *, dialect: str, search: bool = False, flags: str = "") -> int:
        """The regular node of the texts that a pattern matches: as a whole, or somewhere inside if `search`.
        `dialect` is python, ecma or rust, `flags` letters of `imsxar`. Raises GrammarSyntaxError with the offset."""
    def regex_part(self, pattern: str, *, dialect: str = "python", flags: str = "") -> int:
        """As `regex`, where more text may stand on both sides; an assertion about that is refused."""
    def bounded_text(self, node: int, marker: str, forbidden: Sequence[str] = []) -> int:
        """A regular node's texts with the marker that ends them: no text contains the marker or a forbidden string.
        Without a marker, nothing limits the text."""
    def is_empty(self, node: int) -> bool:
        """Whether the node (regular, or structural with all its rules defined) matches nothing.

        Raises LimitExceededError if that takes too long to find out."""
    def accepts(self, node: int, data: bytes) -> bool:
        """Whether a REGULAR node matches exactly these bytes."""
    # -- structural: grammars ------------------------------------------------------------------------------------
    def seq(self, nodes: Sequence[int]) -> int:
        """Concatenation of regular or structural nodes; each part keeps its own cached masks (prefer it in JSON)."""
    def rule(self, name: str) -> int:
        """Declare a rule and return the node that calls it (define it later: recursion)."""
    def define(self, rule: int, body: int) -> None:
        """Set the body of a rule; once for each rule."""
    def special(self, name: str) -> int:
        """The special token of that name in the vocabulary (`<|eot_id|>`); it never matches text."""
    def object(
        self,
        properties: Sequence[tuple[str, bool, Sequence[tuple[int, int]]]],
        extras: Sequence[tuple[int, Sequence[tuple[int, int]]]],
        *,
        open: int,
        close: int,
        colon: int,
        comma: int,
        empty: int,
        min_properties: int = 0,
        max_properties: int | None = None,
        required_marks: int = 0,
        clauses: Sequence[tuple[int, int]] = ...,
        implies: Sequence[tuple[int, int]] = ...,
        any_order: bool = False,
        extras_last: bool = True,
        orders: Sequence[Sequence[int]] = ...,
        escapes: str = "raw",
    ) -> int:
        """A JSON object; keys are compared by decoded value and never repeat.

        `properties`: (key, required, values); in this order unless `any_order`, or unless `orders` gives lists of
        indices: then two properties keep an order only if some list names both. `extras`: (regular node of decoded
        keys, values) for all other keys; the named keys are excluded from extras automatically, overlaps between
        extras are unions. `values`: alternatives (value node, marks): `marks` is a bit set; the object may close only
        when the union of the marks of its members contains `required_marks` (existential constraints such as
        "some property matching /x/ has a value in S"). `clauses`: pairs of mark sets: if the members leave all marks of
        the first, they must leave one of the second. `implies`: pairs of indices into `properties`: if the first is
        present so must the second be. `open`, `close`, `colon`, `comma` are nodes with their white space: text is
        `open key colon value comma key colon value close`, or `empty` for the object without members.
        A property whose values are all empty (unsatisfiable) is forbidden. At most 64 marks."""
    def array(
        self,
        prefix: Sequence[int],
        rest: int | None,
        *,
        open: int,
        close: int,
        comma: int,
        empty: int,
        min_items: int = 0,
        max_items: int | None = None,
        unique: bool = False,
    ) -> int:
        """A JSON array: items in `prefix` by position, then any number of `rest` (None: no further items).

        `unique`: no two items have the same value (1 == 1.0, key order ignored), whatever nodes they are; items must
        be JSON texts, the punctuation regular and not empty."""
    def embed(self, grammar: Grammar) -> int:
        """Exactly the texts of a built grammar, whichever builder made it."""
    def build(self, root: int) -> Grammar:
        """Freeze. Raises EmptyGrammarError if nothing can match, GrammarError if a rule is not defined."""

@final
class Grammar:
    """Rules over bytes; knows no tokenizer; immutable and thread-safe."""

    def compile(
        self, vocabulary: Vocabulary | PublicVocabulary, *, limits: Limits | None = None, grammar: Any = None
    ) -> CompiledGrammar:
        """Takes microseconds, as the automaton is lazy. `CompiledGrammar.grammar` will be `grammar`.

        Raises VocabularyError if no token begins as the grammar must or a special token is missing; a vocabulary that
        fails to spell something later is found by `fill_mask`."""
    @property
    def node_count(self) -> int:
        """How many nodes were built."""
    @property
    def fingerprint(self) -> int:
        """A hash of all that was built: equal for grammars built alike, in whatever order their nodes were made."""
    def dump(self) -> str:
        """The rules as text, in the notation of `frisket.Grammar.dump`."""
    @property
    def memory_bytes(self) -> int:
        """Bytes that the grammar itself takes."""
    def accepts(self, data: bytes, *, limits: Limits | None = None) -> bool:
        """Whether the text is a whole sentence of the grammar (special tokens cannot be written)."""
    def accepts_prefix(self, data: bytes, *, limits: Limits | None = None) -> bool:
        """Whether some sentence begins with this text."""
    def ends(self, data: bytes, *, limits: Limits | None = None) -> list[int]:
        """The lengths of all beginnings of the text that are whole sentences, shortest first."""

@final
class Vocabulary:
    """Token id → bytes, and the trie; built once per tokenizer, shared by all grammars and threads.

    `tokens[i]` is the text of token i; None (special, unused) never matches text. `special`: name → id of special
    tokens. `eos` ids are allowed exactly where a document may end. `size`: rows of the model's logits when larger than
    `len(tokens)`; the ids beyond are always forbidden. The empty byte string counts as None."""

    def __new__(
        cls,
        tokens: Sequence[bytes | None],
        *,
        special: dict[str, int] | None = None,
        eos: Sequence[int] = ...,
        size: int | None = None,
    ) -> Self: ...
    @staticmethod
    def from_block(
        lengths: bytes, texts: bytes, *, special: dict[str, int] | None = None, eos: Sequence[int] = ...
    ) -> Vocabulary:
        """A vocabulary from one block: the length of each token (little-endian uint32, 0: no text), and their texts one
        after another. VocabularyError if the lengths are not those of the texts."""
    @property
    def block(self) -> tuple[bytes, bytes]:
        """The lengths and texts of all tokens, as `from_block` takes them."""
    @property
    def size(self) -> int:
        """How many ids there are, with those that have no text."""
    @property
    def eos(self) -> list[int]:
        """The ids that end a text."""
    @property
    def special(self) -> dict[str, int]:
        """The ids of the special tokens by name; a new dict each time."""
    def token(self, token_id: int) -> bytes | None:
        """The text of a token, None if it has none; IndexError beyond the vocabulary."""
    @property
    def mask_words(self) -> int:
        """uint32 words in one mask: ceil(size / 32)."""
    @property
    def memory_bytes(self) -> int:
        """Bytes of the trie and of all that grammars have learned about the tokens."""

@final
class CompiledGrammar:
    """A grammar over a vocabulary: a lazy automaton that threads can share. Every thread uses the masks and steps that
    others have computed, and a call that needs no computation waits for none."""

    def matcher(self, *, cancellation: Cancellation | None = None) -> Matcher:
        """A matcher at the beginning. `cancellation`, too, ends its calls and those of its forks."""
    @property
    def grammar(self) -> Any:
        """The `frisket.Grammar` that was compiled, None if it was one of the engine's."""
    @property
    def report(self) -> Report | None:
        """Which keywords of a JSON Schema are enforced, by JSON pointer; None for other notations."""
    @property
    def vocabulary(self) -> PublicVocabulary:
        """The very vocabulary that the grammar was compiled for."""
    @property
    def limits(self) -> Limits:
        """The limits of each call and of the memory that the automaton holds."""
    @property
    def epoch(self) -> int:
        """How often the automaton was dropped because it had reached the limit of memory."""
    @property
    def masks_composed(self) -> int:
        """How many masks were composed. All other masks came from a cache of this grammar or of another one with its
        vocabulary."""
    @property
    def memory_bytes(self) -> int:
        """Bytes of the automaton and of its masks, as of the last call that computed something, with the parts that it
        uses of the data that grammars of a vocabulary share."""

@final
class Matcher:
    """One sequence's position in a text of the grammar; made by `CompiledGrammar.matcher`.

    A call that fails leaves it as it was. Thread-safe: two calls of one matcher wait for each other."""

    def fill_mask(self, bitmask: object, row: int = 0, room: int | None = None) -> None:
        """Write row `row` of a C-contiguous, writable uint32 or int32 array (numpy, or a CPU tensor), 1-D or 2-D.

        Bit t of the row (word t >> 5, bit t & 31) is 1 if token t may come next. Raises VocabularyError where the text
        must go on and no token can spell what must come.

        With `room`, the tokens that are left, only tokens stay after which the text can still be finished: BudgetError
        if `room` is less than `least_tokens()`."""
    def mask(self, room: int | None = None) -> NDArray[np.uint32]:
        """The mask that `fill_mask` writes, as a read-only array of `Vocabulary.mask_words` words, which never changes.

        A mask has one array, for all matchers of all grammars of a vocabulary, so nothing is copied and results
        derived from an array can be cached by its identity. A vocabulary keeps the 16 MiB of arrays used last (1,000
        for Llama 3)."""
    def mask_bytes(self) -> bytes:
        """The mask that `fill_mask` writes, as bytes: little-endian words."""
    def allowed(self, room: int | None = None) -> list[int]:
        """The allowed token ids, ascending (slow; for people)."""
    def advance(self, token_id: int) -> None:
        """Take a token; TokenRejectedError leaves the matcher as it was. After EOS only EOS is accepted."""
    def try_advance(self, token_id: int) -> bool:
        """As `advance`, False instead of the error."""
    def advance_bytes(self, data: bytes) -> None:
        """Take text without tokens (a prefix, forced bytes); counts as one step for rollback."""
    def validate(self, token_ids: Sequence[int], room: int | None = None) -> int:
        """How many leading tokens would be accepted, with `room` tokens left before the first; nothing moves."""
    def least_tokens(self) -> int:
        """A number of tokens, special ones too, that is enough to end the text: 0 where it may end now.

        It is that of one short text; some other text may take fewer tokens. Masks with at least as much room are never
        empty, up to the end; with less they raise BudgetError. An end-of-sequence token is not counted. Raises
        VocabularyError if the vocabulary cannot spell the short text, LimitExceededError if it takes more than the
        limits give."""
    def can_finish(self, room: int) -> bool:
        """Whether `room` tokens finish the text from here: for a loop that draws a token first and checks it then.

        The check takes less time than a mask with room, which looks at all tokens. If it is False after a token, the
        mask with room forbids that token."""
    @property
    def can_end(self) -> bool:
        """Whether the text may end here."""
    @property
    def ended(self) -> bool:
        """Whether an end token was taken. From then on end tokens may be taken again, and nothing else."""
    @property
    def steps(self) -> int:
        """How many advances can be rolled back."""
    @property
    def compiled(self) -> CompiledGrammar:
        """The grammar and vocabulary that it was made from."""
    @property
    def text(self) -> bytes:
        """The bytes taken so far, by tokens and as text; special tokens have none."""
    @property
    def inputs(self) -> list[bytes | int]:
        """The steps taken so far, in order: the bytes of each, or the id of a token that has none."""
    @property
    def limits(self) -> Limits:
        """The limits of each of its calls. Their cancellation is cancelled if that of the compiled grammar's limits or
        that of this matcher is."""
    @property
    def path(self) -> str:
        """Where the text stands: the names of the parts around its end, and the JSON Pointer of the value in a document
        that is being written, or its rules as `Grammar.open_rules` has them, with / between. Empty at the root.

        Names are those of captures, holes of templates, tools, begins of tags, `reasoning` and `content`."""
    def captures(self) -> dict[str, list[Span]]:
        """The spans of the captures by their names, as `Grammar.captures` has them, in the text so far, which must be
        whole. Its tokens are the steps."""
    def explain(self, token_or_text: int | str | bytes) -> Explanation:
        """Why a token (by its id) or a text may not come next: which keyword of the schema or option forbids it, and
        what may come instead; or that it may. The matcher stays where it is. For people: it may take milliseconds."""
    def forced_bytes(self) -> bytes:
        """The text that must come next, whatever the model prefers: at most 1,024 bytes of it.

        Raises LimitExceededError if it takes more than the limits give."""
    def likely_bytes(self, most: int = 192) -> tuple[bytes, list[bytes]]:
        """Text that must come, with usual white space, of about `most` bytes; and beginnings of the text behind it."""
    def completion(self) -> bytes | None:
        """A short text after which the text may end: b"" if it may end now, None if that takes a special token.

        There are no fewer if they are found within 20,000 positions of a best-first search and take no escape by
        number; beyond those positions the search prefers an early end to a short text. Raises LimitExceededError if it
        takes more than the limits give. These are bytes, whatever the tokens are; the matcher stays where it is."""
    def rollback(self, steps: int) -> None:
        """Back to before the last `steps` steps. ValueError if fewer were taken; the matcher is then as it was."""
    def fork(self) -> Matcher:
        """Another matcher at the same position, with the same steps to take back; either goes on alone."""
    def reset(self) -> None:
        """Back to the beginning of the text; no step is left to take back."""

def fill_masks(
    matchers: Sequence[Matcher],
    bitmask: object,
    rows: Sequence[int] | None = None,
    rooms: Sequence[int | None] | None = None,
) -> None:
    """Write one row per matcher in one call; `rooms`: the tokens that each has left, None: any number.

    Long work releases the GIL, and is shared by as many threads as there are cores."""

def apply_mask(logits: NDArray[Any], bitmask: NDArray[np.uint32] | NDArray[np.int32]) -> None:
    """Set the logits of forbidden tokens to −∞, in place.

    `logits` is a numpy array of float16, float32 or float64, or of uint16 words that are bfloat16; `bitmask` one of
    uint32 or int32 words, which may be read-only. Both have one dimension, or two with as many rows, and the elements
    of a row lie side by side. Ids beyond the last word become −∞; bits beyond the last logit mean nothing. The GIL
    is released where the logits take a mebibyte or more."""

def copy_masked(logits: NDArray[Any], bitmask: NDArray[np.uint32], target: NDArray[Any]) -> list[int]:
    """Copy logits into `target`, −∞ where the token is forbidden. Returns the rows in which the first allowed token
    has −∞, or in which no token is allowed: only in these rows may all logits be −∞.

    `target` has the type and the shape of `logits` and shares no memory with it; for the rest see `apply_mask`."""

def feasible_mass(
    logits: NDArray[np.float32], bitmask: NDArray[np.uint32] | NDArray[np.int32]
) -> tuple[float, float, int | None, int | None]:
    """The natural logarithms of the summed `exp` over all logits and over the allowed ones, the likeliest token of all,
    and that of the allowed ones: None if none has a finite logit.

    `logits` is a numpy array of float32 with one dimension, `bitmask` one of uint32 or int32 words. Ids beyond the last
    word are forbidden; bits beyond the last logit mean nothing. Of equal favourites, an allowed one is named, then the
    smallest id. The first figure is not finite if a logit is NaN or ∞. Both logarithms are exact to 1e-5."""

def replay_timed(compiled: CompiledGrammar, token_ids: Sequence[int]) -> tuple[list[int], list[int], bool]:
    """Nanoseconds of every mask and every advance along the tokens, up to the first that is refused, and whether the
    text may end there; timed inside, without Python's calls: for benchmarks."""

def core_version() -> str:
    """The version of the engine."""

def core_build() -> str:
    """How the extension was built: `profile-guided`, as the wheels of a release are, or `plain`."""
