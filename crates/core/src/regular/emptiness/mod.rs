//! Term → whether it matches nothing: the question that keeps masks free of dead ends.
//!
//! This file orders the tests: syntax and arithmetic first, then witnesses, then a search by derivatives.

mod cardinality;
mod count_abstraction;
pub(super) mod memo;
mod multiple;
pub(crate) mod required_bytes;
mod search;
pub(crate) mod witness;

use crate::error::Result;
use crate::regular::emptiness::search::Search;
use crate::regular::term::{Parts, Term, TermId, EMPTY};
use crate::regular::terms::Terms;

/// Derivatives of the first slice of each search; every round doubles the slice. Chosen without measurement.
const FIRST_SLICE: usize = 256;

impl Terms {
    /// The term, or `EMPTY` if it matches nothing. Errors if the budget ends.
    pub(crate) fn normalize_empty(&mut self, id: TermId) -> Result<TermId> {
        Ok(if self.is_nonempty(id)? { id } else { EMPTY })
    }

    /// Whether the term is nonempty, if memo, syntax or arithmetic decide it.
    pub(crate) fn nonempty_without_search(&mut self, id: TermId) -> Option<bool> {
        if let Some(&nonempty) = self.emptiness.nonempty.get(&id) {
            return Some(nonempty);
        }
        match *self.term(id) {
            Term::Empty => Some(false),
            Term::And(ref parts) if !self.info(id).nullable => {
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
    /// A second search, of the count abstraction, takes turns with the first one in doubling slices: an empty abstraction
    /// shows that the term is empty, and has fewer states.
    pub(crate) fn is_nonempty(&mut self, start: TermId) -> Result<bool> {
        if let Some(nonempty) = self.nonempty_without_search(start) {
            return Ok(nonempty);
        }
        // Only for the start: the test does not memoise, so repeating it for every state would not pay.
        if self.try_witnesses(start)? {
            self.emptiness.nonempty.insert(start, true, &mut self.budget);
            return Ok(true);
        }
        let mut search = Search::new(self, start);
        let (mut abstraction, mut abstraction_search) = (None, None);
        let mut slice = FIRST_SLICE;
        loop {
            if let Some(nonempty) = search.run(self, slice)? {
                return Ok(nonempty);
            }
            if slice == FIRST_SLICE {
                abstraction = self.drop_counts(start)?;
            }
            if let Some(term) = abstraction {
                let found = match self.nonempty_without_search(term) {
                    Some(nonempty) => Some(nonempty),
                    None => abstraction_search.get_or_insert_with(|| Search::new(self, term)).run(self, slice)?,
                };
                match found {
                    Some(false) => {
                        self.emptiness.nonempty.insert(start, false, &mut self.budget);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::fixture::regex;

    /// The texts of all patterns, unchecked.
    fn all(terms: &mut Terms, patterns: &[&str]) -> TermId {
        let parts: Parts = patterns.iter().map(|pattern| regex(terms, pattern)).collect();
        terms.and_unchecked(parts).unwrap()
    }

    #[test]
    fn a_search_decides_the_rest_and_is_remembered() {
        let mut terms = Terms::new();
        for (patterns, nonempty) in [
            (&["[ab]*a[ab]{2}", "[ab]*b[ab]{2}"][..], false),
            (&["[ab]*a[ab]{2}", "[ab]*b[ab]"], true),
            (&["(aa)*b", "(aaa)*b", "[ab]{7}"], true),
            (&["(aa)*b", "(aaa)*b", "[ab]{6}"], false),
            (&["[a-z]*abc[a-z]*", "[a-z]*bcd[a-z]*", "[a-z]{4}"], true),
            (&["[a-z]*abc[a-z]*", "[a-z]*bcd[a-z]*", "[a-z]{3}"], false),
        ] {
            let id = all(&mut terms, patterns);
            assert_eq!(terms.is_nonempty(id), Ok(nonempty), "{patterns:?}");
            assert_eq!(terms.emptiness.nonempty.get(&id), Some(&nonempty), "{patterns:?}");
            assert_eq!(terms.normalize_empty(id), Ok(if nonempty { id } else { EMPTY }), "{patterns:?}");
        }
    }

    #[test]
    fn complements_and_bounds_are_searched_through() {
        let mut terms = Terms::new();
        let every = regex(&mut terms, "[\\x00-\\xff]*");
        let but_a = regex(&mut terms, "[\\x00-`b-\\xff][\\x00-\\xff]*|a[\\x00-\\xff]+|");
        for (inner, nonempty) in [(every, false), (but_a, true)] {
            let outside = terms.not_unchecked(inner).unwrap();
            assert_eq!(terms.is_nonempty(outside), Ok(nonempty));
            assert_eq!(terms.not(inner), Ok(if nonempty { outside } else { EMPTY }));
        }
        let body = regex(&mut terms, "(abc){1,5}");
        for (min, max, nonempty) in [(4, 5, false), (4, 6, true), (13, 14, false), (13, 15, true)] {
            let bounded = terms.bounded_unchecked(body, min, max).unwrap();
            assert_eq!(terms.is_nonempty(bounded), Ok(nonempty), "{min} to {max}");
        }
    }

    #[test]
    fn counts_that_do_not_matter_are_dropped_before_they_are_searched_through() {
        let mut terms = Terms::new();
        terms.begin(&Limits { steps: 300_000, ..Limits::default() });
        // Every combination of the lengths of a label and of the name would be a state.
        let [names, long] = ["[a-z]{1,63}([.][a-z]{1,63})*", "[a-z]+([.][a-z]+)*"].map(|name| regex(&mut terms, name));
        let names = terms.bounded_unchecked(names, 1, 253).unwrap();
        let outside = terms.not_unchecked(long).unwrap();
        let id = terms.and_unchecked(vec![names, outside]).unwrap();
        assert_eq!(terms.is_nonempty(id), Ok(false));
    }
}
