//! Frames → what they say of the items that are open under them, and the same frames for masks, which stand for many readings
//! at once.

use super::PLENTY;
use crate::error::Result;
use crate::machine::{FrameId, Machine};
use crate::term::{Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// In the frames of masks: an item that must avoid some values (`start` is how many at most), and one that need not.
const BOUND: u32 = u32::MAX;
pub(super) const FREE: u32 = u32::MAX - 1;

/// Whether items under a frame are open, and how many of them must avoid values.
#[derive(Clone, Copy, Default)]
pub(crate) struct Openness {
    pub(crate) open: bool,
    bound: u16,
    /// In the frames of masks: at most so many values.
    demand: u32,
}

impl Machine {
    /// What a new frame says of open items.
    pub(crate) fn measure(&self, members: &[(TermId, FrameId)]) -> Openness {
        let mut found = Openness::default();
        for &(term, parent) in members {
            let above = self.openness(parent);
            found.open |= above.open;
            let own = match *self.arena.term(term) {
                Term::UniqueEnd { state: FREE, .. } => {
                    found.open = true;
                    (0, 0)
                }
                Term::UniqueEnd { state: BOUND, start: demand, .. } => {
                    found.open = true;
                    (0, demand)
                }
                Term::UniqueEnd { .. } => {
                    found.open = true;
                    (1, 0)
                }
                _ => (0, 0),
            };
            found.bound = found.bound.max(above.bound.saturating_add(own.0));
            found.demand = found.demand.max(above.demand.saturating_add(own.1));
        }
        found
    }

    /// The same frame for all readings and for all that came, as far as a mask can tell them apart.
    pub(crate) fn blinded(&mut self, frame: FrameId, reading: u32) -> Result<FrameId> {
        let mut blind: FxHashMap<FrameId, FrameId> = FxHashMap::default();
        for frame in self.open_frames(frame) {
            let mut members = self.members(frame).to_vec();
            for (term, parent) in &mut members {
                if let Term::UniqueEnd { array, state, step, start } = *self.arena.term(*term) {
                    if state < FREE {
                        let hindering = self.hindering(array, state, step, start, reading)?;
                        *term = self.arena.unique_term(blind_end(array, step, hindering))?;
                    }
                }
                *parent = blind.get(parent).copied().unwrap_or(*parent);
            }
            let made = self.frame(members);
            blind.insert(frame, made);
        }
        Ok(blind.get(&frame).copied().unwrap_or(frame))
    }

    /// The frames under which items are open, from here down, outermost first.
    pub(super) fn open_frames(&self, frame: FrameId) -> Vec<FrameId> {
        let mut seen = FxHashSet::default();
        let mut work = vec![frame];
        while let Some(frame) = work.pop() {
            if self.openness(frame).open && seen.insert(frame) {
                work.extend(self.members(frame).iter().map(|&(_, parent)| parent));
            }
        }
        // A frame is made after those below it.
        let mut found: Vec<FrameId> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// How many values may have to be avoided by what ends under this frame.
    pub(super) fn demand(&self, frame: FrameId) -> u32 {
        let openness = self.openness(frame);
        u32::from(openness.bound).saturating_mul(self.known.most_avoided).saturating_add(openness.demand)
    }
}

/// The end of an item in the frames of masks: all that is told of the values to be avoided is how many there may be.
pub(super) fn blind_end(array: u32, step: u32, avoided: usize) -> Term {
    match avoided {
        0 => Term::UniqueEnd { array, state: FREE, step, start: 0 },
        _ => {
            let start = (avoided as u32).min(PLENTY).next_power_of_two();
            Term::UniqueEnd { array, state: BOUND, step, start }
        }
    }
}
