//! The engine against brute force: a token is allowed if and only if the text with it is a prefix of some sentence.

mod common;

use common::{allowed, may_follow, punctuation, BRACES};
use frisket_core::automaton::recognizer::Recognizer;
use frisket_core::builder::{Builder, ObjectRules};
use frisket_core::grammar::grammar::Grammar;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::CompiledGrammar;
use frisket_core::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

fn vocabulary(texts: &[&[u8]]) -> Arc<SharedMasks> {
    vocabulary_of(|_| true, texts)
}

/// A token for every byte that occurs in the texts, and for each of these.
fn small_vocabulary(texts: &[&[u8]]) -> Arc<SharedMasks> {
    vocabulary_of(|byte| texts.iter().any(|text| text.contains(&byte)), texts)
}

/// The token of a byte has its number.
fn vocabulary_of(is_one: impl Fn(u8) -> bool, texts: &[&[u8]]) -> Arc<SharedMasks> {
    let mut tokens: Vec<Option<Box<[u8]>>> = (0..=255u8).map(|byte| is_one(byte).then(|| [byte].into())).collect();
    tokens.extend(texts.iter().map(|&text| Some(text.into())));
    tokens.push(None);
    let size = tokens.len();
    Arc::new(SharedMasks::of(
        Vocabulary::new(tokens, vec![("<end>".into(), size as u32 - 1)], vec![size as u32 - 1], size).unwrap(),
    ))
}

/// Walk along `text`, comparing every mask with one prefix test per token.
fn assert_exact(grammar: &Arc<Grammar>, vocabulary: &Arc<SharedMasks>, text: &[u8]) {
    let recognizer = Recognizer::new(grammar.clone());
    let mut matcher = CompiledGrammar::new(grammar, vocabulary.clone()).unwrap().matcher(None);
    for at in 0..=text.len() {
        let tokens = 0..vocabulary.vocabulary.size() as u32;
        let may_follow = |&token: &u32| may_follow(&recognizer, vocabulary, &text[..at], token).unwrap();
        let expected: Vec<u32> = tokens.filter(may_follow).collect();
        assert_eq!(allowed(&mut matcher, vocabulary).unwrap(), expected, "after {:?}", &text[..at]);
        if let Some(&byte) = text.get(at) {
            matcher.advance(u32::from(byte)).unwrap();
        }
    }
}

fn object(builder: &mut Builder, any_order: bool) -> Arc<Grammar> {
    let any = builder.any_text().unwrap();
    let string = builder.quoted(any.number(), false).unwrap();
    let short = builder.bounded(any.number(), 1, Some(3)).unwrap();
    let short = builder.quoted(short.number(), false).unwrap();
    let punctuation = punctuation(builder, ["{", "}", ": ", ", ", "{}"]);
    let properties = vec![
        ("name".to_owned(), true, vec![(string.number(), 0)]),
        ("é\n".to_owned(), false, vec![(short.number(), 0)]),
    ];
    let extras = vec![(any.number(), vec![(short.number(), 0)])];
    let rules = ObjectRules { any_order, extras_last: true, ..ObjectRules::default() };
    let node = builder.object(properties, extras, punctuation, rules).unwrap();
    std::mem::take(builder).build(node.number()).unwrap()
}

/// Tokens that go on from one key through its member to the next one, or to its end, and on from there.
const MEMBERS: [&[u8]; 13] = [
    b"\"a\":1,\"a\":1",
    b"\"a\":1,\"b\":1",
    b"\"a\":1,\"b\":1,\"",
    b"\"b\":1,\"a\":1,\"c\":1}",
    b"a\":1,\"",
    b"a\":1,\"b",
    b"a\":1,\"a\"",
    b"b\":1,\"a\":1}",
    b"\":1,\"a\":1,\"a",
    b"\":1,\"b\":1}",
    b"1,\"a\":",
    b"1,\"b\":1,\"a\":1}",
    b"{\"b\":1,",
];

