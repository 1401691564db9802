//! How much work a text takes: masks composed, and elementary steps, on a vocabulary with tokens across symbols.
//!
//! Positions that tokens cannot tell apart have one mask, and what is known is not found out again. Both counts are the same
//! on every machine. They are what the engine takes today: a change that means to take more, or less, changes them here.

use frisket_core::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::CompiledGrammar;
use frisket_core::regular::term::TermId;
use frisket_core::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// The printable characters, and tokens that end one symbol and begin the next.
fn vocabulary() -> Arc<SharedMasks> {
    let spanning =
        ["\":1,\"", "1,\"", ",\"", "\"}", "1}", "}}", "},\"", "\":[1", "[1,", "1]", "]]", "],", "((", "))", "x)", "(x"];
    let single = (32..127u8).map(|byte| Some([byte].into()));
    let tokens: Vec<Option<Box<[u8]>>> =
        single.chain(spanning.map(|text| Some(text.as_bytes().into()))).chain([None]).collect();
    let size = tokens.len();
    Arc::new(SharedMasks::of(Vocabulary::new(tokens, Vec::new(), vec![size as u32 - 1], size).unwrap()))
}

/// The same with many tokens below a quote, a comma and a bracket: what heads do below a node is kept with the trie.
fn dense_vocabulary() -> Arc<SharedMasks> {
    let single = (32..127u8).map(|byte| Some([byte].into()));
    let many = (b'a'..=b'z').flat_map(|one| {
        ["\",\"", "\"]", ",\"", "],[\"", "\",1"].map(|sign| Some([sign.as_bytes(), &[one]].concat().into()))
    });
    let tokens: Vec<Option<Box<[u8]>>> = single.chain(many).chain([None]).collect();
    let size = tokens.len();
    Arc::new(SharedMasks::of(Vocabulary::new(tokens, Vec::new(), vec![size as u32 - 1], size).unwrap()))
}

/// Masks composed and steps taken along a text, byte by byte.
fn effort(vocabulary: &Arc<SharedMasks>, make: impl Fn(&mut Builder) -> TermId, text: &str) -> (usize, u64) {
    let mut builder = Builder::default();
    let root = make(&mut builder);
    let compiled = CompiledGrammar::new(&builder.build(root.number()).unwrap(), vocabulary.clone()).unwrap();
    let mut matcher = compiled.matcher(None, None);
    for byte in text.bytes() {
        matcher.mask().unwrap();
        matcher.advance(u32::from(byte) - 32).unwrap();
    }
    matcher.mask().unwrap();
    assert!(matcher.can_end());
    (compiled.masks_composed(), compiled.steps_taken())
}

/// As many masks, and as many steps but for one in a hundred.
fn assert_effort(what: &str, effort: (usize, u64), expected: (usize, u64)) {
    let near = expected.1 - expected.1 / 100..=expected.1 + expected.1 / 100;
    // Where masks are not verified nothing was looked at before, at nobody's charge.
    let near = near.contains(&effort.1) || !cfg!(debug_assertions);
    assert!(effort.0 == expected.0 && near, "{what}: {effort:?}, not {expected:?}");
}

fn punctuation(builder: &mut Builder) -> Punctuation {
    let [open, close, colon, comma, empty] =
        [&b"{"[..], b"}", b":", b",", b"{}"].map(|text| builder.literal(text).unwrap());
    Punctuation { open, close, colon, comma, empty }
}

/// Every key but the named ones may come, with the value 1.
fn open_object(builder: &mut Builder, named: &[String]) -> TermId {
    let (one, any) = (builder.literal(b"1").unwrap().number(), builder.any_text().unwrap().number());
    let properties = named.iter().map(|name| (name.clone(), false, vec![(one, 0)])).collect();
    let signs = punctuation(builder);
    let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
    builder.object(properties, vec![(any, vec![(one, 0)])], signs, rules).unwrap()
}

