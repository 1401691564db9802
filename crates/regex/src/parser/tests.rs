//! Patterns → trees and refusals.

use super::*;
use crate::syntax::Dialect::{self, Ecma, Python, Rust};

fn read(pattern: &str, dialect: Dialect, flags: &str) -> Result<Node> {
    parse(pattern, &Syntax { flags: Flags::new(flags)?, ..Syntax::new(dialect) })
}

fn flaw(pattern: &str, dialect: Dialect) -> Flaw {
    match read(pattern, dialect, "") {
        Err(Error::Syntax(flaw) | Error::Irregular(flaw) | Error::Limit(flaw)) => flaw,
        other => panic!("{pattern}: {other:?}"),
    }
}

fn text(text: &str) -> Node {
    Node::Text(text.into())
}

#[test]
fn characters_that_follow_one_another_are_one_text() {
    assert_eq!(read("ab\\x63[d]", Python, "").unwrap(), text("abcd"));
    let repeat = Node::Repeat { item: Box::new(text("b")), low: 0, high: None, is_lazy: false, at: 2 };
    assert_eq!(read("ab*c", Ecma, "").unwrap(), Node::Seq(vec![text("a"), repeat, text("c")]));
    assert_eq!(read("a|(?:b)", Ecma, "").unwrap(), Node::Alt(vec![text("a"), text("b")]));
    assert_eq!(read("", Ecma, "").unwrap(), Node::Seq(vec![]));
    assert_eq!(read("a # b\n c", Python, "x").unwrap(), text("ac"));
    assert_eq!(read("(?#note)a(?:b)", Python, "").unwrap(), Node::Seq(vec![text("a"), text("b")]));
}

#[test]
fn counts_are_read_as_their_dialect_reads_them() {
    let counts = |pattern, dialect| match read(pattern, dialect, "") {
        Ok(Node::Repeat { low, high, .. }) => Some((low, high)),
        Ok(_) => None,
        Err(error) => panic!("{error}"),
    };
    for dialect in [Python, Ecma, Rust] {
        for (pattern, expected) in [
            ("a{2}", Some((2, Some(2)))),
            ("a{2,}?", Some((2, None))),
            ("a{02,3}", Some((2, Some(3)))),
            ("a{a}", None),
            ("a{", None),
            ("a{2,3,4}", None),
            ("a{2147483647}", Some((2147483647, Some(2147483647)))),
        ] {
            assert_eq!(counts(pattern, dialect), expected, "{pattern}");
        }
    }
    assert_eq!((counts("a{,3}", Python), counts("a{,3}", Ecma)), (Some((0, Some(3))), None));
    assert_eq!((counts("a{,}", Python), counts("a{,}", Ecma)), (Some((0, None)), None));
}

#[test]
fn every_reference_is_refused_behind_faults_of_syntax() {
    let cases: &[(&str, Dialect, usize)] =
        &[(r"(a|b)\1", Python, 5), (r"\2(a)\1", Ecma, 0), (r"(a|b)\1", Rust, 5), (r"(?P<n>a)(?P=m)", Python, 8)];
    for (pattern, dialect, at) in cases {
        let found = flaw(pattern, *dialect);
        assert!(found.message.starts_with("a back-reference"), "{pattern}: {}", found.message);
        assert_eq!(found.at, Some(*at), "{pattern}");
    }
    assert!(flaw(r"(a)\1[", Ecma).message.starts_with("this class is never closed"));
}

