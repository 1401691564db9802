//! Position × byte → next position, in tables of one walk of the trie, with the costs of the positions.
//!
//! A walk meets few positions many times. Looking a step up among all steps of the machine takes longer than the rest
//! of a step of the walk, so the positions of a walk get tables, as in a lazy DFA (Cox, "Regular Expression Matching in
//! the Wild", 2010).

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
        if *loops == Some(0) {
            return Ok(false);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{bytes, object, string};
    use crate::builder::{Builder, ObjectRules};
    use crate::regular::term::TermId;
    use crate::room::fixture::Scene;

    fn any_keys(builder: &mut Builder) -> TermId {
        let (keys, one) = (builder.any_text().unwrap(), builder.literal(b"1").unwrap());
        object(builder, &[], &[(keys, one)], ObjectRules::default())
    }

    /// Reads each text by rows and by the machine; how many rows have tables, and how many have none.
    fn check(make: impl FnOnce(&mut Builder) -> TermId, texts: &[&str]) -> (usize, usize) {
        let mut scene = Scene::new(&["a"], make);
        let mut rows = Rows::<()>::default();
        for text in texts {
            let (mut row, mut at) = (rows.row(&scene.machine, scene.machine.start), scene.machine.start);
            for byte in text.bytes() {
                at = scene.machine.step(at, byte).unwrap();
                let next = rows.step(&mut scene.machine, row, byte).unwrap();
                assert_eq!(next == NOWHERE, at == DEAD, "{text}");
                if next == NOWHERE {
                    break;
                }
                assert_eq!(rows.position(next), at, "{text}");
                row = next;
            }
        }
        let tables = rows.rows.iter().filter(|row| row.steps.is_some()).count();
        (tables, rows.rows.len() - tables)
    }

    #[test]
    fn rows_step_as_the_machine_does() {
        let texts = ["\"abc\"", "\"a\\n\"", "\"", "x", "\"é\"", "\"abcdefgh"];
        assert_eq!(check(|builder| string(builder, 0, Some(4)), &texts).1, 0);
        assert_eq!(check(|builder| bytes(builder, b'a', b'c', 2, Some(3)), &["ab", "abca", "ad", "cccd"]), (4, 0));
    }

    #[test]
    fn the_beginnings_of_a_key_have_no_tables() {
        let (tables, without) = check(any_keys, &["{\"a\":1}", "{\"b\":1,\"a", "{\"b\":1,\"b\":1}", "{\"bb\":1}"]);
        assert!(tables > 4 && without > 6, "{tables} {without}");
    }

    #[test]
    fn all_texts_of_letters_lead_a_string_back_to_it() {
        let names: Vec<String> = (0..400).map(|number| format!("{number}x")).chain(["1\"".into()]).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut scene = Scene::new(&names, |builder| string(builder, 0, None));
        let at = scene.after("\"");
        let trie = &scene.shared.vocabulary.trie;
        let [one, two] = [b"1", b"2"].map(|text| trie.find(NodeId::ROOT, text).unwrap());
        let mut rows = Rows::<()>::default();
        let row = rows.row(&scene.machine, at);
        let mut loops = |node| rows.loops_below(&mut scene.machine, row, trie, node).unwrap();
        assert_eq!([two, two, two, one].map(&mut loops), [false, true, true, false], "first after as many nodes");
    }
}
