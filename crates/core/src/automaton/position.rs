//! A place in a text → what may come next there: heads with the frames that they return to.
//!
//! Positions are plain values that the machine interns. They have their own file because masks, matchers and migrations
//! read positions without stepping them.

use crate::automaton::frame::FrameId;
use crate::json::partial_value::PartialValueId;
use crate::regular::id::SpecialId;
use crate::regular::term::TermId;
use crate::storage::id::id;
use smallvec::SmallVec;

id! {
    /// The number of an interned position of one machine.
    pub struct PositionId;
}

/// The partial value of the open items of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Register {
    /// No item of a unique array is open.
    #[default]
    Closed,
    /// The partial value that was read of the open items.
    At(PartialValueId),
    /// A position of a mask, which stands for many partial values.
    Abstracted,
}

/// The position from which no byte and no token is allowed.
pub const DEAD: PositionId = PositionId::new(0);

/// Terms with the frames that they return to. Inline room for four: most positions have one or two.
pub(crate) type Items = SmallVec<[(TermId, FrameId); 4]>;

/// The heads, special tokens and end that may come next at one place of a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    /// (head, frame) of every parse that goes on, sorted.
    pub heads: Items,
    /// Special tokens that may come, with the frames that they return to.
    pub specials: Vec<(SpecialId, FrameId)>,
    /// Whether a text may end here.
    pub accepting: bool,
    /// Whether only a replay of the text's bytes can tell the continuations.
    pub needs_replay: bool,
    /// Only in positions of masks: whether an item has just ended or begun.
    pub crosses_item: bool,
    /// Only in positions of masks: whether the next bytes depend on the values of items.
    pub depends_on_value: bool,
    /// The partial value of the open items that may not repeat.
    pub register: Register,
}

impl Position {
    /// The head of a position that has nothing else: no other parse, no special token, no item that may not repeat.
    pub(crate) fn only_head(&self) -> Option<TermId> {
        let [(head, _)] = self.heads[..] else { return None };
        let is_alone = self.specials.is_empty() && !self.needs_replay && self.register == Register::Closed;
        is_alone.then_some(head)
    }

    /// The frames that heads and special tokens return to.
    pub(crate) fn frames(&self) -> impl Iterator<Item = FrameId> + '_ {
        let special = self.specials.iter().map(|&(_, frame)| frame);
        self.heads.iter().map(|&(_, frame)| frame).chain(special)
    }

    /// Whether neither a byte nor a special token may come and the text may not end.
    pub(crate) fn is_dead(&self) -> bool {
        self.heads.is_empty() && self.specials.is_empty() && !self.accepting
    }
}

/// Bytes that an interned position costs: itself with two counters, and its slot, its hash and its entry in the index.
pub(super) const PER_POSITION: usize = size_of::<Position>() + 16 + 8 + 8 + 16;
