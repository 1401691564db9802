//! Patterns → the texts of their nodes.

use crate::syntax::Dialect::{self, Ecma, Python};
use crate::{Error, Pattern, Syntax};
use frisket_core::builder::Builder;
use frisket_core::error::Limit;
use frisket_core::limits::{Cancellation, Limits};
use std::time::Duration;

const TEXTS: [&str; 16] =
    ["", "a", "b", "ab", "ba", "aa", "bb", "aab", "aba", "abb", "bab", "a\n", "b\n", "a b", "\n", "aaab"];

fn matches(pattern: &str, dialect: Dialect, search: bool) -> Vec<&'static str> {
    let mut builder = Builder::default();
    let node = Pattern::read(pattern, &Syntax::new(dialect)).unwrap().lower(&mut builder, search).unwrap();
    TEXTS.into_iter().filter(|text| builder.accepts(node.number(), text.as_bytes()).unwrap()).collect()
}

#[test]
fn whole_texts_match() {
    let cases: &[(&str, &[&str])] = &[
        ("a|b", &["a", "b"]),
        ("a*b", &["b", "ab", "aab", "aaab"]),
        ("[ab]{2}", &["ab", "ba", "aa", "bb"]),
        ("^a$", &["a"]),
        ("^", &[""]),
        ("(?!ab)[ab]{2}", &["ba", "aa", "bb"]),
        ("[ab]{2}(?<!b)", &["ba", "aa"]),
        ("(?=.*b)a+b?", &["ab", "aab", "aaab"]),
        (r"a\b b", &["a b"]),
        (r"a\Bb", &["ab"]),
        (r"\ba+\b", &["a", "aa"]),
        ("(?:a(?=b)b)+", &["ab"]),
        ("(?:a(?!a)|b)+", &["a", "b", "ab", "ba", "bb", "aba", "abb", "bab"]),
        ("(?:(?<=a)b|a)*", &["", "a", "ab", "aa", "aab", "aba", "aaab"]),
        ("(?:$|a)", &["", "a"]),
        (r"(?:a(?=d)|b)(?:b(?!b)b)*", &["b"]),
        (r"(?:a\B|b)(?:b\bb){1}", &[]),
        (r"(?:a\b|b)(?:b\bb)+", &[]),
        (r"^a(?<=(?<=a\b))b$", &[]),
        (r"a(?<=(?<=a(?=b)))b", &["ab"]),
        ("(?:(?<=(?<=aa)b)b|[ab])+(?<=bb)", &["bb", "abb"]),
        ("(?:(?!ab)[ab]){2,3}", &["ba", "aa", "bb"]),
    ];
    for (pattern, expected) in cases {
        for dialect in [Python, Ecma] {
            assert_eq!(matches(pattern, dialect, false), *expected, "{pattern}");
        }
    }
    assert_eq!(matches("a$\n?", Python, false), ["a", "a\n"]);
    assert_eq!(matches("(?m)a$\n", Python, false), ["a\n"]);
    // `\B` matches the empty text in ECMA-262, and in Python from 3.14 on.
    let before = Pattern::read(r"\B", &Syntax { python_unicode: Some((15, 1)), ..Syntax::new(Python) }).unwrap();
    let mut builder = Builder::default();
    let node = before.lower(&mut builder, true).unwrap();
    assert_eq!(
        ["", " ", "a", "aa"].map(|text| builder.accepts(node.number(), text.as_bytes()).unwrap()),
        [false, true, false, true]
    );
    assert_eq!([Python, Ecma].map(|dialect| matches(r"\B", dialect, false)), [[""], [""]]);
}

#[test]
fn a_search_finds_a_match_inside() {
    let cases: &[(&str, Dialect, &[&str])] = &[
        ("bb", Ecma, &["bb", "abb"]),
        ("^b", Ecma, &["b", "ba", "bb", "bab", "b\n"]),
        ("b$", Ecma, &["b", "ab", "bb", "aab", "abb", "bab", "a b", "aaab"]),
        ("b$", Python, &["b", "ab", "bb", "aab", "abb", "bab", "b\n", "a b", "aaab"]),
        ("^a|b$", Ecma, &["a", "b", "ab", "aa", "bb", "aab", "aba", "abb", "bab", "a\n", "a b", "aaab"]),
        ("(?<=a)b(?=b)", Ecma, &["abb"]),
        (r"\bb", Ecma, &["b", "ba", "bb", "bab", "b\n", "a b"]),
        ("^(?!.*b)", Ecma, &["", "a", "aa", "a\n", "\n"]),
    ];
    for (pattern, dialect, expected) in cases {
        assert_eq!(matches(pattern, *dialect, true), *expected, "{pattern}");
    }
}

#[test]
fn a_part_may_not_look_at_the_text_beside_it() {
    let part = |pattern: &str| {
        let mut builder = Builder::default();
        let pattern = Pattern::read(pattern, &Syntax::new(Python)).unwrap();
        pattern.lower_part(&mut builder).map(|node| builder.accepts(node.number(), b"ab").unwrap())
    };
    for pattern in ["ab", "a(?=b)b", "a(?!a)[ab]", "(?=ab)..", r"a\Bb", "(?:a(?!a)|c)*b", "(?:(?!bb)[ac])*b"] {
        assert_eq!(part(pattern), Ok(true), "{pattern}");
    }
    for (pattern, at) in [("ab$", 2), ("^ab", 0), ("ab(?!c)", 2), (r"ab\b", 2), ("(?<=c)ab", 0), ("(?:[ab](?!ba))+", 7)]
    {
        let Err(Error::Irregular(flaw)) = part(pattern) else { panic!("{pattern}") };
        assert!(flaw.at == Some(at) && flaw.message.contains("a terminal has only its own"), "{pattern}: {flaw:?}");
    }
}

#[test]
fn what_would_be_too_large_is_refused() {
    for pattern in ["(?:(?!a{500}b)[ab]){500,600}", &"(?=a)".repeat(20_000), &("(?!.*b".repeat(40) + &")".repeat(40))] {
        let mut builder = Builder::default();
        let refused = Pattern::read(pattern, &Syntax::new(Python)).unwrap().lower(&mut builder, false);
        assert!(matches!(refused, Err(Error::Irregular(flaw)) if flaw.message.contains("looks out of the loop")));
    }
}

#[test]
fn lowering_ends_when_it_is_cancelled_or_late() {
    let hard = "(?:(?!aaaaab)(?=(?:a|b)*a[ab]{4})[ab])*[ab]{9}";
    let pattern = Pattern::read(hard, &Syntax::new(Python)).unwrap();
    let flag = Cancellation::default();
    flag.cancel();
    let mut builder = Builder::new(Limits::default(), Some(flag), None);
    let cancelled = pattern.lower(&mut builder, false);
    assert!(
        matches!(cancelled, Err(Error::Engine(error)) if *error == frisket_core::error::Error::Limit(Limit::Cancelled))
    );
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    assert!(matches!(pattern.lower(&mut Builder::new(limits, None, None), false), Err(Error::Engine(_))));
}
