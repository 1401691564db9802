//! Term → whether it is empty, by best-first search over its derivatives.
//!
//! A search can be suspended after some derivatives, so that `is_nonempty` can interleave several of them.

use crate::error::Result;
use crate::regular::arena::{Arena, DERIVATION};
use crate::regular::emptiness::antichain::{Antichain, Insertion};
use crate::regular::memo::Witness;
use crate::regular::term::TermId;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// States after which a search starts to prune. Shorter searches cost less than their antichain. Not measured.
const PRUNE_FROM: usize = 64;

/// Order of expansion: the smallest distance first, among equals the latest found (depth first).
type Priority = (Reverse<u32>, usize);

/// A suspended search.
pub struct Search {
    /// Whether the first byte that reduces the distance is followed at once, before the other bytes are tried.
    ///
    /// A greedy search ends early where many bytes are possible, and gets lost where every byte seems to help.
    greedy: bool,
    /// State → the state it was found from and the byte between them.
    parent: FxHashMap<TermId, (TermId, u8)>,
    /// States to expand, each with the first byte not yet tried.
    open: BinaryHeap<(Priority, TermId, u8)>,
    /// The states worth expanding, once the search is long.
    antichain: Option<Antichain>,
}

impl Search {
    /// A search from `start`.
    pub fn new(arena: &mut Arena, start: TermId, greedy: bool) -> Self {
        let priority = (Reverse(arena.distance(start)), 0);
        let parent = FxHashMap::from_iter([(start, (start, 0))]);
        Search { greedy, parent, open: BinaryHeap::from([(priority, start, 0)]), antichain: None }
    }

