//! Continuation × parent frame → interned frame, a node of a graph-structured stack.
//!
//! A frame is an interned *set* of (term, parent frame) pairs, so equal stacks are one number (Tomita 1985; Scott and
//! Johnstone, *GLL parsing*, 2010). Left recursion was removed before (`grammar::rules`), so no frame contains itself.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::unique::ENUMERATION;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::term::{Term, TermId, EPSILON};
use crate::storage::id::id;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::ops::DerefMut;

id! {
    /// The number of an interned frame of one machine.
    pub struct FrameId;
}

/// The frame below all others. A term that returns to it ends the whole text.
pub const BOTTOM: FrameId = FrameId::new(0);

/// The continuations of one frame, each with its parent frame. Most frames have one.
pub(super) type FrameMembers = SmallVec<[(TermId, FrameId); 1]>;

/// Facts about the open items of a frame, computed when the frame is interned.
#[derive(Clone, Copy, Default)]
pub(crate) struct ItemSummary {
    pub(crate) is_open: bool,
    /// Whether the frame refers to a state of an array that is not abstracted.
    pub(super) is_exact: bool,
    /// The number of open items with exact states along one path of frames.
    pub(super) exact_ends: u16,
    /// In abstracted frames: an upper bound of the values that may be excluded.
    pub(super) excluded_bound: u32,
}

/// Bytes that an interned frame costs: its inline members, their hash and its entry in the index.
pub(super) const PER_FRAME: usize = size_of::<FrameMembers>() + 8 + 16;

/// Pairs of frames that one union compares to find members that others cover. Answers are kept, so the frames of a text
/// that nests deeper and deeper take one comparison each.
const COMPARED: u32 = 400;

/// Frames of more members are not compared.
const COMPARED_MEMBERS: usize = 16;

/// Bytes of a kept answer.
const PER_COVERED: usize = 24;

/// Steps of the budget per member of a union: it is copied, sorted and hashed, about 0.3 µs.
const STEPS_PER_MEMBER: u64 = 8;

/// Steps of the budget per entry of a list whose frames are united.
const STEPS_PER_ENTRY: u64 = 4;

/// The interned frames of one machine.
pub(crate) struct Frames {
    /// By `FrameId`.
    members: IndexSet<FrameMembers, FxBuildHasher>,
    /// Facts about open items by frame. Empty if the grammar has no arrays of unique items.
    item_summaries: Vec<ItemSummary>,
    /// (frame, other) → whether the frame covers the other, as far as this was asked.
    covered: FxHashMap<(FrameId, FrameId), bool>,
}

impl Default for Frames {
    /// `BOTTOM` alone.
    fn default() -> Self {
        Frames {
            members: IndexSet::from_iter([FrameMembers::new()]),
            item_summaries: Vec::new(),
            covered: FxHashMap::default(),
        }
    }
}

impl Frames {
    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// The continuations of a frame with their parent frames, sorted.
    pub(crate) fn members(&self, frame: FrameId) -> &[(TermId, FrameId)] {
        &self.members[frame.index()]
    }

    /// Facts about the open items of a frame; the default where the grammar has no unique items.
    pub(crate) fn item_summary(&self, frame: FrameId) -> ItemSummary {
        self.item_summaries.get(frame.index()).copied().unwrap_or_default()
    }

    /// Whether some frame may have open items.
    pub(crate) fn can_be_open(&self) -> bool {
        !self.item_summaries.is_empty()
    }

    /// Interns the frame of these members, in any order.
    pub(crate) fn of(&mut self, arena: &mut Arena, mut members: Vec<(TermId, FrameId)>) -> FrameId {
        members.sort_unstable();
        members.dedup();
        self.intern(arena, &members)
    }

