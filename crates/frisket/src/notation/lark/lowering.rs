//! Rules × Builder → the node of exactly the root's texts, or what is wrong, with its place.

use super::instance::listed;
use super::pattern::Regex;
use super::production::{rules, Rule, Rules};
use super::source::{fail, Read};
use super::tree::{Id, Module, Node, Trees};
use super::Context;
use crate::notation::{Failure, Fault};
use frisket_core::builder::Builder;
use frisket_core::production::{BodyNode, Flaw, Leaf, Productions};
use frisket_core::regular::term::TermId;
use frisket_regex::Dialect;
use frisket_schema::similar::nearest;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The rule of a terminal that is lowered by itself.
const PART: &str = "%part";

/// The engine's productions, and by rule the leaves that get their nodes later.
#[derive(Default)]
pub(super) struct Emitted {
    pub productions: Productions,
    leaves: Vec<Vec<(u32, Id)>>,
}

/// Writes rules as the engine's productions.
pub(super) fn emit<'r>(trees: &Trees, rules: impl Iterator<Item = (&'r Rc<str>, &'r Rule)>) -> Emitted {
    let mut emitted = Emitted::default();
    for (name, rule) in rules {
        emitted.rule(trees, name, rule);
    }
    emitted
}

impl Emitted {
    fn rule(&mut self, trees: &Trees, name: &str, rule: &Rule) {
        let mut leaves = Vec::new();
        for id in trees.postorder(rule.body) {
            if let Some(leaf) = self.node(trees, id) {
                leaves.push((leaf, id));
            }
        }
        if self.productions.define(name, &rule.title) {
            self.leaves.push(leaves);
        }
    }

    /// Adds a node; the number of a leaf.
    fn node(&mut self, trees: &Trees, id: Id) -> Option<u32> {
        let at = trees.at(id) as u32;
        let count = trees.below(id).len() as u32;
        let (is_regular, may_be_empty) = match trees.node(id) {
            Node::Regex(regex) => (true, regex.may_be_empty()),
            Node::Substring(_) => (true, true),
            Node::Schema(_) | Node::Nested(..) => (false, true),
            Node::Name { name, .. } => {
                self.productions.call(name, at);
                return None;
            }
            node => {
                self.productions.add(body_node(node, at), count);
                return None;
            }
        };
        Some(self.productions.leaf(Leaf { is_regular, may_be_empty, ends_in_name: false, node: None }))
    }
}

/// What a node that is no leaf and no call is to the engine.
fn body_node(node: &Node, at: u32) -> BodyNode {
    match node {
        Node::Text { text, .. } => BodyNode::Text((**text).into()),
        Node::Chars(ranges) => BodyNode::Chars((**ranges).into()),
        Node::Octets(ranges) => BodyNode::Octets((**ranges).into()),
        Node::Special(name) => BodyNode::Token((**name).into()),
        Node::Repeat(_, low, high) => BodyNode::Repeat(*low, *high),
        Node::Both(_) | Node::Cut { .. } => BodyNode::Both(at),
        Node::Not(_) => BodyNode::Complement(at),
        Node::Shortest(_) => BodyNode::Shortest(at),
        Node::Seq(_) | Node::If(..) => BodyNode::Seq,
        _ => BodyNode::Alt,
    }
}

/// The node of the texts of a module's rule.
pub(super) fn lower_module(cx: &mut Context, builder: &mut Builder, module: &Module, start: &str) -> Read<TermId> {
    let rules = rules(cx, builder, module, start)?;
    check_root(cx, &rules)?;
    let emitted = emit(&cx.trees, rules.iter());
    emitted.lower(cx, builder, &rules, &rules.root)
}

/// Whether there is a rule to begin with.
pub(super) fn check_root(cx: &Context, rules: &Rules) -> Read<()> {
    let (end, root) = (cx.text.len(), &rules.root);
    let names: Vec<&str> = rules.values().map(|rule| &*rule.title).collect();
    if names.is_empty() {
        return fail("the grammar has no rules", end, "");
    }
    if rules.get(root).is_some() {
        return Ok(());
    }
    let is_rule = |name: &&&str| !name.contains(char::is_uppercase);
    let near = nearest(root, names.iter().copied()).or(names.iter().find(is_rule).copied()).unwrap_or(names[0]);
    let mut hint = format!("call a rule {root}, or pass start=\"{near}\"");
    if names.len() > 1 {
        hint = format!("{hint}; the rules are {}", listed(&names));
    }
    fail(format!("there is no rule {root}"), end, hint)
}

