//! Array → whether every object in its items has one fixed order of members.
//!
//! If so, equal values have equal partial values, and members need no sorting.

use crate::automaton::machine::Machine;
use crate::regular::id::ArrayId;
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashSet;

impl Machine {
    /// Whether objects in the array's items have a fixed order of members; cached.
    pub(super) fn is_ordered(&mut self, array: ArrayId) -> bool {
        if let Some(&known) = self.unique.ordered.get(&array) {
            return known;
        }
        let items = self.arena.registers.uniques[array.index()].steps.iter().flatten().map(|&(item, _)| item).collect();
        let found = self.are_ordered(items);
        self.arena.budget.grow(16);
        self.unique.ordered.insert(array, found);
        found
    }

    fn are_ordered(&self, mut work: Vec<TermId>) -> bool {
        let mut seen = FxHashSet::default();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match *self.arena.term(term) {
                Term::Seq(left, right) | Term::Cat(left, right) => work.extend([left, right]),
                Term::Alt(ref parts) => work.extend(parts.iter()),
                Term::Repeat { body, .. } => work.push(body),
                Term::Call(rule) => work.extend(self.body(rule)),
                Term::Unique(array) => {
                    let spec = &self.arena.registers.uniques[array.index()];
                    work.extend(spec.steps.iter().flatten().map(|&(item, _)| item));
                }
                Term::Object(object) => {
                    let spec = &self.arena.registers.objects[object.index()];
                    let values = spec.properties.iter().flat_map(|property| &property.values);
                    work.extend(values.map(|value| value.node));
                    let others = spec.extras.iter().any(|extra| !extra.values.is_empty());
                    if spec.any_order || !spec.earlier.is_empty() || others {
                        return false;
                    }
                }
                Term::Quoted { .. } | Term::Empty | Term::Epsilon => {}
                Term::Class(set) if !set.contains(b'{') => {}
                Term::Literal { literal, .. } if !self.arena.terms.literals[literal.index()].contains(&b'{') => {}
                Term::Words { set, low, high, .. } => {
                    let words = &self.arena.terms.word_sets[set.index()].words[low as usize..high as usize];
                    if words.iter().any(|word| word.contains(&b'{')) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}