/// The named members in their order, the last one required.
fn closed_object(builder: &mut Builder, named: &[String]) -> TermId {
    let one = builder.literal(b"1").unwrap().number();
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

#[test]
fn what_other_keys_came_is_not_seen() {
    let all = vocabulary();
    let text = members(&names("key", 30));
    assert_effort("30 keys", effort(&all, |builder| open_object(builder, &[]), &text), (9, 4197));
    let named = names("name", 5);
    assert_effort("5 named", effort(&all, |builder| open_object(builder, &named), &text), (1, 3852));
    assert_eq!(effort(&all, |builder| open_object(builder, &[]), &members(&names("other", 9))).0, 0, "all are known");
}

#[test]
fn how_members_are_named_is_seen_in_their_names_only() {
    let all = vocabulary();
    let [one, other] = ["one", "two"].map(|prefix| names(prefix, 8));
    let made = |names: &[String]| effort(&all, |builder| closed_object(builder, names), &members(names));
    assert_effort("a closed object", made(&one), (21, 930));
    assert_effort("another", made(&other), (2, 692));
    assert_eq!(made(&other).0, 0);
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
    assert_effort("20 brackets", effort(&all, nested, &text(20)), (5, 710));
    assert_eq!(effort(&all, nested, &text(30)).0, 0);
    let lists = |builder: &mut Builder| {
        let rule = builder.rule("list").unwrap();
        let one = builder.literal(b"1").unwrap().number();
        let [open, close, comma, empty] = [&b"["[..], b"]", b",", b"[]"].map(|text| builder.literal(text).unwrap());
        let item = builder.alt(&[one, rule.number()]).unwrap().number();
        let signs = Punctuation { open, close, colon: comma, comma, empty };
        let list = builder.array(&[], Some(item), signs, 0, None).unwrap();
        builder.define(rule.number(), list.number()).unwrap();
        rule
    };
    let text = format!("{}1,1,[1]{}", "[1,".repeat(9), "]".repeat(9));
    assert_effort("lists", effort(&all, lists, &text), (6, 1537));
}

#[test]
fn what_counts_and_chooses() {
    let all = vocabulary();
    let quoted = |builder: &mut Builder, text: TermId| builder.quoted(text.number(), false).unwrap();
    let counted = |builder: &mut Builder| {
        let any = builder.any_text().unwrap();
        let text = builder.bounded(any.number(), 3, Some(10_000)).unwrap();
        quoted(builder, text)
    };
    assert_effort("a long count", effort(&all, counted, &format!("\"{}\"", "a".repeat(200))), (6, 2513));
    let short = |builder: &mut Builder| {
        let class = builder.byte_class(&[(b'a', b'f'), (b'x', b'x')]).unwrap();
        let text = builder.repeat(class.number(), 2, Some(12)).unwrap();
        quoted(builder, text)
    };
    assert_effort("a short count", effort(&all, short, "\"abcdefxabcde\""), (3, 1952));
    let words = |builder: &mut Builder| {
        let words = (0..200).map(|number| format!("w{}x{number}", number % 7).into_bytes().into()).collect();
        let words = builder.words(words).unwrap();
        quoted(builder, words)
    };
    assert_effort("one of 200 words", effort(&all, words, "\"w3x17\""), (6, 52));
    let excluded = |builder: &mut Builder| {
        let any = builder.any_text().unwrap();
        let words = builder.words(vec![b"abc"[..].into(), b"abd"[..].into()]).unwrap();
        let others = builder.not(words.number()).unwrap();
        let both = builder.and(&[any.number(), others.number()]).unwrap();
        quoted(builder, both)
    };
    assert_effort("any text but two", effort(&all, excluded, "\"abcde\""), (4, 1262));
}

#[test]
fn what_must_and_may_come() {
    let all = vocabulary();
    let keys = names("k", 40);
    let object = |rules: ObjectRules, marks: &'static [u64]| {
        let keys = &keys;
        move |builder: &mut Builder| {
            let one = builder.literal(b"1").unwrap().number();
            let values = |at: usize| vec![(one, marks.get(at).copied().unwrap_or(0))];
            let named = keys.iter().enumerate().map(|(at, name)| (name.clone(), at % 4 == 0, values(at))).collect();
            let signs = punctuation(builder);
            builder.object(named, Vec::new(), signs, rules.clone()).unwrap()
        }
    };
    let plain = ObjectRules::default();
    assert_effort("in order", effort(&all, object(plain.clone(), &[]), &members(&keys)), (35, 3530));
    let any_order = ObjectRules { any_order: true, ..plain.clone() };
    let back: Vec<String> = keys.iter().rev().cloned().collect();
    assert_effort("in any order", effort(&all, object(any_order.clone(), &[]), &members(&back)), (7, 3303));
    let marked = ObjectRules { required_marks: 7, max: Some(30), ..any_order };
    let text = members(
        &[
            &back[..20],
            &[
                keys[0].clone(),
                keys[4].clone(),
                keys[8].clone(),
                keys[12].clone(),
                keys[16].clone(),
                keys[2].clone(),
                keys[3].clone(),
            ],
        ]
        .concat(),
    );
    assert_effort("with marks", effort(&all, object(marked, &[1, 0, 2, 4]), &text), (5, 49783));
    let implied = ObjectRules { implies: vec![(1, 2), (2, 3), (9, 5)], max: Some(40), ..plain };
    assert_effort("with implications", effort(&all, object(implied, &[]), &members(&keys)), (0, 6882));
}

