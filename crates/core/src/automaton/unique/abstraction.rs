//! Frame with open items → its abstracted frame for masks, and the open items under a frame.
//!
//! A mask serves many positions. An abstracted frame replaces the values that came by an upper bound of their number.

use crate::automaton::frame::{FrameId, ItemSummary};
use crate::automaton::machine::Machine;
use crate::automaton::position::Register;
use crate::automaton::unique::COUNT_CAP;
use crate::error::Result;
use crate::json::partial_value::PartialValueId;
use crate::json::registers::{Abstracted, UniqueState};
use crate::json::unique::ENUMERATION;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Term, MANY};
use rustc_hash::{FxHashMap, FxHashSet};

/// An open item: array, state, step, and the partial value at which the item began.
pub(super) type OpenEnd = (ArrayId, ArrayStateId, u32, PartialValueId);

impl Machine {
    /// Whether the frame distinguishes values that a mask must not distinguish.
    pub(crate) fn is_exact(&self, frame: FrameId) -> bool {
        self.item_summary(frame).is_exact
    }

    /// The abstracted frame, equal for all values that tokens cannot tell apart.
    pub(crate) fn abstracted_frame(&mut self, frame: FrameId, register: Register) -> Result<FrameId> {
        let mut done: FxHashMap<FrameId, FrameId> = FxHashMap::default();
        for frame in self.exact_frames([frame].into_iter()) {
            let mut members = self.members(frame).to_vec();
            for (term, parent) in &mut members {
                match (self.arena.term(*term).clone(), register) {
                    (Term::UniqueItem { array, state }, _) => {
                        if let Some(state) = self.abstracted_state(array, state)? {
                            *term = self.arena.unique_term(Term::UniqueItem { array, state })?;
                        }
                    }
                    (Term::UniqueEnd { array, state: exact, step, start }, Register::At(partial))
                        if array != ENUMERATION =>
                    {
                        if let Some(abstracted) = self.abstracted_state(array, exact)? {
                            let start = PartialValueId::new(start);
                            let conflict_count = size_class(self.conflict_count((array, exact, step, start), partial)?);
                            let end = Term::UniqueEnd { array, state: abstracted, step, start: conflict_count };
                            *term = self.arena.unique_term(end)?;
                        }
                    }
                    _ => {}
                }
                *parent = done.get(parent).copied().unwrap_or(*parent);
            }
            let made = self.frames.of(&mut self.arena, members);
            done.insert(frame, made);
        }
        Ok(done.get(&frame).copied().unwrap_or(frame))
    }

    /// The abstracted state of an array; None if only the exact values decide which items may come.
    pub(super) fn abstracted_state(&mut self, array: ArrayId, state: ArrayStateId) -> Result<Option<ArrayStateId>> {
        let before = self.arena.registers.unique_states[state.index()];
        if before.abstracted.is_some() {
            return Ok(Some(state));
        }
        let spec = self.arena.registers.uniques[array.index()].clone();
        let ahead = self.unique.max_token_items;
        let mut left = MANY;
        if spec.only_item().is_some() {
            if let Some(value_count) = self.value_count(array, (before.count + ahead) as usize)? {
                left = value_count as u32 - before.count;
            }
        } else {
            for &(node, _) in spec.steps.iter().flatten() {
                if self.matches_something(node) && self.min_values(node)? < COUNT_CAP {
                    return Ok(None);
                }
            }
        }
        let abstracted = Abstracted { most: size_class(before.count + ahead), left };
        let count = self.saturated_count(array, before.count);
        let state = UniqueState { at: before.at, count, came: NO_KEYS, abstracted: Some(abstracted) };
        Ok(Some(self.arena.unique_state(array, state)))
    }

    /// The smallest count that bounds within one token cannot tell from this count.
    pub(super) fn saturated_count(&self, array: ArrayId, count: u32) -> u32 {
        let spec = &self.arena.registers.uniques[array.index()];
        // With several kinds of items, a shortest way to an end has fewer items than the array has states.
        let shortest_end = if spec.only_item().is_some() { 0 } else { spec.steps.len() as u32 };
        let ahead = self.unique.max_token_items.saturating_add(shortest_end);
        if spec.max != MANY && (spec.max.saturating_sub(count) <= ahead || shortest_end > 0 && count < spec.min) {
            return count;
        }
        if count >= spec.min {
            return spec.min;
        }
        count.max(spec.min.saturating_sub(ahead + 1))
    }

    /// The open items of these frames, each once, sorted.
    pub(super) fn open_ends(&self, frames: impl Iterator<Item = FrameId>) -> Vec<OpenEnd> {
        let mut ends = Vec::new();
        for frame in self.frames_with(frames, |item_summary| item_summary.is_open) {
            for &(term, _) in self.members(frame) {
                if let Term::UniqueEnd { array, state, step, start } = *self.arena.term(term) {
                    ends.push((array, state, step, PartialValueId::new(start)));
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// The frames that are not abstracted, outermost first.
    pub(super) fn exact_frames(&self, frames: impl Iterator<Item = FrameId>) -> Vec<FrameId> {
        self.frames_with(frames, |item_summary| item_summary.is_exact)
    }

    fn frames_with(
        &self,
        frames: impl Iterator<Item = FrameId>,
        is_wanted: impl Fn(ItemSummary) -> bool,
    ) -> Vec<FrameId> {
        let mut seen = FxHashSet::default();
        let mut work: Vec<FrameId> = frames.collect();
        while let Some(frame) = work.pop() {
            if is_wanted(self.item_summary(frame)) && seen.insert(frame) {
                work.extend(self.members(frame).iter().map(|&(_, parent)| parent));
            }
        }
        // A frame's number is higher than those of its parents.
        let mut found: Vec<FrameId> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// An upper bound of the values that items under this frame may have to avoid.
    pub(super) fn excluded_bound(&self, frame: FrameId) -> u32 {
        let item_summary = self.item_summary(frame);
        u32::from(item_summary.exact_ends)
            .saturating_mul(self.unique.most_excluded)
            .saturating_add(item_summary.excluded_bound)
    }
}

/// The next power of two: abstracted states keep only the magnitude of a count.
fn size_class(count: u32) -> u32 {
    match count {
        0 => 0,
        _ => count.min(COUNT_CAP).next_power_of_two(),
    }
}
