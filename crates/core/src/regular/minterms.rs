//! Regular terms → their minterms: which sets of them have a text that no other one of them has.
//!
//! One walk through the product of the automata finds all sets, where a test of each pair would take the square of their
//! number. A branch ends as soon as its terms agree, as patterns with different beginnings do after a few bytes.
//! (Minterms of predicates: D'Antoni and Veanes, "Minimization of symbolic automata", POPL 2014, section 2.)

use crate::error::Result;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::terms::Terms;
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// Terms in all states of a walk, a step each. Patterns without anchors exceed any bound; 500 that begin alike for 200
/// bytes stay within this one.
const MAX_TERMS: usize = 1 << 17;

/// A state of the product: each term that still has a text, by its place.
type State = Vec<(u32, TermId)>;

impl Terms {
    /// The nonempty minterms, each as the places of the terms that hold its texts, in order. The minterm outside all
    /// terms is left out. `None` if there are more than `limit`, or too many states. Errors if the budget ends.
    pub(crate) fn minterms(&mut self, terms: &[TermId], limit: usize) -> Result<Option<Vec<Vec<u32>>>> {
        let all = (0..).zip(terms.iter().copied()).filter(|&(_, term)| term != EMPTY);
        let mut stack: Vec<State> = vec![all.collect()];
        let mut met: HashSet<State, BuildHasherDefault<FxHasher>> = stack.iter().cloned().collect();
        let mut found: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut size = 0;
        while let Some(state) = stack.pop() {
            let Some(&(_, first)) = state.first() else { continue };
            let agree = state.iter().all(|&(_, term)| term == first);
            let holding = state.iter().filter(|&&(_, term)| agree || self.info(term).nullable);
            let holding: Vec<u32> = holding.map(|&(place, _)| place).collect();
            if !holding.is_empty() && found.insert(holding) && found.len() > limit {
                return Ok(None);
            }
            if agree {
                continue;
            }
            for next in self.next_states(&state)? {
                size += next.len();
                self.spend(next.len() as u64)?;
                if size > MAX_TERMS {
                    return Ok(None);
                }
                if met.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        let mut found: Vec<Vec<u32>> = found.into_iter().collect();
        found.sort_unstable();
        Ok(Some(found))
    }

    /// The states behind one byte, by the intervals of bytes that no term tells apart.
    fn next_states(&mut self, state: &State) -> Result<Vec<State>> {
        let mut edges = Vec::new();
        let mut is_start = [false; 257];
        for &(place, term) in state {
            for (low, high, target) in self.byte_transitions(term)? {
                is_start[usize::from(low)] = true;
                is_start[usize::from(high) + 1] = true;
                edges.push((low, high, (place, target)));
            }
        }
        let starts: Vec<u8> = (0..=u8::MAX).filter(|&byte| is_start[usize::from(byte)]).collect();
        let mut next = vec![State::new(); starts.len()];
        for (low, high, entry) in edges {
            let first = starts.partition_point(|&start| start < low);
            for (place, _) in starts.iter().enumerate().skip(first).take_while(|&(_, &start)| start <= high) {
                next[place].push(entry);
            }
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::regular::fixture::regex;

    fn minterms(patterns: &[&str], limit: usize) -> Option<Vec<Vec<u32>>> {
        let mut terms = Terms::new();
        let ids: Vec<TermId> = patterns.iter().map(|pattern| regex(&mut terms, pattern)).collect();
        terms.minterms(&ids, limit).unwrap()
    }

    #[test]
    fn each_set_of_terms_with_a_text_of_its_own_is_found_once() {
        for (patterns, expected) in [
            (&["a[a-z]*", "b[a-z]*", "c"][..], vec![vec![0], vec![1], vec![2]]),
            (&["a[a-z]*", "ab[a-z]*"], vec![vec![0], vec![0, 1]]),
            (&["[ab]c", "[bc]c", "c*"], vec![vec![0], vec![0, 1], vec![1, 2], vec![2]]),
            (&["a*", "(aa)*", "(aaa)*"], vec![vec![0], vec![0, 1], vec![0, 1, 2], vec![0, 2]]),
            (&["abc", "abc"], vec![vec![0, 1]]),
            (&["x"], vec![vec![0]]),
            (&[], vec![]),
        ] {
            assert_eq!(minterms(patterns, 9), Some(expected), "{patterns:?}");
        }
        let mut terms = Terms::new();
        let word = regex(&mut terms, "ab");
        let others = terms.not(word).unwrap();
        assert_eq!(terms.minterms(&[EMPTY, word, others], 9), Ok(Some(vec![vec![1], vec![2]])));
    }

    #[test]
    fn more_minterms_than_the_limit_or_too_many_states_are_not_told() {
        assert_eq!(minterms(&["a", "b"], 1), None);
        let suffixes: Vec<String> = (0..16).map(|bit| format!("[ab]*a[ab]{{{bit}}}")).collect();
        let suffixes: Vec<&str> = suffixes.iter().map(String::as_str).collect();
        assert_eq!(minterms(&suffixes[..3], usize::MAX).map(|found| found.len()), Some(7));
        assert_eq!(minterms(&suffixes, usize::MAX), None);
    }
}
