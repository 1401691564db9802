//! A place in a text → what may come next there: heads with the frames that they return to.
//!
//! Positions are plain values that the machine interns. They have their own file because masks, matchers and migrations
//! read positions without stepping them.

use crate::automaton::frame::FrameId;
use crate::automaton::unique::Register;
use crate::regular::term::TermId;
use smallvec::SmallVec;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PositionId(pub u32);

/// The position from which nothing is allowed.
pub const DEAD: PositionId = PositionId(0);

/// Terms with the frames that they return to: one or two as a rule.
pub(crate) type Items = SmallVec<[(TermId, FrameId); 4]>;

/// What may come next at one place of a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    pub heads: Items,
    pub specials: Vec<(u32, FrameId)>,
    /// Whether a text may end here.
    pub accepting: bool,
    /// Whether only an exact replay can tell what follows (`First::Replay`).
    pub needs_replay: bool,
    /// In a position of a mask: whether an item has just ended or begun, and whether what follows hangs on its value.
    pub crosses_item: bool,
    pub depends_on_value: bool,
    /// What the items said that are open and may not come again.
    pub register: Register,
}

impl Position {
    pub(super) fn is_dead(&self) -> bool {
        self.heads.is_empty() && self.specials.is_empty() && !self.accepting
    }
}

/// A position with its places in the list and in the table.
pub(super) const PER_POSITION: usize = size_of::<Position>() + 16 + 8;
