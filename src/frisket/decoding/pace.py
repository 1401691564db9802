"""Durations of a network's calls, with and without drafts → whether drafts pay.

A draft pays only if the network reads several tokens in less time than one by one. That depends on the network and on
the machine, so it is measured while answers are made.
"""

from __future__ import annotations

#: Length of the running means: over calls for one token, and over searches for a draft.
SINGLES, CHANCES = 8, 256
#: Searches for a draft before the first verdict, and before the next verdict after a pause.
TRIAL, AGAIN = 32, 8
#: Calls without a search after a verdict against drafts: with `AGAIN` = 8, 3 % of all calls still search.
PAUSE = 256
#: Average loss per search that is accepted, as a share of a call: in free text, most searches find no draft.
TOLERANCE = 0.01


class Pace:
    """Running means in seconds; where a model is called from several threads, their durations mix."""

    def __init__(self) -> None:
        #: Mean seconds of a call for one token; 0 while unknown.
        self._single = 0.0
        #: Mean seconds that a search gains, the number of searches, and what the last search has gained so far.
        self._gain, self._chances, self._now = 0.0, 0, 0.0
        #: Searches until the next verdict, and calls left of the pause.
        self._trial, self._pause = TRIAL, 0

    def count(self) -> bool:
        """Whether to search for a draft before the next call."""
        if self._pause:
            self._pause -= 1
            return False
        if not self._trial and self._gain < -TOLERANCE * self._single:
            self._pause, self._trial = PAUSE, AGAIN
            self._gain, self._chances, self._now = 0.0, 0, 0.0
            return False
        return True

    def add(self, asked: float, seconds: float, drafted: int) -> None:
        """Note a call that took `seconds` for a token and its draft; the search for the draft took `asked` seconds."""
        self._gain += (self._now - self._gain) / max(1, min(self._chances, CHANCES))
        self._chances += 1
        self._trial = max(self._trial - 1, 0)
        if drafted:
            # Reading tokens together never takes longer than one by one; a longer time has another cause.
            self._now = -asked - min(max(seconds - self._single, 0), drafted * self._single)
        else:
            self._now = -asked
            seconds = min(seconds, 4 * self._single) if self._single else seconds
            self._single += (seconds - self._single) / (SINGLES if self._single else 1)

    def keep(self) -> None:
        """Note that a token of the draft was chosen, which saves a call."""
        self._now += self._single
