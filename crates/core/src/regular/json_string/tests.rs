//! JSON strings × what they escape → exactly the spellings that decode to their texts.

use super::*;
use crate::regular::fixture::regex;

/// All spellings of one text, sorted.
fn spellings(text: &str, free: bool) -> Vec<String> {
    let mut terms = Terms::new();
    let id = terms.literal(text.as_bytes()).unwrap();
    let quoted = terms.quoted(id, free).unwrap();
    let found = terms.enumerate(quoted, 1_000).unwrap().unwrap();
    let mut found: Vec<String> = found.into_iter().map(|text| String::from_utf8(text).unwrap()).collect();
    found.sort();
    found
}

#[test]
fn a_text_has_one_canonical_spelling() {
    for (text, spelled) in [
        ("", r#""""#),
        ("a/é😀\u{7f}", "\"a/é😀\u{7f}\""),
        ("\"\\", r#""\"\\""#),
        ("\n\r\t\u{8}\u{c}", r#""\n\r\t\b\f""#),
        ("\0\u{1f}\u{b} ", r#""\u0000\u001f\u000b ""#),
    ] {
        assert_eq!(encode(text.as_bytes()), spelled.as_bytes());
        assert_eq!(decode(spelled.as_bytes()), text.as_bytes());
        assert_eq!(spellings(text, false), [spelled]);
        let mut terms = Terms::new();
        let free = terms.literal(text.as_bytes()).and_then(|id| terms.quoted(id, true)).unwrap();
        assert_eq!(terms.matches(free, spelled.as_bytes()), Ok(true));
    }
}

/// The strings that decode to a text of a pattern, with these texts escaped.
fn escaping(terms: &mut Terms, pattern: &str, escaped: &[&str], free: bool) -> TermId {
    let text = regex(terms, pattern);
    let escaped = terms.words(escaped.iter().map(|text| text.as_bytes().into()).collect()).unwrap();
    terms.quoted(text, Escapes { free, escaped }).unwrap()
}

#[test]
fn an_escaped_text_begins_with_an_escape_wherever_it_occurs_and_no_other_text_does() {
    let mut terms = Terms::new();
    for (escaped, pattern) in [
        (&["<t>", "</t>"][..], "[<t/>]{0,6}"),
        (&["<<"], "[<t\n\"]{0,5}"),
        (&["<", "t>"], "[<t>]{0,5}"),
        (&["<t", "t<", "<t<"], "[<t>]{0,6}"),
        (&["<é", "<éé"], "(<|é|>){0,5}"),
    ] {
        let quoted = escaping(&mut terms, pattern, escaped, false);
        let plain = regex(&mut terms, pattern);
        let texts = terms.enumerate(plain, 100_000).unwrap().unwrap();
        let escaped: Vec<Vec<u8>> = escaped.iter().map(|text| text.as_bytes().to_vec()).collect();
        let mut expected: Vec<Vec<u8>> = texts.iter().map(|text| encode_escaping(text, &escaped)).collect();
        let mut found = terms.enumerate(quoted, 100_000).unwrap().unwrap();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{pattern}");
        for (spelled, text) in expected.iter().map(|spelled| (spelled, decode(spelled))) {
            assert!(texts.contains(&text));
            assert!(!escaped.iter().any(|one| spelled.windows(one.len()).any(|window| window == one)));
        }
    }
}

#[test]
fn surrogates_come_in_pairs_or_not_at_all() {
    let mut terms = Terms::new();
    let any = terms.any_text().unwrap();
    for (free, spelled, expected) in [
        (true, r#""\ud800\udc00""#, true),
        (true, r#""\uDBFF\uDFFF""#, true),
        (true, r#""\ud800""#, false),
        (true, r#""\udc00""#, false),
        (true, r#""\ud800\ud800""#, false),
        (true, r#""\ud800\ue000""#, false),
        (true, r#""\ud800x""#, false),
        (true, r#""\ud800\n""#, false),
        (true, r#""\ud7ff\ue000""#, true),
        (false, r#""\ud800\udc00""#, false),
        (false, r#""\u0041""#, false),
        (false, r#""\u001F""#, false),
        (false, r#""\u000a""#, false),
        (false, r#""\/""#, false),
        (true, r#""\x""#, false),
        (true, r#""\u00g0""#, false),
        (true, "\"\u{7f}\"", true),
        (true, "\"\n\"", false),
        (true, r#""a"b"#, false),
        (true, "a\"", false),
        (true, r#""\ud800xudc00""#, false),
        (true, r#""\ud800\xdc00""#, false),
    ] {
        let quoted = terms.quoted(any, free).unwrap();
        assert_eq!(terms.matches(quoted, spelled.as_bytes()), Ok(expected), "{spelled}");
    }
}
