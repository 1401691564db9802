//! Position × byte → next position, in tables of one walk of the trie, with the costs of the positions.
//!
//! A walk meets few positions many times. A look-up among all steps of the machine takes longer than the rest of a step of
//! the walk, so the positions that a walk meets get tables, as in a lazy DFA (Cox, "Regular Expression Matching in the
//! Wild", 2010).

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, Register, DEAD};
use crate::error::Result;
use crate::regular::term::{Term, Text};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;
use rustc_hash::FxHashMap;

/// Positions of one walk that get a table, of 1 KB each.
const TABLES: usize = 1_024;

/// Nodes that a walk passes before it computes the loops of a position: to walk so many takes as long.
const LOOPS_FROM: u32 = 256;

/// A step that was not computed yet.
const NEW: u32 = u32::MAX;
/// The row of the dead position.
pub(crate) const NOWHERE: u32 = u32::MAX - 1;

/// The positions that a walk meets, numbered in the order of their first visit.
#[derive(Default)]
pub(crate) struct Rows<T> {
    rows: Vec<Row<T>>,
    row_of: FxHashMap<PositionId, u32>,
    tables: usize,
}

struct Row<T> {
    position: PositionId,
    /// A value of the position, once it was computed.
    value: Option<T>,
    /// The row after each byte; none where each byte leads to a position of its own.
    steps: Option<Box<[u32; 256]>>,
    /// Nodes that might have been skipped so far.
    passed: u32,
    /// The ASCII bytes that lead back to the row, once they are computed.
    loops: Option<u128>,
}

impl<T: Copy> Rows<T> {
    /// The row of a position.
    pub fn row(&mut self, machine: &Machine, position: PositionId) -> u32 {
        let Rows { rows, row_of, tables } = self;
        *row_of.entry(position).or_insert_with(|| {
            let has_table = *tables < TABLES && !tells_all_bytes(machine, position);
            *tables += usize::from(has_table);
            let steps = has_table.then(|| Box::new([NEW; 256]));
            rows.push(Row { position, value: None, steps, passed: 0, loops: None });
            rows.len() as u32 - 1
        })
    }

    /// The position of a row.
    pub fn position(&self, row: u32) -> PositionId {
        self.rows[row as usize].position
    }

    /// The value that a row was given.
    pub fn value(&self, row: u32) -> Option<T> {
        self.rows[row as usize].value
    }

    /// Gives a row a value.
    pub fn set_value(&mut self, row: u32, value: T) {
        self.rows[row as usize].value = Some(value);
    }

    /// The row after a byte; `NOWHERE` if no text goes on with it.
    #[inline]
    pub fn step(&mut self, machine: &mut Machine, row: u32, byte: u8) -> Result<u32> {
        match self.rows[row as usize].steps.as_ref().map(|steps| steps[usize::from(byte)]) {
            Some(next) if next != NEW => Ok(next),
            _ => self.compute_step(machine, row, byte),
        }
    }

    /// The step of a byte, entered for all bytes that no head tells from it.
    #[inline(never)]
    fn compute_step(&mut self, machine: &mut Machine, row: u32, byte: u8) -> Result<u32> {
        let from = self.position(row);
        let after = machine.step(from, byte)?;
        let next = if after == DEAD { NOWHERE } else { self.row(machine, after) };
        if let Some(steps) = &mut self.rows[row as usize].steps {
            let (mut low, mut high) = (0, u8::MAX);
            let position = machine.position(from).clone();
            for &(head, _) in &position.heads {
                let (first, last) = machine.arena.boundaries(head).interval(byte);
                (low, high) = (low.max(first), high.min(last));
            }
            steps[usize::from(low)..=usize::from(high)].fill(next);
        }
        Ok(next)
    }

    /// Whether all texts below a node lead from a row back to it; false while too few nodes were passed to find out.
    pub fn loops_below(&mut self, machine: &mut Machine, row: u32, trie: &Trie, node: NodeId) -> Result<bool> {
        let Row { passed, loops, steps, .. } = &mut self.rows[row as usize];
        *passed = passed.saturating_add(trie.size(node));
        if loops.is_none() && *passed >= LOOPS_FROM && steps.is_some() {
            let mut found = 0;
            for byte in 0..0x80 {
                found |= u128::from(self.step(machine, row, byte)? == row) << byte;
            }
            self.rows[row as usize].loops = Some(found);
        }
        Ok(self.rows[row as usize].loops.is_some_and(|loops| trie.is_made_of(node, loops)))
    }
}

/// Whether each byte leads to a position of its own: a key or a unique item that is read is remembered.
fn tells_all_bytes(machine: &Machine, id: PositionId) -> bool {
    let position = machine.position(id);
    let is_known_key = |head| matches!(machine.arena.term(head), Term::KeyExtra { text: Text::Known(_), .. });
    position.register != Register::Closed || position.heads.iter().any(|&(head, _)| is_known_key(head))
}