#[test]
fn a_refusal_names_its_place() {
    let cases: &[(&str, Dialect, usize, &str)] = &[
        (r"(a*)\1", Python, 4, "a back-reference is not a regular language in '(a*)\\\\1'"),
        (r"(?<n>a+)\k<n>", Ecma, 8, "a back-reference"),
        ("(?(1)a|b)", Python, 0, "a conditional group"),
        ("a(?>b)", Python, 1, "an atomic group"),
        ("ba++", Python, 2, "a possessive quantifier"),
        ("a{2}+", Rust, 1, "a possessive quantifier"),
        ("a(?R)?", Python, 1, "recursion"),
        ("(a", Python, 0, "this group is never closed in '(a'"),
        ("é(a", Python, 1, "this group is never closed in 'é(a'"),
        ("a)", Python, 1, "unbalanced )"),
        ("a[b", Python, 1, "this class is never closed"),
        ("*a", Python, 0, "nothing to repeat in"),
        ("a**", Python, 2, "a quantifier after a quantifier"),
        ("a{2}{3}", Python, 4, "a quantifier after a quantifier"),
        ("(?=a)?*", Python, 6, "a quantifier after a quantifier"),
        ("(?<!b)??{0}", Python, 8, "a quantifier after a quantifier"),
        ("(?P<x>a)(?P<x>a)", Python, 8, "the name x is taken"),
        ("^*", Ecma, 1, "nothing to repeat: an assertion has no width"),
        ("a{3,2}", Python, 1, "{3,2}: the smaller count comes first"),
        ("[z-a]", Ecma, 1, "this range is the wrong way round"),
        (r"[\d-z]", Python, 1, "a range between sets"),
        ("a\\", Python, 1, "a backslash at the end"),
        ("b[a\\", Python, 3, "a backslash at the end"),
        (r"\q", Ecma, 0, r"unknown escape \q"),
        (r"a\Z", Ecma, 1, r"unknown escape \Z"),
        (r"\p{Klingon}", Ecma, 0, "no exact data for the property 'Klingon'"),
        (r"a\p", Ecma, 1, "no exact data for the property ''"),
        (r"a\p{^L}", Ecma, 1, "a negated property"),
        ("[[:alpha:]]", Python, 1, "a POSIX class"),
        ("[a&&b]", Rust, 2, "a class of classes"),
        ("[+--]", Rust, 1, "a class of classes"),
        ("a(?i)b", Python, 1, "flags for the whole pattern"),
        (r"\x4", Python, 0, "2 hexadecimal digits"),
        ("(?<n>a)", Python, 0, "unknown kind of group"),
        ("a(?P<1a>x)", Python, 1, "this group's name is not an identifier"),
        (r"a\07", Ecma, 1, "an octal escape"),
        (r"a\400", Python, 1, "an octal escape beyond \\377"),
        (r"[\8]", Python, 1, "an octal escape"),
        (r"a\U00110000", Python, 1, "beyond the last code point"),
        (r"a\N{no such}", Python, 1, "no character is named 'no such'"),
        (r"a\c1", Ecma, 1, "\\c takes a letter"),
        (r"a\u{110000}", Ecma, 1, "\\u{…} takes a code point"),
        (r"a\u{}", Ecma, 1, "\\u{…} takes a code point"),
        (r"a\x{110000}", Rust, 1, "there is no such character"),
        ("a{99999999999999999999999999}", Ecma, 1, "more than 2147483647 repetitions"),
    ];
    for (pattern, dialect, at, says) in cases {
        let flaw = flaw(pattern, *dialect);
        assert_eq!(flaw.at, Some(*at), "{pattern}");
        assert!(flaw.message.starts_with(says), "{pattern}: {}", flaw.message);
    }
}

#[test]
fn deep_groups_are_refused_before_they_fill_the_stack() {
    for depth in [DEEPEST + 1, 10_000, 200_000] {
        for open in ["(", "(?:", "(?=", "(?i:"] {
            let pattern = open.repeat(depth);
            let flaw = flaw(&pattern, Python);
            assert_eq!(flaw.at, Some(DEEPEST * open.len()));
            assert!(flaw.message.starts_with("groups nested more than 50 deep"));
        }
    }
    assert!(read(&format!("{}a{}", "(".repeat(DEEPEST), ")".repeat(DEEPEST)), Ecma, "").is_ok());
}

#[test]
fn a_pattern_of_megabytes_is_refused_before_it_is_a_tree() {
    let flaw = flaw(&"ab?".repeat(400_000), Python);
    assert!(flaw.message.starts_with("the pattern has 1200000 characters"), "{}", flaw.message);
}

