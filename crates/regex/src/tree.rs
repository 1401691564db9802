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
    /// An item several times.
    Repeat {
        /// What is repeated.
        item: Box<Node>,
        /// The least count.
        low: u32,
        /// The greatest count; None is no limit.
        high: Option<u32>,
        /// Whether fewer rounds are tried first. Only in an atomic group this is another language.
        is_lazy: bool,
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
    /// `\b` or `\B`: holds where one of the pairs does.
    Boundary {
        /// What may stand before and after.
        sides: Vec<[Side; 2]>,
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
    /// A capturing group; only while a pattern with back-references is read.
    Group {
        /// Its number, from 0 on.
        number: usize,
        /// What it holds.
        item: Box<Node>,
    },
    /// A back-reference; only while a pattern is read.
    Reference {
        /// Its place among all references.
        index: usize,
        /// The place of the reference.
        at: usize,
    },
    /// Python's `$`: holds at the end of the text and before a newline that ends it.
    FinalNewline {
        /// The place of the assertion.
        at: usize,
    },
}

/// The character on one side of a place: in the set, or none at all if the text may begin or end there.
pub type Side = (CharSet, bool);

/// A lookaround at one character, or at the edge of the text, as what it asks of its side.
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

    /// The parts that it consists of.
    pub(crate) fn parts(&self) -> &[Node] {
        match self {
            Node::Seq(items) | Node::Alt(items) => items,
            Node::Repeat { item, .. }
            | Node::Atomic { item, .. }
            | Node::Look { item, .. }
            | Node::Group { item, .. } => std::slice::from_ref(item),
            _ => &[],
        }
    }

    /// The same node of other parts.
    pub(crate) fn with_parts<E>(mut self, mut change: impl FnMut(Node) -> Result<Node, E>) -> Result<Self, E> {
        match &mut self {
            Node::Seq(items) | Node::Alt(items) => {
                *items = std::mem::take(items).into_iter().map(change).collect::<Result<_, E>>()?;
            }
            Node::Repeat { item, .. }
            | Node::Atomic { item, .. }
            | Node::Look { item, .. }
            | Node::Group { item, .. } => {
                **item = change(std::mem::replace(item, Node::empty()))?;
            }
            _ => {}
        }
        Ok(self)
    }

    /// Whether the node or a part of it at any depth is such a one.
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
