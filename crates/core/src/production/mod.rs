//! Named rules over texts, characters, tokens and calls, as notations of the BNF family have them → nodes of a builder.
//!
//! A reader of a notation adds nodes from left to right, each after those below it, and then says which rule they are.
//! So a body is a run of the list in postorder, every pass is a loop, and groups may nest however deep.

pub mod check;
pub mod lower;

use crate::error::Error;
use crate::regular::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What one node of a body says. Those that join others stand after them.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyNode {
    /// These characters, one after the other; without any, the empty text.
    Text(Box<str>),
    /// One code point in any of the ranges.
    Chars(Box<[(u32, u32)]>),
    /// One byte in any of the ranges.
    Octets(Box<[(u8, u8)]>),
    /// The special token of that name.
    Token(Box<str>),
    /// A call of the rule of that name, by its number, and where it stands.
    Call(u32, u32),
    /// What another front end says, by its number among `leaves`.
    Leaf(u32),
    /// The nodes below, one after the other.
    Seq,
    /// Any one of the nodes below.
    Alt,
    /// The node below so many times at least and at most; without a second number, without bound.
    Repeat(u32, Option<u32>),
    /// The texts of the first node below that are none of the second; where the operator stands.
    Except(u32),
    /// The texts that all nodes below have; where the operator stands.
    Both(u32),
    /// The byte strings that are no text of the node below; where the operator stands.
    Complement(u32),
    /// The texts of the node below that do not begin with a shorter one; where they are asked for.
    Shortest(u32),
}

/// What another front end says of its part of a body.
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

/// One node, how many nodes are directly below it, and how many its subtree has.
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
    /// By number, the names.
    spelled: Vec<Arc<str>>,
    /// By the number of a name: its rule.
    defined: Vec<Option<u32>>,
    leaves: Vec<Leaf>,
    /// Nodes that belong to no rule yet begin here.
    begin: usize,
}

/// What is wrong with rules. Places are offsets in the text of the notation.
#[derive(Debug, PartialEq)]
pub enum Flaw {
    /// The builder failed.
    Engine(Box<Error>),
    /// A call of a rule that is not there, by name and place.
    Undefined(String, u32),
    /// A rule without any text: its name, whether each text would hold another one, whether the root has none either.
    Textless(String, bool, bool),
    /// An operator between parts of which one is not regular.
    Irregular(u32),
    /// An exception between parts of which one is not regular.
    IrregularException(u32),
    /// An exception that leaves no text.
    EmptyException(u32),
    /// The operators in a rule leave no text.
    Excluded(String),
}

impl From<Box<Error>> for Flaw {
    fn from(error: Box<Error>) -> Self {
        Flaw::Engine(error)
    }
}

impl Productions {
    /// Adds a node that joins the last `below` ones that nothing joins yet.
    ///
    /// # Panics
    /// If the body under way has fewer.
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

    /// Adds what another front end says; the number under which its node is given later.
    pub fn leaf(&mut self, leaf: Leaf) -> u32 {
        self.leaves.push(leaf);
        self.add(BodyNode::Leaf(self.leaves.len() as u32 - 1), 0);
        self.leaves.len() as u32 - 1
    }

    /// Says what a leaf is. False if there is no such leaf.
    pub fn give(&mut self, leaf: u32, node: TermId, ends_in_name: bool) -> bool {
        let found = self.leaves.get_mut(leaf as usize);
        found.map(|leaf| (leaf.node, leaf.ends_in_name) = (Some(node), ends_in_name)).is_some()
    }

    /// Makes a rule of the body under way. `title` is the name as it is written. False if the rule is there already.
    ///
    /// # Panics
    /// Unless one node joins all others of the body.
    pub fn define(&mut self, name: &str, title: &str) -> bool {
        let nodes = self.begin..self.entries.len();
        assert!(self.entries[nodes.clone()].last().is_some_and(|body| body.size as usize == nodes.len()));
        let mut seen = FxHashSet::default();
        let calls = self.entries[nodes.clone()].iter().rev().filter_map(|entry| match entry.node {
            BodyNode::Call(name, _) => seen.insert(name).then_some(name),
            _ => None,
        });
        let calls = calls.collect();
        let name = self.number(name);
        self.begin = nodes.end;
        let is_new = self.defined[name as usize].is_none();
        if is_new {
            self.defined[name as usize] = Some(self.rules.len() as u32);
            self.rules.push(Production { name, title: title.into(), nodes, calls });
        }
        is_new
    }

    /// The name of a rule, as calls have it.
    pub fn name(&self, rule: u32) -> &str {
        &self.spelled[self.rules[rule as usize].name as usize]
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
    fn below(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = node;
        (0..self.entries[node].below).map(move |_| {
            let child = next - 1;
            next -= self.entries[child].size as usize;
            child
        })
    }

    /// The nodes of a subtree, each after those below it.
    fn subtree(&self, node: usize) -> std::ops::Range<usize> {
        node + 1 - self.entries[node].size as usize..node + 1
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Rules from `name=body`, a body in postfix notation. Capitals are calls, `0` is the empty text, `.` joins two parts
    /// one after the other, `|` as alternatives, `-` and `&` as operands; `*`, `?`, `~` and `<` apply to one part.
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
    fn a_node_joins_the_last_subtrees() {
        let productions = productions(&["A=ab.c.d|"]);
        let below = |node| productions.below(node).collect::<Vec<_>>();
        assert_eq!((below(2), below(4), below(6)), (vec![1, 0], vec![3, 2], vec![5, 4]));
        assert_eq!((productions.subtree(4), productions.subtree(6)), (0..5, 0..7));
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
