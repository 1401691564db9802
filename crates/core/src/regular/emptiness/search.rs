//! Term → whether it is empty, by best-first search over its derivatives.
//!
//! A search can be suspended after some derivatives, so that `is_nonempty` can interleave several of them.

use crate::error::Result;
use crate::regular::emptiness::memo::Witness;
use crate::regular::term::{Spelling, Term, TermId};
use crate::regular::terms::{Terms, DERIVATION};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Order of expansion: the smallest distance first, among equals the latest found (depth first).
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
    pub fn new(terms: &mut Terms, start: TermId) -> Self {
        let priority = (Reverse(distance(terms, start)), 0);
        let parent = FxHashMap::from_iter([(start, (start, 0))]);
        Search { parent, open: BinaryHeap::from([(priority, start, 0)]) }
    }

    /// Takes about `budget` derivatives and returns whether the start is nonempty, if decided by then.
    ///
    /// The result is recorded for every state on the path to a nonempty one, or for all states if there is none.
    pub fn run(&mut self, terms: &mut Terms, mut budget: usize) -> Result<Option<bool>> {
        while let Some((priority, id, mut byte)) = self.open.pop() {
            let boundaries = terms.boundaries(id);
            loop {
                if budget == 0 {
                    self.open.push((priority, id, byte));
                    return Ok(None);
                }
                budget -= 1;
                terms.spend(DERIVATION)?;
                let next = terms.derive_uncached(id, byte, false)?;
                let rest = boundaries.interval(byte).1.checked_add(1);
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
                            self.open.push(((Reverse(distance(terms, next)), found), next, 0));
                        }
                    }
                }
                match rest {
                    Some(rest) => byte = rest,
                    None => break,
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

/// An estimate of the length of a term's shortest text, where the operands of an intersection add up.
///
/// The sum lets every step that advances one operand count as progress. The estimate orders states and decides nothing;
/// `Terms::distance` is a bound.
fn distance(terms: &Terms, id: TermId) -> u32 {
    let info = terms.info(id);
    match *terms.term(id) {
        _ if info.nullable => 0,
        Term::And(ref parts) => parts.iter().fold(0, |all: u32, &part| all.saturating_add(distance(terms, part))),
        Term::Cat(left, right) => distance(terms, left).saturating_add(terms.info(right).min_chars),
        Term::Bounded { body, min, .. } => distance(terms, body).max(min),
        Term::Quoted { text, state: Spelling::Body, .. } => distance(terms, text).saturating_add(1),
        _ => info.min_chars.max(1),
    }
}
