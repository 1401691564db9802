//! A grammar in Lark's notation as trees of one arena: what its text says, and the productions that are made of it.
//!
//! Nodes are numbers, so that a group may nest however deep: no pass over a body and no drop recurses.

use super::parameter::Formula;
use crate::notation::pattern::Regex;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// The number of a node.
pub(super) type Id = u32;

/// Ranges of code points, or of bytes.
pub(super) type Ranges<T> = Rc<[(T, T)]>;

/// What a node says.
#[derive(Clone)]
pub(super) enum Node {
    /// `"text"`, in any case of its letters after `i`.
    Text { text: Rc<str>, any_case: bool },
    /// One character: `"a".."z"`.
    Chars(Ranges<u32>),
    /// One byte.
    Octets(Ranges<u8>),
    /// `/pattern/flags`.
    Regex(Rc<Regex>),
    /// `%regex {"substring_…": …}`: some of these chunks that stand side by side; none, too.
    Substring(Rc<[String]>),
    /// `<|name|>`, the special token of that name.
    Special(Rc<str>),
    /// `%json {…}`, the documents of a JSON Schema.
    Schema(Rc<str>),
    /// `%lark {…}`, a grammar with names of its own, and its text.
    Nested(Rc<Module>, Rc<str>),
    /// A rule, a terminal, a template's parameter or a template with its arguments; what stands behind `::`.
    Name { name: Rc<str>, arguments: Vec<Id>, parameter: Option<Rc<Formula>> },
    /// One after the other; without items, the empty text.
    Seq(Vec<Id>),
    /// Any one of the alternatives.
    Alt(Vec<Id>),
    /// An alternative with the condition behind `%if`.
    If(Rc<Formula>, Id),
    /// The item so many times at least and at most.
    Repeat(Id, u32, Option<u32>),
    /// `A & B`, the texts of all items.
    Both(Vec<Id>),
    /// `~A`, the byte strings that are no text of the item.
    Not(Id),
    /// The texts of the item that do not begin with a shorter one.
    Shortest(Id),
    /// The texts of a terminal in which none of the lazy rules would have ended: at its end, or at most before it.
    Cut { item: Id, lazy: Vec<Rc<str>>, before_end: bool },
}

/// The attributes in brackets behind a rule's name, as far as they change the texts.
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes {
    /// Where `lazy`, `suffix` or `stop` stands.
    pub lazy_at: Option<usize>,
    /// The ending of the rule, part of its texts.
    pub ending: Option<Id>,
    /// `stop=""` makes a terminal of the rule, which nothing but the end of the text must end.
    pub is_terminal: bool,
    pub max_chars: Option<u32>,
}

/// A rule or a terminal.
#[derive(Clone)]
pub(super) struct Definition {
    pub name: Rc<str>,
    pub at: usize,
    pub body: Id,
    /// The parameters of a template.
    pub parameters: Vec<Rc<str>>,
    pub is_parametric: bool,
    pub attributes: Attributes,
}

impl Definition {
    pub fn is_terminal(&self) -> bool {
        is_terminal(&self.name)
    }

    /// Whether the whole rule is one terminal where others name it.
    pub fn is_lexeme(&self) -> bool {
        self.is_terminal() || self.attributes.lazy_at.is_some() || self.attributes.is_terminal
    }
}

/// The definitions of a grammar by name.
pub(super) type Definitions = Ordered<Definition>;

/// One grammar: its definitions, what may stand between its terminals, its options.
#[derive(Default)]
pub struct Module {
    pub(super) definitions: Definitions,
    pub(super) ignored: Vec<Id>,
    /// Terminals of `%declare`, which have no texts, and where they are declared.
    pub(super) declared: Vec<(Rc<str>, usize)>,
    /// Whether ignored text may stand before the first terminal, too.
    pub(super) is_first_ignored: bool,
    /// Whether at most one ignored text stands at a place: by `ignore_once`, by `skip_repetition`.
    pub(super) ignores_once: [bool; 2],
}

/// Whether a name is a terminal's: its first letter is a capital.
pub(super) fn is_terminal(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}

