//! Position × trie → the tokens that may come next, by one walk of the trie beside the position.
//!
//! A composer starts a walk below each exit of each head. If heads end after every character, as in
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

/// Positions of one sweep that get a table, of 544 bytes each. Nodes that lead to another position are walked head by head.
const ROWS: usize = 2_048;

/// Nodes that might have been skipped before the loops of a position are computed: walking so many nodes takes as long.
const LOOPS_FROM: u32 = 256;

/// A step that was not computed yet, and a step to no position.
const NEW: u16 = u16::MAX;
const NOWHERE: u16 = u16::MAX - 1;

/// A position with its steps, as far as the sweep has computed them.
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

/// The result of a step by one byte.
enum Step {
    Dead,
    Row(u16),
    /// A position without a row.
    Other(Position),
}

/// Whether a sweep may step from a position: no key of an object and no item of a unique array is open, so what
/// follows does not depend on a text that was read.
pub(super) fn can_sweep(machine: &Machine, position: &Position) -> bool {
    let is_key = |head| {
        matches!(
            machine.arena.term(head),
            Term::KeyNamed { .. } | Term::KeyExtra { .. } | Term::KeyDone { .. } | Term::ObjectKey { .. }
        )
    };
    position.register == Register::Closed
        && !position.needs_replay
        && !position.heads.iter().any(|&(head, _)| is_key(head))
}

impl Composer<'_> {
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
                // Notes about unique items are right only for walks that begin with the token: tokens are replayed.
                Step::Other(_) if self.machine.frames.can_be_open() => {
                    self.replay.extend(trie.tokens_at(node).iter().chain(trie.tokens_below(node)));
                    continue;
                }
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
        let next = machine.step_uncached(&position.heads, Register::Closed, byte)?;
        let entry = if next.is_dead() {
            NOWHERE
        } else if let Some(&known) = self.row_of.get(&next) {
            known
        } else if self.rows.len() < ROWS && can_sweep(machine, &next) {
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

#[cfg(test)]
mod tests {
    use super::can_sweep;
    use crate::automaton::fixture::{alt, bytes, rule, seq};
    use crate::automaton::position::DEAD;
    use crate::builder::Builder;
    use crate::mask::fixture::{printable_and, taken, Scene};
    use crate::regular::term::{TermId, EPSILON};

    /// The tokens that a sweep allows after a text; the automaton reads these and no others.
    fn swept(scene: &mut Scene, text: &str) -> usize {
        let at = scene.read(text);
        let position = scene.machine.position(at).clone();
        assert!(can_sweep(&scene.machine, &position), "{text:?}");
        let mut composer = scene.composer();
        composer.sweep(&position).unwrap();
        composer.replay.append(&mut composer.always);
        composer.resolve(at, at).unwrap();
        let found = taken(&mut composer);
        let shared = scene.shared.clone();
        let is_read = |token: &u32| {
            shared.vocabulary.token(*token).is_some_and(|bytes| scene.machine.read(at, bytes).unwrap() != DEAD)
        };
        let read: Vec<u32> = (0..shared.vocabulary.size() as u32).filter(is_read).collect();
        assert_eq!(found, read, "{text:?}");
        found.len()
    }

    /// Letters, and parts in brackets that match.
    fn nested(builder: &mut Builder) -> TermId {
        rule(builder, "parts", |builder, parts| {
            let letter = bytes(builder, b'a', b'c', 1, Some(1));
            let [open, close] = [&b"("[..], b")"].map(|sign| builder.literal(sign).unwrap());
            let group = seq(builder, &[open, parts, close]);
            let part = alt(builder, &[letter, group]);
            let more = seq(builder, &[part, parts]);
            alt(builder, &[EPSILON, more])
        })
    }

    #[test]
    fn a_sweep_allows_what_the_automaton_reads() {
        let signs = ["a", "b", "c", "(", ")"];
        let pairs = signs.iter().flat_map(|one| signs.map(|two| format!("{one}{two}")));
        let triples =
            signs.iter().flat_map(|one| signs.map(|two| signs.map(|three| format!("{one}{two}{three}")))).flatten();
        let long =
            (0..400).map(|number| format!("ab{}", ["a", "b", "c", "ca", "x"][number % 5].repeat(number / 5 + 1)));
        let texts: Vec<String> = pairs.chain(triples).chain(long).collect();
        let shared = printable_and(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let mut scene = Scene::new(&shared, nested);
        let counts = ["", "a", "(", "((b", "(((c)"].map(|text| swept(&mut scene, text));
        assert!(counts[0] < counts[2] && counts[2] < counts[3], "more brackets may close: {counts:?}");
    }
}
