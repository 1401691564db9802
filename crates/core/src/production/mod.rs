//! The rules of a BNF-like notation, over texts, characters, tokens and calls → nodes of a builder.
//!
//! The reader of a notation adds the nodes of a body in postorder, and then names the rule. A body is therefore a range
//! of one list, and each pass over it is a loop, so deeply nested groups cannot overflow the stack.

pub mod check;
pub mod lower;

use crate::error::Error;
use crate::regular::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// One node of a body. An operator stands after its operands (postorder).
#[derive(Clone, Debug, PartialEq)]
pub enum BodyNode {
    /// These characters in sequence; the empty text if there are none.
    Text(Box<str>),
    /// One code point in any of the ranges.
    Chars(Box<[(u32, u32)]>),
    /// One byte in any of the ranges.
    Octets(Box<[(u8, u8)]>),
    /// The special token of that name.
    Token(Box<str>),
    /// A call of a rule: the number of the rule's name, and the place of the call.
    Call(u32, u32),
    /// A part that another front end reads: its number among `leaves`.
    Leaf(u32),
    /// The nodes below in sequence.
    Seq,
    /// Any one of the nodes below.
    Alt,
    /// The fewest and the most repetitions of the node below; None: unbounded.
    Repeat(u32, Option<u32>),
    /// The texts of the first node below that are no texts of the second; the number is the operator's place.
    Except(u32),
    /// The texts that all nodes below have in common; the number is the operator's place.
    Both(u32),
    /// The byte strings that are no texts of the node below; the number is the operator's place.
    Complement(u32),
    /// The texts of the node below that do not begin with a shorter text of it; the number is the operator's place.
    Shortest(u32),
}

/// A part of a body that another front end reads, and the facts that it states of the part.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Whether its texts are a regular language.
    pub is_regular: bool,
    /// Whether the empty text may be one of them.
    pub may_be_empty: bool,
    /// Whether its texts may end with a name of any length.
    pub ends_in_name: bool,
    /// Its node, once the front end made it.
    pub node: Option<TermId>,
}

/// One node, the number of nodes directly below it, and the size of its subtree.
#[derive(Clone)]
struct Entry {
    node: BodyNode,
    below: u32,
    size: u32,
}

/// One rule.
struct Production {
    /// Its number among the names that calls use.
    name: u32,
    /// Its name as it is written.
    title: Box<str>,
    /// The nodes of its body, the last of which is the body itself.
    nodes: std::ops::Range<usize>,
    /// The names that the body calls, the last one first; once each.
    calls: Box<[u32]>,
}

/// The rules of a grammar.
#[derive(Default)]
pub struct Productions {
    entries: Vec<Entry>,
    rules: Vec<Production>,
    names: FxHashMap<Arc<str>, u32>,
    /// Number → name.
    spelled: Vec<Arc<str>>,
    /// Number of a name → the rule of that name.
    defined: Vec<Option<u32>>,
    leaves: Vec<Leaf>,
    /// The first node of the body that is being added.
    begin: usize,
}

/// A flaw of some rules. Places are offsets in the source text.
#[derive(Debug, PartialEq)]
pub enum Flaw {
    /// The builder failed.
    Engine(Box<Error>),
    /// A call of a rule that does not exist: its name and place.
    Undefined(String, u32),
    /// A rule without any text: its name; whether each text would contain another text of it (`a = "x" a`); whether the
    /// root has no text either.
    Textless(String, bool, bool),
    /// An operator at this place with an operand that is not regular.
    Irregular(u32),
    /// An `Except` at this place with an operand that is not regular.
    IrregularException(u32),
    /// An `Except` at this place that leaves no text.
    EmptyException(u32),
    /// The operators in the rule of this name leave no text.
    Excluded(String),
}

impl From<Box<Error>> for Flaw {
    fn from(error: Box<Error>) -> Self {
        Flaw::Engine(error)
    }
}

impl Productions {
    /// Adds a node above the last `below` nodes that have no parent yet.
    ///
    /// # Panics
    /// If the body has fewer such nodes.
    pub fn add(&mut self, node: BodyNode, below: u32) {
        let mut end = self.entries.len();
        for _ in 0..below {
            assert!(end > self.begin, "a node joins nodes of its own body");
            end -= self.entries[end - 1].size as usize;
        }
        self.entries.push(Entry { node, below, size: (self.entries.len() - end) as u32 + 1 });
    }

    /// Adds a call of a rule.
    pub fn call(&mut self, name: &str, at: u32) {
        let name = self.number(name);
        self.add(BodyNode::Call(name, at), 0);
    }

    /// Adds a part that another front end reads. Returns the number under which its node is given later.
    pub fn leaf(&mut self, leaf: Leaf) -> u32 {
        self.leaves.push(leaf);
        self.add(BodyNode::Leaf(self.leaves.len() as u32 - 1), 0);
        self.leaves.len() as u32 - 1
    }

    /// Gives the node of a leaf. False if there is no such leaf.
    pub fn give(&mut self, leaf: u32, node: TermId, ends_in_name: bool) -> bool {
        let found = self.leaves.get_mut(leaf as usize);
        found.map(|leaf| (leaf.node, leaf.ends_in_name) = (Some(node), ends_in_name)).is_some()
    }

    /// Adds the nodes of an ended body, or of a subtree of one, again.
    pub fn copy(&mut self, nodes: std::ops::Range<usize>) {
        self.entries.extend_from_within(nodes);
    }

    /// The last node of the body.
    pub fn last(&self) -> Option<&BodyNode> {
        self.entries[self.begin..].last().map(|entry| &entry.node)
    }

    /// Takes back the last node of the body, so that the nodes below it have no parent.
    pub fn take_back(&mut self) {
        if self.last().is_some() {
            self.entries.pop();
        }
    }

