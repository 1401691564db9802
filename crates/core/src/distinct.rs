//! An array whose items are all different, whatever they are → terms: an automaton over items, and how far it has come.
//! Which values may come next is found out where they are read (`unique`).

use crate::error::Result;
use crate::term::{Arena, Term, TermId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// An automaton over items, with the punctuation around them.
#[derive(Clone, Debug)]
pub struct UniqueSpec {
    /// By state: (item, next state).
    pub steps: Vec<Vec<(TermId, u32)>>,
    pub accepting: Vec<bool>,
    pub open: TermId,
    pub close: TermId,
    pub comma: TermId,
    pub empty: TermId,
    pub min: u32,
    pub max: u32,
    /// Whether there are too few values to end it.
    pub void: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct UniqueState {
    pub(crate) at: u32,
    /// The values that came, sorted.
    pub(crate) came: Vec<u32>,
}

impl UniqueState {
    /// The state of the automaton, and how many values came.
    pub(crate) fn progress(&self) -> (u32, usize) {
        (self.at, self.came.len())
    }
}

impl UniqueSpec {
    /// Whether some number of items of any values leads to an end.
    pub(crate) fn may_end(&self, mut item: impl FnMut(TermId) -> bool) -> bool {
        if self.void || self.min > self.max {
            return false;
        }
        // Counts beyond the states only repeat a loop.
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

impl Arena {
    pub(crate) fn add_unique(&mut self, spec: UniqueSpec) -> Result<TermId> {
        self.uniques.push(Arc::new(spec), &mut self.budget);
        let index = self.uniques.len() as u32 - 1;
        self.structural(Term::Unique(index), 40, &[u128::from(index)], false)
    }

    pub(crate) fn unique_state(&mut self, array: u32, state: UniqueState) -> u32 {
        let state = Arc::new(state);
        if let Some(&id) = self.unique_state_ids.get(&(array, state.clone())) {
            return id;
        }
        self.budget.grow(120 + 4 * state.came.len());
        self.unique_states.push(state.clone(), &mut self.budget);
        let id = self.unique_states.len() as u32 - 1;
        self.unique_state_ids.insert((array, state), id, &mut self.budget);
        id
    }

    pub(crate) fn unique_term(&mut self, term: Term) -> Result<TermId> {
        let (kind, parts) = match term {
            Term::UniqueItem { array, state } => (41, [array, state, 0, 0]),
            Term::UniqueEnd { array, state, step, start } => (42, [array, state, step, start]),
            Term::UniqueNext { array, state } => (43, [array, state, 0, 0]),
            _ => unreachable!("not a term of an array of different items"),
        };
        self.structural(term, kind, &parts.map(u128::from), false)
    }
}
