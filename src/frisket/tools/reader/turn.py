"""Template → how the assistant's message begins and ends, and the markers of its reasoning and text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from frisket.errors import UnreadableTemplateError
from frisket.tools.reader.difference import TAG, common_end, common_start
from frisket.tools.reader.probe import CONTENT, NAMES, NEXT_USER, REASONING, Call, Probe, Said, Turn


@dataclass(frozen=True)
class Frame:
    """The texts before a message and around its reasoning."""

    header: str
    """The text between the user's text and the message."""
    thinking: tuple[str, str] | None
    turn: str | None
    """The text that begins the model's turn, if the end of reasoning also has it."""

    def message(self, turn: Turn) -> str | None:
        """The message with its reasoning; None if its rendering lacks the header."""
        _, found, text = turn.written.partition(self.header)
        return text if found or not self.header else None

    def body(self, turn: Turn) -> str | None:
        """The message after its reasoning and white space; None if its rendering lacks the header."""
        text = self.message(turn)
        if text is None or self.thinking is None:
            return text
        start, end = self.thinking
        text = text.lstrip("\n")
        if text.startswith(start):
            # Templates that take reasoning as part of the text do not write its end marker.
            text = text.partition(end)[2] if end in text else text.removeprefix(start)
        return text.removeprefix(end).lstrip("\n")


@dataclass(frozen=True)
class Content:
    """The written form of an answer without calls."""

    begin: str
    end: str
    stop: str
    is_stop_written: bool
    """False if the stop token is written only before the next message."""
    behind: str = ""
    """The text that the template writes after the stop token."""


def read_frame(probe: Probe) -> Frame:
    """Where messages begin, and the markers of reasoning."""
    bare = list(_before(probe, Said(CONTENT), CONTENT))
    if not bare:
        raise UnreadableTemplateError(
            "the template writes no text of the assistant", where="content", hint="name the family, if it has a name"
        )
    prompts = list(dict.fromkeys(probe.prompts()))
    call = (Call(),)
    for said, follows in ((Said(CONTENT, REASONING), CONTENT), (Said("", REASONING, call), NAMES[0])):
        shown = next(probe.reasoned(said), None)
        if shown is not None and follows in shown.written.partition(REASONING)[2]:
            before, _, rest = shown.written.partition(REASONING)
            begins = list(_before(probe, replace(said, reasoning=""), follows))
            return _frame(before, rest.partition(follows)[0], prompts, bare, begins)
    thinking, header = _thinking_of_prompts(probe, prompts)
    is_followed = any(before.startswith(prompts[0]) for before in bare)
    return Frame(header if thinking else prompts[0] if is_followed else bare[0], thinking, None)


def _frame(before: str, between: str, prompts: list[str], bare: list[str], begins: list[str]) -> Frame:
    """The frame, from the texts before and behind reasoning, and the texts before messages without it."""
    heads = [*prompts, *bare]
    known = [head for head in heads if before.startswith(head) and before.removeprefix(head).strip()]
    header = max(known, key=len, default="") or before[: _start_of_marker(before, heads)]
    start = before.removeprefix(header)
    follows = [begin.removeprefix(header) for begin in begins if begin.startswith(header)]
    opened = header + start.rstrip()
    closed = [prompt.removeprefix(opened).strip() for prompt in prompts if prompt.startswith(opened)]
    ends = [end for end in closed if end and between.strip().startswith(end)]
    ends += [between.removesuffix(begin) for begin in follows if _is_end(between, begin)]
    end = next(iter(ends), between)
    if not start.strip() or not end.strip():
        raise UnreadableTemplateError(
            f"the markers of reasoning could not be told: {start!r} before it, {end!r} after it",
            where="reasoning",
            hint="name the family, if it has a name",
        )
    shared = common_end([end, header])
    begins_turn = TAG.search(shared) is not None and TAG.fullmatch(shared) is None
    return Frame(header, (_marker(start), _marker(end)), shared if begins_turn else None)