/// The node of a terminal, which may call the rules of `terminals`: one regular node, however large, if it is regular.
pub(super) fn lower_part(cx: &mut Context, builder: &mut Builder, terminals: &Rules, tree: Id) -> Read<TermId> {
    let body = match cx.trees.node(tree) {
        Node::Text { text, .. } => return Ok(builder.literal(text.as_bytes())?),
        Node::Special(_) | Node::Schema(_) | Node::Nested(..) => tree,
        _ => {
            let outside = cx.trees.add(Node::Not(tree), 0);
            cx.trees.add(Node::Not(outside), 0)
        }
    };
    let mut emitted = Emitted::default();
    emitted.rule(&cx.trees, PART, &Rule { title: PART.into(), body, at: 0 });
    let (mut found, mut agenda) = (FxHashSet::default(), vec![body]);
    while let Some(body) = agenda.pop() {
        for id in cx.trees.postorder(body) {
            let Node::Name { name, .. } = cx.trees.node(id) else { continue };
            if let Some(rule) = terminals.get(name).filter(|_| found.insert(name.clone())) {
                emitted.rule(&cx.trees, name, rule);
                agenda.push(rule.body);
            }
        }
    }
    emitted.lower(cx, builder, terminals, PART)
}

impl Emitted {
    fn lower(mut self, cx: &mut Context, builder: &mut Builder, rules: &Rules, root: &str) -> Read<TermId> {
        let flawed = |flaw: Flaw| failure(flaw, rules);
        let reached = self.productions.check(root).map_err(flawed)?.unwrap_or_default();
        let leaves = reached.iter().filter_map(|&rule| self.leaves.get(rule as usize));
        let leaves: Vec<(u32, Id)> = leaves.flatten().copied().collect();
        // What other notations say comes before any rule: they may ask whether it is empty.
        for &(leaf, id) in &leaves {
            let at = cx.trees.at(id);
            let node = match cx.trees.node(id).clone() {
                Node::Substring(chunks) => lower_substring(builder, &chunks)?,
                Node::Schema(schema) => cx.schemas.lower(builder, &schema, at)?,
                Node::Nested(module, _) => {
                    if !module.definitions.contains("start") {
                        return fail("the nested grammar has no rule start", at, "");
                    }
                    lower_module(cx, builder, &module, "start")?
                }
                _ => continue,
            };
            self.productions.give(leaf, node, false);
        }
        let mut known: FxHashMap<(&str, &str, Dialect), TermId> = FxHashMap::default();
        for &(leaf, id) in &leaves {
            let Node::Regex(regex) = cx.trees.node(id) else { continue };
            let refused = |error: frisket_regex::Error| match error {
                frisket_regex::Error::Engine(error) => Failure::Engine(error),
                frisket_regex::Error::Limit(flaw) => Failure::Limit(of_flaw(flaw, regex, cx.trees.at(id))),
                frisket_regex::Error::Syntax(flaw) | frisket_regex::Error::Irregular(flaw) => {
                    Failure::Unread(of_flaw(flaw, regex, cx.trees.at(id)))
                }
            };
            let pattern = regex.read.as_ref().map_err(|error| refused(error.clone()))?;
            let key = (&*regex.pattern, &*regex.flags, regex.dialect);
            let node = match known.get(&key) {
                Some(&node) => node,
                None => pattern.lower_part(builder).map_err(refused)?,
            };
            known.insert(key, node);
            self.productions.give(leaf, node, pattern.tree().ends_in_name());
        }
        self.productions.lower(builder, &reached).map_err(flawed)
    }
}

/// The fault of a pattern whose slash stands at a byte.
fn of_flaw(flaw: frisket_regex::Flaw, regex: &Regex, at: usize) -> Fault {
    // Only Rust's patterns are read as they are written.
    let before = flaw.at.filter(|_| regex.dialect == Dialect::Rust);
    let inside = before.map(|count| 1 + regex.pattern.chars().take(count).map(char::len_utf8).sum::<usize>());
    Fault { message: flaw.message, at: Some(at + inside.unwrap_or(0)), hint: flaw.hint }
}

/// The failure of a flaw, at the rule that is to blame.
fn failure(flaw: Flaw, rules: &Rules) -> Failure {
    let blamed = match &flaw {
        Flaw::Textless(name, ..) | Flaw::Excluded(name) => rules.get(name).cloned(),
        _ => None,
    };
    let flaw = match (flaw, &blamed) {
        (Flaw::Textless(_, in_cycle, is_root), Some(rule)) => Flaw::Textless(rule.title.to_string(), in_cycle, is_root),
        (Flaw::Excluded(_), Some(rule)) => Flaw::Excluded(rule.title.to_string()),
        (flaw, _) => flaw,
    };
    let mut failure = Failure::from(flaw);
    if let (Failure::Unread(fault) | Failure::Empty(fault), Some(rule)) = (&mut failure, blamed) {
        fault.at = Some(rule.at);
    }
    failure
}

/// The node of all runs of chunks that follow each other, the empty one too.
///
/// A run is a beginning of a rest of the chunks. Each rest is a chunk and the next rest, which shares its node.
fn lower_substring(builder: &mut Builder, chunks: &[String]) -> Read<TermId> {
    let mut rest = builder.literal(b"")?;
    let mut nodes = vec![rest.number()];
    for chunk in chunks.iter().rev() {
        let chunk = builder.literal(chunk.as_bytes())?;
        let longer = builder.cat(&[chunk.number(), rest.number()])?;
        rest = builder.repeat(longer.number(), 0, Some(1))?;
        nodes.push(rest.number());
    }
    Ok(builder.alt(&nodes)?)
}