    /// Interns the frame of members that are sorted and free of duplicates.
    pub(super) fn intern(&mut self, arena: &mut Arena, members: &[(TermId, FrameId)]) -> FrameId {
        if let [(EPSILON, parent)] = *members {
            return parent;
        }
        if let Some(place) = self.members.get_index_of(members) {
            return FrameId::at(place);
        }
        let members = FrameMembers::from_slice(members);
        arena.budget.grow(PER_FRAME + if members.spilled() { 16 * members.len() } else { 0 });
        let id = FrameId::at(self.members.len());
        if !arena.registers.uniques.is_empty() {
            let item_summary = self.summarize(arena, &members);
            self.item_summaries.resize(self.members.len(), ItemSummary::default());
            self.item_summaries.push(item_summary);
        }
        self.members.insert(members);
        id
    }

    /// The frame that continues as any of these frames does.
    pub(super) fn union(&mut self, arena: &mut Arena, frames: &[FrameId]) -> Result<FrameId> {
        if let [one] = frames {
            return Ok(*one);
        }
        let mut members = Vec::new();
        for &frame in frames {
            if frame == BOTTOM {
                members.push((EPSILON, BOTTOM));
            } else {
                members.extend_from_slice(&self.members[frame.index()]);
            }
        }
        arena.spend(STEPS_PER_MEMBER * members.len() as u64)?;
        // Every frame's members are sorted, and the stable sort merges sorted runs in linear time.
        members.sort();
        members.dedup();
        self.drop_covered(arena, &mut members)?;
        Ok(self.intern(arena, &members))
    }

