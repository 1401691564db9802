//! A regular node → its automaton over bytes; some of its texts → a tree for a production.
//!
//! The automaton's states are the node's derivatives (Brzozowski 1964), and its states are eliminated one by one (Kleene
//! 1956), which leaves a tree. Ignored terminals are small, so nothing here is made for large ones.

use super::tree::{Id, Node, Trees};
use crate::notation::source::Read;
use frisket_core::builder::Builder;
use frisket_core::regular::term::TermId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// States of an automaton that is still written as a tree.
const MOST: usize = 64;

/// The derivatives of a node by number, the node itself first, and which bytes lead from one to another.
pub(super) struct Automaton {
    pub states: Vec<TermId>,
    pub accepting: Vec<usize>,
    steps: BTreeMap<(usize, usize), Vec<(u8, u8)>>,
}

impl Automaton {
    /// The automaton of a regular node; nothing if it has too many states.
    pub fn new(builder: &mut Builder, node: TermId) -> Read<Option<Self>> {
        let (mut states, mut numbers) = (vec![node], FxHashMap::from_iter([(node, 0)]));
        let mut steps: BTreeMap<(usize, usize), Vec<(u8, u8)>> = BTreeMap::new();
        let mut at = 0;
        while at < states.len() {
            if at >= MOST {
                return Ok(None);
            }
            for (low, high, next) in builder.steps(states[at].number())? {
                let number = *numbers.entry(next).or_insert_with(|| {
                    states.push(next);
                    states.len() - 1
                });
                let ranges = steps.entry((at, number)).or_default();
                match ranges.last_mut() {
                    Some((_, last)) if *last + 1 == low => *last = high,
                    _ => ranges.push((low, high)),
                }
            }
            at += 1;
        }
        let mut accepting = Vec::new();
        for (number, state) in states.iter().enumerate() {
            if builder.accepts(state.number(), b"")? {
                accepting.push(number);
            }
        }
        Ok(Some(Automaton { states, accepting, steps }))
    }

    /// The texts that lead to one of these states.
    pub fn tree(&self, trees: &mut Trees, ends: &[usize]) -> Id {
        let (begin, end) = (self.states.len(), self.states.len() + 1);
        let mut table: BTreeMap<(usize, usize), Id> = BTreeMap::new();
        for (&pair, ranges) in &self.steps {
            table.insert(pair, bytes(trees, ranges));
        }
        let empty = trees.add(Node::Seq(Vec::new()), 0);
        table.insert((begin, 0), empty);
        table.extend(ends.iter().map(|&state| ((state, end), empty)));
        for state in (0..self.states.len()).rev() {
            let around = table.remove(&(state, state));
            let rounds: Vec<Id> = around.map(|item| trees.add(Node::Repeat(item, 0, None), 0)).into_iter().collect();
            let into: Vec<(usize, Id)> =
                table.iter().filter(|((_, to), _)| *to == state).map(|(&(start, _), &node)| (start, node)).collect();
            let out: Vec<(usize, Id)> =
                table.iter().filter(|((start, _), _)| *start == state).map(|(&(_, to), &node)| (to, node)).collect();
            for &(start, first) in &into {
                for &(to, last) in &out {
                    let way = trees.joined([&[first], &*rounds, &[last]].concat());
                    let way = match table.get(&(start, to)) {
                        Some(&known) => trees.either(&[known, way]),
                        None => way,
                    };
                    table.insert((start, to), way);
                }
            }
            table.retain(|&(start, to), _| start != state && to != state);
        }
        table.get(&(begin, end)).copied().unwrap_or_else(|| trees.add(Node::Alt(Vec::new()), 0))
    }
}

fn bytes(trees: &mut Trees, ranges: &[(u8, u8)]) -> Id {
    let is_ascii = ranges.iter().all(|&(_, high)| high < 0x80);
    let node = match is_ascii {
        true => Node::Chars(ranges.iter().map(|&(low, high)| (low.into(), high.into())).collect()),
        false => Node::Octets(ranges.into()),
    };
    trees.add(node, 0)
}
