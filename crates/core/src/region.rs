//! A few states that the same characters keep among themselves: what a search (`.*foo.*`), an excluded pattern or words
//! and separators are while none of their special characters comes.
//!
//! Tokens of those characters only are inside, whatever they spell. The others are found by the index: at each place
//! where such a token's first special byte stands, the state is that after the token's beginning.

use crate::byteset::ByteSet;
use crate::error::Result;
use crate::local::{Part, Reach};
use crate::term::{Arena, TermId, EMPTY};
use crate::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;

/// Fewer ASCII characters than this keep too little of the vocabulary inside.
const WIDE_CLASS: u32 = 20;

/// More states are a count, or a pattern that tells every text from every other.
const MOST_STATES: usize = 96;

pub(crate) struct Region {
    states: Vec<TermId>,
    /// ASCII bytes that lead from every state to one of the states.
    class: ByteSet,
    /// Whether all characters beyond ASCII do, too.
    wide: bool,
}

impl Region {
    pub fn of(arena: &mut Arena, head: TermId) -> Result<Option<Region>> {
        let mut class = arena.live_bytes(head)?.intersection(&ByteSet::range(0, 0x7f));
        let mut wide = true;
        // Each round gives up what the states reached last time refuse; what is left is kept by all of them.
        loop {
            if class.len() < WIDE_CLASS {
                return Ok(None);
            }
            let mut states = vec![head];
            let mut place = 0;
            let before = (class, wide);
            while place < states.len() {
                let state = states[place];
                place += 1;
                if arena.info(state).nullable || states.len() > MOST_STATES {
                    return Ok(None);
                }
                // The index does not know bytes in the middle of a character.
                if !arena.lead_nowhere(state, 0x80, 0xbf)? {
                    return Ok(None);
                }
                let mut live = ByteSet::EMPTY;
                for (low, high, target) in arena.moves(state)?.into_iter().filter(|&(low, ..)| low < 0x80) {
                    let span = ByteSet::range(low, high.min(0x7f)).intersection(&class);
                    if !span.is_empty() && (states.contains(&target) || arena.is_wide(target)?) {
                        live = live.union(&span);
                        if !states.contains(&target) {
                            states.push(target);
                        }
                    }
                }
                class = class.intersection(&live);
                if wide {
                    let targets = arena.beyond_ascii(state)?.unwrap_or_default();
                    wide = !targets.is_empty();
                    for target in targets {
                        wide &= arena.is_wide(target)?;
                        if wide && !states.contains(&target) {
                            states.push(target);
                        }
                    }
                }
            }
            if before == (class, wide) {
                return Ok(Some(Region { states, class, wide }));
            }
        }
    }

    pub fn reach(&self, arena: &mut Arena, vocabulary: &Vocabulary) -> Result<Reach> {
        let class = self.class.ascii();
        let mut reach =
            Reach { dense: Some(Part { bits: vocabulary.class(class, self.wide), within: None }), ..Reach::default() };
        let mut live = ByteSet::EMPTY;
        for &state in &self.states {
            live = live.union(&arena.live_bytes(state)?);
        }
        let special = |byte: u8| !self.class.contains(byte) && (byte < 0x80 || byte >= 0xc0 && !self.wide);
        let mut table = Table::default();
        let start = table.row(arena, self.states[0]);
        for byte in live.iter().filter(|&byte| special(byte)) {
            for place in vocabulary.occurrences(byte) {
                if place.before & !class != 0 || place.wide && !self.wide {
                    continue;
                }
                let Some(token) = vocabulary.token(place.token) else { continue };
                let mut row = start;
                for &byte in &token[..usize::from(place.depth)] {
                    row = table.step(arena, row, byte)?;
                }
                let next = table.step(arena, row, byte)?;
                if next != NOWHERE {
                    arena.spend(1)?;
                    reach.enter(arena, &vocabulary.trie, place.node, table.states[next as usize])?;
                }
            }
        }
        Ok(reach)
    }
}

/// States with one entry per byte: looking a derivative up among a term's edges takes longer than all else that a node
/// of a walk costs.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<[u32; 256]>,
    pub states: Vec<TermId>,
    pub nullable: Vec<bool>,
    row_of: FxHashMap<TermId, u32>,
}

