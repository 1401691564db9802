//! Array of unique items → its terms: an automaton over items, and the state that it has reached.
//!
//! Only the data and the terms are here. The machine decides which values may come next (`automaton::unique`).

use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::registers::{Registers, UniqueSpec, UniqueState};
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// In a `UniqueEnd` term, this number in place of an array's: the machine then collects the values of one item.
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

    /// Whether items that `is_possible` accepts lead from a state, after `count` items, to an end.
    pub(crate) fn can_end(&self, at: u32, mut count: u32, mut is_possible: impl FnMut(TermId) -> bool) -> bool {
        if self.is_empty || self.min > self.max {
            return false;
        }
        // The states that some items lead to, by their number. Layers that repeat go on to repeat.
        let (mut layer, mut seen) = (vec![at], FxHashMap::default());
        loop {
            if count >= self.min && layer.iter().any(|&at| self.accepting[at as usize]) {
                return true;
            }
            match seen.insert(layer.clone(), count) {
                Some(before) if before >= self.min => return false,
                Some(before) if count < self.min => {
                    count += (self.min - count) / (count - before) * (count - before);
                    seen.clear();
                    continue;
                }
                _ => {}
            }
            if count >= self.max || layer.is_empty() {
                return false;
            }
            let steps = layer.iter().flat_map(|&at| &self.steps[at as usize]);
            layer = steps.filter(|&&(node, _)| is_possible(node)).map(|&(_, next)| next).collect();
            layer.sort_unstable();
            layer.dedup();
            count += 1;
        }
    }
}

impl Registers {
    /// The item of a step from a state of an array.
    pub(crate) fn item_of_step(&self, array: ArrayId, state: ArrayStateId, step: u32) -> TermId {
        let at = self.unique_states[state.index()].at;
        self.uniques[array.index()].steps[at as usize][step as usize].0
    }

    /// Whether some array may lack values. If so, only running the grammar decides.
    pub(crate) fn can_lack_values(&self) -> bool {
        (0..self.uniques.len()).any(|array| !self.uniques[array].has_enough_values_by_form())
    }
}

impl Arena {
    /// Adds an array of unique items to the arena and returns its term.
    pub(crate) fn add_unique(&mut self, spec: UniqueSpec) -> Result<TermId> {
        self.registers.uniques.push(Arc::new(spec), &mut self.terms.budget);
        let array = ArrayId::at(self.registers.uniques.len() - 1);
        self.intern_structural(Term::Unique(array), 40, &[u128::from(array.number())], false)
    }

    /// The number of a state of an array; equal states have equal numbers.
    pub(crate) fn unique_state(&mut self, array: ArrayId, state: UniqueState) -> ArrayStateId {
        if let Some(&id) = self.registers.unique_state_ids.get(&(array, state)) {
            return id;
        }
        self.registers.unique_states.push(state, &mut self.terms.budget);
        let id = ArrayStateId::at(self.registers.unique_states.len() - 1);
        self.registers.unique_state_ids.insert((array, state), id, &mut self.terms.budget);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::term::{EPSILON, MANY, TOP};

    /// An array over the items ε and ⊤: its steps and whether it may end, by state.
    fn spec(states: &[(bool, &[(TermId, u32)])], min: u32, max: u32) -> UniqueSpec {
        UniqueSpec {
            steps: states.iter().map(|(_, steps)| steps.to_vec()).collect(),
            accepting: states.iter().map(|&(accepting, _)| accepting).collect(),
            open: EPSILON,
            close: EPSILON,
            comma: EPSILON,
            empty: EPSILON,
            min,
            max,
            is_empty: false,
        }
    }

    const LOOP: [(bool, &[(TermId, u32)]); 1] = [(true, &[(TOP, 0)])];
    /// Two items, then any number of ε.
    const PREFIX: [(bool, &[(TermId, u32)]); 3] = [(false, &[(TOP, 1)]), (false, &[(TOP, 2)]), (true, &[(EPSILON, 2)])];

    #[test]
    fn an_array_can_end_if_items_lead_to_an_accepting_state_within_its_bounds() {
        let any = |_| true;
        for (min, max, expected) in [(0, 0, true), (0, 3, true), (3, 3, true), (4, 3, false), (MANY - 1, MANY, true)] {
            assert_eq!(spec(&LOOP, min, max).can_end(0, 0, any), expected, "{min} to {max}");
        }
        for (min, max, expected) in [(1, 1, false), (0, 2, true), (2, 2, true), (3, 3, true), (0, MANY, true)] {
            assert_eq!(spec(&PREFIX, min, max).can_end(0, 0, any), expected, "{min} to {max}");
        }
        let ended = [(false, &[(TOP, 1)][..]), (true, &[])];
        for (min, expected) in [(0, true), (1, true), (2, false), (MANY - 1, false)] {
            assert_eq!(spec(&ended, min, MANY).can_end(0, 0, any), expected, "{min}");
        }
        assert!(!UniqueSpec { is_empty: true, ..spec(&LOOP, 0, MANY) }.can_end(0, 0, any));
    }
}
