//! Heads that keep reading: their tokens come from an index of the vocabulary instead of a walk.

use crate::byteset::ByteSet;
use crate::error::Result;
use crate::local::{Part, Reach};
use crate::term::{Arena, TermId, EMPTY};
use crate::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;

/// A class of fewer ASCII bytes is walked: its subtries are small.
const WIDE_CLASS: u32 = 20;

/// States that differ in a count only: one class of characters leads from each to the next, at last perhaps to itself.
pub(crate) struct Chain {
    states: Vec<TermId>,
    class: u128,
    wide: bool,
    loops: bool,
}

impl Chain {
    pub(crate) fn of(arena: &mut Arena, head: TermId, longest: u32) -> Result<Option<Chain>> {
        let Some((mut next, class)) = majority(arena, head)? else { return Ok(None) };
        let Some(sample) = class.iter().next() else { return Ok(None) };
        let wide = Self::wide_onto(arena, head, next)?;
        if !wide && !Self::dead_outside(arena, head, 0..=0x7f, 0xc0..=0xff)? {
            return Ok(None);
        }
        let mut chain = Chain { states: vec![head], class: class.ascii(), wide, loops: false };
        while chain.states.len() <= longest as usize + 1 {
            let state = chain.states[chain.states.len() - 1];
            if next == state {
                chain.loops = true;
                return Ok(Some(chain));
            }
            chain.states.push(next);
            let after = arena.derive(next, sample)?;
            if after == EMPTY {
                // The count is used up. What else the last state allows is walked place by place: it must be little.
                let live = arena.live_bytes(next)?;
                let ascii = live.intersection(&ByteSet::range(0, 0x7f)).len();
                return Ok((ascii < WIDE_CLASS && ascii == live.len()).then_some(chain));
            }
            if arena.bytes_onto(next, after)?.ascii() != chain.class
                || Self::wide_onto(arena, next, after)? != chain.wide
                || !chain.wide && !Self::dead_outside(arena, next, 0..=0x7f, 0xc0..=0xff)?
            {
                return Ok(None);
            }
            next = after;
        }
        chain.loops = true;
        Ok(Some(chain))
    }