#[test]
fn what_is_ambiguous_and_what_differs() {
    let all = vocabulary();
    let ambiguous = |builder: &mut Builder| {
        let rule = builder.rule("e").unwrap();
        let [x, comma] = [&b"x"[..], b","].map(|text| builder.literal(text).unwrap().number());
        let sum = builder.seq(&[rule.number(), comma, rule.number()]).unwrap().number();
        let twice = builder.seq(&[rule.number(), rule.number()]).unwrap().number();
        let body = builder.alt(&[sum, twice, x]).unwrap();
        builder.define(rule.number(), body.number()).unwrap();
        rule
    };
    assert_effort("an ambiguous rule", effort(&all, ambiguous, &"xx,x".repeat(5)), (2, 389));
    let unique = |builder: &mut Builder| {
        let digit = builder.byte_class(&[(b'1', b'9')]).unwrap().number();
        let number = builder.repeat(digit, 1, Some(2)).unwrap().number();
        let [open, close, comma, empty] = [&b"["[..], b"]", b",", b"[]"].map(|text| builder.literal(text).unwrap());
        let signs = Punctuation { open, close, colon: comma, comma, empty };
        builder.unique_array(&[(true, vec![(number, 0)])], signs, 2, Some(20)).unwrap()
    };
    assert_effort("different items", effort(&all, unique, "[1,2,12,21,3,33,31,4,5]"), (16, 2290));
}

#[test]
fn what_heads_do_below_a_node_is_kept() {
    let all = dense_vocabulary();
    let lists = |most: u32| {
        move |builder: &mut Builder| {
            let class = builder.byte_class(&[(b'a', b'z')]).unwrap().number();
            let word = builder.repeat(class, 1, Some(most)).unwrap().number();
            let text = builder.quoted(word, false).unwrap().number();
            let [open, close, comma, empty] = [&b"["[..], b"]", b",", b"[]"].map(|text| builder.literal(text).unwrap());
            let signs = Punctuation { open, close, colon: comma, comma, empty };
            let inner = builder.array(&[], Some(text), signs, 1, None).unwrap();
            builder.array(&[], Some(inner.number()), signs, 0, None).unwrap()
        }
    };
    assert_effort("lists of words", effort(&all, lists(9), "[[\"ab\",\"cde\"],[\"f\"]]"), (9, 802));
    assert_effort("of longer words", effort(&all, lists(12), "[[\"ab\",\"cde\"],[\"f\"]]"), (0, 331));
}
