//! Term → a superset with small counts only: if the superset is empty, so is the term.
//!
//! A search through an intersection visits every combination of counts, of a name's and a label's length for example.
//! The abstraction decides most empty intersections without these combinations.

use crate::error::Result;
use crate::regular::term::{Parts, Term, TermId, MANY};
use crate::regular::terms::{Terms, STEPS_PER_TERM};
use rustc_hash::FxHashMap;

/// Repetitions that stay counted: small counts (four digits of a year) often decide. Chosen without measurement.
const COUNTED_ROUNDS: u32 = 8;

impl Terms {
    /// The abstraction of an intersection or a bounded term; `None` if it has no counts.
    ///
    /// Complements stay exact: the abstraction of an operand of a complement would make the term smaller, not larger.
    pub(crate) fn drop_counts(&mut self, id: TermId) -> Result<Option<TermId>> {
        if !matches!(self.term(id), Term::And(_) | Term::Bounded { .. }) {
            return Ok(None);
        }
        let abstraction = self.drop_counts_of_part(id, &mut FxHashMap::default())?;
        Ok((abstraction != id).then_some(abstraction))
    }

    fn drop_counts_of_part(&mut self, id: TermId, known: &mut FxHashMap<TermId, TermId>) -> Result<TermId> {
        if let Some(&abstraction) = known.get(&id) {
            return Ok(abstraction);
        }
        self.spend(STEPS_PER_TERM)?;
        let abstraction = match *self.term(id) {
            Term::Bounded { body, .. } => self.drop_counts_of_part(body, known)?,
            Term::Repeat { body, min, max } => {
                let body = self.drop_counts_of_part(body, known)?;
                let max = if max > COUNTED_ROUNDS { MANY } else { max };
                self.repeat(body, min.min(COUNTED_ROUNDS), max)?
            }
            Term::Cat(left, right) => {
                let (left, right) = (self.drop_counts_of_part(left, known)?, self.drop_counts_of_part(right, known)?);
                self.cat(left, right)?
            }
            Term::Alt(ref parts) => {
                let parts = self.drop_counts_of_parts(&Parts::from_slice(parts), known)?;
                self.alt(parts)?
            }
            Term::And(ref parts) => {
                let parts = self.drop_counts_of_parts(&Parts::from_slice(parts), known)?;
                self.and_unchecked(parts)?
            }
            _ => return Ok(id),
        };
        known.insert(id, abstraction);
        Ok(abstraction)
    }

    fn drop_counts_of_parts(&mut self, parts: &Parts, known: &mut FxHashMap<TermId, TermId>) -> Result<Parts> {
        parts.iter().map(|&part| self.drop_counts_of_part(part, known)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::EMPTY;

    /// Names of at most `length` characters: labels of 1 to `most` letters, separated by dots.
    fn names(terms: &mut Terms, letter: ByteSet, most: u32, length: u32) -> TermId {
        let letter = terms.class(letter).unwrap();
        let dot = terms.class(ByteSet::range(b'.', b'.')).unwrap();
        let label = terms.repeat(letter, 1, most).unwrap();
        let more = terms.cat(dot, label).unwrap();
        let more = terms.repeat(more, 0, MANY).unwrap();
        let name = terms.cat(label, more).unwrap();
        terms.bounded(name, 1, length).unwrap()
    }

    #[test]
    fn counts_are_dropped_and_complements_kept() {
        let mut terms = Terms::default();
        let small = ByteSet::range(b'a', b'z');
        let (names, long) = (names(&mut terms, small, 63, 253), names(&mut terms, small, MANY, MANY));
        let outside = terms.not(names).unwrap();
        let both = terms.and_unchecked(Parts::from_slice(&[long, outside])).unwrap();
        assert_eq!(terms.drop_counts(both).unwrap(), None);
        let outside = terms.not(long).unwrap();
        let both = terms.and_unchecked(Parts::from_slice(&[names, outside])).unwrap();
        assert_eq!(terms.drop_counts(both).unwrap(), Some(EMPTY));
    }
}
