//! How many masks are composed along a text, on a vocabulary with tokens across symbols.
//!
//! Positions that tokens cannot tell apart have one mask, and what is known is not found out again. Steps and bytes of more
//! grammars are in `spec/effort.rs`.

mod common;

use common::{punctuation, vocabulary_of, BRACES, BRACKETS};
use frisket_core::builder::{Builder, ObjectRules};
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::CompiledGrammar;
use frisket_core::regular::term::TermId;
use std::sync::Arc;

/// The printable characters, and tokens that end one symbol and begin the next.
fn vocabulary() -> Arc<SharedMasks> {
    let spanning =
        ["\":1,\"", "1,\"", ",\"", "\"}", "1}", "}}", "},\"", "\":[1", "[1,", "1]", "]]", "],", "((", "))", "x)", "(x"];
    let single = (32..127u8).map(|byte| vec![byte]);
    let all: Vec<Vec<u8>> = single.chain(spanning.map(|text| text.as_bytes().to_vec())).collect();
    vocabulary_of(all.iter().map(Vec::as_slice))
}

/// Masks composed along a text, byte by byte.
fn composed(vocabulary: &Arc<SharedMasks>, make: impl Fn(&mut Builder) -> TermId, text: &str) -> usize {
    let mut builder = Builder::default();
    let root = make(&mut builder);
    let compiled = CompiledGrammar::new(&builder.build(root.number()).unwrap(), vocabulary.clone()).unwrap();
    let mut matcher = compiled.matcher(None);
    for byte in text.bytes() {
        matcher.mask().unwrap();
        matcher.advance(u32::from(byte) - 32).unwrap();
    }
    matcher.mask().unwrap();
    assert!(matcher.can_end());
    compiled.masks_composed()
}

/// Every key but the named ones may come, with the value 1.
fn open_object(builder: &mut Builder, named: &[String]) -> TermId {
    let (one, any) = (builder.literal(b"1").unwrap().number(), builder.any_text().unwrap().number());
    let properties = named.iter().map(|name| (name.clone(), false, vec![(one, 0)])).collect();
    let signs = punctuation(builder, BRACES);
    let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
    builder.object(properties, vec![(any, vec![(one, 0)])], signs, rules).unwrap()
}

/// The named members in their order, the last one required.
fn closed_object(builder: &mut Builder, named: &[String]) -> TermId {
    let one = builder.literal(b"1").unwrap().number();
    let last = named.len() - 1;
    let properties = named.iter().enumerate().map(|(at, name)| (name.clone(), at == last, vec![(one, 0)])).collect();
    let signs = punctuation(builder, BRACES);
    builder.object(properties, Vec::new(), signs, ObjectRules::default()).unwrap()
}

fn members(names: &[String]) -> String {
    let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":1")).collect();
    format!("{{{}}}", members.join(","))
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}{number:02}")).collect()
}

#[test]
fn what_other_keys_came_is_not_seen() {
    let all = vocabulary();
    let text = members(&names("key", 30));
    assert_eq!(composed(&all, |builder| open_object(builder, &[]), &text), 9, "for 30 keys");
    let named = names("name", 5);
    assert_eq!(composed(&all, |builder| open_object(builder, &named), &text), 1, "beside five named ones");
    assert_eq!(composed(&all, |builder| open_object(builder, &[]), &members(&names("other", 9))), 0, "all are known");
}

#[test]
fn how_members_are_named_is_seen_in_their_names_only() {
    let all = vocabulary();
    let [one, other] = ["one", "two"].map(|prefix| names(prefix, 8));
    let made = |names: &[String]| composed(&all, |builder| closed_object(builder, names), &members(names));
    assert_eq!([made(&one), made(&other), made(&other)], [21, 2, 0]);
}

#[test]
fn depth_is_seen_as_far_as_tokens_close() {
    let all = vocabulary();
    let nested = |builder: &mut Builder| {
        let rule = builder.rule("nested").unwrap();
        let [open, close, end] = [&b"("[..], b")", b"x"].map(|text| builder.literal(text).unwrap().number());
        let inner = builder.seq(&[open, rule.number(), close]).unwrap().number();
        let body = builder.alt(&[inner, end]).unwrap();
        builder.define(rule.number(), body.number()).unwrap();
        rule
    };
    let text = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!([20, 30].map(|depth| composed(&all, nested, &text(depth))), [5, 0]);
    let lists = |builder: &mut Builder| {
        let rule = builder.rule("list").unwrap();
        let one = builder.literal(b"1").unwrap().number();
        let item = builder.alt(&[one, rule.number()]).unwrap().number();
        let signs = punctuation(builder, BRACKETS);
        let list = builder.array(&[], Some(item), signs, 0, None).unwrap();
        builder.define(rule.number(), list.number()).unwrap();
        rule
    };
    let text = format!("{}1,1,[1]{}", "[1,".repeat(9), "]".repeat(9));
    assert_eq!(composed(&all, lists, &text), 6);
}
