//! The states that the walks of one head meet, by number → where a byte leads.

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{TermId, EMPTY};
use crate::vocabulary::trie::Trie;
use rustc_hash::FxHashMap;

/// States by number, those met often with one entry per byte: looking a derivative up among a term's edges takes longer
/// than all else that a node of a walk costs.
#[derive(Default)]
pub(crate) struct DfaCache {
    pub rows: Vec<Row>,
    entries: Vec<[u16; 256]>,
    row_of: FxHashMap<TermId, u32>,
}

/// What a walk asks of a state.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub state: TermId,
    pub nullable: bool,
    /// Whether it reads a few bytes only.
    pub narrow: bool,
    /// How often it was met without entries.
    met: u8,
    /// Where its entries are, once it has any; `NEW` before.
    entries: u32,
    loops: Loops,
}

/// A state that reads no more bytes reads few.
pub(crate) const NARROW: u32 = 8;

/// A state that was met so often is given entries: they take more memory than all else that is known of it.
const ENTRIES_FROM: u8 = 4;

/// The ASCII bytes that leave a row where it is.
#[derive(Clone, Copy)]
enum Loops {
    /// So many nodes might have been leapt over.
    Unknown {
        passed: u32,
    },
    Known([u64; 2]),
}

/// As many nodes take as long as finding out all about one state.
const LOOPS_FROM: u32 = 256;

/// What an entry says of a byte that was not asked for yet, or leads nowhere.
const NEW: u32 = u32::MAX;
pub(crate) const NOWHERE: u32 = u32::MAX - 1;

/// The same in an entry; rows beyond have no place in one.
const NEW_ENTRY: u16 = u16::MAX;
const NOWHERE_ENTRY: u16 = u16::MAX - 1;

impl DfaCache {
    pub fn row(&mut self, arena: &mut Arena, state: TermId) -> u32 {
        let DfaCache { rows, row_of, .. } = self;
        *row_of.entry(state).or_insert_with(|| {
            let (nullable, narrow) = (arena.info(state).nullable, arena.first_bytes(state).len() <= NARROW);
            rows.push(Row { state, nullable, narrow, met: 0, entries: NEW, loops: Loops::Unknown { passed: 0 } });
            rows.len() as u32 - 1
        })
    }

    /// Whether all bytes below a node leave a row where it is; no is said too often at first, as long as it is not worth
    /// finding out which bytes do.
    #[inline]
    pub fn leaps(&mut self, arena: &mut Arena, trie: &Trie, node: u32, row: u32) -> Result<bool> {
        if let Loops::Unknown { passed } = &mut self.rows[row as usize].loops {
            *passed += trie.end(node) - node;
            if *passed < LOOPS_FROM {
                return Ok(false);
            }
            self.find_loops(arena, row)?;
        }
        let Loops::Known([low, high]) = self.rows[row as usize].loops else { return Ok(false) };
        Ok(trie.is_made_of(node, u128::from(low) | u128::from(high) << 64))
    }

    /// Once for a state: within the walk it would take the registers of every step.
    #[inline(never)]
    fn find_loops(&mut self, arena: &mut Arena, row: u32) -> Result<()> {
        let Row { state, loops, .. } = &mut self.rows[row as usize];
        let class = arena.ascii_bytes_to(*state, *state)?.0;
        *loops = Loops::Known([class[0], class[1]]);
        Ok(())
    }

    #[inline]
    pub fn step(&mut self, arena: &mut Arena, row: u32, byte: u8) -> Result<u32> {
        if let Some(entries) = self.entries.get(self.rows[row as usize].entries as usize) {
            match entries[usize::from(byte)] {
                NEW_ENTRY => {}
                NOWHERE_ENTRY => return Ok(NOWHERE),
                next => return Ok(next.into()),
            }
        }
        self.step_anew(arena, row, byte)
    }

    #[inline(never)]
    fn step_anew(&mut self, arena: &mut Arena, row: u32, byte: u8) -> Result<u32> {
        let from = self.rows[row as usize].state;
        let state = arena.derive(from, byte)?;
        let next = if state == EMPTY { NOWHERE } else { self.row(arena, state) };
        let Row { entries, met, .. } = &mut self.rows[row as usize];
        if let Some(entries) = self.entries.get_mut(*entries as usize) {
            let entry = match next {
                NOWHERE => Some(NOWHERE_ENTRY),
                next => u16::try_from(next).ok().filter(|&next| next < NOWHERE_ENTRY),
            };
            if let Some(entry) = entry {
                let (low, high) = arena.boundaries(from).interval(byte);
                entries[usize::from(low)..=usize::from(high)].fill(entry);
            }
        } else if *met < ENTRIES_FROM {
            *met += 1;
        } else {
            *entries = self.entries.len() as u32;
            self.entries.push([NEW_ENTRY; 256]);
        }
        Ok(next)
    }
}