#[test]
fn a_terminal_of_rust_has_no_use_for_anchors_at_its_ends() {
    assert_eq!(read("^ab$", Rust, "").unwrap(), text("ab"));
    assert_eq!(read(r"a\$", Rust, "").unwrap(), text("a$"));
    assert!(matches!(read(r"a\\$", Rust, ""), Ok(Node::Text(said)) if said == "a\\"));
    assert_eq!(read("^", Rust, "").unwrap(), Node::empty());
    assert_eq!(read("$", Rust, "").unwrap(), Node::empty());
    assert!(read("a^b", Rust, "").unwrap().asserts());
    assert_eq!(read(r"\x{41}\u{42}\U{43}\u0044\/", Rust, "").unwrap(), text("ABCD/"));
    assert_eq!(read("(?<n>a)(?P<m>b)", Rust, "").unwrap(), Node::Seq(vec![text("a"), text("b")]));
    assert_eq!(read("[[:xdigit:]]", Rust, ""), read("[0-9A-Fa-f]", Rust, ""));
}

#[test]
fn flags_hold_as_far_as_they_say() {
    let set = |pattern: &str, flags| match read(pattern, Python, flags).unwrap() {
        Node::Chars(set) => set,
        other => panic!("{other:?}"),
    };
    assert!(set(".", "s").contains(10) && !set(".", "").contains(10));
    assert!(set("(?s).", "").contains(10));
    assert!(set(r"\w", "").contains(0xe9) && !set(r"\w", "a").contains(0xe9));
    assert!(set("k", "i").contains(0x212a) && !set("k", "ia").contains(0x212a));
    assert!(!set(r"\w", "r").contains(0xbd) && set(r"\w", "").contains(0xbd));
    let Node::Seq(items) = read("(?i:a)a", Python, "").unwrap() else { panic!() };
    assert_eq!(items[1], text("a"));
    assert!(matches!(&items[0], Node::Chars(set) if set.contains(0x41)));
    assert!(matches!(read("^", Python, "m").unwrap(), Node::Before { ranges, .. } if ranges.contains(10)));
}

#[test]
fn strictly_only_ecma_is_ecma() {
    let strictly = |pattern: &str| crate::is_ecma_regex(pattern).unwrap();
    for pattern in [
        "^a$",
        r"(?<n>a)\k<n>",
        r"\k<n>(?<n>a)",
        r"(a)\1",
        "[]",
        "[^]",
        r"\cA",
        "(?<=a+)b",
        r"\p{L}",
        r"\p{Letter}",
        r"\p{gc=Lu}",
        r"\p{Script=Greek}",
        r"\p{sc=Grek}",
        r"\p{scx=Deva}",
        r"\p{ASCII_Hex_Digit}",
        r"\u{1F600}",
        r"[\-]",
        "(?i:a)",
        "(?=a)",
    ] {
        assert!(strictly(pattern), "{pattern}");
    }
    for pattern in [
        r"\a",
        "(?P<n>a)",
        "(?#c)a",
        "(?i)a",
        "^(abc]",
        "a{",
        "]",
        r"\1",
        r"\k<n>",
        r"[a-\d]",
        "(?=a)*",
        r"\Z",
        "a++",
        "(?<a>x)(?<a>y)",
        "(?<1>x)",
        "(?a:b)",
        r"\k",
        r"\pL",
        r"\p{^L}",
        r"\_",
        r"\-",
        r"[\1]",
        r"\c1",
        "a{2,1}",
        "a{2}{3}",
        r"\p{l}",
        r"\p{letter}",
        r"\p{Greek}",
        r"\p{script=Greek}",
        r"\p{Script=greek}",
        r"\p{L=}",
        r"\p{L&}",
        r"\p{Uppercase letter}",
        r"\p{Age=6.0}",
        r"\p{WSpace}",
    ] {
        assert!(!strictly(pattern), "{pattern}");
    }
    assert!(crate::is_ecma_regex(&"(".repeat(10_000)).is_err());
}
