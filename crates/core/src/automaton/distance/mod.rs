//! Term or position → a lower bound of the bytes until the end of the text, for `shortest_path`.
//!
//! Rules take the least fixpoint over their entries (Knuth, *A generalization of Dijkstra's algorithm*, 1977). The bound
//! is too low where parts restrict each other: keys and items that may not repeat, marks, and as `regular/distance` says.

mod array;
mod object;
mod term;

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::automaton::position::Position;
use crate::error::Result;
use crate::grammar::rules::First;
use crate::regular::id::{ArrayId, ObjectId, ObjectStateId, RuleId};
use crate::regular::term::{TermId, EMPTY};
use object::{ObjectDistances, RemainingMembers};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The distance where bytes do not suffice: a special token must come.
pub(crate) const NEVER: u64 = u64::MAX;

/// Bytes at which distances saturate. Some grammars have no shorter text than that.
const MAX_DISTANCE: u64 = 1 << 40;

/// The length of a special token in bytes, for distances that count special tokens: about that of other tokens.
pub(crate) const SPECIAL_BYTES: u64 = 4;

/// Steps of the budget per term or frame whose distance is computed.
const STEPS_PER_DISTANCE: u64 = 3;

/// Required items above this number count as this number.
const MAX_ITEMS: u32 = 4_096;

fn sum(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(0, |all, part| match (all, part) {
        (NEVER, _) | (_, NEVER) => NEVER,
        _ => (all + part).min(MAX_DISTANCE),
    })
}

fn product(count: u64, part: u64) -> u64 {
    match part {
        NEVER if count > 0 => NEVER,
        _ => part.saturating_mul(count).min(MAX_DISTANCE),
    }
}

/// A lower bound of `all` minus `part`; `NEVER` stays `NEVER`.
fn difference(all: u64, part: u64) -> u64 {
    if all == NEVER {
        NEVER
    } else {
        all.saturating_sub(part)
    }
}

/// Distances that were found, for the terms and frames of one machine.
pub(crate) struct Distances {
    /// The distance of a special token.
    special: u64,
    rules: Vec<u64>,
    is_complete: bool,
    terms: FxHashMap<TermId, u64>,
    frames: FxHashMap<FrameId, u64>,
    members: FxHashMap<ObjectId, Arc<ObjectDistances>>,
    remaining: FxHashMap<(ObjectId, ObjectStateId), Arc<RemainingMembers>>,
    arrays: FxHashMap<ArrayId, Arc<Vec<Vec<u64>>>>,
}

impl Default for Distances {
    /// Distances of texts without special tokens.
    fn default() -> Self {
        Distances {
            special: NEVER,
            rules: Vec::new(),
            is_complete: false,
            terms: FxHashMap::default(),
            frames: FxHashMap::default(),
            members: FxHashMap::default(),
            remaining: FxHashMap::default(),
            arrays: FxHashMap::default(),
        }
    }
}

impl Distances {
    /// Distances of texts with special tokens, which count as a few bytes each.
    pub(crate) fn with_specials() -> Self {
        Distances { special: SPECIAL_BYTES, ..Distances::default() }
    }

    /// The fewest bytes from a position to the end of a text, as a lower bound.
    pub(crate) fn of_position(&mut self, machine: &mut Machine, position: &Position) -> Result<u64> {
        let mut least = if position.accepting { 0 } else { NEVER };
        for &(_, frame) in &position.specials {
            least = least.min(self.after_special(machine, frame)?);
        }
        for &(head, frame) in &position.heads {
            least = least.min(self.after(machine, head, head, head, frame)?);
        }
        Ok(least)
    }

    /// The fewest bytes to the end where `inner`, the language that a head reads, has become `next`.
    pub(crate) fn after(
        &mut self,
        machine: &mut Machine,
        head: TermId,
        inner: TermId,
        next: TermId,
        frame: FrameId,
    ) -> Result<u64> {
        self.complete(machine)?;
        let own = self.distance(machine, next)?;
        // The continuation of a head that holds its text is part of the head's distance.
        let follow =
            if inner == head { 0 } else { difference(self.distance(machine, head)?, self.distance(machine, inner)?) };
        Ok(sum([own, follow, self.frame_distance(machine, frame)?]))
    }

    /// The fewest bytes to the end by a special token that may come now and returns to `frame`.
    pub(crate) fn after_special(&mut self, machine: &mut Machine, frame: FrameId) -> Result<u64> {
        if self.special == NEVER {
            return Ok(NEVER);
        }
        self.complete(machine)?;
        Ok(sum([self.special, self.frame_distance(machine, frame)?]))
    }

    fn complete(&mut self, machine: &mut Machine) -> Result<()> {
        if self.is_complete {
            return Ok(());
        }
        self.compute_rule_distances(machine)
    }

    fn compute_rule_distances(&mut self, machine: &mut Machine) -> Result<()> {
        let count = machine.rules().count();
        self.rules = vec![NEVER; count];
        // Two rounds pass a chain of rules, whichever way their numbers run.
        let mut is_backward = false;
        loop {
            is_backward = !is_backward;
            let mut changed = false;
            for place in 0..count {
                let rule = RuleId::at(if is_backward { count - 1 - place } else { place });
                let mut best = if machine.rules().is_nullable_rule(rule) { 0 } else { NEVER };
                let entries = machine.rules().entries(rule);
                for entry in entries.iter() {
                    machine.arena.spend(1 + entry.rest.len() as u64)?;
                    let mut cost = match entry.first {
                        First::Head(term) | First::Open(term) => self.distance(machine, term)?,
                        First::Call(rule) => self.rules[rule.index()],
                        First::Special(_) => self.special,
                    };
                    for &part in &entry.rest {
                        cost = sum([cost, self.distance(machine, part)?]);
                    }
                    best = best.min(cost);
                }
                if best < self.rules[rule.index()] {
                    self.rules[rule.index()] = best;
                    changed = true;
                }
            }
            // Cached distances used rule bounds that have since fallen.
            let rules = std::mem::take(&mut self.rules);
            *self = Distances { special: self.special, rules, ..Distances::default() };
            if !changed {
                self.is_complete = true;
                return Ok(());
            }
        }
    }

