//! Regular languages of bytes → hash-consed terms; a state is a term.
//!
//! Terms are normalised when they are made (`normal`), so that equal states meet, and are keyed by a 128-bit hash of their
//! content. The hash does not depend on the arena: whatever is learned about a term under one grammar can be found again
//! under another.
//!
//! Invariant: every term other than `Empty` that is neither `And`, `Not` nor `Bounded` inside matches something; those
//! three are checked when they are made (see `live`). A state that is not `Empty` is therefore never a dead end.

use crate::bytes::byteset::ByteSet;
use crate::regular::literal::Ends;
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub u32);

/// The operands of a union or an intersection: of most, few.
pub type Parts = SmallVec<[TermId; 8]>;

/// An unbounded count.
pub const MANY: u32 = u32::MAX;

/// How far a JSON string's spelling has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// Before the opening quote.
    Start,
    /// Between characters, or inside the UTF-8 of one.
    Body,
    /// After a backslash.
    Escape,
    /// After `\u` and `digits` hexadecimal digits.
    Hex {
        digits: u8,
        value: u16,
    },
    /// After a high surrogate: a backslash must follow, then `u`, then `digits` more digits of the low one.
    LowEscape {
        high: u16,
    },
    LowU {
        high: u16,
    },
    Low {
        high: u16,
        digits: u8,
        value: u16,
    },
}

#[derive(Clone, Default, Debug)]
pub enum Term {
    #[default]
    Empty,
    Epsilon,
    Class(ByteSet),
    /// The rest of a literal.
    Literal {
        literal: u32,
        position: u32,
    },
    /// The words `low..high` of a sorted set, their first `depth` bytes already read.
    Words {
        set: u32,
        low: u32,
        high: u32,
        depth: u32,
    },
    /// The keys of a set.
    Keys(u32),
    Cat(TermId, TermId),
    Alt(Box<[TermId]>),
    And(Box<[TermId]>),
    Not(TermId),
    Repeat {
        body: TermId,
        min: u32,
        max: u32,
    },
    /// The texts of `body` with `min..=max` code points left to read.
    Bounded {
        body: TermId,
        min: u32,
        max: u32,
    },
    /// Digits, and points between them if `point`, that read as one number after some of remainder `rest` are a multiple.
    Multiple {
        of: u32,
        rest: u32,
        point: bool,
    },
    /// The JSON spellings of the texts of `text`, closing quote included.
    Quoted {
        text: TermId,
        state: Spelling,
        free: bool,
    },

    // What follows is structural: it names configurations, not languages of its own (see `expand`).
    /// A named key of an object: the candidates `low..high` in the object's sorted spellings.
    KeyNamed {
        object: u32,
        state: u32,
        low: u32,
        high: u32,
        depth: u32,
    },
    /// A named key was read to its closing quote.
    KeyDone {
        object: u32,
        state: u32,
        property: u32,
    },
    /// Another key; `text` is what was read of it, so that it cannot come again.
    KeyExtra {
        object: u32,
        state: u32,
        extra: u32,
        inner: TermId,
        text: Text,
    },
    Seq(TermId, TermId),
    Call(u32),
    Special(u32),
    /// An array of items that are all different, whatever they are.
    Unique(u32),
    UniqueItem {
        array: u32,
        state: u32,
    },
    /// An item has ended that began at the reading `start`.
    UniqueEnd {
        array: u32,
        state: u32,
        step: u32,
        start: u32,
    },
    UniqueNext {
        array: u32,
        state: u32,
    },
    Object(u32),
    ObjectKey {
        object: u32,
        state: u32,
    },
    ObjectNext {
        object: u32,
        state: u32,
    },
}

/// What an open key has read so far: known, or, where a mask stands for many positions, not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Text {
    Known(u32),
    Unknown,
}

/// Packed: aligned to 16 bytes, as 128 bits want to be, it would be larger by a fifth.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C, packed(8))]
pub struct Info {
    pub hash: u128,
    pub depth: u32,
    /// Bounds on the code points of a text; `exact` when every count between them occurs.
    pub min_chars: u32,
    pub max_chars: u32,
    pub exact: bool,
    pub nullable: bool,
    /// Contains calls, objects or special tokens.
    pub structural: bool,
    /// Holds valid UTF-8 only, cut at the ends of characters.
    pub utf8: bool,
    /// Contains `And`, `Not` or `Bounded`: emptiness needed a search.
    pub searched: bool,
    /// Counts something, so that it may have a neighbour that counts less far (`clip`).
    pub counts: bool,
}

/// Words, sorted, and what is known of all of them at once.
#[derive(Clone)]
pub(crate) struct WordSet {
    pub words: Arc<[Box<[u8]>]>,
    /// What is known of their ends, where some are long.
    pub ends: Option<Arc<[Ends]>>,
    pub(super) hash: u128,
    pub(super) utf8: bool,
    /// Code points of the longest.
    pub(super) most: u32,
}

pub const EMPTY: TermId = TermId(0);
pub const EPSILON: TermId = TermId(1);
pub const TOP: TermId = TermId(2);
