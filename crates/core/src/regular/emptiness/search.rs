//! Term → whether it is empty, by best-first search over its derivatives.
//!
//! A search can be suspended after some derivatives, so that `is_nonempty` can interleave several of them.

use crate::error::Result;
use crate::regular::emptiness::memo::Witness;
use crate::regular::term::{Term, TermId};
use crate::regular::terms::{Terms, DERIVATION};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Order of expansion: the smallest estimate first, among equals the latest found (depth first).
type Priority = (Reverse<u32>, usize);

/// A suspended search.
pub struct Search {
    /// State → the state it was found from and the byte between them.
    parent: FxHashMap<TermId, (TermId, u8)>,
    /// States to expand, each with the first byte not yet tried.
    open: BinaryHeap<(Priority, TermId, u8)>,
}

impl Search {
    /// A search from `start`.
    pub fn new(terms: &Terms, start: TermId) -> Self {
        let priority = (Reverse(estimate(terms, start)), 0);
        let parent = FxHashMap::from_iter([(start, (start, 0))]);
        Search { parent, open: BinaryHeap::from([(priority, start, 0)]) }
    }

    /// Takes about `budget` derivatives and returns whether the start is nonempty, if decided by then.
    ///
    /// The result is recorded for every state on the path to a nonempty one, or for all states if there is none.
    pub fn run(&mut self, terms: &mut Terms, mut budget: usize) -> Result<Option<bool>> {
        while let Some((priority, id, from)) = self.open.pop() {
            for (byte, _) in terms.boundaries(id).intervals(from, u8::MAX) {
                if budget == 0 {
                    self.open.push((priority, id, byte));
                    return Ok(None);
                }
                budget -= 1;
                terms.spend(DERIVATION)?;
                let next = terms.derive_uncached(id, byte, false)?;
                match terms.nonempty_without_search(next) {
                    Some(true) => {
                        self.record_witness(terms, id, byte);
                        return Ok(Some(true));
                    }
                    Some(false) => {}
                    None => {
                        let found = self.parent.len();
                        self.parent.entry(next).or_insert((id, byte));
                        if self.parent.len() > found {
                            self.open.push(((Reverse(estimate(terms, next)), found), next, 0));
                        }
                    }
                }
            }
        }
        self.parent.keys().for_each(|&id| terms.emptiness.nonempty.insert(id, false, &mut terms.budget));
        Ok(Some(false))
    }

    /// Records the path to a state, and `byte` behind it, as a witness of all states on the path.
    fn record_witness(&self, terms: &mut Terms, mut id: TermId, byte: u8) {
        let mut witness = Witness::from_slice(&[byte]);
        loop {
            terms.emptiness.nonempty.insert(id, true, &mut terms.budget);
            let (parent, byte) = self.parent[&id];
            if parent == id {
                break;
            }
            witness.push(byte);
            id = parent;
        }
        witness.reverse();
        terms.emptiness.witnesses.remember(witness);
    }
}

/// An estimate of the length of a state's shortest text: the lower bounds of its operands, added up.
///
/// It need not be a bound, because it orders states and decides nothing. The sum lets each step that advances one
/// operand count as progress.
fn estimate(terms: &Terms, id: TermId) -> u32 {
    match terms.term(id) {
        Term::And(parts) => parts.iter().fold(0, |all: u32, &part| all.saturating_add(terms.info(part).min_chars)),
        _ => terms.info(id).min_chars,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::{after, regex};
    use crate::regular::term::Parts;

    /// The texts of both patterns, unchecked.
    fn both(terms: &mut Terms, patterns: [&str; 2]) -> TermId {
        let parts: Parts = patterns.iter().map(|pattern| regex(terms, pattern)).collect();
        terms.and_unchecked(parts).unwrap()
    }

    /// The fourth byte from the end is an a, and a b.
    const NOTHING: [&str; 2] = ["[ab]*a[ab]{3}", "[ab]*b[ab]{3}"];
    /// The fourth byte from the end is an a, the third a b.
    const SOMETHING: [&str; 2] = ["[ab]*a[ab]{3}", "[ab]*b[ab]{2}"];

    #[test]
    fn operands_of_an_intersection_add_up() {
        let mut terms = Terms::new();
        let [left, right, free] = ["[ab]*ab[ab]*", "[ab]*bb", "[ab]*"].map(|pattern| regex(&mut terms, pattern));
        let all = terms.and_unchecked(vec![left, right, free]).unwrap();
        assert_eq!([left, right, free, all].map(|id| estimate(&terms, id)), [2, 2, 0, 4]);
        let nearer = after(&mut terms, all, b"a");
        assert_eq!(estimate(&terms, nearer), 3, "a byte that advances one operand is progress");
    }

    #[test]
    fn a_search_finds_a_text_or_shows_that_there_is_none() {
        for (patterns, nonempty) in [(NOTHING, false), (SOMETHING, true)] {
            let mut terms = Terms::new();
            let start = both(&mut terms, patterns);
            let mut search = Search::new(&terms, start);
            assert_eq!(search.run(&mut terms, usize::MAX).unwrap(), Some(nonempty), "{patterns:?}");
            assert_eq!(terms.emptiness.nonempty.get(&start), Some(&nonempty));
        }
    }

    #[test]
    fn the_found_text_is_remembered_for_every_state_on_its_path() {
        let mut terms = Terms::new();
        let start = both(&mut terms, SOMETHING);
        Search::new(&terms, start).run(&mut terms, usize::MAX).unwrap();
        let witness = terms.emptiness.witnesses.latest[0].clone();
        assert!(witness.len() >= 4, "no shorter text is in both");
        let mut state = start;
        for &byte in &witness {
            assert_eq!(terms.nonempty_without_search(state), Some(true));
            state = terms.derive_uncached(state, byte, false).unwrap();
        }
        assert_eq!(terms.nonempty_without_search(state), Some(true), "it need not be at its end");
    }

    #[test]
    fn a_suspended_search_goes_on_where_it_stopped() {
        for (patterns, nonempty) in [(NOTHING, false), (SOMETHING, true)] {
            let taken = |slice: usize| {
                let mut terms = Terms::new();
                let start = both(&mut terms, patterns);
                let mut search = Search::new(&terms, start);
                let mut rounds = 1usize;
                while search.run(&mut terms, slice).unwrap().is_none() {
                    rounds += 1;
                }
                assert_eq!(terms.emptiness.nonempty.get(&start), Some(&nonempty));
                rounds
            };
            let (ones, twos) = (taken(1), taken(2));
            assert!(4 < twos && twos < ones, "{ones} slices of one derivative, {twos} of two");
            assert_eq!(taken(usize::MAX), 1);
        }
    }
}
