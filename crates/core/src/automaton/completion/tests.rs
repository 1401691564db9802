//! Grammars → their shortest completions, each short enough to be found by hand.

use super::*;
use crate::automaton::fixture::{after, alt, bytes, machine, object, rule, seq, string, unique};
use crate::builder::{Builder, ObjectRules};

/// The completion of a text.
fn completed(machine: &mut Machine, text: &str) -> Option<String> {
    let id = after(machine, text.as_bytes());
    let found = machine.completion(&mut Distances::default(), id).unwrap();
    found.map(|text| String::from_utf8(text).unwrap())
}

fn check(make: impl FnOnce(&mut Builder) -> TermId, cases: &[(&str, &str)]) {
    let mut machine = machine(make);
    for &(text, rest) in cases {
        assert_eq!(completed(&mut machine, text).as_deref(), Some(rest), "after {text}");
    }
}

#[test]
fn the_shortest_alternative_completes_a_text() {
    let make = |builder: &mut Builder| {
        let [a, long, b, c] = [&b"a"[..], b"xyz", b"b", b"c"].map(|text| builder.literal(text).unwrap());
        let short = seq(builder, &[b, c]);
        let either = alt(builder, &[long, short]);
        seq(builder, &[a, either])
    };
    check(make, &[("", "abc"), ("a", "bc"), ("ax", "yz"), ("abc", "")]);
    let nested = |builder: &mut Builder| {
        let [open, close, a] = [&b"("[..], b")", b"a"].map(|text| builder.literal(text).unwrap());
        rule(builder, "nested", |builder, nested| {
            let deeper = seq(builder, &[open, nested, close]);
            alt(builder, &[deeper, a])
        })
    };
    check(nested, &[("", "a"), ("((", "a))"), ("((a)", ")")]);
}

#[test]
fn no_bytes_complete_what_needs_a_special_token() {
    let mut needs = machine(|builder| {
        let (special, a) = (builder.special("<s>").unwrap(), builder.literal(b"a").unwrap());
        seq(builder, &[a, special])
    });
    assert_eq!(completed(&mut needs, ""), None);
    assert_eq!(completed(&mut needs, "a"), None);
    let mut may = machine(|builder| {
        let (special, ab) = (builder.special("<s>").unwrap(), builder.literal(b"ab").unwrap());
        alt(builder, &[ab, special])
    });
    assert_eq!(completed(&mut may, "").as_deref(), Some("ab"));
}

#[test]
fn the_most_readable_of_equally_short_bytes_is_taken() {
    let rank = |byte| most_readable((byte, byte), &ByteSet::FULL).unwrap().0;
    let ranked = [b'm', b'M', b'5', b'~', 0x07];
    for pair in ranked.windows(2) {
        assert!(rank(pair[0]) < rank(pair[1]), "{pair:?}");
    }
    for (edges, other) in [("az", b'`'), ("AZ", b'@'), ("09", b'/'), (" ~", 0x7f)] {
        let [low, high] = *edges.as_bytes() else { panic!() };
        assert_eq!(rank(low), rank(high), "{edges}");
        assert!(rank(other) > rank(low), "{other}");
    }
    let one_of = |ranges: Vec<(u8, u8)>| move |builder: &mut Builder| builder.byte_class(&ranges).unwrap();
    check(one_of(vec![(1, b'z')]), &[("", "a")]);
    check(one_of(vec![(1, b'Z')]), &[("", "A")]);
    check(one_of(vec![(1, b'9')]), &[("", "0")]);
    check(one_of(vec![(1, b'#')]), &[("", " ")]);
}

#[test]
fn strings_are_filled_to_their_least_length_and_written_with_escapes() {
    check(|builder| string(builder, 3, None), &[("", "\"aaa\""), ("\"x", "aa\""), ("\"xyzw", "\""), ("\"\\", "baa\"")]);
    let quoted = |builder: &mut Builder| {
        let text = builder.literal(b"a\"\nb").unwrap();
        builder.quoted(text.number(), true).unwrap()
    };
    check(quoted, &[("", "\"a\\\"\\nb\""), ("\"a\\", "\"\\nb\"")]);
}

#[test]
fn keys_and_items_that_came_do_not_come_again() {
    let members = |builder: &mut Builder| {
        let (one, keys) = (builder.literal(b"1").unwrap(), bytes(builder, b'a', b'c', 1, Some(1)));
        object(builder, &[], &[(keys, one)], ObjectRules { min: 3, ..ObjectRules::default() })
    };
    check(members, &[("{\"a\":1,\"c\":1", ",\"b\":1}"), ("{\"b\":1,", "\"a\":1,\"c\":1}")]);
    let items = |builder: &mut Builder| {
        let digit = bytes(builder, b'0', b'2', 1, Some(1));
        unique(builder, digit, 3, None)
    };
    check(items, &[("[0,1", ",2]"), ("[2,", "0,1]"), ("[0,1,", "2]")]);
}

#[test]
fn the_longest_text_that_is_written_out_is_below_the_limit() {
    let mut below = machine(|builder| bytes(builder, b'a', b'a', MAX_BYTES as u32 - 1, None));
    assert_eq!(completed(&mut below, "").unwrap().len() as u64, MAX_BYTES - 1);
    let mut above = machine(|builder| bytes(builder, b'a', b'a', MAX_BYTES as u32, None));
    let start = above.start;
    let error = above.completion(&mut Distances::default(), start).unwrap_err();
    assert_eq!(*error, Error::Limit(Limit::Completion(MAX_BYTES)));
}

#[test]
fn a_search_gives_its_memory_back_and_finds_nothing_where_nothing_ends() {
    let mut ends = machine(|builder| {
        let [a, b] = [b"a", b"b"].map(|text| builder.literal(text).unwrap());
        let end = bytes(builder, b'c', b'd', 1, Some(1));
        seq(builder, &[a, b, end])
    });
    let (start, distances) = (ends.start, &mut Distances::default());
    let held = [(); 2].map(|()| {
        assert_eq!(
            ends.shortest_path(distances, start, &mut Runs::default()).unwrap().unwrap().0.len(),
            2,
            "a run and a byte"
        );
        ends.memory_bytes()
    });
    assert_eq!(held[0], held[1]);
    let mut never = machine(|builder| {
        let (a, special) = (builder.literal(b"ab").unwrap(), builder.special("<s>").unwrap());
        seq(builder, &[a, special])
    });
    let start = never.start;
    assert!(never.shortest_path(distances, start, &mut Runs::default()).unwrap().is_none());
}