/// What an entry says of a byte that was not asked for yet, or leads nowhere.
const NEW: u32 = u32::MAX;
pub(crate) const NOWHERE: u32 = u32::MAX - 1;

impl Table {
    pub fn row(&mut self, arena: &Arena, state: TermId) -> u32 {
        let Table { rows, states, nullable, row_of } = self;
        *row_of.entry(state).or_insert_with(|| {
            rows.push([NEW; 256]);
            states.push(state);
            nullable.push(arena.info(state).nullable);
            states.len() as u32 - 1
        })
    }

    pub fn step(&mut self, arena: &mut Arena, row: u32, byte: u8) -> Result<u32> {
        let next = self.rows[row as usize][byte as usize];
        if next != NEW {
            return Ok(next);
        }
        let from = self.states[row as usize];
        let state = arena.derive(from, byte)?;
        let (low, high) = arena.cuts(from).interval(byte);
        let next = if state == EMPTY { NOWHERE } else { self.row(arena, state) };
        self.rows[row as usize][low as usize..=high as usize].fill(next);
        Ok(next)
    }
}

impl Arena {
    fn is_wide(&mut self, state: TermId) -> Result<bool> {
        Ok(self.live_bytes(state)?.intersection(&ByteSet::range(0, 0x7f)).len() >= WIDE_CLASS)
    }

    /// Where the characters beyond ASCII lead, if all of them may come and no other bytes do.
    fn beyond_ascii(&mut self, head: TermId) -> Result<Option<Vec<TermId>>> {
        if self.any_character(head) {
            let text = self.derive(head, 0xc2)?;
            return Ok(Some(vec![self.derive(text, 0x80)?]));
        }
        // (lead bytes, second bytes, bytes after them) of well-formed UTF-8 (Unicode 15, table 3-7).
        const SHAPES: [(u8, u8, u8, u8, usize); 8] = [
            (0xc2, 0xdf, 0x80, 0xbf, 0),
            (0xe0, 0xe0, 0xa0, 0xbf, 1),
            (0xe1, 0xec, 0x80, 0xbf, 1),
            (0xed, 0xed, 0x80, 0x9f, 1),
            (0xee, 0xef, 0x80, 0xbf, 1),
            (0xf0, 0xf0, 0x90, 0xbf, 2),
            (0xf1, 0xf3, 0x80, 0xbf, 2),
            (0xf4, 0xf4, 0x80, 0x8f, 2),
        ];
        if !self.lead_nowhere(head, 0x80, 0xc1)? || !self.lead_nowhere(head, 0xf5, 0xff)? {
            return Ok(None);
        }
        let mut targets = Vec::new();
        for (low, high, second_low, second_high, rest) in SHAPES {
            let Some(mut layer) = self.all_of(&[head], low, high)? else { return Ok(None) };
            for depth in 0..=rest {
                let (low, high) = if depth == 0 { (second_low, second_high) } else { (0x80, 0xbf) };
                for &state in &layer {
                    let outside = low == 0 || self.lead_nowhere(state, 0, low - 1)?;
                    if !outside || !self.lead_nowhere(state, high + 1, 0xff)? {
                        return Ok(None);
                    }
                }
                match self.all_of(&layer, low, high)? {
                    Some(next) if next.len() <= MOST_STATES => layer = next,
                    _ => return Ok(None),
                }
            }
            targets.extend(layer);
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(Some(targets))
    }

    /// The states that the bytes lead to, if each of them leads somewhere.
    fn all_of(&mut self, states: &[TermId], low: u8, high: u8) -> Result<Option<Vec<TermId>>> {
        let mut targets = Vec::new();
        for &state in states {
            let cuts = self.cuts(state);
            let mut byte = low;
            loop {
                let target = self.derive(state, byte)?;
                if target == EMPTY {
                    return Ok(None);
                }
                targets.push(target);
                match cuts.interval(byte).1.checked_add(1).filter(|&next| next <= high) {
                    Some(next) => byte = next,
                    None => break,
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(Some(targets))
    }

    fn lead_nowhere(&mut self, state: TermId, low: u8, high: u8) -> Result<bool> {
        let moves = self.moves(state)?;
        Ok(moves.iter().all(|&(from, to, _)| to < low || from > high))
    }
}
