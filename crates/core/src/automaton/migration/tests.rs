//! Positions of one machine → their copies, which equal the positions that the new machine reaches by reading the text.

use super::*;
use crate::automaton::fixture::{after, bytes, grammar, object, rule, seq, string, unique};
use crate::builder::{Builder, ObjectRules};
use crate::limits::Limits;

/// Copies the positions after these texts into a new machine. Each copy is the position that the new machine reads the
/// text to, and the given bytes may follow it.
fn check(make: impl FnOnce(&mut Builder) -> TermId, cases: &[(&str, &str)]) {
    let grammar = grammar(make);
    let fresh = || Machine::of(&grammar, &Limits::default(), [None, None], None).unwrap();
    let (mut from, mut to) = (fresh(), fresh());
    let ids: Vec<PositionId> = cases.iter().map(|(text, _)| after(&mut from, text.as_bytes())).collect();
    let mut migration = Migration::new(grammar.ground(), &from, &mut to);
    // The other way round, so that few numbers are equal by chance.
    let mut copies: Vec<PositionId> = ids.iter().rev().map(|&id| migration.copy(id).unwrap()).collect();
    copies.reverse();
    for ((&(text, follows), id), copy) in cases.iter().zip(&ids).zip(copies) {
        assert_eq!(follow(&mut to, copy), follows, "after {text}");
        assert_eq!(follow(&mut from, *id), follows, "after {text}");
        assert_eq!(to.position(copy).accepting, from.position(*id).accepting, "after {text}");
        assert_eq!(after(&mut to, text.as_bytes()), copy, "after {text}");
    }
}

/// The printable bytes that may follow a position.
fn follow(machine: &mut Machine, id: PositionId) -> String {
    let all: Vec<[u8; 1]> = (b' '..=b'~').map(|byte| [byte]).collect();
    let may = machine.can_follow(id, all.iter().map(|byte| &byte[..])).unwrap();
    all.iter().zip(may).filter(|(_, may)| *may).map(|(byte, _)| char::from(byte[0])).collect()
}

#[test]
fn frames_are_copied_with_all_below_them() {
    let make = |builder: &mut Builder| {
        let [open, close, a] = [&b"("[..], b")", b"a"].map(|text| builder.literal(text).unwrap());
        let nested = rule(builder, "nested", |builder, nested| {
            let deeper = seq(builder, &[open, nested, close]);
            crate::automaton::fixture::alt(builder, &[deeper, a])
        });
        let special = builder.special("<s>").unwrap();
        seq(builder, &[nested, special])
    };
    check(make, &[("", "(a"), ("((", "(a"), ("((a", ")"), ("((a)", ")"), ("((a))", "")]);
}

#[test]
fn a_key_that_is_open_keeps_its_text() {
    let make = |builder: &mut Builder| {
        let (one, keys) = (builder.literal(b"1").unwrap(), bytes(builder, b'x', b'y', 1, Some(2)));
        object(builder, &[], &[(keys, one)], ObjectRules::default())
    };
    check(
        make,
        &[("{\"xy\":1,\"x", "\"x"), ("{\"x\":1,\"x", "xy"), ("{\"x\":1,\"xy\":1,\"x", "x"), ("{\"x\":1,\"y", "\"xy")],
    );
}

#[test]
fn items_that_came_and_the_open_one_stay_apart() {
    let make = |builder: &mut Builder| {
        let digits = bytes(builder, b'1', b'2', 1, Some(2));
        unique(builder, digits, 0, None)
    };
    check(
        make,
        &[
            ("[", "12]"),
            ("[1", ",12]"),
            ("[1,", "12"),
            ("[1,1", "12"),
            ("[12,1", ",1]"),
            ("[12,1,1", "1"),
            ("[1,11,12,", "2"),
            ("[1,2,", "12"),
        ],
    );
    let strings = |builder: &mut Builder| {
        let item = string(builder, 1, Some(1));
        unique(builder, item, 2, Some(2))
    };
    check(strings, &[("[\"a\",\"a", ""), ("[\"a\",\"b", "\""), ("[\"a\"", ","), ("[\"a\",\"b\"", "]")]);
}

#[test]
fn a_position_is_copied_once_whatever_the_step_limit() {
    let grammar = grammar(|builder| {
        let digits = bytes(builder, b'0', b'9', 40, None);
        let end = builder.literal(b"!").unwrap();
        seq(builder, &[digits, end])
    });
    let fresh = || Machine::of(&grammar, &Limits::default(), [None, None], None).unwrap();
    let (mut from, mut to) = (fresh(), fresh());
    let (id, other) = (after(&mut from, b"123"), after(&mut from, b"1234"));
    to.begin(&Limits { steps: 1, ..Limits::default() });
    let mut migration = Migration::new(grammar.ground(), &from, &mut to);
    let held = migration.held();
    let copy = migration.copy(id).unwrap();
    let once = migration.held();
    assert!(once > held);
    assert_eq!((migration.copy(id).unwrap(), migration.held()), (copy, once), "the second copy is the first");
    assert_ne!(migration.copy(other).unwrap(), copy);
    assert!(migration.held() > once);
}