/// Values by name, in the order in which the names first came.
pub(super) type Ordered<T> = IndexMap<Rc<str>, T, FxBuildHasher>;

/// The nodes of all bodies, and where in the text each one stands; 0 for one that is made of others.
#[derive(Default)]
pub(super) struct Trees(Vec<(Node, usize)>);

impl Trees {
    pub fn add(&mut self, node: Node, at: usize) -> Id {
        self.0.push((node, at));
        self.0.len() as Id - 1
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.0[id as usize].0
    }

    pub fn set(&mut self, id: Id, node: Node) {
        self.0[id as usize].0 = node;
    }

    pub fn at(&self, id: Id) -> usize {
        self.0[id as usize].1
    }

    /// The nodes directly below, a template's arguments aside.
    pub fn below(&self, id: Id) -> &[Id] {
        match self.node(id) {
            Node::Seq(items) | Node::Alt(items) | Node::Both(items) => items,
            Node::If(_, item)
            | Node::Repeat(item, ..)
            | Node::Not(item)
            | Node::Shortest(item)
            | Node::Cut { item, .. } => std::slice::from_ref(item),
            _ => &[],
        }
    }

    /// All nodes of a body, each one after those below it.
    pub fn postorder(&self, body: Id) -> Vec<Id> {
        let (mut found, mut agenda) = (Vec::new(), vec![body]);
        while let Some(id) = agenda.pop() {
            found.push(id);
            agenda.extend_from_slice(self.below(id));
        }
        found.reverse();
        found
    }

    /// How many nodes stand one below the other.
    pub fn depth(&self, body: Id) -> usize {
        let (mut most, mut agenda) = (0, vec![(body, 1)]);
        while let Some((id, depth)) = agenda.pop() {
            most = most.max(depth);
            agenda.extend(self.below(id).iter().map(|&child| (child, depth + 1)));
        }
        most
    }

    /// A node like another one, of other nodes below it; the node itself if these are the same.
    pub fn with_below(&mut self, id: Id, below: Vec<Id>) -> Id {
        if self.below(id) == below {
            return id;
        }
        let (mut node, at) = self.0[id as usize].clone();
        match &mut node {
            Node::Seq(items) | Node::Alt(items) | Node::Both(items) => *items = below,
            Node::If(_, item)
            | Node::Repeat(item, ..)
            | Node::Not(item)
            | Node::Shortest(item)
            | Node::Cut { item, .. } => *item = below[0],
            _ => {}
        }
        self.add(node, at)
    }

    /// The items of a sequence; the node itself if it is none.
    pub fn items(&self, id: Id) -> Vec<Id> {
        match self.node(id) {
            Node::Seq(items) => items.clone(),
            _ => vec![id],
        }
    }

    pub fn name(&mut self, name: Rc<str>, at: usize) -> Id {
        self.add(Node::Name { name, arguments: Vec::new(), parameter: None }, at)
    }

    /// The items one after the other.
    pub fn sequence(&mut self, items: Vec<Id>) -> Id {
        if items.len() == 1 {
            items[0]
        } else {
            self.add(Node::Seq(items), 0)
        }
    }

    /// Any one of the items.
    pub fn alternatives(&mut self, items: Vec<Id>) -> Id {
        if items.len() == 1 {
            items[0]
        } else {
            self.add(Node::Alt(items), 0)
        }
    }

    /// The items one after the other, without empty texts among them.
    pub fn joined(&mut self, items: Vec<Id>) -> Id {
        let solid = items.into_iter().filter(|&item| !self.is_empty_text(item)).collect();
        self.sequence(solid)
    }

    /// Any of the items, those of unions among them one by one.
    pub fn either(&mut self, items: &[Id]) -> Id {
        let mut flat = Vec::new();
        for &item in items {
            match self.node(item) {
                Node::Alt(parts) => flat.extend_from_slice(parts),
                _ => flat.push(item),
            }
        }
        self.alternatives(flat)
    }

    fn is_empty_text(&self, id: Id) -> bool {
        matches!(self.node(id), Node::Seq(items) if items.is_empty())
    }
}
