//! Term → a superset with small counts only: if the superset is empty, so is the term.
//!
//! A search through an intersection visits every combination of counts, of a name's and a label's length for example.
//! The abstraction decides most empty intersections without these combinations.

use crate::error::Result;
use crate::regular::term::{Parts, Term, TermId, MANY};
use crate::regular::terms::{Terms, STEPS_PER_TERM};
use crate::regular::transfer::{children, postorder};
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
        let order = postorder(
            [id],
            |_| false,
            |id, visit| match self.term(id) {
                Term::Not(_) | Term::Quoted { .. } => {}
                term => children(term, visit),
            },
        );
        let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in order {
            self.spend(STEPS_PER_TERM)?;
            let abstraction = match self.term(id).clone() {
                Term::Bounded { body, .. } => known[&body],
                Term::Repeat { body, min, max } => {
                    let max = if max > COUNTED_ROUNDS { MANY } else { max };
                    self.repeat(known[&body], min.min(COUNTED_ROUNDS), max)?
                }
                Term::And(parts) => self.and_unchecked(parts.iter().map(|part| known[part]).collect::<Parts>())?,
                term => self.with_parts(&term, |part| known[&part])?.unwrap_or(id),
            };
            known.insert(id, abstraction);
        }
        Ok(Some(known[&id]).filter(|&abstraction| abstraction != id))
    }
}
