//! Deterministic automaton → the minimal one, without the states from which no text is accepted.

use super::machine::Table;
use super::{Halt, Result};
use crate::char_set::CharSet;
use rustc_hash::FxHashMap;

const MOST_STATES: usize = 60;

/// The edges of a state, one for each next state, and whether the state accepts.
pub(super) struct Row {
    pub edges: Vec<(usize, CharSet)>,
    pub accepts: bool,
}

/// The rows of the minimal automaton; the first is the start.
pub(super) fn minimize(table: Table) -> Result<Vec<Row>> {
    let mut block: Vec<usize> = table.accepts.iter().map(|&accepts| usize::from(accepts)).collect();
    let mut count = if block.contains(&0) && block.contains(&1) { 2 } else { 1 };
    loop {
        let mut names: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        let mut refined = Vec::with_capacity(block.len());
        for (state, row) in table.next.iter().enumerate() {
            let name = std::iter::once(block[state]).chain(row.iter().map(|&after| block[after])).collect();
            let fresh = names.len();
            refined.push(*names.entry(name).or_insert(fresh));
        }
        block = refined;
        if names.len() == count {
            break;
        }
        count = names.len();
    }
    // One state of each block.
    let mut states = vec![0; count];
    for (state, &block) in block.iter().enumerate().rev() {
        states[block] = state;
    }
    let mut is_live: Vec<bool> = states.iter().map(|&state| table.accepts[state]).collect();
    loop {
        let leads = |state: usize| table.next[state].iter().any(|&after| is_live[block[after]]);
        let more: Vec<usize> = (0..count).filter(|&block| !is_live[block] && leads(states[block])).collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|block| is_live[block] = true);
    }
    let start = block[0];
    let order: Vec<usize> =
        std::iter::once(start).chain((0..count).filter(|&block| block != start && is_live[block])).collect();
    if order.len() > MOST_STATES {
        return Err(Halt::TooLarge);
    }
    let numbers: FxHashMap<usize, usize> = order.iter().enumerate().map(|(number, &block)| (block, number)).collect();
    let row = |&named: &usize| {
        let mut edges: Vec<(usize, Vec<CharSet>)> = Vec::new();
        for (class, &after) in table.next[states[named]].iter().enumerate() {
            if !is_live[block[after]] {
                continue;
            }
            let (to, class) = (numbers[&block[after]], table.classes[class].clone());
            match edges.iter_mut().find(|edge| edge.0 == to) {
                Some(edge) => edge.1.push(class),
                None => edges.push((to, vec![class])),
            }
        }
        let edges = edges.into_iter().map(|(to, classes)| (to, CharSet::union_of(&classes))).collect();
        Row { edges, accepts: table.accepts[states[named]] }
    };
    Ok(order.iter().map(row).collect())
}
