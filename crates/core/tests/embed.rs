//! A built grammar, embedded in another builder, matches the same texts there.

use frisket_core::automaton::recognizer::{Allowance, Recognizer};
use frisket_core::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::error::{Error, Limit};
use frisket_core::grammar::grammar::Grammar;
use frisket_core::limits::Limits;
use std::sync::Arc;

/// Nested brackets around an object with one member, on top of a base.
fn nested(base: &mut Builder, key: &str) -> Arc<Grammar> {
    let mut builder = base.fork(Limits::default(), None);
    let [open, close, left, right] = [&b"("[..], b")", b"{", b"}"].map(|text| builder.literal(text).unwrap());
    let [colon, comma, empty] = [&b":"[..], b",", b"{}"].map(|text| builder.literal(text).unwrap());
    let digits = builder.rule("digits").unwrap();
    let digit = builder.byte_class(&[(b'0', b'9')]).unwrap();
    let more = builder.seq(&[digits.number(), digit.number()]).unwrap();
    let body = builder.alt(&[digit.number(), more.number()]).unwrap();
    builder.define(digits.number(), body.number()).unwrap();
    let punctuation = Punctuation { open: left, close: right, colon, comma, empty };
    let properties = vec![(key.to_owned(), true, vec![(digits.number(), 0)])];
    let object = builder.object(properties, Vec::new(), punctuation, ObjectRules::default()).unwrap();
    let rule = builder.rule("nested").unwrap();
    let deeper = builder.seq(&[open.number(), rule.number(), close.number()]).unwrap();
    let body = builder.alt(&[object.number(), deeper.number()]).unwrap();
    builder.define(rule.number(), body.number()).unwrap();
    builder.build(rule.number()).unwrap()
}

/// A base with a recursive rule, and a builder whose numbers differ from those of the base.
fn bases() -> (Builder, Builder) {
    let mut base = Builder::default();
    let (rule, x) = (base.rule("base").unwrap(), base.literal(b"x").unwrap());
    let more = base.seq(&[x.number(), rule.number()]).unwrap();
    let body = base.alt(&[x.number(), more.number()]).unwrap();
    base.define(rule.number(), body.number()).unwrap();
    let mut other = Builder::default();
    let (rule, y) = (other.rule("other").unwrap(), other.literal(b"yy").unwrap());
    other.define(rule.number(), y.number()).unwrap();
    (base, other)
}

#[test]
fn embedded_grammars_match_the_same_texts() {
    for on_own_base in [true, false] {
        let (mut base, mut other) = bases();
        let grammars = ["a", "b"].map(|key| nested(&mut base, key));
        let mut builder =
            if on_own_base { base.fork(Limits::default(), None) } else { other.fork(Limits::default(), None) };
        let nodes = grammars.each_ref().map(|grammar| builder.embed(grammar).unwrap().number());
        let dot = builder.literal(b".").unwrap();
        let root = builder.seq(&[nodes[0], dot.number(), nodes[1]]).unwrap();
        let whole = Recognizer::new(builder.build(root.number()).unwrap());
        for (text, accepted) in [
            (r#"{"a":12}.{"b":3}"#, true),
            (r#"(({"a":1})).({"b":3})"#, true),
            (r#"{"b":12}.{"b":3}"#, false),
            (r#"(({"a":1}).({"b":3})"#, false),
            (r#"{"a":}.{"b":3}"#, false),
        ] {
            assert_eq!(
                whole.accepts(text.as_bytes(), None).unwrap(),
                accepted,
                "{text} on its own base: {on_own_base}"
            );
        }
    }
}

#[test]
fn what_grammars_share_is_embedded_once() {
    let (mut base, mut other) = bases();
    let mut make = |text: &[u8]| {
        let mut builder = base.fork(Limits::default(), None);
        // The first rule of the base, as a front end would have kept its node.
        let shared =
            (0..1_000).find(|&id| builder.define(id, 1).is_err_and(|error| error.to_string().contains("twice")));
        let end = builder.literal(text).unwrap();
        let root = builder.seq(&[shared.unwrap(), end.number()]).unwrap();
        builder.build(root.number()).unwrap()
    };
    let grammars = [&b"1"[..], b"2", b"3"].map(&mut make);
    let mut builder = other.fork(Limits::default(), None);
    let nodes = grammars.each_ref().map(|grammar| builder.embed(grammar).unwrap().number());
    let root = builder.alt(&nodes).unwrap();
    let built = builder.build(root.number()).unwrap();
    assert_eq!(built.dump().matches("# base\n").count(), 1, "{}", built.dump());
    let whole = Recognizer::new(built);
    assert!(whole.accepts(b"xx2", None).unwrap() && !whole.accepts(b"xx4", None).unwrap());
}

#[test]
fn special_tokens_keep_their_names() {
    let mut one = Builder::default();
    one.special("<unused>").unwrap();
    let node = one.special("<a>").unwrap();
    let grammar = one.build(node.number()).unwrap();
    let mut two = Builder::default();
    two.special("<b>").unwrap();
    let node = two.embed(&grammar).unwrap();
    assert_eq!(node, two.special("<a>").unwrap());
    let mut specials = two.build(node.number()).unwrap().specials.clone();
    specials.sort();
    assert_eq!(specials, ["<a>", "<b>", "<unused>"]);
}

#[test]
fn a_builder_that_ran_out_of_steps_has_no_undefined_rules() {
    let (mut base, _) = bases();
    let grammar = nested(&mut base, "a");
    let mut failed = 0;
    for steps in 1..200 {
        let mut builder = Builder::new(Limits { steps, ..Limits::default() }, None, None);
        let Err(error) = builder.embed(&grammar) else { continue };
        assert!(matches!(*error, Error::Limit(Limit::Steps(_))), "{error:?}");
        failed += 1;
        let built = builder.literal(b"!").and_then(|node| builder.build(node.number()));
        assert!(built.map_or_else(|error| matches!(*error, Error::Limit(_)), |_| true), "with {steps} steps");
    }
    assert!(failed > 2);
}

#[test]
fn ends_are_the_lengths_of_all_prefixes_that_are_sentences() {
    let mut builder = Builder::default();
    let ab = builder.literal(b"ab").unwrap();
    let some = builder.repeat(ab.number(), 0, Some(2)).unwrap();
    let reader = Recognizer::new(builder.build(some.number()).unwrap());
    for (text, ends) in [(&b"ababab"[..], vec![0, 2, 4]), (b"aba", vec![0, 2]), (b"", vec![0]), (b"b", vec![0])] {
        assert_eq!(reader.ends(text, &Allowance::default()).unwrap(), ends);
    }
}