    /// Whether every character beyond ASCII leads from `head` to `onto`, and nothing that is no character does.
    fn wide_onto(arena: &mut Arena, head: TermId, onto: TermId) -> Result<bool> {
        if arena.any_character(head) {
            return Ok(true);
        }
        let mut state = [EMPTY; 4];
        if !Self::dead_outside(arena, head, 0..=0x7f, 0xc2..=0xf4)? {
            return Ok(false);
        }
        for (leads, seconds, rest) in [
            (0xc2..=0xdfu8, 0x80..=0xbfu8, 0),
            (0xe0..=0xe0, 0xa0..=0xbf, 1),
            (0xe1..=0xec, 0x80..=0xbf, 1),
            (0xed..=0xed, 0x80..=0x9f, 1),
            (0xee..=0xef, 0x80..=0xbf, 1),
            (0xf0..=0xf0, 0x90..=0xbf, 2),
            (0xf1..=0xf3, 0x80..=0xbf, 2),
            (0xf4..=0xf4, 0x80..=0x8f, 2),
        ] {
            let Some(first) = Self::uniform(arena, head, leads)? else { return Ok(false) };
            let Some(second) = Self::uniform(arena, first, seconds.clone())? else { return Ok(false) };
            if !Self::dead_outside(arena, first, seconds.clone(), seconds)? {
                return Ok(false);
            }
            state[1] = second;
            for at in 0..rest {
                let Some(next) = Self::uniform(arena, state[1 + at], 0x80..=0xbf)? else { return Ok(false) };
                if !Self::dead_outside(arena, state[1 + at], 0x80..=0xbf, 0x80..=0xbf)? {
                    return Ok(false);
                }
                state[2 + at] = next;
            }
            if state[1 + rest] != onto {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether every byte outside two ranges is refused.
    fn dead_outside(
        arena: &mut Arena,
        head: TermId,
        one: std::ops::RangeInclusive<u8>,
        other: std::ops::RangeInclusive<u8>,
    ) -> Result<bool> {
        let moves = arena.moves(head)?;
        Ok(moves.iter().all(|&(low, high, _)| {
            [&one, &other].iter().any(|range| range.contains(&low) && range.contains(&high))
                || (low..=high).all(|byte| one.contains(&byte) || other.contains(&byte))
        }))
    }

    /// The one state that all these bytes lead to.
    fn uniform(arena: &mut Arena, head: TermId, bytes: std::ops::RangeInclusive<u8>) -> Result<Option<TermId>> {
        let (start, end) = (*bytes.start(), *bytes.end());
        let target = arena.derive(head, start)?;
        if target == EMPTY {
            return Ok(None);
        }
        let cuts = arena.cuts(head);
        let mut byte = start;
        while let Some(next) = cuts.interval(byte).1.checked_add(1).filter(|&next| next <= end) {
            if arena.derive(head, next)? != target {
                return Ok(None);
            }
            byte = next;
        }
        Ok(Some(target))
    }

    fn after(&self, chars: u32) -> Option<TermId> {
        let last = self.states.len() - 1;
        if chars as usize <= last {
            Some(self.states[chars as usize])
        } else {
            self.loops.then(|| self.states[last])
        }
    }

    /// Whether it is one state that keeps reading.
    pub(crate) fn is_loop(&self) -> bool {
        self.loops && self.states.len() == 1
    }

    pub(crate) fn reach(&self, arena: &mut Arena, vocabulary: &Vocabulary) -> Result<Reach> {
        let mut reach = Reach::default();
        if self.states.iter().any(|&state| arena.info(state).nullable) {
            // Ends between any two characters: every inner node is an exit, and a walk is no dearer.
            reach.walk(arena, &vocabulary.trie, 0, self.states[0])?;
            return Ok(reach);
        }
        let last = self.states.len() as u32 - 1;
        let within = (!self.loops && last < vocabulary.longest).then(|| vocabulary.at_most(last));
        reach.dense = Some(Part { bits: vocabulary.class(self.class, self.wide), within });
        let mut live = ByteSet::EMPTY;
        for &state in &self.states {
            live = live.union(&arena.live_bytes(state)?);
        }
        let inner = |byte: u8| byte < 0x80 && self.class >> byte & 1 == 1 || byte >= 0x80 && self.wide;
        let mut live = ByteSet::of(live.iter().filter(|&byte| !inner(byte)));
        if !self.loops {
            // Beyond the last count even the class's own bytes may mean something else.
            let end = self.states[last as usize];
            for byte in 0..0x80u8 {
                if self.class >> byte & 1 == 1 && arena.derive(end, byte)? != EMPTY {
                    live.insert(byte);
                }
            }
        }
        for byte in live.iter() {
            let inner = inner(byte);
            for place in vocabulary.occurrences(byte) {
                if place.before & !self.class != 0
                    || place.wide && !self.wide
                    || inner && u32::from(place.chars) != last
                {
                    continue;
                }
                let Some(state) = self.after(u32::from(place.chars)) else { continue };
                let next = arena.derive(state, byte)?;
                if next == EMPTY {
                    continue;
                }
                arena.spend(1)?;
                reach.enter(arena, &vocabulary.trie, place.node, next)?;
            }
        }
        Ok(reach)
    }
}

/// Where most ASCII bytes lead, and which they are.
pub(crate) fn majority(arena: &mut Arena, head: TermId) -> Result<Option<(TermId, ByteSet)>> {
    let mut targets: FxHashMap<TermId, ByteSet> = FxHashMap::default();
    for (low, high, target) in arena.moves(head)?.into_iter().filter(|&(low, ..)| low < 0x80) {
        let set = targets.entry(target).or_default();
        *set = set.union(&ByteSet::range(low, high.min(0x7f)));
    }
    let most = targets.into_iter().max_by_key(|&(target, set)| (set.len(), std::cmp::Reverse(target)));
    Ok(most.filter(|(_, set)| set.len() >= WIDE_CLASS))
}
