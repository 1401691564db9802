//! Grammars in a few words → machines, for the tests of this folder.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::builder::{Builder, ObjectRules};
use crate::grammar::fixture::{braces, brackets};
use crate::grammar::grammar::Grammar;
use crate::json::registers::UniqueState;
use crate::limits::Limits;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::TermId;
use std::sync::Arc;

/// The grammar with the root that `make` returns.
pub(crate) fn grammar(make: impl FnOnce(&mut Builder) -> TermId) -> Arc<Grammar> {
    let mut builder = Builder::default();
    let root = make(&mut builder);
    builder.build(root.number()).unwrap()
}

/// The machine of that grammar.
pub(crate) fn machine(make: impl FnOnce(&mut Builder) -> TermId) -> Box<Machine> {
    Machine::of(&grammar(make), &Limits::default(), [None, None], None).unwrap()
}

/// The position after a text, byte by byte.
pub(crate) fn after(machine: &mut Machine, text: &[u8]) -> PositionId {
    text.iter().fold(machine.start, |at, &byte| machine.step(at, byte).unwrap())
}

/// Whether a text may end after these bytes.
pub(crate) fn accepts(machine: &mut Machine, text: &[u8]) -> bool {
    let id = after(machine, text);
    machine.position(id).accepting
}

/// The head and the frame of a position that has one head.
pub(crate) fn only_head(machine: &Machine, id: PositionId) -> (TermId, FrameId) {
    let [only] = machine.position(id).heads[..] else { panic!("{:?} has not one head", machine.position(id)) };
    only
}

/// The sequence of nodes.
pub(crate) fn seq(builder: &mut Builder, parts: &[TermId]) -> TermId {
    let parts: Vec<u32> = parts.iter().map(|part| part.number()).collect();
    builder.seq(&parts).unwrap()
}

/// The union of nodes.
pub(crate) fn alt(builder: &mut Builder, parts: &[TermId]) -> TermId {
    let parts: Vec<u32> = parts.iter().map(|part| part.number()).collect();
    builder.alt(&parts).unwrap()
}

/// A rule whose body may call it.
pub(crate) fn rule(builder: &mut Builder, name: &str, body: impl FnOnce(&mut Builder, TermId) -> TermId) -> TermId {
    let rule = builder.rule(name).unwrap();
    let body = body(builder, rule);
    builder.define(rule.number(), body.number()).unwrap();
    rule
}

/// One of these byte strings.
pub(crate) fn words(builder: &mut Builder, words: &[&str]) -> TermId {
    builder.words(words.iter().map(|word| word.as_bytes().into()).collect()).unwrap()
}

/// One byte from `low` to `high`, `min` to `max` times.
pub(crate) fn bytes(builder: &mut Builder, low: u8, high: u8, min: u32, max: Option<u32>) -> TermId {
    let class = builder.byte_class(&[(low, high)]).unwrap();
    builder.repeat(class.number(), min, max).unwrap()
}

/// The JSON strings of `min` to `max` characters of any kind, with every escape.
pub(crate) fn string(builder: &mut Builder, min: u32, max: Option<u32>) -> TermId {
    let any = builder.any_text().unwrap();
    let text = builder.bounded(any.number(), min, max).unwrap();
    builder.quoted(text.number(), true).unwrap()
}

/// An array of different items of one kind.
pub(crate) fn unique(builder: &mut Builder, item: TermId, min: u32, max: Option<u32>) -> TermId {
    let punctuation = brackets(builder);
    builder.unique_array(&[(true, vec![(item.number(), 0)])], punctuation, min, max).unwrap()
}

/// The machine of an array of different items of one kind, and the item.
pub(crate) fn unique_machine(make: impl FnOnce(&mut Builder) -> TermId) -> (Box<Machine>, TermId) {
    let mut item = None;
    let machine = machine(|builder| {
        let made = *item.insert(make(builder));
        unique(builder, made, 0, None)
    });
    (machine, item.unwrap())
}

/// An object of named members (key, is required, value) and further members (keys, value).
pub(crate) fn object(
    builder: &mut Builder,
    named: &[(&str, bool, TermId)],
    others: &[(TermId, TermId)],
    rules: ObjectRules,
) -> TermId {
    let punctuation = braces(builder);
    let value = |value: TermId| vec![(value.number(), 0)];
    let named = named.iter().map(|&(key, required, node)| (key.into(), required, value(node))).collect();
    let others = others.iter().map(|&(keys, node)| (keys.number(), value(node))).collect();
    builder.object(named, others, punctuation, rules).unwrap()
}

/// The first array of a machine, between items, in state `at` after items of these canonical texts.
pub(crate) fn state_after(machine: &mut Machine, at: u32, values: &[&str]) -> ArrayStateId {
    let arena = &mut machine.arena;
    let came = values
        .iter()
        .fold(NO_KEYS, |came, value| arena.terms.keys.with(came, value.as_bytes(), &mut arena.terms.budget));
    let state = UniqueState { at, count: values.len() as u32, came, abstracted: None };
    arena.unique_state(ArrayId::at(0), state)
}