/// Keys may not repeat, within a token as little as across tokens, and where they are few they may be used up.
#[test]
fn tokens_of_several_members_know_their_keys() {
    let letters = |builder: &mut Builder| builder.byte_class(&[(b'a', b'b')]).unwrap().number();
    let any = |builder: &mut Builder| builder.any_text().unwrap().number();
    let keys: [fn(&mut Builder) -> u32; 2] = [letters, any];
    let vocabulary = small_vocabulary(&MEMBERS);
    for keys in keys {
        for (min, max, values, named) in [
            (0, None, &[0u64][..], false),
            (0, None, &[0, 0], false),
            (2, None, &[0], false),
            (0, Some(2), &[0], false),
            (0, None, &[1, 0], false),
            (0, None, &[0], true),
            (1, Some(2), &[0], true),
        ] {
            let mut builder = Builder::default();
            let one = builder.literal(b"1").unwrap().number();
            let keys = keys(&mut builder);
            let punctuation = punctuation(&mut builder, BRACES);
            let required_marks = values.iter().fold(0, |all, marks| all | marks);
            let rules = ObjectRules { min, max, required_marks, any_order: true, ..ObjectRules::default() };
            let extras = vec![(keys, values.iter().map(|&marks| (one, marks)).collect())];
            let properties = if named { vec![("b".to_owned(), true, vec![(one, 0)])] } else { Vec::new() };
            let node = builder.object(properties, extras, punctuation, rules).unwrap();
            assert_exact(&builder.build(node.number()).unwrap(), &vocabulary, b"{\"b\":1,\"a\":1}");
        }
    }
}

/// What tokens see of an object hangs on its punctuation: where it is unusual nothing may be taken for granted, and objects
/// that differ in a name or a value do not have each other's masks.
#[test]
fn masks_of_objects_with_unusual_punctuation_equal_brute_force() {
    let mut signs = vec![BRACES, ["(", ")", "=", ";", "()"]];
    for (place, sign) in [(0, "["), (2, "=>"), (2, ":="), (3, ";"), (3, ",-"), (0, "{-"), (2, ": ")] {
        let mut odd = BRACES;
        odd[place] = sign;
        signs.push(odd);
    }
    for signs in signs {
        let [open, close, colon, comma, _] = signs;
        let texts: Vec<String> = [
            format!("1{comma}\""),
            format!("1{comma}\"b\"{colon}"),
            format!("1{comma}\"a\"{colon}1"),
            format!("1{comma}\"b\"{colon}x"),
            format!("1{comma}\"b\"{colon}1"),
            format!("\"{colon}x{comma}\"a\"{colon}"),
            format!("x{close}"),
        ]
        .into();
        let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let vocabulary = small_vocabulary(&[&texts[..], &[open.as_bytes(), b"cd"]].concat());
        for [one, other, value] in [["a", "b", "x"], ["a", "b", "1"], ["d", "b", "x"]] {
            for is_open in [true, false] {
                let mut builder = Builder::default();
                let [first, second] = ["1", value].map(|value| builder.literal(value.as_bytes()).unwrap().number());
                let any = builder.any_text().unwrap().number();
                let parts = punctuation(&mut builder, signs);
                let properties =
                    vec![(one.to_owned(), false, vec![(first, 0)]), (other.to_owned(), true, vec![(second, 0)])];
                let extras = if is_open { vec![(any, vec![(first, 0)])] } else { Vec::new() };
                let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
                let node = builder.object(properties, extras, parts, rules).unwrap();
                let more = if is_open { format!("\"c\"{colon}1{comma}") } else { String::new() };
                let text = format!("{open}{more}\"{one}\"{colon}1{comma}\"b\"{colon}{value}{close}");
                assert_exact(&builder.build(node.number()).unwrap(), &vocabulary, text.as_bytes());
            }
        }
    }
}

