"""Seconds of calls of a network, with drafts and without → whether drafts pay.

A network that reads many tokens no faster than one by one gains nothing by drafts, and pays for each wrong one. Which
networks do so depends on the machine, so it is measured while answers are made.
"""

from __future__ import annotations

#: Calls for one token whose mean counts, and chances for drafts.
SINGLES, CHANCES = 8, 256
#: Chances for drafts before the first verdict, and after a pause.
TRIAL, AGAIN = 32, 8
#: Calls without drafts after a verdict against them. With `AGAIN` of 8, 3 % of the calls try a draft that loses.
PAUSE = 256
#: The share of a call that a chance may cost on average: where much text is free, drafts are sought for in vain.
TOLERANCE = 0.01


class Pace:
    """A ledger in seconds; one model's calls may come from several threads, whose figures then mix."""

    def __init__(self) -> None:
        #: Seconds of a call for one token; 0 while unknown.
        self._single = 0.0
        #: Seconds that a chance for a draft gains on average, how many were there, and what the one of now has gained.
        self._gain, self._chances, self._now = 0.0, 0, 0.0
        #: Chances until the next verdict, and calls until the next chance.
        self._trial, self._pause = TRIAL, 0

    def count(self) -> bool:
        """One more call is to come: whether to ask for a draft before it."""
        if self._pause:
            self._pause -= 1
            return False
        if not self._trial and self._gain < -TOLERANCE * self._single:
            self._pause, self._trial = PAUSE, AGAIN
            self._gain, self._chances, self._now = 0.0, 0, 0.0
            return False
        return True

    def add(self, asked: float, seconds: float, drafted: int) -> None:
        """A call took so many seconds for a token and its draft, which took `asked` seconds to find."""
        self._gain += (self._now - self._gain) / max(1, min(self._chances, CHANCES))
        self._chances += 1
        self._trial = max(self._trial - 1, 0)
        if drafted:
            # Tokens that are read together do not take longer than one by one, unless the machine did something else.
            self._now = -asked - min(max(seconds - self._single, 0), drafted * self._single)
        else:
            self._now = -asked
            seconds = min(seconds, 4 * self._single) if self._single else seconds
            self._single += (seconds - self._single) / (SINGLES if self._single else 1)

    def keep(self) -> None:
        """A token of the draft was chosen: it needs no call."""
        self._now += self._single
