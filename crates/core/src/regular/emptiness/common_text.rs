//! Operands of an intersection → whether a bounded depth-first search finds a text that all of them have.
//!
//! The search keeps one cursor per operand and creates no terms, so it is cheaper than derivatives where it succeeds.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{Parts, Term, TermId, MANY};
use smallvec::{smallvec, SmallVec};

impl Arena {
    /// Whether the search finds a text that all operands of an intersection have. False decides nothing.
    pub(super) fn has_common_text(&mut self, id: TermId) -> Result<bool> {
        let Term::And(ref parts) = *self.term(id) else { return Ok(false) };
        let parts = Parts::from_slice(parts);
        let mut search = CommonTextSearch::new(self);
        let (found, steps) = (search.run(&parts), search.steps);
        self.spend(steps.into())?;
        Ok(found)
    }
}

/// The remainder of one operand, as the index of its first cell; `END` if nothing is left.
type Remainder = u32;

const END: Remainder = Remainder::MAX;

/// A linked list of terms still to be read.
#[derive(Clone, Copy)]
struct Cell {
    id: TermId,
    /// Bytes of a literal, or rounds of a repetition, that were read.
    read: u32,
    after: Remainder,
}

/// Steps of one search. Beyond, the search by derivatives takes over, which memoises. Chosen without measurement.
const COMMON_TEXT_STEPS: u32 = 256;

/// The cells of one search and its steps so far.
struct CommonTextSearch<'a> {
    arena: &'a Arena,
    cells: Vec<Cell>,
    steps: u32,
}

impl<'a> CommonTextSearch<'a> {
    fn new(arena: &'a Arena) -> Self {
        CommonTextSearch { arena, cells: Vec::with_capacity(64), steps: 0 }
    }

    /// Whether a common text of `parts` is found; never for parts that are intersections or complements.
    fn run(&mut self, parts: &[TermId]) -> bool {
        let plain =
            |&part: &TermId| !matches!(self.arena.term(part), Term::And(_) | Term::Not(_) | Term::Bounded { .. });
        parts.iter().all(plain) && {
            let all = parts.iter().map(|&part| self.push(part, 0, END)).collect();
            self.has_text_in_common(all)
        }
    }

    /// The remainder that begins with `id`, `read` of it done, and goes on with `after`.
    fn push(&mut self, id: TermId, read: u32, after: Remainder) -> Remainder {
        self.cells.push(Cell { id, read, after });
        self.cells.len() as Remainder - 1
    }

    /// The first cell of a remainder.
    fn next(&self, remainder: Remainder) -> Option<Cell> {
        self.cells.get(remainder as usize).copied()
    }

    /// Whether a text is found that all remainders have.
    fn has_text_in_common(&mut self, mut all: SmallVec<[Remainder; 4]>) -> bool {
        loop {
            self.steps += 1;
            if self.steps > COMMON_TEXT_STEPS {
                return false;
            }
            all.iter_mut().for_each(|remainder| *remainder = self.flatten(*remainder));
            // No term is empty, so equal remainders have a common text.
            if all[1..].iter().all(|&remainder| self.is_equal(remainder, all[0])) {
                return true;
            }
            let next = |remainder: Remainder| self.next(remainder).map(|cell| (cell.id, cell.read));
            if all[0] != END && all[1..].iter().all(|&remainder| next(remainder) == next(all[0])) {
                all.iter_mut().for_each(|remainder| *remainder = self.cells[*remainder as usize].after);
                continue;
            }
            let mut bytes = ByteSet::FULL;
            let mut ended = 0;
            for place in 0..all.len() {
                let Some(cell) = self.next(all[place]) else {
                    ended += 1;
                    continue;
                };
                let first = match *self.arena.term(cell.id) {
                    Term::Class(set) => set,
                    Term::Literal { literal, position } => {
                        let byte = self.arena.terms.literals[literal.index()][(position + cell.read) as usize];
                        ByteSet::range(byte, byte)
                    }
                    _ => match self.expansions(cell) {
                        Some(expansions) => {
                            return expansions.into_iter().any(|expansion| {
                                let mut all = all.clone();
                                all[place] = expansion;
                                self.has_text_in_common(all)
                            })
                        }
                        None => return false,
                    },
                };
                bytes = bytes.intersection(&first);
            }
            if ended > 0 || bytes.is_empty() {
                return ended == all.len();
            }
            for remainder in &mut all {
                let Some(Cell { id, read, after }) = self.next(*remainder) else { continue };
                *remainder = match *self.arena.term(id) {
                    Term::Literal { literal, position }
                        if self.arena.terms.literals[literal.index()].len() as u32 > position + read + 1 =>
                    {
                        self.push(id, read + 1, after)
                    }
                    _ => after,
                };
            }
        }
    }