    /// Ends the body and makes it the rule of this name. `title` is the name as written. False if the rule exists.
    ///
    /// # Panics
    /// Unless the last node is above all others of the body.
    pub fn define(&mut self, name: &str, title: &str) -> bool {
        let (nodes, calls) = self.end();
        let name = self.number(name);
        let is_new = self.defined[name as usize].is_none();
        if is_new {
            self.defined[name as usize] = Some(self.rules.len() as u32);
            self.rules.push(Production { name, title: title.into(), nodes, calls });
        }
        is_new
    }

    /// Ends the body and gives it to a rule, whose body was another one.
    ///
    /// # Panics
    /// As `define`, and if there is no such rule.
    pub fn redefine(&mut self, rule: u32) {
        let (nodes, calls) = self.end();
        let known = &mut self.rules[rule as usize];
        (known.nodes, known.calls) = (nodes, calls);
    }

    /// Ends the body. Returns its nodes, and the names that they call, the last one first.
    ///
    /// # Panics
    /// As `define`.
    pub fn end(&mut self) -> (std::ops::Range<usize>, Box<[u32]>) {
        let nodes = self.begin..self.entries.len();
        assert!(self.entries[nodes.clone()].last().is_some_and(|body| body.size as usize == nodes.len()));
        let mut seen = FxHashSet::default();
        let calls = self.entries[nodes.clone()].iter().rev().filter_map(|entry| match entry.node {
            BodyNode::Call(name, _) => seen.insert(name).then_some(name),
            _ => None,
        });
        let calls = calls.collect();
        self.begin = nodes.end;
        (nodes, calls)
    }

    /// How many rules there are.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// The rule of a name, as calls have it.
    pub fn rule(&self, name: &str) -> Option<u32> {
        self.names.get(name).and_then(|&name| self.defined[name as usize])
    }

    /// The name of a rule, as calls have it.
    pub fn name(&self, rule: u32) -> &str {
        self.spelled(self.rules[rule as usize].name)
    }

    /// The name of a rule as it is written.
    pub fn title(&self, rule: u32) -> &str {
        &self.rules[rule as usize].title
    }

    /// The nodes of a rule's body, each after those below it.
    pub fn nodes(&self, rule: u32) -> std::ops::Range<usize> {
        self.rules[rule as usize].nodes.clone()
    }

    /// A node.
    pub fn node(&self, node: usize) -> &BodyNode {
        &self.entries[node].node
    }

    /// The name of that number.
    pub fn spelled(&self, name: u32) -> &str {
        &self.spelled[name as usize]
    }

    /// The number of a name.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.names.get(name) {
            return number;
        }
        let name: Arc<str> = name.into();
        self.names.insert(name.clone(), self.defined.len() as u32);
        self.spelled.push(name);
        self.defined.push(None);
        self.defined.len() as u32 - 1
    }

    /// The nodes directly below a node, the last one first.
    pub fn below(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = node;
        (0..self.entries[node].below).map(move |_| {
            let child = next - 1;
            next -= self.entries[child].size as usize;
            child
        })
    }

    /// The nodes of a subtree, each after those below it.
    pub fn subtree(&self, node: usize) -> std::ops::Range<usize> {
        node + 1 - self.entries[node].size as usize..node + 1
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Rules from `name=body`, where the body is in postfix notation: capitals are calls, `0` is the empty text. `.`,
    /// `|`, `-` and `&` take two operands (sequence, alternatives, exception, intersection), all other operators one.
    pub(crate) fn productions(rules: &[&str]) -> Productions {
        let mut productions = Productions::default();
        for (line, rule) in (0..).zip(rules) {
            let (name, body) = rule.split_once('=').unwrap();
            for (place, sign) in (0..).zip(body.chars()) {
                match sign {
                    '|' => productions.add(BodyNode::Alt, 2),
                    '.' => productions.add(BodyNode::Seq, 2),
                    '0' => productions.add(BodyNode::Seq, 0),
                    '*' => productions.add(BodyNode::Repeat(0, None), 1),
                    '?' => productions.add(BodyNode::Repeat(0, Some(1)), 1),
                    '-' => productions.add(BodyNode::Except(100 * line + place), 2),
                    '&' => productions.add(BodyNode::Both(100 * line + place), 2),
                    '~' => productions.add(BodyNode::Complement(100 * line + place), 1),
                    '<' => productions.add(BodyNode::Shortest(100 * line + place), 1),
                    '$' => productions.add(BodyNode::Token("<end>".into()), 0),
                    '#' => productions.add(BodyNode::Chars([(0x61, 0x7a)].into()), 0),
                    '9' => productions.add(BodyNode::Chars([(0x30, 0x39)].into()), 0),
                    '!' => productions.add(BodyNode::Chars([].into()), 0),
                    'A'..='Z' => productions.call(&sign.to_string(), 100 * line + place),
                    _ => productions.add(BodyNode::Text(sign.to_string().into()), 0),
                }
            }
            assert!(productions.define(name, name));
        }
        productions
    }

    #[test]
    fn a_rule_knows_what_it_calls_and_is_defined_once() {
        let mut made = productions(&["A=BC.B.", "B=b", "C=c"]);
        let called: Vec<&str> = made.called(0).map(|rule| made.name(rule)).collect();
        assert_eq!(called, ["B", "C"], "the last one first");
        made.add(BodyNode::Seq, 0);
        assert!(!made.define("B", "b"));
    }

    #[test]
    #[should_panic(expected = "a node joins nodes of its own body")]
    fn a_node_joins_nothing_of_another_rule() {
        productions(&["A=a", "B=b."]);
    }
}
