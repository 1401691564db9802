//! Rules → rules of their texts that hold a terminal, whose first terminal has nothing ignored before it.
//!
//! Where ignored text belongs to the terminal behind it, the first terminal of a text differs from those behind it.

use super::production::Rules;
use super::tree::{Id, Node, Trees};
use crate::notation::source::{fail, Read};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Groups that nest in a body: each one is a call on the stack.
const DEEPEST: usize = 1_000;

/// Adds a rule `NAME first` for each rule that a text may begin with.
pub(super) struct Beginnings<'r> {
    rules: &'r mut Rules,
    /// Each terminal as it stands in a rule, with its form at the beginning.
    lexemes: &'r FxHashMap<Id, Id>,
    /// Rules that may have a text without any terminal.
    pub empty: FxHashSet<Rc<str>>,
    pub made: FxHashMap<Rc<str>, Rc<str>>,
    agenda: Vec<Rc<str>>,
}

impl<'r> Beginnings<'r> {
    pub fn new(trees: &Trees, rules: &'r mut Rules, lexemes: &'r FxHashMap<Id, Id>) -> Read<Self> {
        for rule in rules.values() {
            if trees.depth(rule.body) > DEEPEST {
                return fail("groups nest too deep beside what is ignored", rule.at, "name some of them");
            }
        }
        let (empty, made) = (FxHashSet::default(), FxHashMap::default());
        let mut beginnings = Beginnings { rules, lexemes, empty, made, agenda: Vec::new() };
        loop {
            let rules = beginnings.rules.iter();
            let found: FxHashSet<Rc<str>> = rules
                .filter(|(_, rule)| beginnings.may_be_empty(trees, rule.body))
                .map(|(name, _)| name.clone())
                .collect();
            if found == beginnings.empty {
                return Ok(beginnings);
            }
            beginnings.empty = found;
        }
    }

    /// Whether a text of a node may hold no terminal.
    fn may_be_empty(&self, trees: &Trees, node: Id) -> bool {
        if self.lexemes.contains_key(&node) {
            return false;
        }
        match trees.node(node) {
            Node::Name { name, .. } => self.empty.contains(name),
            Node::Text { text, .. } => text.is_empty(),
            Node::Seq(items) | Node::Both(items) => items.iter().all(|&item| self.may_be_empty(trees, item)),
            Node::Alt(items) => items.iter().any(|&item| self.may_be_empty(trees, item)),
            Node::Repeat(item, low, _) => *low == 0 || self.may_be_empty(trees, *item),
            _ => false,
        }
    }

    /// A call of the rule of the texts of a rule.
    pub fn rule(&mut self, trees: &mut Trees, name: &str) -> Id {
        let call = self.call(trees, name);
        while let Some(name) = self.agenda.pop() {
            let Some(rule) = self.rules.get(&name).cloned() else { continue };
            let body = self.first(trees, rule.body);
            let body = body.unwrap_or_else(|| trees.add(Node::Alt(Vec::new()), 0));
            let title = self.made[&name].clone();
            self.rules.define(title, body, rule.at);
        }
        call
    }

    fn call(&mut self, trees: &mut Trees, name: &str) -> Id {
        let at = self.rules.get(name).map_or(0, |rule| rule.at);
        if let Some(title) = self.made.get(name) {
            return trees.name(title.clone(), at);
        }
        let title: Rc<str> = format!("{name} first").into();
        self.made.insert(name.into(), title.clone());
        self.agenda.push(name.into());
        trees.name(title, at)
    }

    /// The node's texts with a terminal; nothing if it has none.
    fn first(&mut self, trees: &mut Trees, node: Id) -> Option<Id> {
        if let Some(&first) = self.lexemes.get(&node) {
            return Some(first);
        }
        match trees.node(node).clone() {
            Node::Name { name, .. } if self.rules.get(&name).is_some() => Some(self.call(trees, &name)),
            Node::Seq(items) => {
                let mut ways = Vec::new();
                for (at, &item) in items.iter().enumerate() {
                    if let Some(begin) = self.first(trees, item) {
                        ways.push(trees.add(Node::Seq([&[begin], &items[at + 1..]].concat()), 0));
                    }
                    if !self.may_be_empty(trees, item) {
                        break;
                    }
                }
                (!ways.is_empty()).then(|| trees.either(&ways))
            }
            Node::Alt(items) => {
                let found: Vec<Id> = items.iter().filter_map(|&item| self.first(trees, item)).collect();
                (!found.is_empty()).then(|| trees.either(&found))
            }
            Node::Repeat(item, low, high) => {
                let begin = self.first(trees, item).filter(|_| high != Some(0))?;
                let high = high.map(|high| high - 1);
                let rest = trees.add(Node::Repeat(item, low.saturating_sub(1), high), 0);
                Some(trees.add(Node::Seq(vec![begin, rest]), 0))
            }
            Node::Text { text, .. } => (!text.is_empty()).then_some(node),
            Node::Both(items) if items.iter().any(|&item| is_empty_text(trees, item)) => None,
            _ => Some(node),
        }
    }
}

fn is_empty_text(trees: &Trees, node: Id) -> bool {
    matches!(trees.node(node), Node::Seq(items) if items.is_empty())
}
