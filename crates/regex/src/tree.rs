//! The tree of a pattern: a node means the same for all dialects.

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
    /// An item several times.
    Repeat {
        /// The repeated node.
        item: Box<Node>,
        /// The least count.
        low: u32,
        /// The greatest count; None is no limit.
        high: Option<u32>,
        /// Whether fewer rounds are tried first. The language does not depend on this.
        is_lazy: bool,
        /// The place of the quantifier.
        at: usize,
    },
    /// Holds where the character before is in `ranges`, or at the start of the text if `edge`.
    Before {
        /// Characters.
        ranges: CharSet,
        /// Whether it also holds at the start of the text.
        edge: bool,
        /// The place of the assertion.
        at: usize,
    },
    /// Holds where the character after is in `ranges`, or at the end of the text if `edge`.
    After {
        /// Characters.
        ranges: CharSet,
        /// Whether it also holds at the end of the text.
        edge: bool,
        /// The place of the assertion.
        at: usize,
    },
    /// `\b` or `\B`: holds where one of the pairs does.
    Boundary {
        /// The neighbours before and after, in each pair.
        sides: Vec<[Side; 2]>,
        /// The place of the assertion.
        at: usize,
    },
    /// A lookahead if `ahead`, otherwise a lookbehind.
    Look {
        /// The node that must match here.
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

/// The character on one side of a place: in the set, or none at all if the flag is set.
pub type Side = (CharSet, bool);

/// A lookaround at one character, or at the edge of the text, as the neighbour that it asks for; None for other
/// lookarounds.
pub(crate) fn neighbour(item: &Node, ahead: bool, negative: bool) -> Option<Side> {
    let (mut ranges, mut edge) = (CharSet::none(), false);
    let items = match item {
        Node::Alt(items) => items.as_slice(),
        item => std::slice::from_ref(item),
    };
    for item in items {
        if let Some(chars) = item.one_char() {
            ranges = ranges.union(&chars);
        } else if if ahead { item.is_end() } else { item.is_start() } {
            edge = true;
        } else {
            return None;
        }
    }
    Some(if negative { (ranges.complement(), !edge) } else { (ranges, edge) })
}

impl Node {
    /// The empty text.
    pub(crate) fn empty() -> Node {
        Node::Seq(Vec::new())
    }

    /// The direct parts.
    pub(crate) fn parts(&self) -> &[Node] {
        match self {
            Node::Seq(items) | Node::Alt(items) => items,
            Node::Repeat { item, .. } | Node::Look { item, .. } => std::slice::from_ref(item),
            _ => &[],
        }
    }

    /// Whether the node, or a part of it at any depth, is wanted.
    pub(crate) fn has(&self, is_wanted: &impl Fn(&Node) -> bool) -> bool {
        is_wanted(self) || self.parts().iter().any(|part| part.has(is_wanted))
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
