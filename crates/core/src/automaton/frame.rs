//! Continuation × parent frame → interned frame, a node of a graph-structured stack.
//!
//! A frame is an interned *set* of (term, parent frame) pairs, so equal stacks are one number (Tomita 1985; Scott and
//! Johnstone, *GLL parsing*, 2010). Left recursion was removed before (`grammar::rules`), so no frame contains itself.

use crate::error::Result;
use crate::json::unique::ENUMERATION;
use crate::regular::arena::Arena;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::term::{Term, TermId, EPSILON};
use crate::storage::hash::Hasher128;
use crate::storage::id::id;
use crate::storage::intern::HashIndex;
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

/// Bytes that an interned frame costs: its inline members and its entry in the index.
pub(super) const PER_FRAME: usize = size_of::<FrameMembers>() + 8;

/// The interned frames of one machine.
pub(crate) struct Frames {
    members: Vec<FrameMembers>,
    ids: HashIndex,
    /// Facts about open items by frame. Empty if the grammar has no arrays of unique items.
    item_summaries: Vec<ItemSummary>,
}

impl Default for Frames {
    /// `BOTTOM` alone.
    fn default() -> Self {
        Frames { members: vec![FrameMembers::new()], ids: HashIndex::default(), item_summaries: Vec::new() }
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
    pub(super) fn can_be_open(&self) -> bool {
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
        let mut hash = Hasher128::new(members.len() as u64);
        members.iter().for_each(|&(term, parent)| hash.word(u64::from(term.number()) << 32 | u64::from(parent.0)));
        let hash = hash.finish();
        if let Some(id) = self.ids.get(hash, |id| *self.members[id as usize] == *members) {
            return FrameId::new(id);
        }
        let members = FrameMembers::from_slice(members);
        arena.budget.grow(PER_FRAME + if members.spilled() { 16 * members.len() } else { 0 });
        let id = FrameId::at(self.members.len());
        if !arena.registers.uniques.is_empty() {
            let item_summary = self.summarize(arena, &members);
            self.item_summaries.resize(self.members.len(), ItemSummary::default());
            self.item_summaries.push(item_summary);
        }
        self.members.push(members);
        self.ids.insert(hash, id.0, &mut arena.budget);
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
        arena.spend(members.len() as u64)?;
        // Every frame's members are sorted, and the stable sort merges sorted runs in linear time.
        members.sort();
        members.dedup();
        Ok(self.intern(arena, &members))
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
        arena.spend(list.len() as u64)?;
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
