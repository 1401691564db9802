//! Grammars of every kind of head × texts → a text read at once leads where its bytes lead one by one.

use super::*;
use crate::automaton::fixture::{after, alt, bytes, machine, object, seq, string, unique, words};
use crate::builder::{Builder, ObjectRules};
use After::{Dead, End, More};

/// The position that a text leads to: one where the text may end, one where it must go on, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum After {
    End,
    More,
    Dead,
}

/// Holds every text to its case, read at once, in two pieces cut anywhere, and by single steps.
fn check(make: impl FnOnce(&mut Builder) -> TermId, cases: &[(&str, After)]) {
    let mut machine = machine(make);
    for &(text, expected) in cases {
        let (start, text) = (machine.start, text.as_bytes());
        let shown = String::from_utf8_lossy(text);
        let id = machine.read(start, text).unwrap();
        let found = match id {
            DEAD => Dead,
            id if machine.position(id).accepting => End,
            _ => More,
        };
        assert_eq!(found, expected, "{shown}");
        for cut in 0..=text.len() {
            let middle = machine.read(start, &text[..cut]).unwrap();
            assert_eq!(after(&mut machine, &text[..cut]), middle, "the first {cut} bytes of {shown}");
            assert_eq!(machine.read(middle, &text[cut..]).unwrap(), id, "{shown} cut after {cut} bytes");
        }
    }
}

#[test]
fn no_bytes_lead_nowhere_else() {
    let mut machine = machine(|builder| builder.literal(b"ab").unwrap());
    let start = machine.start;
    assert_eq!(machine.read(start, b"").unwrap(), start);
    assert_eq!(machine.read(DEAD, b"").unwrap(), DEAD);
    assert_eq!(machine.read(DEAD, b"a").unwrap(), DEAD);
}

#[test]
fn a_head_that_ends_within_a_text_returns_and_may_go_on_as_well() {
    let make = |builder: &mut Builder| {
        let [word, two] = [words(builder, &["a", "ab"]), words(builder, &["bc", "c"])];
        let special = builder.special("<s>").unwrap();
        let tail = alt(builder, &[two, special]);
        let more = builder.repeat(tail.number(), 0, None).unwrap();
        seq(builder, &[word, more])
    };
    check(make, &[("a", End), ("ab", End), ("abc", End), ("abbc", End), ("abb", More), ("abcbcc", End), ("abd", Dead)]);
}

#[test]
fn half_a_character_is_a_place_of_its_own() {
    let mut machine = machine(|builder| string(builder, 1, Some(1)));
    let start = machine.start;
    let text = "\"€\"".as_bytes();
    for cut in 1..text.len() {
        let middle = machine.read(start, &text[..cut]).unwrap();
        assert_eq!(after(&mut machine, &text[..cut]), middle);
        let end = machine.read(middle, &text[cut..]).unwrap();
        assert!(machine.position(end).accepting, "cut after {cut} bytes");
    }
    let middle = machine.read(start, &text[..3]).unwrap();
    assert_eq!(machine.read(middle, b"\"").unwrap(), DEAD);
}

#[test]
fn further_keys_are_neither_named_nor_repeated() {
    let make = |builder: &mut Builder| {
        let digit = bytes(builder, b'0', b'9', 1, Some(1));
        let any = builder.any_text().unwrap();
        let rules = ObjectRules { any_order: true, free: true, ..ObjectRules::default() };
        let letter = builder.literal(b"x").unwrap();
        object(builder, &[("ab", false, letter), ("abe", false, letter)], &[(any, digit)], rules)
    };
    check(
        make,
        &[
            ("{\"abc\":1}", End),
            ("{\"a\":1}", End),
            ("{\"ab\":1", Dead),
            ("{\"abe\":1", Dead),
            ("{\"ab\":x,\"abe\":x}", End),
            ("{\"ae\":1,\"abef\":2}", End),
            ("{\"\":1,\"é\\n\":2}", End),
            ("{\"\":1,\"\"", Dead),
            ("{\"abc\":1,\"abc\"", Dead),
            ("{\"abc\":1,\"abcd\":2,\"abc\"", Dead),
            ("{\"abc\":1,\"abcd\":2,\"abd\":3}", End),
            ("{\"abc\":1,\"ab\\u0063\"", Dead),
            ("{\"ab\\u0063\":1,\"abc\"", Dead),
            ("{\"\\u0061c\":1,\"a\":1,\"ac\"", Dead),
            ("{\"é\":1,\"é", More),
            ("{\"é\":1,\"é\"", Dead),
        ],
    );
}

#[test]
fn items_that_must_differ_are_read_byte_by_byte_until_their_array_ends() {
    let make = |builder: &mut Builder| {
        let letters = bytes(builder, b'a', b'c', 0, Some(2));
        let item = builder.quoted(letters.number(), true).unwrap();
        let array = unique(builder, item, 1, None);
        let end = builder.literal(b" the end").unwrap();
        let start = builder.literal(b"this: ").unwrap();
        seq(builder, &[start, array, end])
    };
    check(
        make,
        &[
            ("this: [\"a\",\"b\"] the end", End),
            ("this: [\"a\",\"a\"", Dead),
            ("this: [\"a\",\"\\u0061\"", Dead),
            ("this: [\"ab\",\"a\",\"b\"] the", More),
            ("this: [\"ab\"] then", Dead),
        ],
    );
}
