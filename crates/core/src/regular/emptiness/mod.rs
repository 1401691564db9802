//! Term → whether it matches nothing: the question that keeps masks free of dead ends.
//!
//! This file orders the tests: syntax and arithmetic first, then witnesses, then searches by derivatives.

mod antichain;
mod cardinality;
mod common_text;
mod count_abstraction;
mod distance;
mod multiple;
pub(crate) mod required_bytes;
mod search;
pub(crate) mod witness;

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::emptiness::search::Search;
use crate::regular::term::{Parts, Term, TermId, EMPTY};
use smallvec::{smallvec, SmallVec};

/// First bytes from which on a greedy search runs first. With fewer, breadth also fills the memo that later questions use.
/// Chosen without measurement.
const GREEDY_FROM: u32 = 16;

/// Derivatives of the first slice of each search; every round doubles the slice. Chosen without measurement.
const FIRST_SLICE: usize = 256;

impl Arena {
    /// The term, or `EMPTY` if it matches nothing. Errors if the budget ends.
    pub(crate) fn normalize_empty(&mut self, id: TermId) -> Result<TermId> {
        Ok(if self.is_nonempty(id)? { id } else { EMPTY })
    }

    /// Whether the term is nonempty, if memo, syntax or arithmetic decide it.
    pub(crate) fn nonempty_without_search(&mut self, id: TermId) -> Option<bool> {
        if let Some(&nonempty) = self.terms.nonempty.get(&id) {
            return Some(nonempty);
        }
        match *self.term(id) {
            Term::Empty => Some(false),
            Term::And(ref parts) if !self.info(id).nullable => {
                if self.has_more_than_excluded(parts) {
                    return Some(true);
                }
                let parts = Parts::from_slice(parts);
                if let Some(nonempty) = self.decide_multiple(&parts) {
                    return Some(nonempty);
                }
                self.has_missing_byte(&parts).then_some(false)
            }
            Term::Not(_) if !self.info(id).nullable => None,
            // All lengths between the body's bounds occur, and the constructor compared these bounds with min and max.
            Term::Bounded { body, .. } if !self.info(id).nullable => {
                (self.info(body).exact && !self.info(body).searched).then_some(true)
            }
            _ => Some(true),
        }
    }

    /// Whether some text matches the term. Errors if the budget ends.
    ///
    /// Each search order is bad for some terms: a greedy search gets lost, an exhaustive one keeps every state. Interleaved
    /// in doubling slices, the searches together cost a small multiple of the best one. A third search asks whether the count
    /// abstraction is empty.
    pub(crate) fn is_nonempty(&mut self, start: TermId) -> Result<bool> {
        if let Some(nonempty) = self.nonempty_without_search(start) {
            return Ok(nonempty);
        }
        // Only for the start: neither test memoises, so repeating them for every state would not pay.
        if self.try_witnesses(start)? || self.has_common_text(start)? {
            self.terms.nonempty.insert(start, true, &mut self.budget);
            return Ok(true);
        }
        let greedy = self.first_bytes(start).len() > GREEDY_FROM;
        let mut searches: SmallVec<[Search; 2]> = smallvec![Search::new(self, start, greedy)];
        let (mut abstraction, mut abstraction_search) = (None, None);
        let mut slice = FIRST_SLICE;
        loop {
            for search in &mut searches {
                if let Some(nonempty) = search.run(self, slice)? {
                    return Ok(nonempty);
                }
            }
            if slice == FIRST_SLICE {
                if greedy {
                    searches.push(Search::new(self, start, false));
                }
                abstraction = self.drop_counts(start)?;
            }
            if let Some(term) = abstraction {
                let found = match self.nonempty_without_search(term) {
                    Some(nonempty) => Some(nonempty),
                    None => {
                        abstraction_search.get_or_insert_with(|| Search::new(self, term, false)).run(self, slice)?
                    }
                };
                match found {
                    Some(false) => {
                        self.terms.nonempty.insert(start, false, &mut self.budget);
                        return Ok(false);
                    }
                    Some(true) => abstraction = None,
                    None => {}
                }
            }
            slice = slice.saturating_mul(2);
        }
    }
}
