//! Frame → a superset of the bytes that may come after a return to it: FOLLOW sets (Aho, Sethi, Ullman 1986, section
//! 4.4).
//!
//! A token usually fails right after a head ends. These sets show that without computing the remaining keys and values.

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::bytes::byteset::ByteSet;
use crate::grammar::rules::First;
use crate::regular::id::RuleId;
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashMap;

/// Frames of nullable members are followed this deep; below, every byte counts as possible.
const MAX_FRAME_DEPTH: u32 = 32;

#[derive(Default)]
pub(crate) struct FollowBytes {
    /// By frame: 0 if unknown, otherwise the index in `sets` plus one.
    frames: Vec<u32>,
    rules: FxHashMap<RuleId, ByteSet>,
    /// The distinct sets. Grammars have few.
    sets: Vec<ByteSet>,
}

impl Machine {
    /// A superset of the bytes that may come after `head` has ended in `frame`.
    pub(crate) fn follow_bytes(&mut self, head: TermId, frame: FrameId) -> ByteSet {
        match *self.arena.term(head) {
            Term::KeyDone { object, .. } | Term::KeyExtra { object, .. } => {
                let colon = self.arena.registers.objects[object.index()].colon;
                self.first_of(&[colon])
            }
            _ => self.frame_follow_bytes(frame, MAX_FRAME_DEPTH),
        }
    }

    fn frame_follow_bytes(&mut self, frame: FrameId, depth: u32) -> ByteSet {
        let index = frame.index();
        if let Some(&known @ 1..) = self.follow_bytes.frames.get(index) {
            return self.follow_bytes.sets[known as usize - 1];
        }
        if frame == BOTTOM {
            return ByteSet::EMPTY;
        }
        if depth == 0 {
            return ByteSet::FULL;
        }
        let mut bytes = ByteSet::EMPTY;
        for at in 0..self.members(frame).len() {
            let (term, parent) = self.members(frame)[at];
            bytes = bytes.union(&self.term_first_bytes(term));
            if self.rules().is_nullable(&self.arena, term) {
                bytes = bytes.union(&self.frame_follow_bytes(parent, depth - 1));
            }
        }
        if self.follow_bytes.frames.len() <= index {
            let more = (index | 63) + 1 - self.follow_bytes.frames.len();
            self.arena.budget.grow(more * size_of::<u32>());
            self.follow_bytes.frames.resize((index | 63) + 1, 0);
        }
        let known = self.follow_bytes.sets.iter().position(|&set| set == bytes).unwrap_or_else(|| {
            self.arena.budget.grow(size_of::<ByteSet>());
            self.follow_bytes.sets.push(bytes);
            self.follow_bytes.sets.len() - 1
        });
        self.follow_bytes.frames[index] = known as u32 + 1;
        bytes
    }

    fn term_first_bytes(&mut self, mut id: TermId) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        while let Term::Seq(left, right) = *self.arena.term(id) {
            bytes = bytes.union(&self.term_first_bytes(left));
            if !self.rules().is_nullable(&self.arena, left) {
                return bytes;
            }
            id = right;
        }
        let more = match *self.arena.term(id) {
            Term::Alt(ref parts) if self.arena.info(id).structural => {
                let parts = parts.clone();
                parts.iter().fold(ByteSet::EMPTY, |all, &part| all.union(&self.term_first_bytes(part)))
            }
            Term::Repeat { body, .. } if self.arena.info(id).structural => self.term_first_bytes(body),
            Term::Call(rule) => self.rule_first_bytes(rule),
            Term::Special(_) => ByteSet::EMPTY,
            Term::Unique(array) => {
                let spec = self.arena.registers.uniques[array.index()].clone();
                self.first_of(&[spec.open, spec.empty])
            }
            Term::UniqueNext { array, .. } | Term::UniqueEnd { array, .. } => {
                let spec = self.arena.registers.uniques[array.index()].clone();
                self.first_of(&[spec.comma, spec.close])
            }
            Term::UniqueItem { array, state } => {
                let spec = self.arena.registers.uniques[array.index()].clone();
                let at = self.arena.registers.unique_states[state.index()].at;
                let items: Vec<TermId> = spec.steps[at as usize].iter().map(|&(item, _)| item).collect();
                self.first_of(&items)
            }
            Term::Object(object) => {
                let spec = &self.arena.registers.objects[object.index()];
                let terms = [spec.open, spec.empty];
                self.first_of(&terms)
            }
            Term::ObjectNext { object, .. } => {
                let spec = &self.arena.registers.objects[object.index()];
                let terms = [spec.comma, spec.close];
                self.first_of(&terms)
            }
            Term::ObjectKey { .. } => ByteSet::range(b'"', b'"'),
            _ => self.arena.first_bytes(id),
        };
        bytes.union(&more)
    }

    /// A superset of the first bytes of these terms; every byte if one of them is nullable.
    pub(crate) fn first_of(&mut self, terms: &[TermId]) -> ByteSet {
        terms.iter().fold(ByteSet::EMPTY, |all, &term| match self.rules().is_nullable(&self.arena, term) {
            true => ByteSet::FULL,
            false => all.union(&self.term_first_bytes(term)),
        })
    }

    fn rule_first_bytes(&mut self, rule: RuleId) -> ByteSet {
        if let Some(&known) = self.follow_bytes.rules.get(&rule) {
            return known;
        }
        let mut bytes = ByteSet::EMPTY;
        for entry in self.rules().entries(rule).iter() {
            let more = match entry.first {
                First::Head(head) => self.arena.first_bytes(head),
                // No rule begins with itself: left recursion was removed.
                First::Call(callee) => self.rule_first_bytes(callee),
                First::Special(_) => ByteSet::EMPTY,
                First::Replay | First::Unique(_) => ByteSet::FULL,
            };
            bytes = bytes.union(&more);
        }
        self.arena.budget.grow(48);
        self.follow_bytes.rules.insert(rule, bytes);
        bytes
    }
}