    /// An equal remainder whose first term is no concatenation.
    fn flatten(&mut self, mut remainder: Remainder) -> Remainder {
        while let Some(Cell { id, after, .. }) = self.next(remainder) {
            remainder = match *self.arena.term(id) {
                Term::Cat(left, right) => {
                    let after = self.push(right, 0, after);
                    self.push(left, 0, after)
                }
                Term::Epsilon => after,
                _ => break,
            };
        }
        remainder
    }

    /// Whether two remainders are equal cell by cell.
    fn is_equal(&self, mut one: Remainder, mut other: Remainder) -> bool {
        while one != other {
            match (self.next(one), self.next(other)) {
                (Some(left), Some(right)) if (left.id, left.read) == (right.id, right.read) => {
                    (one, other) = (left.after, right.after);
                }
                _ => return false,
            }
        }
        true
    }

    /// The remainders that a union or a repetition expands to, the shortest first; `None` for other terms.
    fn expansions(&mut self, Cell { id, read, after }: Cell) -> Option<SmallVec<[Remainder; 4]>> {
        let arena = self.arena;
        Some(match *arena.term(id) {
            Term::Alt(ref parts) => parts.iter().map(|&part| self.push(part, 0, after)).collect(),
            Term::Repeat { body, min, max } => {
                let mut again = || {
                    let more = self.push(id, read + 1, after);
                    self.push(body, 0, more)
                };
                match () {
                    () if read < min => smallvec![again()],
                    () if max == MANY || read < max => smallvec![after, again()],
                    () => smallvec![after],
                }
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::term::EMPTY;

    #[test]
    fn a_common_text_is_found_only_if_there_is_one() {
        let mut arena = Arena::new();
        let arena = &mut arena;
        let digit = arena.class(ByteSet::range(b'0', b'9')).unwrap();
        let letter = arena.class(ByteSet::range(b'a', b'z')).unwrap();
        let (two, three) = (arena.repeat(digit, 2, 2).unwrap(), arena.repeat(digit, 3, 3).unwrap());
        let digits = arena.repeat(digit, 0, MANY).unwrap();
        let twelve = arena.literal(b"12").unwrap();
        let expansions = ["x7", "y8", "12"].map(|expansion| arena.literal(expansion.as_bytes()).unwrap());
        let some = arena.alt(expansions.to_vec()).unwrap();
        let named = arena.cat(letter, digits).unwrap();
        let doubled = arena.cat(twelve, twelve).unwrap();
        let tailed = arena.cat(digits, twelve).unwrap();
        let cases = [
            (vec![two, twelve], true),
            (vec![two, three], false),
            (vec![some, named], true),
            (vec![some, two], true),
            (vec![some, three], false),
            (vec![digits, doubled, tailed], true),
            (vec![named, tailed], false),
            (vec![two, some, twelve], true),
        ];
        for (place, (parts, found)) in cases.into_iter().enumerate() {
            assert_eq!(CommonTextSearch::new(arena).run(&parts), found, "{place}");
            let both = arena.and(parts).unwrap();
            assert_eq!(both != EMPTY, found, "{place}");
        }
    }
}