    fn frame_distance(&mut self, machine: &mut Machine, frame: FrameId) -> Result<u64> {
        if frame == BOTTOM {
            return Ok(0);
        }
        if let Some(&least) = self.frames.get(&frame) {
            return Ok(least);
        }
        let mut work = vec![frame];
        while let Some(&at) = work.last() {
            let members = machine.members(at).to_vec();
            machine.arena.spend(STEPS_PER_DISTANCE + members.len() as u64)?;
            let mut least = NEVER;
            let mut ready = true;
            for (term, parent) in members {
                let below = if parent == BOTTOM { Some(0) } else { self.frames.get(&parent).copied() };
                match below {
                    Some(below) => least = least.min(sum([self.distance(machine, term)?, below])),
                    None => {
                        work.push(parent);
                        ready = false;
                    }
                }
            }
            if ready {
                machine.arena.budget.grow(24);
                self.frames.insert(at, least);
                work.pop();
            }
        }
        Ok(self.frames[&frame])
    }

    fn distance(&mut self, machine: &mut Machine, id: TermId) -> Result<u64> {
        if id == EMPTY {
            return Ok(NEVER);
        }
        if !machine.arena.info(id).structural {
            return Ok(machine.arena.terms.distance(id).into());
        }
        if let Some(&least) = self.terms.get(&id) {
            return Ok(least);
        }
        machine.arena.spend(STEPS_PER_DISTANCE)?;
        let least = self.compute_distance(machine, id)?;
        machine.arena.budget.grow(24);
        self.terms.insert(id, least);
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, alt, machine, rule, seq};
    use crate::builder::Builder;

    /// The fewest bytes after each text.
    fn check(make: impl FnOnce(&mut Builder) -> TermId, cases: &[(&str, u64)]) {
        let mut machine = machine(make);
        let mut kept = Distances::default();
        for &(text, expected) in cases {
            let id = after(&mut machine, text.as_bytes());
            let position = machine.position(id).clone();
            let found = Distances::default().of_position(&mut machine, &position).unwrap();
            assert_eq!(found, expected, "after {text}");
            assert_eq!(kept.of_position(&mut machine, &position).unwrap(), found, "{text}, from the cache");
        }
    }

    fn literals<const N: usize>(builder: &mut Builder, texts: [&str; N]) -> [TermId; N] {
        texts.map(|text| builder.literal(text.as_bytes()).unwrap())
    }

    #[test]
    fn sums_and_products_saturate_and_never_stays_never() {
        assert_eq!((sum([]), sum([2, 3, 4])), (0, 9));
        assert_eq!(sum([MAX_DISTANCE - 1, 1]), MAX_DISTANCE);
        assert_eq!(sum([MAX_DISTANCE, 1]), MAX_DISTANCE);
        assert_eq!((sum([NEVER, 1]), sum([1, NEVER]), sum([0, NEVER, 0])), (NEVER, NEVER, NEVER));
        assert_eq!((product(3, 4), product(0, 4), product(3, 0)), (12, 0, 0));
        assert_eq!((product(0, NEVER), product(1, NEVER)), (0, NEVER));
        assert_eq!(product(2, MAX_DISTANCE), MAX_DISTANCE);
        assert_eq!((difference(7, 3), difference(3, 7), difference(NEVER, 3)), (4, 0, NEVER));
        assert_eq!(difference(7, NEVER), 0, "a bound from below");
    }

    #[test]
    fn a_rule_is_as_long_as_its_shortest_text() {
        let make = |builder: &mut Builder| {
            let [open, close, a, comma] = literals(builder, ["(", ")", "abc", ","]);
            let outer = builder.rule("outer").unwrap();
            let list = rule(builder, "list", |builder, list| {
                let more = seq(builder, &[outer, comma, list]);
                alt(builder, &[more, outer])
            });
            let nested = seq(builder, &[open, list, close]);
            let body = alt(builder, &[nested, a]);
            builder.define(outer.number(), body.number()).unwrap();
            outer
        };
        check(make, &[("", 3), ("(", 4), ("((", 5), ("(abc", 1), ("(abc,", 4), ("(abc,(ab", 3)]);
        // "x", then as many digits as the rules that call each other need: first 1, second 1 + 2, third 3 + 4.
        let ahead = |builder: &mut Builder| {
            let [x, one, two, four] = literals(builder, ["x", "1", "22", "4444"]);
            let [second, third] = ["second", "third"].map(|name| builder.rule(name).unwrap());
            let first = rule(builder, "first", |builder, first| {
                let more = seq(builder, &[one, first, third]);
                alt(builder, &[more, one])
            });
            for (rule, start, rest) in [(second, two, first), (third, four, second)] {
                let body = seq(builder, &[start, rest]);
                builder.define(rule.number(), body.number()).unwrap();
            }
            seq(builder, &[x, third])
        };
        check(ahead, &[("", 8), ("x", 7), ("x4444", 3), ("x444422", 1)]);
    }
}
