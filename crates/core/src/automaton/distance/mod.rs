//! Term or position → a lower bound of the bytes until the end of the text, for A* in `completion`.
//!
//! The bound is exact for literals, classes, concatenation, choice, repetition and rules. The bound is too low where
//! parts restrict each other: intersections, complements, keys and items that may not repeat, marks. Rules take the
//! least fixpoint over their entries (Knuth, *A generalization of Dijkstra's algorithm*, 1977). Only numeric escapes
//! are overestimated, on purpose.

mod array;
mod object;
mod term;

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::automaton::position::Position;
use crate::error::Result;
use crate::grammar::rules::First;
use crate::regular::id::{ArrayId, ObjectId, ObjectStateId, RuleId};
use crate::regular::term::TermId;
use object::{ObjectDistances, RemainingMembers};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The distance where bytes do not suffice: a special token must come.
pub(crate) const NEVER: u64 = u64::MAX;

/// Bytes at which distances saturate. Some grammars have no shorter text than that.
const MAX_DISTANCE: u64 = 1 << 40;

/// Bytes added to the length of a numeric escape. Escapes say nothing that raw characters do not, and thousands would
/// flood the search.
const ESCAPE_PENALTY: u64 = 16;

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
#[derive(Default)]
pub(crate) struct Distances {
    rules: Vec<u64>,
    is_complete: bool,
    terms: FxHashMap<TermId, u64>,
    frames: FxHashMap<FrameId, u64>,
    members: FxHashMap<ObjectId, Arc<ObjectDistances>>,
    remaining: FxHashMap<(ObjectId, ObjectStateId), Arc<RemainingMembers>>,
    arrays: FxHashMap<ArrayId, Arc<Vec<Vec<u64>>>>,
}

impl Distances {
    /// The fewest bytes from a position to the end of a text, as a lower bound.
    pub(crate) fn of_position(&mut self, machine: &mut Machine, position: &Position) -> Result<u64> {
        let mut least = NEVER;
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
        if !self.is_complete {
            self.compute_rule_distances(machine)?;
        }
        let own = self.distance(machine, next)?;
        // The continuation of a head that holds its text is part of the head's distance.
        let follow =
            if inner == head { 0 } else { difference(self.distance(machine, head)?, self.distance(machine, inner)?) };
        Ok(sum([own, follow, self.frame_distance(machine, frame)?]))
    }

    fn compute_rule_distances(&mut self, machine: &mut Machine) -> Result<()> {
        let count = machine.rules().count();
        self.rules = vec![NEVER; count];
        loop {
            let mut changed = false;
            for rule in (0..count).rev().map(RuleId::at) {
                let mut best = if machine.rules().is_nullable_rule(rule) { 0 } else { NEVER };
                let entries = machine.rules().entries(rule);
                for entry in entries.iter() {
                    machine.arena.spend(1)?;
                    let mut cost = match entry.first {
                        First::Head(term) | First::Unique(term) => self.distance(machine, term)?,
                        First::Call(rule) => self.rules[rule.index()],
                        First::Special(_) => NEVER,
                        First::Replay => 0,
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
            *self = Distances { rules, ..Distances::default() };
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
        let mut work = vec![frame];
        while let Some(&at) = work.last() {
            machine.arena.spend(1)?;
            let members = machine.members(at).to_vec();
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
        if let Some(&least) = self.terms.get(&id) {
            return Ok(least);
        }
        machine.arena.spend(1)?;
        let least = self.compute_distance(machine, id)?;
        machine.arena.budget.grow(24);
        self.terms.insert(id, least);
        Ok(least)
    }
}
