//! A state → where characters lead from it: those of ASCII one by one, those beyond by their first bytes.

use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::RAW;
use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{TermId, EMPTY};
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// A class of fewer ASCII bytes is walked: it keeps too little of the vocabulary inside.
pub(crate) const WIDE_CLASS: u32 = 20;

/// More states are a count, or a pattern that tells every text from every other.
pub(crate) const MOST_STATES: usize = 96;

/// (lead bytes, second bytes, bytes after them) of well-formed UTF-8 (Unicode 15, table 3-7).
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

/// Those lead bytes, as bits from 0xc0 on.
pub(crate) const ALL_LEADS: u64 = (1 << 0x35) - 4;

/// The states that some bytes lead to.
type Targets = SmallVec<[TermId; 2]>;

/// Leads of which every character may come and nothing else, and where those lead to.
type Leads = SmallVec<[(u64, Targets); 8]>;

/// What characters beyond ASCII do to some states: whatever these are, the bytes after a lead often mean the same.
#[derive(Default)]
pub(crate) struct Beyond {
    states: FxHashMap<TermId, Arc<Leads>>,
    /// By the state after a lead and the lead's place among the shapes.
    after: FxHashMap<(TermId, usize), Option<Targets>>,
}

impl Beyond {
    pub fn of(&mut self, arena: &mut Arena, state: TermId) -> Result<Arc<Leads>> {
        if let Some(known) = self.states.get(&state) {
            return Ok(known.clone());
        }
        let found = Arc::new(self.found(arena, state)?);
        self.states.insert(state, found.clone());
        Ok(found)
    }

    fn found(&mut self, arena: &mut Arena, state: TermId) -> Result<Leads> {
        let mut found = Leads::new();
        if let Some(next) = arena.any_next(state)? {
            found.push((ALL_LEADS, smallvec![next]));
            return Ok(found);
        }
        if !arena.first_bytes(state).meets(0xc2, 0xf4) {
            return Ok(found);
        }
        let cuts = arena.cuts(state);
        for (place, &(low, high, ..)) in SHAPES.iter().enumerate() {
            let mut lead = low;
            loop {
                let last = cuts.interval(lead).1.min(high);
                let inner = arena.derive(state, lead)?;
                if let Some(targets) = self.after(arena, inner, place)? {
                    let leads = (lead..=last).fold(0, |leads, byte| leads | 1 << (byte - 0xc0));
                    found.push((leads, targets));
                }
                if last == high {
                    break;
                }
                lead = last + 1;
            }
        }
        Ok(found)
    }

    fn after(&mut self, arena: &mut Arena, inner: TermId, place: usize) -> Result<Option<Targets>> {
        if inner == EMPTY {
            return Ok(None);
        }
        if let Some(known) = self.after.get(&(inner, place)) {
            return Ok(known.clone());
        }
        let (_, _, second_low, second_high, rest) = SHAPES[place];
        let mut layer = Some(smallvec![inner]);
        for depth in 0..=rest {
            let (low, high) = if depth == 0 { (second_low, second_high) } else { (0x80, 0xbf) };
            let Some(states) = layer.take() else { break };
            layer = arena.after_each(&states, low, high)?.filter(|next| next.len() <= MOST_STATES);
        }
        self.after.insert((inner, place), layer.clone());
        Ok(layer)
    }
}

impl Arena {
    /// Where the ASCII bytes lead.
    pub(crate) fn targets(&mut self, state: TermId) -> Result<SmallVec<[(TermId, ByteSet); 8]>> {
        let mut targets: SmallVec<[(TermId, ByteSet); 8]> = SmallVec::new();
        for (low, high, target) in self.moves_up_to(state, 0x7f)? {
            let bytes = ByteSet::range(low, high.min(0x7f));
            match targets.iter_mut().find(|(other, _)| *other == target) {
                Some((_, all)) => *all = all.union(&bytes),
                None => targets.push((target, bytes)),
            }
        }
        Ok(targets)
    }

    pub(crate) fn is_wide(&mut self, state: TermId) -> Result<bool> {
        if self.first_bytes(state).intersection(&ByteSet::range(0, 0x7f)).len() < WIDE_CLASS {
            return Ok(false);
        }
        Ok(self.live_ascii(state)?.len() >= WIDE_CLASS)
    }

    /// The ASCII bytes that may come.
    pub(crate) fn live_ascii(&mut self, state: TermId) -> Result<ByteSet> {
        let ascii = ByteSet::range(0, 0x7f);
        if self.any_next(state)?.is_some() {
            return Ok(self.live_bytes(state)?.intersection(&ascii));
        }
        let moves = self.moves_up_to(state, 0x7f)?;
        let live = moves.iter().fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high)));
        Ok(live.intersection(&ascii))
    }

    /// The leads all of whose characters lead to the one state.
    pub(crate) fn leads_onto(&mut self, head: TermId, onto: TermId) -> Result<u64> {
        let beyond = Beyond::default().of(self, head)?;
        let onto = beyond.iter().filter(|(_, targets)| targets[..] == [onto]);
        Ok(onto.fold(0, |all, (leads, _)| all | leads))
    }

    /// The states that the bytes lead to, if each of them leads somewhere, and no other byte does.
    fn after_each(&mut self, states: &[TermId], low: u8, high: u8) -> Result<Option<Targets>> {
        let mut targets = Targets::new();
        for &state in states {
            let mut next = Some(low);
            for (from, to, target) in self.moves(state)? {
                if next != Some(from) || to > high {
                    return Ok(None);
                }
                next = to.checked_add(1);
                targets.push(target);
            }
            if next != high.checked_add(1) {
                return Ok(None);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(Some(targets))
    }

    pub(crate) fn lead_nowhere(&mut self, state: TermId, low: u8, high: u8) -> Result<bool> {
        if (low, high) == (0x80, 0xbf) && self.any_next(state)?.is_some() {
            return Ok(true);
        }
        if !self.first_bytes(state).meets(low, high) {
            return Ok(true);
        }
        let cuts = self.cuts(state);
        let mut byte = low;
        loop {
            if self.derive(state, byte)? != EMPTY {
                return Ok(false);
            }
            match cuts.interval(byte).1 {
                last if last >= high => return Ok(true),
                last => byte = last + 1,
            }
        }
    }
}

/// Where most ASCII bytes lead, and which they are.
pub(crate) fn majority(arena: &mut Arena, head: TermId) -> Result<Option<(TermId, ByteSet)>> {
    if let Some(next) = arena.any_next(head)? {
        return Ok(Some((next, RAW)));
    }
    let targets = arena.targets(head)?;
    let most = targets.into_iter().max_by_key(|&(target, set)| (set.len(), std::cmp::Reverse(target)));
    Ok(most.filter(|(_, set)| set.len() >= WIDE_CLASS))
}
