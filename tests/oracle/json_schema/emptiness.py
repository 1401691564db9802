"""Goals, cases, keys → whether certainly no value is in them: a search for contradictions, of bounded depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError
from tests.oracle.json_schema import array, interval, object, string
from tests.oracle.json_schema.value import ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING, Case, Goal, meet

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra

#: How deep a search for contradictions looks; members of members of members decide every discriminator seen so far.
DEPTH = 4
#: Searches inside searches (expanding a goal may look for contradictions too) before the answer is "unknown".
NESTED = 6
#: No search at all.
NEVER = -1, NESTED
#: How many searches for a key that patterns share; one among many patterns counts for many.
SEARCHES = 4000
#: Demands that searches read between two looks at the limits, and what each takes in steps of a limit: 0.05 to 0.2 µs.
READ = 4096
PER_DEMAND = 5


class Emptiness:
    """The searches of one schema, and what they found. To give up is to answer that some value may be left."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self._void: dict[Goal, bool] = {}
        #: (how deep the last search for a contradiction looked that found none, inside how many others it was)
        self._alive: dict[Goal, tuple[int, int]] = {}
        self._textless: dict[tuple[string.StringAtom, ...], bool] = {}
        self._nested = 0
        self._searches = 0
        #: Demands that searches read, and those of them that the limits know of.
        self._demands = 0
        self._counted = 0

    @property
    def steps(self) -> int:
        """What the searches took so far, in steps of a limit."""
        return self._demands * PER_DEMAND

    def is_void(self, goal: Goal, depth: int = DEPTH) -> bool:
        """Whether certainly no value meets the goal; False also where the search gives up."""
        if not goal:
            return False
        if -1 in goal:
            return True
        found = self._void.get(goal)
        if found is not None:
            return found
        nested = self._nested
        if nested >= NESTED:
            return False
        # A search that may look less deep finds no more.
        deep, inside = self._alive.get(goal, NEVER)
        if depth <= deep and nested >= inside:
            return False
        circles = self.algebra.circles
        self._nested += 1
        try:
            cases = self.algebra.looked_into(goal)
            if cases is None:
                return False
            void = True
            for case in cases:
                if not self.case_is_void(case, depth):
                    void = False
                    break
        finally:
            self._nested = nested
        if void or (depth >= DEPTH - 1 and not nested):
            self._void[goal] = void
        elif self.algebra.circles == circles:
            self._alive[goal] = depth, nested
        return void

    def case_is_void(self, case: Case, depth: int) -> bool:
        mask = case.mask
        if mask & (NULL | BOOLEAN):
            return False
        if mask & STRING and not (case.strings and self._textless_are(case.strings)):
            return False
        if mask & NUMBER and not (case.numbers and interval.Interval(mask & NUMBER, case.numbers).is_void()):
            return False
        if mask & ARRAY and not array.is_void(self.algebra, case.arrays, depth):
            return False
        return not (mask & OBJECT and not object.is_void(self.algebra, case.objects, depth))

    def types_left(self, case: Case, depth: int) -> int:
        """The types of a case but those of which certainly no value is in it."""
        mask = case.mask
        if mask & STRING and case.strings and self._textless_are(case.strings):
            mask &= ~STRING
        if mask & NUMBER and case.numbers and interval.Interval(mask & NUMBER, case.numbers).is_void():
            mask &= ~NUMBER
        if mask & ARRAY and array.is_void(self.algebra, case.arrays, depth):
            mask &= ~ARRAY
        if mask & OBJECT and object.is_void(self.algebra, case.objects, depth):
            mask &= ~OBJECT
        return mask

    def are_apart(self, left: list[Case], right: list[Case]) -> bool:
        """Whether certainly no value is in both."""
        for case in left:
            for other in right:
                if case.mask & other.mask:
                    both = meet(case, other)
                    if both is not None and not self.case_is_void(both, DEPTH):
                        return False
        return True

    def no_key_is_in(self, nodes: list[int], shared: int) -> bool:
        """Whether certainly no text is in all the nodes, `shared` of which are patterns that must all match."""
        self._searches += 3 ** max(0, shared - 2)
        if self._searches > SEARCHES:
            raise LimitExceededError(
                "key patterns overlap in too many ways to tell them apart",
                where=self.algebra.current(),
                hint="anchor the patterns, or give them different first characters",
            )
        try:
            return self.algebra.builder.is_empty(self.algebra.builder.and_(nodes))
        except LimitExceededError:
            self.algebra.builder.check()
            self._searches += SEARCHES // 4
            return False

    def work(self, demands: int) -> None:
        """Count demands that a search for a contradiction reads; limits see them now and then."""
        self._demands += demands
        if self._demands > self._counted + READ:
            steps = (self._demands - self._counted) * PER_DEMAND
            self._counted = self._demands
            self.algebra.builder.check(steps)

    def _textless_are(self, atoms: tuple[string.StringAtom, ...]) -> bool:
        found = self._textless.get(atoms)
        if found is None:
            found = self._textless[atoms] = string.is_void(self.algebra.builder, atoms)
        return found
