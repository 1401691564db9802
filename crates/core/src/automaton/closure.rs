//! Terms with frames → everything that can begin there: heads, special tokens, or the end of the text.
//!
//! The closure follows items until only heads and calls are left. Calls are grouped by rule and entered in an order in
//! which callers come before callees. So ambiguity costs polynomial, not exponential, space.

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::automaton::position::{Items, Position, Register};
use crate::error::Result;
use crate::grammar::rules::{Entry, First};
use crate::json::object::ObjectParts;
use crate::regular::id::RuleId;
use crate::regular::term::{Term, TermId, EPSILON};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps of the budget per item that is followed, and per call: about 0.4 µs.
const STEPS_PER_ITEM: u64 = 8;

/// The state of one closure: the position found so far, and what is still to be entered.
#[derive(Default)]
pub(crate) struct Closure {
    pub(crate) position: Position,
    calls: BTreeMap<u32, (RuleId, SmallVec<[FrameId; 2]>)>,
    seen: FxHashSet<(TermId, FrameId)>,
    /// Whether the register changed the result. If not, the result may be cached for all registers.
    pub(crate) uses_register: bool,
    /// Objects and arrays of unique items that begin here and are not yet expanded.
    opened: Items,
}

impl Machine {
    fn entries_of(&mut self, id: TermId) -> Result<Arc<Vec<Entry>>> {
        if let Some(entries) = self.firsts.get(&id) {
            return Ok(entries.clone());
        }
        let entries = Arc::new(self.rules.first(&mut self.arena, id)?);
        self.arena.budget.grow(48 + entries.len() * size_of::<Entry>());
        self.firsts.insert(id, entries.clone());
        Ok(entries)
    }

    /// The position that begins with these items, and whether the register changed the result.
    pub(crate) fn closure(&mut self, items: &[(TermId, FrameId)], register: Register) -> Result<(Position, bool)> {
        let position = Position { register, ..Position::default() };
        let mut closure = Closure { position, ..Closure::default() };
        self.expand_items(items, &mut closure)?;
        self.enter_calls(closure)
    }

    /// Follows items until only heads and calls are left. A nullable item also returns to its frame.
    fn expand_items(&mut self, items: &[(TermId, FrameId)], closure: &mut Closure) -> Result<()> {
        let mut work = Items::from_slice(items);
        while let Some((term, frame)) = work.pop() {
            if !closure.seen.insert((term, frame)) {
                continue;
            }
            self.arena.spend(STEPS_PER_ITEM)?;
            if let Term::Unique(_) | Term::UniqueItem { .. } | Term::UniqueEnd { .. } | Term::UniqueNext { .. } =
                self.arena.term(term)
            {
                self.expand(term, frame, &mut work, closure)?;
                continue;
            }
            if self.open_object(term, frame, &mut work, closure)? {
                continue;
            }
            if self.rules.is_nullable(&self.arena, term) {
                if frame == BOTTOM {
                    closure.position.accepting = true;
                } else {
                    work.extend_from_slice(self.frames.members(frame));
                }
            }
            if let Some((head, rest)) = self.rules.direct_first(&self.arena, term) {
                let frame = rest.map_or(frame, |rest| self.frames.intern(&mut self.arena, &[(rest, frame)]));
                closure.position.heads.push((head, frame));
                continue;
            }
            let entries = self.entries_of(term)?;
            self.add_entries(&entries, frame, closure);
            work.append(&mut closure.opened);
        }
        Ok(())
    }

