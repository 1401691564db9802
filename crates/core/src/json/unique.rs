//! Array of unique items → its terms: an automaton over items, and the state that it has reached.
//!
//! Only the data and the terms are here. Which values may come next is decided by the machine (`automaton::unique`).

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::registers::{Registers, UniqueSpec, UniqueState};
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The pseudo array under which the values of one item are enumerated.
pub(crate) const ENUMERATION: ArrayId = ArrayId::new(u32::MAX);

impl UniqueState {
    /// The state of the automaton and the number of items that came.
    pub(crate) fn progress(&self) -> (u32, usize) {
        (self.at, self.count as usize)
    }
}

impl UniqueSpec {
    /// The item of an array that repeats one item and may end anywhere; None for other arrays.
    pub(crate) fn only_item(&self) -> Option<TermId> {
        match (&self.steps[..], &self.accepting[..]) {
            ([steps], [true]) => match steps[..] {
                [(item, 0)] => Some(item),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the array surely has enough values, provided that its items have any.
    pub(crate) fn has_enough_values_by_form(&self) -> bool {
        self.accepting[0] && self.min == 0 || self.only_item().is_some() && self.min <= 1
    }

    /// Whether some sequence of items, each accepted by `item`, leads to an end.
    pub(crate) fn can_end(&self, mut item: impl FnMut(TermId) -> bool) -> bool {
        if self.is_empty || self.min > self.max {
            return false;
        }
        // Longer minimal counts only repeat a loop of the automaton.
        let least = self.min.min(2 * self.steps.len() as u32 + 1);
        let mut seen = FxHashSet::default();
        let mut work = vec![(0u32, 0u32)];
        while let Some((at, count)) = work.pop() {
            if !seen.insert((at, count)) {
                continue;
            }
            if self.accepting[at as usize] && count >= least {
                return true;
            }
            if count >= self.max {
                continue;
            }
            for &(node, next) in &self.steps[at as usize] {
                if item(node) {
                    work.push((next, (count + 1).min(least)));
                }
            }
        }
        false
    }
}

impl Registers {
    /// Whether some array may lack values. If so, only running the grammar decides.
    pub(crate) fn can_lack_values(&self) -> bool {
        (0..self.uniques.len()).any(|array| !self.uniques[array].has_enough_values_by_form())
    }
}

impl Arena {
    /// Adds an array of unique items to the arena and returns its term.
    pub(crate) fn add_unique(&mut self, spec: UniqueSpec) -> Result<TermId> {
        self.registers.uniques.push(Arc::new(spec), &mut self.budget);
        let array = ArrayId::at(self.registers.uniques.len() - 1);
        self.intern_structural(Term::Unique(array), 40, &[u128::from(array.number())], false)
    }

    /// The number of a state of an array; equal states have equal numbers.
    pub(crate) fn unique_state(&mut self, array: ArrayId, state: UniqueState) -> ArrayStateId {
        if let Some(&id) = self.registers.unique_state_ids.get(&(array, state)) {
            return id;
        }
        self.registers.unique_states.push(state, &mut self.budget);
        let id = ArrayStateId::at(self.registers.unique_states.len() - 1);
        self.registers.unique_state_ids.insert((array, state), id, &mut self.budget);
        id
    }

    /// Interns a term of an array whose state is known.
    pub(crate) fn unique_term(&mut self, term: Term) -> Result<TermId> {
        let (kind, parts) = match term {
            Term::UniqueItem { array, state } => (41, [array.number(), state.number(), 0, 0]),
            Term::UniqueEnd { array, state, step, start } => (42, [array.number(), state.number(), step, start]),
            Term::UniqueNext { array, state } => (43, [array.number(), state.number(), 0, 0]),
            _ => unreachable!("not a term of an array of different items"),
        };
        self.intern_structural(term, kind, &parts.map(u128::from), false)
    }
}
