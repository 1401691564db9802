//! Positions that tokens cannot tell apart have one mask: how many are composed along a text, on a vocabulary with tokens
//! across symbols. The bounds are what is composed today: fewer is better, more means that less is shared.

use frisket_core::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::matcher::CompiledGrammar;
use frisket_core::term::TermId;
use frisket_core::vocabulary::Vocabulary;
use std::sync::Arc;

/// The printable characters, and tokens that end one symbol and begin the next.
fn vocabulary() -> Arc<Vocabulary> {
    let spanning =
        ["\":1,\"", "1,\"", ",\"", "\"}", "1}", "}}", "},\"", "\":[1", "[1,", "1]", "]]", "],", "((", "))", "x)", "(x"];
    let single = (32..127u8).map(|byte| Some([byte].into()));
    let tokens: Vec<Option<Box<[u8]>>> =
        single.chain(spanning.map(|text| Some(text.as_bytes().into()))).chain([None]).collect();
    let size = tokens.len();
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![size as u32 - 1], size).unwrap())
}

/// How many masks are composed along a text, byte by byte.
fn composed(vocabulary: &Arc<Vocabulary>, make: impl Fn(&mut Builder) -> TermId, text: &str) -> usize {
    let mut builder = Builder::default();
    let root = make(&mut builder);
    let compiled = CompiledGrammar::new(&builder.build(root.0).unwrap(), vocabulary.clone()).unwrap();
    let mut matcher = compiled.matcher(None, None);
    for byte in text.bytes() {
        matcher.mask().unwrap();
        matcher.advance(u32::from(byte) - 32).unwrap();
    }
    matcher.mask().unwrap();
    assert!(matcher.can_end());
    compiled.masks_composed()
}

fn punctuation(builder: &mut Builder) -> Punctuation {
    let [open, close, colon, comma, empty] =
        [&b"{"[..], b"}", b":", b",", b"{}"].map(|text| builder.literal(text).unwrap());
    Punctuation { open, close, colon, comma, empty }
}

/// Every key but the named ones may come, with the value 1.
fn open_object(builder: &mut Builder, named: &[String]) -> TermId {
    let (one, any) = (builder.literal(b"1").unwrap().0, builder.any_text().unwrap().0);
    let properties = named.iter().map(|name| (name.clone(), false, vec![(one, 0)])).collect();
    let signs = punctuation(builder);
    let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
    builder.object(properties, vec![(any, vec![(one, 0)])], signs, rules).unwrap()
}

/// The named members in their order, the last one required.
fn closed_object(builder: &mut Builder, named: &[String]) -> TermId {
    let one = builder.literal(b"1").unwrap().0;
    let last = named.len() - 1;
    let properties = named.iter().enumerate().map(|(at, name)| (name.clone(), at == last, vec![(one, 0)])).collect();
    let signs = punctuation(builder);
    builder.object(properties, Vec::new(), signs, ObjectRules::default()).unwrap()
}

fn members(names: &[String]) -> String {
    let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":1")).collect();
    format!("{{{}}}", members.join(","))
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}{number:02}")).collect()
}

fn assert_at_most(what: &str, composed: usize, most: usize) {
    assert!((1..=most).contains(&composed), "{what}: {composed} masks, not {most}");
}

#[test]
fn what_other_keys_came_is_not_seen() {
    let all = vocabulary();
    let text = members(&names("key", 30));
    assert_at_most("30 keys", composed(&all, |builder| open_object(builder, &[]), &text), 9);
    let named = names("name", 5);
    assert_at_most("5 named", composed(&all, |builder| open_object(builder, &named), &text), 1);
    assert_eq!(composed(&all, |builder| open_object(builder, &[]), &members(&names("other", 9))), 0, "all are known");
}

#[test]
fn how_members_are_named_is_seen_in_their_names_only() {
    let all = vocabulary();
    let [one, other] = ["one", "two"].map(|prefix| names(prefix, 8));
    let made = |names: &[String]| composed(&all, |builder| closed_object(builder, names), &members(names));
    assert_at_most("a closed object", made(&one), 21);
    assert_at_most("another", made(&other), 2);
    assert_eq!(made(&other), 0);
}

#[test]
fn depth_is_seen_as_far_as_tokens_close() {
    let all = vocabulary();
    let nested = |builder: &mut Builder| {
        let rule = builder.rule("nested").unwrap();
        let [open, close, end] = [&b"("[..], b")", b"x"].map(|text| builder.literal(text).unwrap().0);
        let inner = builder.seq(&[open, rule.0, close]).unwrap().0;
        let body = builder.alt(&[inner, end]).unwrap();
        builder.define(rule.0, body.0).unwrap();
        rule
    };
    let text = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_at_most("20 brackets", composed(&all, nested, &text(20)), 5);
    assert_eq!(composed(&all, nested, &text(30)), 0);
    let lists = |builder: &mut Builder| {
        let rule = builder.rule("list").unwrap();
        let one = builder.literal(b"1").unwrap().0;
        let [open, close, comma, empty] = [&b"["[..], b"]", b",", b"[]"].map(|text| builder.literal(text).unwrap());
        let item = builder.alt(&[one, rule.0]).unwrap().0;
        let signs = Punctuation { open, close, colon: comma, comma, empty };
        let list = builder.array(&[], Some(item), signs, 0, None).unwrap();
        builder.define(rule.0, list.0).unwrap();
        rule
    };
    let text = format!("{}1,1,[1]{}", "[1,".repeat(9), "]".repeat(9));
    assert_at_most("lists", composed(&all, lists, &text), 6);
}