const PIECES: [&[u8]; 14] = [
    b"{\"",
    b"\": \"",
    b"\", \"",
    b"\"}",
    b"name",
    b"na",
    b"me\"",
    b"\\n\": ",
    b"\xc3",
    b"\xa9\\",
    b"x\": \"y\"}",
    b"\"x\"",
    b"\\u00",
    b"aaaa",
];

#[test]
fn masks_of_objects_equal_brute_force() {
    let vocabulary = vocabulary(&PIECES);
    let text = "{\"name\": \"a\\n\\u001f é\", \"é\\n\": \"xyz\", \"x\": \"y\", \"xx\": \"z\"}".as_bytes();
    assert_exact(&object(&mut Builder::default(), false), &vocabulary, text);
    let text = "{\"x\": \"y\", \"é\\n\": \"xyz\", \"name\": \"\"}".as_bytes();
    assert_exact(&object(&mut Builder::default(), true), &vocabulary, text);
}

/// e → e e | e "+" e | "a" | ε: left-recursive, ambiguous without bound, with a nullable cycle.
#[test]
fn every_context_free_grammar_works() {
    let mut builder = Builder::default();
    let rule = builder.rule("e").unwrap();
    let [plus, letter] = [&b"+"[..], b"a"].map(|text| builder.literal(text).unwrap());
    let twice = builder.seq(&[rule.number(), rule.number()]).unwrap();
    let sum = builder.seq(&[rule.number(), plus.number(), rule.number()]).unwrap();
    let body = builder
        .alt(&[twice.number(), sum.number(), letter.number(), frisket_core::regular::term::EPSILON.number()])
        .unwrap();
    builder.define(rule.number(), body.number()).unwrap();
    let grammar = builder.build(rule.number()).unwrap();
    let recognizer = Recognizer::new(grammar.clone());
    assert!(recognizer.accepts(&b"a+a".repeat(100), None).unwrap());
    assert!(!recognizer.accepts_prefix(b"a+b", None).unwrap());
    assert_exact(&grammar, &vocabulary(&[b"a+", b"++", b"aa+a", b"ab"]), b"a+aa++");
}

/// s → "a" s "b" | "a" s "c" | ε: 2^n derivations after n bytes, n positions.
#[test]
fn ambiguous_stacks_stay_small() {
    let mut builder = Builder::default();
    let rule = builder.rule("s").unwrap();
    let [a, b, c] = [&b"a"[..], b"b", b"c"].map(|text| builder.literal(text).unwrap());
    let left = builder.seq(&[a.number(), rule.number(), b.number()]).unwrap();
    let right = builder.seq(&[a.number(), rule.number(), c.number()]).unwrap();
    let body = builder.alt(&[left.number(), right.number(), frisket_core::regular::term::EPSILON.number()]).unwrap();
    builder.define(rule.number(), body.number()).unwrap();
    let recognizer = Recognizer::new(builder.build(rule.number()).unwrap());
    let text = [b"a".repeat(200), b"bc".repeat(100)].concat();
    assert!(recognizer.accepts(&text, None).unwrap());
}

#[test]
fn special_tokens_match_no_text() {
    let mut builder = Builder::default();
    let end = builder.special("<end>").unwrap();
    let letter = builder.literal(b"a").unwrap();
    let node = builder.seq(&[letter.number(), end.number(), letter.number()]).unwrap();
    let grammar = builder.build(node.number()).unwrap();
    let vocabulary = vocabulary(&[b"<end>"]);
    let mut matcher = CompiledGrammar::new(&grammar, vocabulary.clone()).unwrap().matcher(None);
    matcher.advance(u32::from(b'a')).unwrap();
    assert!(!matcher.try_advance(256).unwrap(), "the text <end> is not the token");
    matcher.advance(vocabulary.vocabulary.special_id("<end>").unwrap()).unwrap();
    matcher.advance(u32::from(b'a')).unwrap();
    assert!(matcher.can_end());
}
