//! Heads that keep reading: their tokens come from an index of the vocabulary instead of a walk.

use crate::byteset::ByteSet;
use crate::error::Result;
use crate::local::{Part, Reach};
use crate::term::{Arena, Spelling, Term, TermId, EMPTY, MANY};
use crate::vocabulary::{Class, Vocabulary};
use rustc_hash::FxHashMap;

/// A class of fewer ASCII bytes is walked: it keeps too little of the vocabulary inside.
pub(crate) const WIDE_CLASS: u32 = 20;

/// States that differ in a count only: one class of characters leads from each to the next, at last perhaps to itself.
pub(crate) struct Chain {
    states: Vec<TermId>,
    pub(crate) class: Class,
    loops: bool,
}

impl Chain {
    pub(crate) fn of(arena: &mut Arena, head: TermId, longest: u32) -> Result<Option<Chain>> {
        let Some((mut next, class)) = majority(arena, head)? else { return Ok(None) };
        let Some(sample) = class.iter().next() else { return Ok(None) };
        if !arena.lead_nowhere(head, 0x80, 0xbf)? {
            return Ok(None);
        }
        let class = Class::new(class.ascii(), arena.leads_onto(head, next)?);
        let mut chain = Chain { states: vec![head], class, loops: false };
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
            if arena.bytes_onto(next, after)?.ascii() != chain.class.ascii()
                || arena.leads_onto(next, after)? != chain.class.leads()
                || !arena.lead_nowhere(next, 0x80, 0xbf)?
            {
                return Ok(None);
            }
            next = after;
        }
        chain.loops = true;
        Ok(Some(chain))
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

    /// Whether a character of no use to it leads to another state that reads much.
    pub(crate) fn opens(&self, arena: &mut Arena) -> Result<bool> {
        if !self.loops {
            return Ok(false);
        }
        for state in [self.states[0], self.states[self.states.len() - 1]] {
            for (low, high, target) in arena.moves(state)? {
                if high < 0x80 && !self.class.contains(low) && arena.is_wide(target)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    pub(crate) fn reach(&self, arena: &mut Arena, vocabulary: &Vocabulary) -> Result<Reach> {
        let mut reach = Reach::of(vocabulary);
        if self.states.iter().any(|&state| arena.info(state).nullable) {
            // Ends between any two characters: every inner node is an exit, and a walk is no dearer.
            reach.walk(arena, &vocabulary.trie, 0, self.states[0])?;
            return Ok(reach);
        }
        let last = self.states.len() as u32 - 1;
        let within = (!self.loops && last < vocabulary.longest).then(|| vocabulary.at_most(last));
        reach.dense = Some(Part { bits: vocabulary.class(self.class), within });
        let mut live = ByteSet::EMPTY;
        for &state in &self.states {
            live = live.union(&arena.live_bytes(state)?);
        }
        let mut live = ByteSet::of(live.iter().filter(|&byte| !self.class.contains(byte)));
        if !self.loops {
            // Beyond the last count even the class's own bytes may mean something else.
            let end = self.states[last as usize];
            for byte in 0..0x80u8 {
                if self.class.contains(byte) && arena.derive(end, byte)? != EMPTY {
                    live.insert(byte);
                }
            }
        }
        for byte in live.iter() {
            let inner = self.class.contains(byte);
            for place in vocabulary.occurrences(byte) {
                if !place.before.is_within(self.class) || inner && u32::from(place.chars) != last {
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

impl Arena {
    /// A JSON string of at most so many characters of one kind, any characters say: the same without end, and how many.
    pub(crate) fn counted(&mut self, head: TermId) -> Result<Option<(TermId, u32)>> {
        let Term::Quoted { text, state: state @ Spelling::Body, free } = *self.term(head) else { return Ok(None) };
        let (endless, most) = match *self.term(text) {
            Term::Bounded { body, min: 0, max } => (body, max),
            Term::Repeat { body, min: 0, max } if max != MANY => (self.repeat(body, 0, MANY)?, max),
            _ => return Ok(None),
        };
        let Term::Repeat { body: one, min: 0, max: MANY } = *self.term(endless) else { return Ok(None) };
        if (self.info(one).min_chars, self.info(one).max_chars) != (1, 1) {
            return Ok(None);
        }
        Ok(Some((self.quoted_state(endless, state, free)?, most)))
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
