//! Term → an estimate of the length of its shortest text, the heuristic of the best-first search.
//!
//! The estimate need not be admissible: it orders states and decides nothing. `automaton/distance` has exact bounds.

use crate::regular::term::{Parts, Spelling, Term, TermId};
use crate::regular::terms::Terms;

impl Terms {
    /// The length in bytes of a shortest text, where operands of an intersection add up.
    ///
    /// The sum lets every step that advances one operand count as progress.
    pub(crate) fn distance(&mut self, id: TermId) -> u32 {
        if let Some(&distance) = self.emptiness.distances.get(&id) {
            return distance;
        }
        let nullable = self.info(id).nullable;
        let distance = match *self.term(id) {
            _ if nullable => 0,
            Term::Literal { literal, position } => self.literals[literal.index()].len() as u32 - position,
            Term::Words { set, low, high, depth } => {
                let words = &self.word_sets[set.index()].words[low as usize..high as usize];
                words.iter().map(|word| word.len() as u32 - depth).min().unwrap_or(0)
            }
            Term::Cat(..) => {
                // The search asks for every suffix of the concatenation, so each is memoised.
                let (mut chain, mut rest) = (Vec::new(), id);
                while let Term::Cat(left, right) = *self.term(rest) {
                    if self.emptiness.distances.get(&rest).is_some() {
                        break;
                    }
                    chain.push((rest, left));
                    rest = right;
                }
                let mut all = self.distance(rest);
                for (end, left) in chain.into_iter().rev() {
                    all = if self.info(end).nullable { 0 } else { self.distance(left).saturating_add(all) };
                    if end != id {
                        self.emptiness.distances.insert(end, all, &mut self.budget);
                    }
                }
                all
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().map(|&part| self.distance(part)).min().unwrap_or(0)
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(0, |all: u32, &part| all.saturating_add(self.distance(part)))
            }
            Term::Repeat { body, min, .. } => self.distance(body).saturating_mul(min),
            Term::Bounded { body, min, .. } => self.distance(body).max(min),
            Term::Quoted { text, state: Spelling::Body, .. } => self.distance(text).saturating_add(1),
            _ => 1,
        };
        self.emptiness.distances.insert(id, distance, &mut self.budget);
        distance
    }
}
