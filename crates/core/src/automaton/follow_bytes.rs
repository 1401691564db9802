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

/// The sets that were found, for the frames and rules of one machine.
#[derive(Default)]
pub struct FollowBytes {
    /// By frame: 0 if unknown, otherwise the index in `sets` plus one.
    frames: Vec<u32>,
    rules: FxHashMap<RuleId, ByteSet>,
    /// The distinct sets. Grammars have few.
    sets: Vec<ByteSet>,
}

impl FollowBytes {
    /// A superset of the bytes that may come after `head` has ended in `frame`.
    pub(crate) fn after(&mut self, machine: &mut Machine, head: TermId, frame: FrameId) -> ByteSet {
        match *machine.arena.term(head) {
            Term::KeyDone { object, .. } | Term::KeyExtra { object, .. } => {
                let colon = machine.arena.registers.objects[object.index()].colon;
                self.first_of(machine, &[colon])
            }
            _ => self.frame_follow_bytes(machine, frame, MAX_FRAME_DEPTH),
        }
    }

    fn frame_follow_bytes(&mut self, machine: &mut Machine, frame: FrameId, depth: u32) -> ByteSet {
        let index = frame.index();
        if let Some(&known @ 1..) = self.frames.get(index) {
            return self.sets[known as usize - 1];
        }
        if frame == BOTTOM {
            return ByteSet::EMPTY;
        }
        if depth == 0 {
            return ByteSet::FULL;
        }
        let mut bytes = ByteSet::EMPTY;
        for at in 0..machine.members(frame).len() {
            let (term, parent) = machine.members(frame)[at];
            bytes = bytes.union(&self.term_first_bytes(machine, term));
            if machine.rules().is_nullable(&machine.arena, term) {
                bytes = bytes.union(&self.frame_follow_bytes(machine, parent, depth - 1));
            }
        }
        if self.frames.len() <= index {
            let more = (index | 63) + 1 - self.frames.len();
            machine.arena.budget.grow(more * size_of::<u32>());
            self.frames.resize((index | 63) + 1, 0);
        }
        let known = self.sets.iter().position(|&set| set == bytes).unwrap_or_else(|| {
            machine.arena.budget.grow(size_of::<ByteSet>());
            self.sets.push(bytes);
            self.sets.len() - 1
        });
        self.frames[index] = known as u32 + 1;
        bytes
    }

    fn term_first_bytes(&mut self, machine: &mut Machine, mut id: TermId) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        while let Term::Seq(left, right) = *machine.arena.term(id) {
            bytes = bytes.union(&self.term_first_bytes(machine, left));
            if !machine.rules().is_nullable(&machine.arena, left) {
                return bytes;
            }
            id = right;
        }
        let more = match *machine.arena.term(id) {
            Term::Alt(ref parts) if machine.arena.info(id).structural => {
                let parts = parts.clone();
                parts.iter().fold(ByteSet::EMPTY, |all, &part| all.union(&self.term_first_bytes(machine, part)))
            }
            Term::Repeat { body, .. } if machine.arena.info(id).structural => self.term_first_bytes(machine, body),
            Term::Call(rule) => self.rule_first_bytes(machine, rule),
            Term::Special(_) => ByteSet::EMPTY,
            Term::Unique(array) => {
                let spec = machine.arena.registers.uniques[array.index()].clone();
                self.first_of(machine, &[spec.open, spec.empty])
            }
            Term::UniqueNext { array, .. } | Term::UniqueEnd { array, .. } => {
                let spec = machine.arena.registers.uniques[array.index()].clone();
                self.first_of(machine, &[spec.comma, spec.close])
            }
            Term::UniqueItem { array, state } => {
                let spec = machine.arena.registers.uniques[array.index()].clone();
                let at = machine.arena.registers.unique_states[state.index()].at;
                let items: Vec<TermId> = spec.steps[at as usize].iter().map(|&(item, _)| item).collect();
                self.first_of(machine, &items)
            }
            Term::Object(object) => {
                let spec = &machine.arena.registers.objects[object.index()];
                let terms = [spec.open, spec.empty];
                self.first_of(machine, &terms)
            }
            Term::ObjectNext { object, .. } => {
                let spec = &machine.arena.registers.objects[object.index()];
                let terms = [spec.comma, spec.close];
                self.first_of(machine, &terms)
            }
            Term::ObjectKey { .. } => ByteSet::range(b'"', b'"'),
            _ => machine.arena.first_bytes(id),
        };
        bytes.union(&more)
    }

    /// A superset of the first bytes of these terms; every byte if one of them is nullable.
    pub(crate) fn first_of(&mut self, machine: &mut Machine, terms: &[TermId]) -> ByteSet {
        terms.iter().fold(ByteSet::EMPTY, |all, &term| match machine.rules().is_nullable(&machine.arena, term) {
            true => ByteSet::FULL,
            false => all.union(&self.term_first_bytes(machine, term)),
        })
    }

    fn rule_first_bytes(&mut self, machine: &mut Machine, rule: RuleId) -> ByteSet {
        if let Some(&known) = self.rules.get(&rule) {
            return known;
        }
        let mut bytes = ByteSet::EMPTY;
        for entry in machine.rules().entries(rule).iter() {
            let more = match entry.first {
                First::Head(head) => machine.arena.first_bytes(head),
                // No rule begins with itself: left recursion was removed.
                First::Call(callee) => self.rule_first_bytes(machine, callee),
                First::Special(_) => ByteSet::EMPTY,
                First::Open(term) => self.term_first_bytes(machine, term),
            };
            bytes = bytes.union(&more);
        }
        machine.arena.budget.grow(48);
        self.rules.insert(rule, bytes);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, alt, machine, only_head, rule, seq};
    use crate::builder::Builder;

    use crate::regular::term::EPSILON;

    fn shown(set: ByteSet) -> String {
        set.iter().map(char::from).collect()
    }

    /// The bytes that may follow the only head after a text.
    fn follow(machine: &mut Machine, text: &str) -> String {
        let id = after(machine, text.as_bytes());
        let (head, frame) = only_head(machine, id);
        shown(FollowBytes::default().after(machine, head, frame))
    }

    fn literal(builder: &mut Builder, text: &str) -> TermId {
        builder.literal(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_follows_a_head_is_the_start_of_what_its_frame_goes_on_with() {
        let mut machine = machine(|builder| {
            let [ab, x, yz] = ["ab", "x", "yz"].map(|text| literal(builder, text));
            let next = rule(builder, "next", |builder, _| alt(builder, &[x, yz]));
            seq(builder, &[ab, next])
        });
        assert_eq!(follow(&mut machine, "a"), "xy");
        assert_eq!(follow(&mut machine, "aby"), "", "the end of the text follows");
    }

    #[test]
    fn frames_below_the_greatest_depth_let_every_byte_follow() {
        let mut machine = machine(|builder| {
            let [open, close, a, d] = ["(", ")", "ax", "d"].map(|text| literal(builder, text));
            let nested = rule(builder, "nested", |builder, nested| {
                let closes = rule(builder, "closes", |builder, _| alt(builder, &[EPSILON, close]));
                let deeper = seq(builder, &[open, nested, closes]);
                alt(builder, &[deeper, a])
            });
            seq(builder, &[nested, d])
        });
        for (depth, expected) in [(MAX_FRAME_DEPTH - 1, ")d".into()), (MAX_FRAME_DEPTH, shown(ByteSet::FULL))] {
            let text = "(".repeat(depth as usize) + "a";
            assert_eq!(follow(&mut machine, &text), expected, "{depth} deep");
        }
    }
}
