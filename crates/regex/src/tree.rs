//! What a pattern says, as a tree: all dialects mean the same by the same node.

use crate::char_set::CharSet;

/// A part of a pattern. `at` counts the characters before the part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// These characters, one after the other; never empty.
    Text(String),
    /// One character of a set.
    Chars(CharSet),
    /// One after the other; without items, the empty text.
    Seq(Vec<Node>),
    /// Any one of these.
    Alt(Vec<Node>),
    /// An item several times. Greedy or lazy is the same language.
    Repeat {
        /// What is repeated.
        item: Box<Node>,
        /// The least count.
        low: u32,
        /// The greatest count; None is no limit.
        high: Option<u32>,
        /// The place of the quantifier.
        at: usize,
    },
    /// An atomic group or a possessive quantifier: what it took it does not give back.
    Atomic {
        /// What it holds.
        item: Box<Node>,
        /// Whether a quantifier says it, not a group.
        is_possessive: bool,
        /// The place of the group or the quantifier.
        at: usize,
    },
    /// Holds where the character before is in `ranges`, or at the start of the text if `edge`.
    Before {
        /// Characters.
        ranges: CharSet,
        /// Whether the start of the text will do.
        edge: bool,
        /// The place of the assertion.
        at: usize,
    },
    /// Holds where the character after is in `ranges`, or at the end of the text if `edge`.
    After {
        /// Characters.
        ranges: CharSet,
        /// Whether the end of the text will do.
        edge: bool,
        /// The place of the assertion.
        at: usize,
    },
    /// `\b` of a set of word characters; `\B` if `negative`.
    Boundary {
        /// Word characters.
        word: CharSet,
        /// Whether no boundary may be here.
        negative: bool,
        /// The place of the assertion.
        at: usize,
    },
    /// A lookahead if `ahead`, otherwise a lookbehind.
    Look {
        /// What must match here.
        item: Box<Node>,
        /// The direction.
        ahead: bool,
        /// Whether it must not match.
        negative: bool,
        /// The place of the group.
        at: usize,
    },
    /// Python's `$`: holds at the end of the text and before a newline that ends it.
    FinalNewline {
        /// The place of the assertion.
        at: usize,
    },
}

impl Node {
    /// The empty text.
    pub(crate) fn empty() -> Node {
        Node::Seq(Vec::new())
    }

    /// Whether it is the start of the text, `^` or `\A`.
    pub(crate) fn is_start(&self) -> bool {
        matches!(self, Node::Before { ranges, edge: true, .. } if ranges.is_empty())
    }

    /// Whether it is the end of the text, ECMA-262's `$` or `\Z`.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, Node::After { ranges, edge: true, .. } if ranges.is_empty())
    }
}
