//! Term → one that holds all its texts and counts little: if that holds nothing, neither does the term. A search through
//! an intersection looks at every combination of counts, of a name's length and a label's, say, where none of them
//! matters.

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{Parts, Term, TermId, MANY};
use rustc_hash::FxHashMap;

/// Rounds that are counted still: four digits and no more tell many things apart.
const FEW_ROUNDS: u32 = 8;

impl Arena {
    /// The intersection without the counts and lengths of its operands; nothing if it has none. Complements stay as they
    /// are: what a count leaves out of these is what the intersection holds.
    pub(crate) fn uncounted(&mut self, id: TermId) -> Result<Option<TermId>> {
        if !matches!(self.term(id), Term::And(_) | Term::Bounded { .. }) {
            return Ok(None);
        }
        let wider = self.uncounted_part(id, &mut FxHashMap::default())?;
        Ok((wider != id).then_some(wider))
    }

    fn uncounted_part(&mut self, id: TermId, known: &mut FxHashMap<TermId, TermId>) -> Result<TermId> {
        if let Some(&wider) = known.get(&id) {
            return Ok(wider);
        }
        self.spend(1)?;
        let wider = match *self.term(id) {
            Term::Bounded { body, .. } => self.uncounted_part(body, known)?,
            Term::Repeat { body, min, max } => {
                let body = self.uncounted_part(body, known)?;
                let max = if max > FEW_ROUNDS { MANY } else { max };
                self.repeat(body, min.min(FEW_ROUNDS), max)?
            }
            Term::Cat(left, right) => {
                let (left, right) = (self.uncounted_part(left, known)?, self.uncounted_part(right, known)?);
                self.cat(left, right)?
            }
            Term::Alt(ref parts) => {
                let parts = self.uncounted_parts(&Parts::from_slice(parts), known)?;
                self.alt(parts)?
            }
            Term::And(ref parts) => {
                let parts = self.uncounted_parts(&Parts::from_slice(parts), known)?;
                self.and_unchecked(parts)?
            }
            _ => return Ok(id),
        };
        known.insert(id, wider);
        Ok(wider)
    }

    fn uncounted_parts(&mut self, parts: &Parts, known: &mut FxHashMap<TermId, TermId>) -> Result<Parts> {
        parts.iter().map(|&part| self.uncounted_part(part, known)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::EMPTY;

    /// Labels of `letter`, at most `most` long, with dots between them, `length` long in all.
    fn names(arena: &mut Arena, letter: ByteSet, most: u32, length: u32) -> TermId {
        let letter = arena.class(letter).unwrap();
        let dot = arena.class(ByteSet::range(b'.', b'.')).unwrap();
        let label = arena.repeat(letter, 1, most).unwrap();
        let more = arena.cat(dot, label).unwrap();
        let more = arena.repeat(more, 0, MANY).unwrap();
        let name = arena.cat(label, more).unwrap();
        arena.bounded(name, 1, length).unwrap()
    }

    #[test]
    fn counts_are_dropped_and_complements_kept() {
        let mut arena = Arena::default();
        let small = ByteSet::range(b'a', b'z');
        let (names, long) = (names(&mut arena, small, 63, 253), names(&mut arena, small, MANY, MANY));
        let outside = arena.not(names).unwrap();
        let both = arena.and_unchecked(Parts::from_slice(&[long, outside])).unwrap();
        assert_eq!(arena.uncounted(both).unwrap(), None);
        let outside = arena.not(long).unwrap();
        let both = arena.and_unchecked(Parts::from_slice(&[names, outside])).unwrap();
        assert_eq!(arena.uncounted(both).unwrap(), Some(EMPTY));
    }
}
