//! State × byte → next state, in dense tables for the walks of one head.
//!
//! A look-up among the edges of a term takes longer than the rest of a step of a walk. States that a walk meets often
//! therefore get a table of 256 entries, as in a lazy DFA (Cox, "Regular Expression Matching in the Wild", 2010).

use crate::error::Result;
use crate::json::arena::Arena;
use crate::regular::term::{TermId, EMPTY};
use rustc_hash::FxHashMap;

/// The states that the walks of one head meet, numbered in the order of their first visit.
#[derive(Default)]
pub(crate) struct DfaCache {
    /// One row per state.
    pub rows: Vec<Row>,
    entries: Vec<[u16; 256]>,
    row_of: FxHashMap<TermId, u32>,
}

/// A state, as far as a walk depends on it.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// The state itself.
    pub state: TermId,
    /// Whether the state is at an end.
    pub nullable: bool,
    /// Whether at most `NARROW` bytes lead on.
    pub narrow: bool,
    /// How often a step was computed without a table.
    misses: u8,
    /// The index of its table; `NEW` while it has none.
    entries: u32,
}

/// Bytes that a narrow state reads at most. Chosen without measurement.
pub(crate) const NARROW: u32 = 8;

/// Steps from a state before it gets a table of 512 bytes. Chosen without measurement.
const ENTRIES_FROM: u8 = 4;

/// The index of a table, or a step, that was not computed yet.
const NEW: u32 = u32::MAX;
/// The row of a dead state.
pub(crate) const NOWHERE: u32 = u32::MAX - 1;

/// `NEW` and `NOWHERE` in a table. Rows with larger numbers are not entered into tables.
const NEW_ENTRY: u16 = u16::MAX;
const NOWHERE_ENTRY: u16 = u16::MAX - 1;

impl DfaCache {
    /// The row of a state.
    pub fn row(&mut self, arena: &mut Arena, state: TermId) -> u32 {
        let DfaCache { rows, row_of, .. } = self;
        *row_of.entry(state).or_insert_with(|| {
            let (nullable, narrow) = (arena.info(state).nullable, arena.first_bytes(state).len() <= NARROW);
            rows.push(Row { state, nullable, narrow, misses: 0, entries: NEW });
            rows.len() as u32 - 1
        })
    }

    /// The row after a byte, `NOWHERE` if the state is dead.
    #[inline]
    pub fn step(&mut self, arena: &mut Arena, row: u32, byte: u8) -> Result<u32> {
        if let Some(entries) = self.entries.get(self.rows[row as usize].entries as usize) {
            match entries[usize::from(byte)] {
                NEW_ENTRY => {}
                NOWHERE_ENTRY => return Ok(NOWHERE),
                next => return Ok(next.into()),
            }
        }
        self.compute_step(arena, row, byte)
    }

    #[inline(never)]
    fn compute_step(&mut self, arena: &mut Arena, row: u32, byte: u8) -> Result<u32> {
        let from = self.rows[row as usize].state;
        let state = arena.derive(from, byte)?;
        let next = if state == EMPTY { NOWHERE } else { self.row(arena, state) };
        let Row { entries, misses, .. } = &mut self.rows[row as usize];
        if let Some(entries) = self.entries.get_mut(*entries as usize) {
            let entry = match next {
                NOWHERE => Some(NOWHERE_ENTRY),
                next => u16::try_from(next).ok().filter(|&next| next < NOWHERE_ENTRY),
            };
            if let Some(entry) = entry {
                let (low, high) = arena.boundaries(from).interval(byte);
                entries[usize::from(low)..=usize::from(high)].fill(entry);
            }
        } else if *misses < ENTRIES_FROM {
            *misses += 1;
        } else {
            *entries = self.entries.len() as u32;
            self.entries.push([NEW_ENTRY; 256]);
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::MANY;

    #[test]
    fn the_fifth_step_makes_a_table_and_an_entry_serves_all_bytes_of_its_range() {
        let (mut arena, mut dfa) = (Arena::new(), DfaCache::default());
        let letters = arena.class(ByteSet::range(b'b', b'd')).unwrap();
        let head = arena.repeat(letters, 0, MANY).unwrap();
        let row = dfa.row(&mut arena, head);
        for tables in [0, 0, 0, 0, 1, 1] {
            dfa.step(&mut arena, row, b'b').unwrap();
            assert_eq!(dfa.entries.len(), tables);
        }
        let entries = &dfa.entries[0];
        assert_eq!(
            [b'a', b'b', b'c', b'd', b'e'].map(|byte| entries[usize::from(byte)]),
            [NEW_ENTRY, 0, 0, 0, NEW_ENTRY]
        );
        dfa.step(&mut arena, row, b'z').unwrap();
        let entries = &dfa.entries[0];
        assert_eq!(
            [b'd', b'e', b'z', 0xff].map(|byte| entries[usize::from(byte)]),
            [0, NOWHERE_ENTRY, NOWHERE_ENTRY, NOWHERE_ENTRY]
        );
        assert_eq!(entries[usize::from(b'a')], NEW_ENTRY, "another range");
    }

    #[test]
    fn rows_whose_numbers_no_table_holds_are_found_all_the_same() {
        let (mut arena, mut dfa) = (Arena::new(), DfaCache::default());
        let head = arena.literal(b"ab").unwrap();
        let row = dfa.row(&mut arena, head);
        dfa.rows.resize(usize::from(NOWHERE_ENTRY), dfa.rows[0]);
        for round in 0..8 {
            assert_eq!(dfa.step(&mut arena, row, b'a').unwrap(), u32::from(NOWHERE_ENTRY), "{round}");
        }
        assert_eq!((dfa.entries.len(), dfa.entries[0][usize::from(b'a')]), (1, NEW_ENTRY));
    }
}