def _start_of_marker(before: str, heads: list[str]) -> int:
    """The place where the marker of reasoning begins, for templates that write it in every turn."""
    shared = len(common_start([before, *heads]))
    if shared == len(before):
        return _last_tag(before)
    return shared if TAG.match(before, shared) else _last_tag(before[:shared])


def read_content(probe: Probe, frame: Frame) -> Content:
    """How an answer without calls begins and ends."""
    for turn in probe.turns(Said(CONTENT)):
        body = frame.body(turn)
        if body is None or CONTENT not in body:
            continue
        begin, _, closing = body.partition(CONTENT)
        followed = probe.turn(Said(CONTENT), follow="user")
        after = followed.written.partition(CONTENT)[2].partition(NEXT_USER)[0] if followed else closing
        closing = without_next_turn(turn, closing, after)
        if closing.strip():
            end, stop = split_stop(closing)
            return Content(begin, end if end.strip() else "", stop, True, closing.rpartition(stop)[2])
        found = TAG.search(after)
        return Content(begin, "", found[0] if found else "", False)
    raise UnreadableTemplateError(
        "the template writes an answer of the assistant otherwise than its prompt begins one",
        where="content",
        hint="name the family, if it has a name",
    )


def without_next_turn(turn: Turn, closing: str, followed: str) -> str:
    """The end of a message, without text that belongs to the next turn.

    `closing` is the text after the last message, `followed` the text after a message that another one follows. If
    `followed` does not begin with `closing`, the template has begun the next turn: `closing` is cut at the first tag
    from which on the prompt has the same text. A tag that also ends the user's message stays: it ends this one, too.
    """
    if followed.startswith(closing):
        return closing
    ends = TAG.match(turn.prompt_tail)
    for found in TAG.finditer(closing):
        if closing[found.start() :] in turn.prompt_tail:
            is_stop = ends is not None and found[0] == ends[0]
            return closing[: found.end() if is_stop else found.start()]
    return closing


def split_stop(closing: str) -> tuple[str, str]:
    """(the end of the text, the token that ends the message): the last tag, or the whole closing if it has no tag."""
    tags = list(TAG.finditer(closing))
    if not tags:
        return "", closing.strip()
    return closing[: tags[-1].start()], tags[-1][0]


def _before(probe: Probe, said: Said, anchor: str) -> Iterator[str]:
    """The texts before a part of a message without reasoning: in all modes, and as an earlier turn."""
    for turn in (*probe.turns(said), probe.turn(said, follow="user")):
        if turn is not None and anchor in turn.written:
            yield turn.written.partition(anchor)[0]


def _thinking_of_prompts(probe: Probe, prompts: list[str]) -> tuple[tuple[str, str] | None, str]:
    """(the markers of reasoning, the prompt before them), if a prompt ends with the marker that begins reasoning."""
    for prompt in prompts:
        opened = prompt.rstrip("\n")
        place = _last_tag(opened)
        start = opened[place:]
        if not TAG.fullmatch(start):
            continue
        closed = [other.removeprefix(opened).strip() for other in prompts if other.startswith(opened)]
        twin = f"{start[0]}/{start[1:]}"
        for end in (*closed, twin if twin in probe.text else ""):
            if TAG.fullmatch(end):
                return (start, end), prompt[:place]
    return None, ""


def _last_tag(text: str) -> int:
    """Where the last tag of a text begins."""
    return max((found.start() for found in TAG.finditer(text)), default=0)


def _is_end(between: str, begin: str) -> bool:
    """Whether the text between reasoning and content is an end of reasoning and then the beginning of this content."""
    return bool(begin.strip()) and between.endswith(begin) and bool(between.removesuffix(begin).strip())


def _marker(text: str) -> str:
    """The marker without white space around it, if it is one tag; otherwise without line breaks around it."""
    return text.strip() if TAG.fullmatch(text.strip()) else text.strip("\n")
