//! Id of a node → its value and content hash, as the readers of a schema need them.
//!
//! Nodes lie in one array and texts in one string, so that a tree of thousands of nodes is a handful of allocations.

use super::text::Text;
use std::cmp::Ordering;
use std::ops::Range;

/// A node of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The index among the nodes of the tree.
    pub fn place(self) -> usize {
        self.0 as usize
    }
}

/// A range of one of the tree's arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    pub start: u32,
    pub end: u32,
}

impl Slice {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A text in the tree's arrays.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextAt {
    Unicode(Slice),
    Surrogates(Slice),
    Foreign(Slice),
}

/// A value in the tree's arrays.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueAt {
    Null,
    Boolean(bool),
    Number(Slice),
    NonFinite(Slice),
    String(TextAt),
    Array(Slice),
    Object(Slice),
    Foreign(Slice),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct MemberAt {
    pub key: TextAt,
    pub value: NodeId,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub value: ValueAt,
    pub hash: u128,
}

/// A JSON value that owns its nodes.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) texts: String,
    pub(super) items: Vec<NodeId>,
    pub(super) members: Vec<MemberAt>,
    /// For each object, its members' places in the order of `compare_keys`; parallel to `members`.
    pub(super) by_key: Vec<u32>,
    /// Whether some node stands at several places.
    pub(super) is_shared: bool,
    /// Whether some key is no string.
    pub(super) has_foreign_keys: bool,
    /// Whether some key is `$id` or `id`.
    pub(super) has_ids: bool,
    pub(super) root: NodeId,
}

/// One value; arrays and objects name their parts by ids.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// null
    Null,
    /// false, true
    Boolean(bool),
    /// The numeral as it was written, in JSON's grammar.
    Number(&'a str),
    /// NaN or an infinity, by its name: no JSON text has one, values of other languages do.
    NonFinite(&'a str),
    /// A string.
    String(Text<'a>),
    /// The items.
    Array(&'a [NodeId]),
    /// The members.
    Object(Object<'a>),
    /// A value that is no JSON, by the name of its type: values of other languages may hold anything.
    Foreign(&'a str),
}

/// The name of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key<'a> {
    /// A string.
    Text(Text<'a>),
    /// A key that is no string, as an error shows it.
    Foreign(&'a str),
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Its name.
    pub key: Key<'a>,
    /// Its value.
    pub value: NodeId,
}

/// The members of an object, each name once, in the order of the text.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    tree: &'a Tree,
    at: Slice,
}

impl Tree {
    /// The node of the whole value.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of all strings, keys and numerals.
    pub fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    /// A tree always has a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The value of a node.
    pub fn value(&self, node: NodeId) -> Value<'_> {
        match self.nodes[node.0 as usize].value {
            ValueAt::Null => Value::Null,
            ValueAt::Boolean(flag) => Value::Boolean(flag),
            ValueAt::Number(at) => Value::Number(&self.texts[at.range()]),
            ValueAt::NonFinite(at) => Value::NonFinite(&self.texts[at.range()]),
            ValueAt::String(at) => match self.key(at) {
                Key::Text(text) => Value::String(text),
                Key::Foreign(name) => Value::Foreign(name),
            },
            ValueAt::Array(at) => Value::Array(&self.items[at.range()]),
            ValueAt::Object(at) => Value::Object(Object { tree: self, at }),
            ValueAt::Foreign(at) => Value::Foreign(&self.texts[at.range()]),
        }
    }

    /// The members of an object, None for other values.
    pub fn object(&self, node: NodeId) -> Option<Object<'_>> {
        match self.value(node) {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The items of an array, None for other values.
    pub fn array(&self, node: NodeId) -> Option<&[NodeId]> {
        match self.value(node) {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The Unicode text of a string, None for other values.
    pub fn str(&self, node: NodeId) -> Option<&str> {
        match self.value(node) {
            Value::String(text) => text.as_str(),
            _ => None,
        }
    }

    /// A hash of the node's content: types, spellings of numbers, strings, items and members in order.
    ///
    /// Nodes of equal hash have equal content, wherever they stand, unless an adversary chose them.
    pub fn hash(&self, node: NodeId) -> u128 {
        self.nodes[node.0 as usize].hash
    }

    /// Whether some node stands at several places, as a value of another language may.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Whether some object has a key that is no string.
    pub fn has_foreign_keys(&self) -> bool {
        self.has_foreign_keys
    }

    /// Whether some object has a member `$id` or `id`.
    pub fn has_ids(&self) -> bool {
        self.has_ids
    }

    pub(super) fn key(&self, at: TextAt) -> Key<'_> {
        match at {
            TextAt::Unicode(at) => Key::Text(Text::Unicode(&self.texts[at.range()])),
            TextAt::Surrogates(at) => Key::Text(Text::Surrogates(&self.texts[at.range()])),
            TextAt::Foreign(at) => Key::Foreign(&self.texts[at.range()]),
        }
    }

    /// The order in which an object's keys are searched: shorter ones first, so that few comparisons read letters.
    pub(super) fn compare_keys(&self, left: TextAt, right: TextAt) -> Ordering {
        match (left, right) {
            (TextAt::Unicode(left), TextAt::Unicode(right)) => {
                let letters = |at: Slice| &self.texts.as_bytes()[at.range()];
                left.range().len().cmp(&right.range().len()).then_with(|| letters(left).cmp(letters(right)))
            }
            _ => self.key(left).cmp(&self.key(right)),
        }
    }

    /// Like [`Self::compare_keys`].
    fn compare_to_name(&self, key: TextAt, name: &str) -> Ordering {
        match key {
            TextAt::Unicode(at) => {
                let letters = &self.texts.as_bytes()[at.range()];
                letters.len().cmp(&name.len()).then_with(|| letters.cmp(name.as_bytes()))
            }
            _ => self.key(key).cmp(&Key::Text(Text::Unicode(name))),
        }
    }
}

impl<'a> Object<'a> {
    /// How many members there are.
    pub fn len(&self) -> usize {
        self.at.range().len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The member at a place, in the order of the text.
    fn member(&self, place: usize) -> Member<'a> {
        let MemberAt { key, value } = self.tree.members[self.at.start as usize + place];
        Member { key: self.tree.key(key), value }
    }

    /// The member at a place; None beyond the last one.
    pub fn get_at(&self, place: usize) -> Option<Member<'a>> {
        (place < self.len()).then(|| self.member(place))
    }

    /// The members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Member<'a>> + ExactSizeIterator + 'a {
        let object = *self;
        (0..self.len()).map(move |place| object.member(place))
    }

    /// The value of the member of this name.
    pub fn get(&self, name: &str) -> Option<NodeId> {
        let (order, members) = (&self.tree.by_key[self.at.range()], &self.tree.members[self.at.range()]);
        let compare = |&place: &u32| self.tree.compare_to_name(members[place as usize].key, name);
        let found = order.binary_search_by(compare).ok()?;
        Some(members[order[found] as usize].value)
    }
}