    /// Expands an object between its members. Every object state occurs once, so caching its `Rules::first` would be
    /// useless. Returns false if the term is no such object.
    fn open_object(&mut self, term: TermId, frame: FrameId, work: &mut Items, closure: &mut Closure) -> Result<bool> {
        match *self.arena.term(term) {
            Term::Object(_) | Term::ObjectNext { .. } => {
                let ObjectParts { end, next } = self.arena.object_parts(term)?;
                if let Some((before, key)) = next {
                    work.push(match before {
                        EPSILON => (key, frame),
                        _ => (before, self.frames.intern(&mut self.arena, &[(key, frame)])),
                    });
                }
                work.extend(end.map(|end| (end, frame)));
            }
            Term::ObjectKey { object, state } => {
                if self.arena.needs_key_replay(object, state)? {
                    closure.position.needs_replay = true;
                    return Ok(true);
                }
                for (head, follow) in self.arena.key_heads(object, state)? {
                    let frame = follow.map_or(frame, |follow| self.frames.intern(&mut self.arena, &[(follow, frame)]));
                    closure.position.heads.push((head, frame));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn add_entries(&mut self, entries: &[Entry], frame: FrameId, closure: &mut Closure) {
        for entry in entries {
            let frame = self.frames.push(&mut self.arena, &entry.rest, frame);
            match entry.first {
                First::Head(head) => closure.position.heads.push((head, frame)),
                First::Special(special) => closure.position.specials.push((special, frame)),
                First::Open(term) => closure.opened.push((term, frame)),
                First::Call(rule) => {
                    let place = self.rules.order[rule.index()];
                    closure.calls.entry(place).or_insert_with(|| (rule, SmallVec::new())).1.push(frame);
                }
            }
        }
    }

    /// Enters the called rules, callers before callees, each once. Then merges the frames of equal heads.
    fn enter_calls(&mut self, mut closure: Closure) -> Result<(Position, bool)> {
        while let Some((_, (rule, frames))) = closure.calls.pop_first() {
            self.arena.spend(STEPS_PER_ITEM * frames.len() as u64)?;
            let frame = self.frames.union(&mut self.arena, &frames)?;
            let entries = self.rules.entries(rule);
            self.add_entries(&entries, frame, &mut closure);
            let opened = std::mem::take(&mut closure.opened);
            if !opened.is_empty() {
                self.expand_items(&opened, &mut closure)?;
            }
        }
        let Closure { mut position, uses_register, .. } = closure;
        position.heads = self.frames.merge(&mut self.arena, position.heads)?;
        position.specials = self.frames.merge(&mut self.arena, position.specials)?;
        self.update_register(&mut position);
        Ok((position, uses_register))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{accepts, after, alt, machine, rule, seq};
    use crate::builder::Builder;

    fn literals<const N: usize>(builder: &mut Builder, texts: [&str; N]) -> [TermId; N] {
        texts.map(|text| builder.literal(text.as_bytes()).unwrap())
    }

    /// The bytes that may come at the start, whether the text may end there, and the heads.
    fn start(machine: &mut Machine) -> (String, bool, usize) {
        let position = machine.position(machine.start).clone();
        let mut first: Vec<u8> = Vec::new();
        for &(head, _) in &position.heads {
            first.extend(machine.arena.first_bytes(head).iter());
        }
        first.sort_unstable();
        (String::from_utf8(first).unwrap(), position.accepting, position.heads.len())
    }

    #[test]
    fn a_rule_that_several_callers_call_is_entered_once() {
        let mut machine = machine(|builder| {
            let [b, x, y, z] = literals(builder, ["b", "x", "y", "z"]);
            let called = rule(builder, "called", |builder, _| seq(builder, &[b, z]));
            let caller = rule(builder, "caller", |builder, _| seq(builder, &[called, y]));
            let (direct, through) = (seq(builder, &[called, x]), seq(builder, &[caller, x]));
            alt(builder, &[direct, through])
        });
        assert_eq!(start(&mut machine), ("b".into(), false, 1));
        let id = after(&mut machine, b"bz");
        assert_eq!(machine.position(id).heads.len(), 2, "the callers go on apart");
        for (text, ends) in [(&b"bzx"[..], true), (b"bzyx", true), (b"bzy", false), (b"bzxx", false)] {
            assert_eq!(accepts(&mut machine, text), ends, "{text:?}");
        }
    }
}
