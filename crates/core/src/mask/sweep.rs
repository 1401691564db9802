//! Position × trie → the tokens that may come next, by one walk of the trie beside the position.
//!
//! A composer walks anew below each exit of each head. Where heads end after every character, as in
//! `e ::= [^()] | "(" e* ")"`, these walks are as many as the trie has nodes. A sweep visits each node once, with all
//! heads, and keeps the positions in tables as a lazy DFA does.

use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, Register};
use crate::error::Result;
use crate::mask::composer::Composer;
use crate::regular::term::Term;
use crate::vocabulary::id::NodeId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A composer that may give up does so after this many walks of one mask: a sweep takes less time than more walks.
const MANY_WALKS: usize = 512;

/// Positions of one sweep that get a table, of 544 bytes each. Nodes that lead to another position are walked head by head.
const ROWS: usize = 2_048;

/// Nodes that might have been skipped before the loops of a position are computed: walking so many nodes takes as long.
const LOOPS_FROM: u32 = 256;

/// A step that was not computed yet, and a step to no position.
const NEW: u16 = u16::MAX;
const NOWHERE: u16 = u16::MAX - 1;

/// A position, and what the sweep knows of it.
struct Row {
    position: Arc<Position>,
    /// The row after each byte.
    steps: Box<[u16; 256]>,
    /// Nodes that might have been skipped so far.
    passed: u32,
    /// The ASCII bytes that lead back to the row, once they are computed.
    loops: Option<u128>,
}

/// The positions that a sweep has met.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    row_of: FxHashMap<Arc<Position>, u16>,
}

/// Where a byte leads.
enum Step {
    Dead,
    Row(u16),
    /// A position without a row.
    Other(Position),
}

impl Machine {
    /// Whether a sweep may step from a position: no key of an object and no item of a unique array is open, so what
    /// follows does not depend on a text that was read.
    pub(super) fn can_sweep(&self, position: &Position) -> bool {
        let is_key = |head| {
            matches!(
                self.arena.term(head),
                Term::KeyNamed { .. } | Term::KeyExtra { .. } | Term::KeyDone { .. } | Term::ObjectKey { .. }
            )
        };
        position.register == Register::Closed
            && !(position.needs_replay || position.crosses_item || position.depends_on_value)
            && !position.heads.iter().any(|&(head, _)| is_key(head))
    }
}

impl Composer<'_> {
    /// Whether the composer has given up: what it has collected is incomplete.
    pub fn has_given_up(&self) -> bool {
        self.may_give_up && self.walks > MANY_WALKS
    }

    /// Forget all that was collected, and give up no more.
    pub fn restart(&mut self) {
        self.accumulator.take_corrections();
        self.lists.clear();
        self.replay.clear();
        self.recheck.clear();
        self.copies_lists = false;
        self.may_give_up = false;
        self.walks = 0;
        self.walked.clear();
    }

    /// Allow the tokens that a position reads.
    pub(super) fn sweep(&mut self, position: &Position) -> Result<()> {
        let view = self.shared.view();
        let trie = view.trie;
        let mut rows = Rows::default();
        let start = rows.insert(Arc::new(position.clone()));
        let mut pending = vec![(trie.child_range(NodeId::ROOT), start)];
        while let Some((left, row)) = pending.last_mut() {
            let Some(place) = left.next() else {
                pending.pop();
                continue;
            };
            let (row, (byte, node)) = (*row, trie.child_at(place));
            let next = match rows.step(self.machine, row, byte)? {
                Step::Dead => continue,
                Step::Row(next) => next,
                Step::Other(position) => {
                    trie.tokens_at(node).iter().for_each(|&token| self.accumulator.allow(token));
                    self.walk_position(view, node, &position)?;
                    continue;
                }
            };
            self.machine.arena.spend(1)?;
            trie.tokens_at(node).iter().for_each(|&token| self.accumulator.allow(token));
            if !trie.has_children(node) {
                continue;
            }
            if next == row {
                if let Some(loops) = rows.loops(self.machine, row, trie.size(node))? {
                    if trie.is_made_of(node, loops) {
                        trie.tokens_below(node).iter().for_each(|&token| self.accumulator.allow(token));
                        continue;
                    }
                }
            }
            pending.push((trie.child_range(node), next));
        }
        Ok(())
    }
}

impl Rows {
    fn insert(&mut self, position: Arc<Position>) -> u16 {
        let row = self.rows.len() as u16;
        self.row_of.insert(position.clone(), row);
        self.rows.push(Row { position, steps: Box::new([NEW; 256]), passed: 0, loops: None });
        row
    }

    #[inline]
    fn step(&mut self, machine: &mut Machine, row: u16, byte: u8) -> Result<Step> {
        match self.rows[usize::from(row)].steps[usize::from(byte)] {
            NEW => self.compute_step(machine, row, byte),
            NOWHERE => Ok(Step::Dead),
            next => Ok(Step::Row(next)),
        }
    }

    /// The step of a byte, entered for all bytes that no head tells from it.
    #[inline(never)]
    fn compute_step(&mut self, machine: &mut Machine, row: u16, byte: u8) -> Result<Step> {
        let position = self.rows[usize::from(row)].position.clone();
        let next = machine.step_uncached(&position.heads, Register::Abstracted, byte)?;
        let entry = if next.is_dead() {
            NOWHERE
        } else if let Some(&known) = self.row_of.get(&next) {
            known
        } else if self.rows.len() < ROWS && machine.can_sweep(&next) {
            self.insert(Arc::new(next))
        } else {
            return Ok(Step::Other(next));
        };
        let (mut low, mut high) = (0, u8::MAX);
        for &(head, _) in &position.heads {
            let (from, to) = machine.arena.boundaries(head).interval(byte);
            (low, high) = (low.max(from), high.min(to));
        }
        self.rows[usize::from(row)].steps[usize::from(low)..=usize::from(high)].fill(entry);
        Ok(if entry == NOWHERE { Step::Dead } else { Step::Row(entry) })
    }

    /// The ASCII bytes that lead from a row to itself; None while too few nodes were passed.
    fn loops(&mut self, machine: &mut Machine, row: u16, passed: u32) -> Result<Option<u128>> {
        let Row { passed: all, loops, .. } = &mut self.rows[usize::from(row)];
        *all = all.saturating_add(passed);
        if loops.is_none() && *all >= LOOPS_FROM {
            let mut found = 0;
            for byte in 0..0x80 {
                let step = self.step(machine, row, byte)?;
                found |= u128::from(matches!(step, Step::Row(next) if next == row)) << byte;
            }
            self.rows[usize::from(row)].loops = Some(found);
        }
        Ok(self.rows[usize::from(row)].loops)
    }
}
