//! Continuation × parent frame → interned frame, a node of a graph-structured stack.
//!
//! A frame is an interned *set* of (term, parent frame) pairs, so equal stacks are one number (Tomita 1985; Scott and
//! Johnstone, *GLL parsing*, 2010). Left recursion was removed before (`grammar::rules`), so no frame contains itself.

use crate::automaton::machine::Machine;
use crate::automaton::unique::ItemSummary;
use crate::error::Result;
use crate::regular::term::{TermId, EPSILON};
use crate::storage::hash::Hasher128;
use crate::storage::id::id;
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

/// Bytes that an interned frame costs: its inline members and its entry in the index.
pub(super) const PER_FRAME: usize = size_of::<FrameMembers>() + 8;

impl Machine {
    /// The continuations of a frame with their parent frames, sorted.
    pub(crate) fn members(&self, frame: FrameId) -> &[(TermId, FrameId)] {
        &self.frames[frame.index()]
    }

    /// Facts about the open items of a frame; the default where the grammar has no unique items.
    pub(crate) fn item_summary(&self, frame: FrameId) -> ItemSummary {
        self.item_summary.get(frame.index()).copied().unwrap_or_default()
    }

    /// Interns the frame of these members, in any order.
    pub(crate) fn frame(&mut self, mut members: Vec<(TermId, FrameId)>) -> FrameId {
        members.sort_unstable();
        members.dedup();
        self.intern_frame(&members)
    }

    /// Interns the frame of members that are sorted and free of duplicates.
    pub(super) fn intern_frame(&mut self, members: &[(TermId, FrameId)]) -> FrameId {
        if let [(EPSILON, parent)] = *members {
            return parent;
        }
        let mut hash = Hasher128::new(members.len() as u64);
        members.iter().for_each(|&(term, parent)| hash.word(u64::from(term.number()) << 32 | u64::from(parent.0)));
        let hash = hash.finish();
        if let Some(id) = self.frame_ids.get(hash, |id| *self.frames[id as usize] == *members) {
            return FrameId::new(id);
        }
        let members = FrameMembers::from_slice(members);
        self.arena.budget.grow(PER_FRAME + if members.spilled() { 16 * members.len() } else { 0 });
        let id = FrameId::at(self.frames.len());
        if !self.arena.registers.uniques.is_empty() {
            let item_summary = self.summarize(&members);
            self.item_summary.resize(self.frames.len(), ItemSummary::default());
            self.item_summary.push(item_summary);
        }
        self.frames.push(members);
        self.frame_ids.insert(hash, id.0, &mut self.arena.budget);
        id
    }

    /// The frame that continues as any of these frames does.
    pub(super) fn union(&mut self, frames: &[FrameId]) -> Result<FrameId> {
        if let [one] = frames {
            return Ok(*one);
        }
        let mut members = Vec::new();
        for &frame in frames {
            if frame == BOTTOM {
                members.push((EPSILON, BOTTOM));
            } else {
                members.extend_from_slice(&self.frames[frame.index()]);
            }
        }
        self.arena.spend(members.len() as u64)?;
        // Every frame's members are sorted, and the stable sort merges sorted runs in linear time.
        members.sort();
        members.dedup();
        Ok(self.intern_frame(&members))
    }

    /// The frame that reads `rest`, innermost term first, and then continues as `frame`.
    pub(super) fn push_frames(&mut self, rest: &[TermId], mut frame: FrameId) -> FrameId {
        for &term in rest.iter().rev() {
            frame = self.intern_frame(&[(term, frame)]);
        }
        frame
    }

    /// Sorts a list and unites the frames of equal entries. Uniting them keeps ambiguity polynomial.
    pub(crate) fn merge_frames<T, L>(&mut self, mut list: L) -> Result<L>
    where
        T: Copy + Ord,
        L: DerefMut<Target = [(T, FrameId)]> + FromIterator<(T, FrameId)>,
    {
        if list.len() < 2 {
            return Ok(list);
        }
        self.arena.spend(list.len() as u64)?;
        list.sort_unstable();
        if list.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return Ok(list);
        }
        let groups = list.chunk_by(|one, other| one.0 == other.0);
        groups
            .map(|group| {
                let frames: SmallVec<[FrameId; 8]> = group.iter().map(|&(_, frame)| frame).collect();
                Ok((group[0].0, self.union(&frames)?))
            })
            .collect()
    }
}
