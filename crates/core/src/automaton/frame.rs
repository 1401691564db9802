//! What follows a rule, with what follows that → one interned frame: a graph-structured stack.
//!
//! A frame is an interned *set* of (term, parent frame) pairs, so equal stacks are one number (Tomita 1985; Scott and
//! Johnstone, *GLL parsing*, 2010). Left recursion was removed before (`grammar::rules`), so no frame contains itself.

use crate::automaton::machine::Machine;
use crate::automaton::unique::ItemSummary;
use crate::error::Result;
use crate::regular::term::{TermId, EPSILON};
use crate::storage::hash::Hasher128;
use smallvec::SmallVec;
use std::ops::DerefMut;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FrameId(u32);

impl FrameId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The frame below everything: what returns to it is a whole text.
pub const BOTTOM: FrameId = FrameId(0);

/// What follows in a frame, with what follows that: one as a rule.
pub(super) type FrameMembers = SmallVec<[(TermId, FrameId); 1]>;

/// The same for a frame.
pub(super) const PER_FRAME: usize = size_of::<FrameMembers>() + 8;

impl Machine {
    pub(crate) fn members(&self, frame: FrameId) -> &[(TermId, FrameId)] {
        &self.frames[frame.index()]
    }

    pub(crate) fn item_summary(&self, frame: FrameId) -> ItemSummary {
        self.item_summary.get(frame.index()).copied().unwrap_or_default()
    }

    pub(crate) fn frame(&mut self, mut members: Vec<(TermId, FrameId)>) -> FrameId {
        members.sort_unstable();
        members.dedup();
        self.intern_frame(&members)
    }

    /// The same for members in order, each once.
    pub(super) fn intern_frame(&mut self, members: &[(TermId, FrameId)]) -> FrameId {
        if let [(EPSILON, parent)] = *members {
            return parent;
        }
        let mut hash = Hasher128::new(members.len() as u64);
        members.iter().for_each(|&(term, parent)| hash.word(u64::from(term.0) << 32 | u64::from(parent.0)));
        let hash = hash.finish();
        if let Some(id) = self.frame_ids.get(hash, |id| *self.frames[id as usize] == *members) {
            return FrameId(id);
        }
        let members = FrameMembers::from_slice(members);
        self.arena.budget.grow(PER_FRAME + if members.spilled() { 16 * members.len() } else { 0 });
        let id = FrameId(self.frames.len() as u32);
        if !self.arena.registers.uniques.is_empty() {
            let item_summary = self.summarize(&members);
            self.item_summary.resize(self.frames.len(), ItemSummary::default());
            self.item_summary.push(item_summary);
        }
        self.frames.push(members);
        self.frame_ids.insert(hash, id.0, &mut self.arena.budget);
        id
    }

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
        // Each is in order: the stable sort merges such runs.
        members.sort();
        members.dedup();
        Ok(self.intern_frame(&members))
    }

    pub(super) fn push_frames(&mut self, rest: &[TermId], mut frame: FrameId) -> FrameId {
        for &term in rest.iter().rev() {
            frame = self.intern_frame(&[(term, frame)]);
        }
        frame
    }

    /// Each once, with the frames of all that are equal as one.
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
