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