    /// Drops each member for which another one has the same term and a parent that continues in all its ways. Without
    /// this, a rule such as `a: "x" a "y" | "x" a` would have one more member with each level of nesting.
    fn drop_covered(&mut self, arena: &mut Arena, members: &mut Vec<(TermId, FrameId)>) -> Result<()> {
        if self.can_be_open() || members.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return Ok(());
        }
        let mut left = COMPARED;
        // The last of equal terms has the newest parent, so it is the one that may cover the others.
        let mut kept: Vec<(TermId, FrameId)> = Vec::with_capacity(members.len());
        for &(term, parent) in members.iter().rev() {
            match kept.last() {
                Some(&(other, newer)) if other == term && self.covers(arena, newer, parent, &mut left)? => {}
                _ => kept.push((term, parent)),
            }
        }
        kept.reverse();
        *members = kept;
        Ok(())
    }

    /// Whether a frame continues in every way that another one does, as far as their members tell. False once `left`
    /// pairs were compared.
    fn covers(&mut self, arena: &mut Arena, frame: FrameId, other: FrameId, left: &mut u32) -> Result<bool> {
        if frame == other {
            return Ok(true);
        }
        if other == BOTTOM {
            return Ok(self.members(frame).contains(&(EPSILON, BOTTOM)));
        }
        if let Some(&known) = self.covered.get(&(frame, other)) {
            return Ok(known);
        }
        let (own, others) = (self.members(frame).len(), self.members(other).len());
        if own > COMPARED_MEMBERS || others > COMPARED_MEMBERS || *left == 0 {
            return Ok(false);
        }
        *left -= 1;
        arena.spend(1)?;
        let mut covers = true;
        for member in 0..others {
            let (term, parent) = self.members(other)[member];
            let mut found = false;
            for at in 0..own {
                let (same, newer) = self.members(frame)[at];
                if same == term && self.covers(arena, newer, parent, left)? {
                    found = true;
                    break;
                }
            }
            covers = found;
            if !covers {
                break;
            }
        }
        if covers || *left > 0 {
            arena.budget.grow(PER_COVERED);
            self.covered.insert((frame, other), covers);
        }
        Ok(covers)
    }

    /// The frame that reads `rest`, innermost term first, and then continues as `frame`.
    pub(super) fn push(&mut self, arena: &mut Arena, rest: &[TermId], mut frame: FrameId) -> FrameId {
        for &term in rest.iter().rev() {
            frame = self.intern(arena, &[(term, frame)]);
        }
        frame
    }

    /// Sorts a list and unites the frames of equal entries. Uniting them keeps ambiguity polynomial.
    pub(crate) fn merge<T, L>(&mut self, arena: &mut Arena, mut list: L) -> Result<L>
    where
        T: Copy + Ord,
        L: DerefMut<Target = [(T, FrameId)]> + FromIterator<(T, FrameId)>,
    {
        if list.len() < 2 {
            return Ok(list);
        }
        arena.spend(STEPS_PER_ENTRY * list.len() as u64)?;
        list.sort_unstable();
        if list.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return Ok(list);
        }
        let groups = list.chunk_by(|one, other| one.0 == other.0);
        groups
            .map(|group| {
                let frames: SmallVec<[FrameId; 8]> = group.iter().map(|&(_, frame)| frame).collect();
                Ok((group[0].0, self.union(arena, &frames)?))
            })
            .collect()
    }

    /// The facts of a new frame from its members and their parents.
    fn summarize(&self, arena: &Arena, members: &[(TermId, FrameId)]) -> ItemSummary {
        let mut found = ItemSummary::default();
        for &(term, parent) in members {
            let above = self.item_summary(parent);
            found.is_open |= above.is_open;
            found.is_exact |= above.is_exact;
            let is_abstracted = |array: ArrayId, state: ArrayStateId| {
                array != ENUMERATION && arena.registers.unique_states[state.index()].abstracted.is_some()
            };
            let own = match *arena.term(term) {
                Term::UniqueItem { array, state } => {
                    found.is_exact |= !is_abstracted(array, state);
                    (0, 0)
                }
                Term::UniqueEnd { array, state, start: excluded_bound, .. } if is_abstracted(array, state) => {
                    found.is_open = true;
                    (0, excluded_bound)
                }
                Term::UniqueEnd { .. } => {
                    (found.is_open, found.is_exact) = (true, true);
                    (1, 0)
                }
                _ => (0, 0),
            };
            found.exact_ends = found.exact_ends.max(above.exact_ends.saturating_add(own.0));
            found.excluded_bound = found.excluded_bound.max(above.excluded_bound.saturating_add(own.1));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: [TermId; 3] = [TermId::new(2), TermId::new(3), TermId::new(4)];

    #[test]
    fn a_frame_is_the_set_of_its_members() {
        let (mut arena, mut frames) = (Arena::new(), Frames::default());
        let [a, b, _] = TERMS;
        let one = frames.of(&mut arena, vec![(a, BOTTOM)]);
        let both = frames.of(&mut arena, vec![(b, one), (a, BOTTOM)]);
        assert_eq!(frames.members(both), [(a, BOTTOM), (b, one)], "sorted");
        assert_eq!(frames.of(&mut arena, vec![(a, BOTTOM), (b, one), (a, BOTTOM)]), both, "in any order, each once");
        assert_ne!(frames.of(&mut arena, vec![(a, BOTTOM), (b, BOTTOM)]), both, "another parent");
        assert_ne!(frames.of(&mut arena, vec![(b, BOTTOM)]), one, "another term");
        assert_eq!(frames.len(), 5, "`BOTTOM` and four frames");
        assert!(frames.members(BOTTOM).is_empty());
    }

    #[test]
    fn a_member_is_dropped_beside_one_that_continues_in_every_way_that_it_does() {
        let (mut arena, mut frames) = (Arena::new(), Frames::default());
        let [a, b, c] = TERMS;
        // a: "x" a "y" | "x" a: each level returns to the levels before it, too.
        let mut level = BOTTOM;
        for depth in 0..100 {
            let next = frames.of(&mut arena, vec![(a, level)]);
            level = frames.union(&mut arena, &[next, level]).unwrap();
            assert!(frames.members(level).len() <= 2, "{depth}");
        }
        let [low, other] = [vec![(a, BOTTOM), (b, BOTTOM)], vec![(a, BOTTOM), (c, BOTTOM)]];
        let [low, other] = [low, other].map(|members| frames.of(&mut arena, members));
        let one = frames.of(&mut arena, vec![(b, low)]);
        let [high, apart] = [low, other].map(|frame| {
            let end = frames.of(&mut arena, vec![(b, frame)]);
            frames.union(&mut arena, &[one, end]).unwrap()
        });
        assert_eq!(high, one);
        assert_eq!(frames.members(apart), [(b, low), (b, other)], "neither covers the other");
    }
}
