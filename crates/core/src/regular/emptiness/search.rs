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
