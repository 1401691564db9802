//! Grammars → their shortest completions, each short enough to be found by hand.

use super::*;
use crate::automaton::fixture::{after, alt, bytes, machine, object, rule, seq, string, unique, words};
use crate::builder::{Builder, ObjectRules};
use crate::json::arena::Arena;

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
fn where_the_bound_is_exact_it_leads_straight_to_the_end() {
    let mut exact = machine(|builder| {
        let [z, long, short] = [&b"z"[..], b"abcd", b"xy"].map(|text| builder.literal(text).unwrap());
        let special = builder.special("<s>").unwrap();
        let either = alt(builder, &[long, short, special]);
        seq(builder, &[either, z])
    });
    let mut distances = Distances::default();
    let position = exact.position(exact.start).clone();
    let least = distances.of_position(&mut exact, &position).unwrap();
    assert_eq!(exact.greedy_completion(&mut distances, &position, least).unwrap().unwrap(), b"xyz");
    let mut unique = machine(|builder| {
        let digit = bytes(builder, b'0', b'2', 1, Some(1));
        unique(builder, digit, 2, None)
    });
    let position = unique.position(unique.start).clone();
    let found = unique.greedy_completion(&mut Distances::default(), &position, 5).unwrap();
    assert_eq!(found, None, "the bound knows nothing of items that must differ");
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
fn escapes_of_strings_in_a_row_need_no_search() {
    let strings = |builder: &mut Builder| {
        builder.escape_in_strings(&["<t>"]).unwrap();
        let blank = builder.literal(b" ").unwrap().number();
        let blanks = builder.repeat(blank, 0, Some(9)).unwrap().number();
        let text = builder.literal(b"<t>\x01<t>").unwrap().number();
        let string = builder.quoted(text, false).unwrap().number();
        builder.cat(&[string, blanks].repeat(12)).unwrap()
    };
    let spelled = r#""\u003ct>\u0001\u003ct>""#;
    check(strings, &[("", &spelled.repeat(12)), (spelled, &spelled.repeat(11))]);
    let ended = |builder: &mut Builder| {
        let strings = strings(builder);
        let end = builder.literal(b" end").unwrap();
        builder.cat(&[strings.number(), end.number()]).unwrap()
    };
    check(ended, &[("", &format!("{} end", spelled.repeat(12)))]);
}

#[test]
fn an_object_gets_the_members_that_it_requires() {
    let make = |builder: &mut Builder| {
        let (one, ten) = (builder.literal(b"1").unwrap(), builder.literal(b"10").unwrap());
        object(builder, &[("ab", true, ten), ("c", false, one), ("d", true, one)], &[], ObjectRules::default())
    };
    check(make, &[("", "{\"ab\":10,\"d\":1}"), ("{\"a", "b\":10,\"d\":1}"), ("{\"ab\":10,\"c", "\":1,\"d\":1}")]);
}

#[test]
fn the_member_with_the_shortest_value_is_taken() {
    let make = |builder: &mut Builder| {
        let (one, long) = (builder.literal(b"1").unwrap(), builder.literal(b"1000").unwrap());
        let rules = ObjectRules { min: 1, any_order: true, ..ObjectRules::default() };
        object(builder, &[("a", false, long), ("b", false, one)], &[], rules)
    };
    check(make, &[("", "{\"b\":1}"), ("{\"", "b\":1}"), ("{\"a", "\":1000}")]);
}

#[test]
fn positions_that_differ_in_the_text_of_their_open_key_are_searched_once() {
    let mut machine = machine(|builder| {
        let (one, keys) = (builder.literal(b"1").unwrap(), bytes(builder, b'a', b'c', 3, Some(3)));
        object(builder, &[], &[(keys, one)], ObjectRules::default())
    });
    let ids = ["{\"a", "{\"b", "{\"ab", ""].map(|text| after(&mut machine, text.as_bytes()));
    let [a, b, ab, none] = ids.map(|id| machine.representative(id).unwrap());
    assert!(ids[0] != ids[1] && a == b, "one letter");
    assert_ne!(a, ab);
    assert_eq!(none, ids[3], "no key is open");
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
fn a_search_gives_up_after_its_positions_and_finds_nothing_where_nothing_ends() {
    // "a" may go on as "bc" or as "bd": three positions lie after the start.
    let make = |builder: &mut Builder| {
        let [a, b] = [b"a", b"b"].map(|text| builder.literal(text).unwrap());
        let end = bytes(builder, b'c', b'd', 1, Some(1));
        seq(builder, &[a, b, end])
    };
    let search = |machine: &mut Machine, most| {
        let start = machine.start;
        machine.search_completion(&mut Distances::default(), start, 1, most).unwrap()
    };
    let mut ends = machine(make);
    assert!(matches!(search(&mut ends, 3), Found::Text(text) if text == b"abc"));
    assert!(matches!(search(&mut ends, 2), Found::OutOfPatience));
    let (start, distances) = (ends.start, &mut Distances::default());
    let held = [(); 3].map(|()| {
        ends.search_completion(distances, start, 1, 3).unwrap();
        ends.memory_bytes()
    });
    assert_eq!(held[1], held[2], "a search gives its memory back");
    let mut never = machine(|builder| {
        let (a, special) = (builder.literal(b"ab").unwrap(), builder.special("<s>").unwrap());
        seq(builder, &[a, special])
    });
    assert!(matches!(search(&mut never, 9), Found::Nothing));
}

#[test]
fn a_run_is_all_that_a_term_forces_next() {
    let mut builder = Builder::default();
    let three = bytes(&mut builder, b'a', b'z', 3, Some(5));
    let once = bytes(&mut builder, b'a', b'z', 1, Some(5));
    let shared = words(&mut builder, &["keys", "keyhole"]);
    let little = words(&mut builder, &["key", "kind"]);
    let literal = builder.literal(b"abc").unwrap();
    let chain = builder.cat(&[three.number(), shared.number()]).unwrap();
    let any = builder.any_text().unwrap();
    let counted = builder.bounded(any.number(), 2, Some(6)).unwrap();
    let two = words(&mut builder, &["abx", "aby"]);
    let control = bytes(&mut builder, 1, 2, 2, None);
    let arena = &mut builder.arena;
    let digit = *children(arena, three);
    let [left, shared_left, free_left] = [
        arena.repeat(digit, 0, 2).unwrap(),
        b"key".iter().fold(shared, |term, &byte| arena.derive(term, byte).unwrap()),
        arena.bounded(any, 0, 4).unwrap(),
    ];
    let two_left = b"ab".iter().fold(two, |term, &byte| arena.derive(term, byte).unwrap());
    let chain_left = arena.cat(left, shared).unwrap();
    for (term, expected) in [
        (literal, Some(("abc", EPSILON))),
        (three, Some(("aaa", left))),
        (chain, Some(("aaa", chain_left))),
        (shared, Some(("key", shared_left))),
        (two, Some(("ab", two_left))),
        (counted, Some(("aa", free_left))),
        (control, None), // no byte of it is readable
        (once, None),
        (little, None),
        (any, None),
    ] {
        let found = Run::of(arena, term).unwrap();
        let found = found.map(|(run, rest)| (String::from_utf8(run.bytes().collect()).unwrap(), rest));
        assert_eq!(found, expected.map(|(text, rest)| (text.to_owned(), rest)), "{:?}", arena.term(term));
    }
}

/// The repeated language of a repetition.
fn children(arena: &Arena, id: TermId) -> &TermId {
    match arena.term(id) {
        Term::Repeat { body, .. } => body,
        other => panic!("{other:?} repeats nothing"),
    }
}
