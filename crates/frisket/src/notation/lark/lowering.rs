//! Rules × Builder → the node of exactly the root's texts, or what is wrong, with its place.

use super::production::{rules, Rule, Rules};
use super::tree::{Id, Module, Node, Trees};
use super::Context;
use crate::notation::rules::{Part, Rules as Emitted};
use crate::notation::source::{fail, Read};
use frisket_core::builder::Builder;
use frisket_core::production::BodyNode;
use frisket_core::regular::term::TermId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The rule of a terminal that is lowered by itself.
const PART: &str = "%part";

/// The rules as all notations have them. `end` is the length of the text.
pub(super) fn emit<'r>(trees: &Trees, rules: impl Iterator<Item = (&'r Rc<str>, &'r Rule)>, end: usize) -> Emitted {
    let mut emitted = Emitted::new("start", end);
    for (name, rule) in rules {
        emit_rule(&mut emitted, trees, name, rule);
    }
    emitted
}

fn emit_rule(emitted: &mut Emitted, trees: &Trees, name: &str, rule: &Rule) {
    for id in trees.postorder(rule.body) {
        let at = trees.at(id);
        match trees.node(id) {
            Node::Regex(regex) => emitted.part(Part::Pattern(regex.clone()), at),
            Node::Substring(chunks) => emitted.part(Part::Substring(chunks.clone()), at),
            Node::Schema(schema) => emitted.part(Part::Schema(schema.clone()), at),
            Node::Nested(module, _) => emitted.part(Part::Nested(module.clone()), at),
            Node::Name { name, .. } => emitted.productions.call(name, at as u32),
            node => emitted.productions.add(body_node(node, at as u32), trees.below(id).len() as u32),
        }
    }
    emitted.define(name, &rule.title, rule.at);
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

/// The rules of a module, of which one is the root.
pub(super) fn read_module(cx: &mut Context, builder: &mut Builder, module: &Module, start: &str) -> Read<Emitted> {
    let rules = rules(cx, builder, module, start)?;
    let mut emitted = emit(&cx.trees, rules.iter(), cx.text.len());
    emitted.root = (*rules.root).into();
    emitted.check_root()?;
    Ok(emitted)
}

/// The node of the texts of a module's rule.
pub(super) fn lower_module(cx: &mut Context, builder: &mut Builder, module: &Module, start: &str) -> Read<TermId> {
    let mut emitted = read_module(cx, builder, module, start)?;
    lower(cx, builder, &mut emitted)
}

fn lower(cx: &mut Context, builder: &mut Builder, emitted: &mut Emitted) -> Read<TermId> {
    emitted.lower_with(builder, &mut |builder, part, at| lower_other(cx, builder, part, at))
}

/// The node of a schema, or of a grammar within this one.
pub(crate) fn lower_other(cx: &mut Context, builder: &mut Builder, part: &Part, at: usize) -> Read<TermId> {
    match part {
        Part::Schema(schema) => cx.schemas.lower(builder, schema, at),
        Part::Nested(module) if module.definitions.contains_key("start") => lower_module(cx, builder, module, "start"),
        _ => fail("the nested grammar has no rule start", at, ""),
    }
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
    let mut emitted = Emitted::new("start", cx.text.len());
    emit_rule(&mut emitted, &cx.trees, PART, &Rule { title: PART.into(), body, at: 0 });
    let (mut found, mut agenda) = (FxHashSet::default(), vec![body]);
    while let Some(body) = agenda.pop() {
        for id in cx.trees.postorder(body) {
            let Node::Name { name, .. } = cx.trees.node(id) else { continue };
            if let Some(rule) = terminals.get(name).filter(|_| found.insert(name.clone())) {
                emit_rule(&mut emitted, &cx.trees, name, rule);
                agenda.push(rule.body);
            }
        }
    }
    emitted.root = PART.into();
    lower(cx, builder, &mut emitted)
}