    /// Takes about `budget` derivatives and returns whether the start is nonempty, if decided by then.
    ///
    /// The result is recorded for every state on the path to a nonempty one, or for all states if there is none.
    pub fn run(&mut self, arena: &mut Arena, mut budget: usize) -> Result<Option<bool>> {
        'open: while let Some((priority, id, mut byte)) = self.open.pop() {
            if let Some(antichain) = &mut self.antichain {
                if !antichain.is_maximal(arena, id)? {
                    continue;
                }
            }
            if byte == 0 {
                // Consecutive searches are similar, so the last byte of the last witness is tried first.
                arena.spend(DERIVATION)?;
                let last = arena.terms.witnesses.last_byte();
                let next = arena.derive_uncached(id, last, false)?;
                if arena.nonempty_without_search(next) == Some(true) {
                    self.record_witness(arena, id, last);
                    return Ok(Some(true));
                }
            }
            let boundaries = arena.boundaries(id);
            loop {
                if budget == 0 {
                    self.open.push((priority, id, byte));
                    return Ok(None);
                }
                budget -= 1;
                arena.spend(DERIVATION)?;
                let next = arena.derive_uncached(id, byte, false)?;
                let rest = boundaries.interval(byte).1.checked_add(1);
                match arena.nonempty_without_search(next) {
                    Some(true) => {
                        self.record_witness(arena, id, byte);
                        return Ok(Some(true));
                    }
                    Some(false) => {}
                    None => {
                        let found = self.parent.len();
                        self.parent.entry(next).or_insert((id, byte));
                        if self.parent.len() > found && self.is_worth_expanding(arena, next)? {
                            let nearer = Reverse(arena.distance(next));
                            self.open.push(((nearer, found), next, 0));
                            if self.greedy && nearer > priority.0 {
                                self.open.extend(rest.map(|rest| (priority, id, rest)));
                                continue 'open;
                            }
                        }
                    }
                }
                match rest {
                    Some(rest) => byte = rest,
                    None => break,
                }
            }
        }
        self.parent.keys().for_each(|&id| arena.terms.nonempty.insert(id, false, &mut arena.budget));
        Ok(Some(false))
    }

    /// Whether the search must expand a state that was just found.
    fn is_worth_expanding(&mut self, arena: &mut Arena, state: TermId) -> Result<bool> {
        let Some(antichain) = &mut self.antichain else {
            if self.parent.len() == PRUNE_FROM {
                let antichain = self.antichain.insert(Antichain::default());
                for &found in self.parent.keys() {
                    antichain.insert(arena, found)?;
                }
            }
            return Ok(true);
        };
        let insertion = antichain.insert(arena, state)?;
        if insertion == Insertion::Unknown {
            self.antichain = None;
        }
        Ok(insertion != Insertion::Subsumed)
    }

    /// Records the path to a state, and `byte` behind it, as a witness of all states on the path.
    fn record_witness(&self, arena: &mut Arena, mut id: TermId, byte: u8) {
        let mut witness = Witness::from_slice(&[byte]);
        loop {
            arena.terms.nonempty.insert(id, true, &mut arena.budget);
            let (parent, byte) = self.parent[&id];
            if parent == id {
                break;
            }
            witness.push(byte);
            id = parent;
        }
        witness.reverse();
        arena.terms.witnesses.remember(witness);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;
    use crate::regular::term::Parts;

    /// The texts of both patterns, unchecked.
    fn both(arena: &mut Arena, patterns: [&str; 2]) -> TermId {
        let parts: Parts = patterns.iter().map(|pattern| regex(arena, pattern)).collect();
        arena.and_unchecked(parts).unwrap()
    }

    /// The fourth byte from the end is an a, and a b.
    const NOTHING: [&str; 2] = ["[ab]*a[ab]{3}", "[ab]*b[ab]{3}"];
    /// The fourth byte from the end is an a, the third a b.
    const SOMETHING: [&str; 2] = ["[ab]*a[ab]{3}", "[ab]*b[ab]{2}"];

    #[test]
    fn a_search_finds_a_text_or_shows_that_there_is_none() {
        for greedy in [false, true] {
            for (patterns, nonempty) in [(NOTHING, false), (SOMETHING, true)] {
                let mut arena = Arena::new();
                let start = both(&mut arena, patterns);
                let mut search = Search::new(&mut arena, start, greedy);
                assert_eq!(search.run(&mut arena, usize::MAX).unwrap(), Some(nonempty), "{patterns:?}");
                assert_eq!(arena.terms.nonempty.get(&start), Some(&nonempty));
            }
        }
    }

    #[test]
    fn the_found_text_is_remembered_for_every_state_on_its_path() {
        let mut arena = Arena::new();
        let start = both(&mut arena, SOMETHING);
        Search::new(&mut arena, start, false).run(&mut arena, usize::MAX).unwrap();
        let witness = arena.terms.witnesses.latest[0].clone();
        assert!(witness.len() >= 4, "no shorter text is in both");
        let mut state = start;
        for &byte in &witness {
            assert_eq!(arena.nonempty_without_search(state), Some(true));
            state = arena.derive_uncached(state, byte, false).unwrap();
        }
        assert_eq!(arena.nonempty_without_search(state), Some(true), "it need not be at its end");
    }

    #[test]
    fn a_suspended_search_goes_on_where_it_stopped() {
        for (patterns, nonempty) in [(NOTHING, false), (SOMETHING, true)] {
            let taken = |slice: usize| {
                let mut arena = Arena::new();
                let start = both(&mut arena, patterns);
                let mut search = Search::new(&mut arena, start, false);
                let mut rounds = 1usize;
                while search.run(&mut arena, slice).unwrap().is_none() {
                    rounds += 1;
                }
                assert_eq!(arena.terms.nonempty.get(&start), Some(&nonempty));
                rounds
            };
            let (ones, twos) = (taken(1), taken(2));
            assert!(4 < twos && twos < ones, "{ones} slices of one derivative, {twos} of two");
            assert_eq!(taken(usize::MAX), 1);
        }
    }

    #[test]
    fn the_last_byte_of_the_last_witness_is_tried_before_all_others() {
        let mut arena = Arena::new();
        // One byte from the end, and only by a z.
        let start = both(&mut arena, ["[a-z]*z[a-z]?", "[a-z]{0,3}[m-z]"]);
        arena.terms.witnesses.remember(Witness::from_slice(b"az"));
        let mut search = Search::new(&mut arena, start, false);
        assert_eq!(search.run(&mut arena, 0).unwrap(), Some(true));
        assert_eq!(arena.terms.witnesses.latest[0].as_slice(), b"z");
        let mut arena = Arena::new();
        let start = both(&mut arena, ["[a-z]*z[a-z]?", "[a-z]{0,3}[m-z]"]);
        let mut search = Search::new(&mut arena, start, false);
        assert_eq!(search.run(&mut arena, 0).unwrap(), None, "without it nothing is decided yet");
    }

    #[test]
    fn a_greedy_search_follows_the_first_byte_that_brings_the_end_nearer() {
        let taken = |greedy| {
            let mut arena = Arena::new();
            let start = both(&mut arena, ["(a|b0|c0|d0|e0|f0|g0)*", "[0a-g]*aaaaaaaa[0a-g]*"]);
            let mut search = Search::new(&mut arena, start, greedy);
            let before = arena.budget.spent();
            assert_eq!(search.run(&mut arena, usize::MAX).unwrap(), Some(true));
            arena.budget.spent() - before
        };
        let (greedy, plain) = (taken(true), taken(false));
        assert!(2 * greedy < plain, "{greedy} steps, {plain} without greed");
    }

    #[test]
    fn a_long_search_prunes() {
        let mut arena = Arena::new();
        let long = ["[ab]*a[ab]{6}", "[ab]*b[ab]{6}"];
        let start = both(&mut arena, long);
        let mut search = Search::new(&mut arena, start, false);
        while search.parent.len() < PRUNE_FROM {
            assert!(search.antichain.is_none() && search.run(&mut arena, 1).unwrap().is_none());
        }
        assert!(search.antichain.is_some(), "{} states", search.parent.len());
        assert_eq!(search.run(&mut arena, usize::MAX).unwrap(), Some(false));
    }
}
