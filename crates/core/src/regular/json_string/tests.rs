//! JSON strings × what they escape → exactly the spellings that decode to their texts.

use super::*;
use crate::regular::fixture::{after, regex};

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

#[test]
fn what_follows_an_escape_is_decoded_too() {
    assert_eq!(decode(br#""\ud83d\ude00x\u0041y\nz""#), "😀xAy\nz".as_bytes());
}

#[test]
fn every_ascii_byte_is_spelled_as_its_canonical_escape_tells() {
    for byte in 0..0x80u8 {
        let spelled = match escape(byte) {
            Some(escape) => escape,
            None => char::from(byte).into(),
        };
        assert_eq!(spellings(&String::from(char::from(byte)), false), [format!("\"{spelled}\"")], "{byte}");
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
fn with_free_escapes_only_what_is_escaped_needs_one() {
    let mut terms = Terms::new();
    let quoted = escaping(&mut terms, "[<t>]*", &["<t>"], true);
    for (spelled, expected) in [
        (r#""<t<>""#, true),
        (r#""<t>""#, false),
        (r#""\u003ct>""#, true),
        (r#""\u003C\u0074>""#, true),
        (r#""<\u0074>""#, false),
        (r#""\u003c\u003c<t<""#, true),
    ] {
        assert_eq!(terms.matches(quoted, spelled.as_bytes()), Ok(expected), "{spelled}");
    }
}

#[test]
fn an_escape_begins_only_where_the_rest_of_an_escaped_text_fits() {
    let mut terms = Terms::new();
    for (pattern, read, next) in [
        ("[<t>]{0,3}", "\"", "\"\\<>t"),
        ("[<t>]{0,3}", "\"<", "\"<>t"),
        ("[<t>]{0,3}", "\"<t", "\"<t"),
        ("[<t>]{0,3}", "\"\\u003c", "t"),
        ("[<t>]{0,3}", "\"\\u003ct>", "\""),
        ("<t>", "\"", "\\"),
        ("<t>a|x<t", "\"", "\\x"),
    ] {
        let quoted = escaping(&mut terms, pattern, &["<t>"], false);
        let state = after(&mut terms, quoted, read.as_bytes());
        let found = terms.next_bytes(state).unwrap();
        assert!(
            found == ByteSet::from_bytes(next.bytes()),
            "{pattern} after {read}: {:?}",
            found.iter().collect::<Vec<_>>()
        );
    }
}

#[test]
fn free_spellings_are_the_character_its_escapes_and_both_cases_of_hexadecimal_digits() {
    assert_eq!(spellings("a", true), [r#""\u0061""#, r#""a""#]);
    assert_eq!(spellings("/", true), [r#""/""#, r#""\/""#, r#""\u002F""#, r#""\u002f""#]);
    assert_eq!(spellings("\"", true), [r#""\"""#, r#""\u0022""#]);
    assert_eq!(spellings("\u{1f}", true), [r#""\u001F""#, r#""\u001f""#]);
    assert_eq!(spellings("é", true), [r#""\u00E9""#, r#""\u00e9""#, r#""é""#]);
    // A letter among the digits doubles the spellings; the character itself is one more.
    for (text, count) in [
        ("\u{7ff}", 4 + 1),
        ("\u{d7ff}", 8 + 1),
        ("\u{e000}", 2 + 1),
        ("\u{ffff}", 16 + 1),
        ("\u{10000}", 8 + 1),
        ("😀", 16 + 1),
        ("\u{10ffff}", 256 + 1),
        ("", 1),
    ] {
        let found = spellings(text, true);
        assert_eq!(found.len(), count, "{text:?}");
        assert!(found.iter().all(|spelled| decode(spelled.as_bytes()) == text.as_bytes()), "{text:?}");
    }
}

#[test]
fn only_digits_that_some_character_needs_can_come() {
    let mut terms = Terms::new();
    for (text, read, next) in [
        ("a", "\"", "a\\"),
        ("a", "\"\\", "u"),
        ("a", "\"\\u", "0"),
        ("a", "\"\\u00", "6"),
        ("a", "\"\\u006", "1"),
        ("😀", "\"\\u", "dD"),
        ("😀", "\"\\ud", "8"),
        ("😀", "\"\\ud83", "dD"),
        ("😀", "\"\\ud83d", "\\"),
        ("😀", "\"\\ud83d\\", "u"),
        ("😀", "\"\\ud83d\\u", "dD"),
        ("😀", "\"\\ud83d\\ud", "eE"),
        ("😀", "\"\\ud83d\\ude0", "0"),
        ("\u{e000}|a", "\"\\u", "0eE"),
        ("\u{d7ff}|a", "\"\\ud", "7"),
        ("\u{10000}|a", "\"\\ud", "8"),
        ("\u{10ffff}|a", "\"\\ud", "bB"),
        ("\u{10ffff}|a", "\"\\udb", "fF"),
        ("", "\"", "\""),
    ] {
        let id = regex(&mut terms, text);
        let quoted = terms.quoted(id, true).unwrap();
        let state = after(&mut terms, quoted, read.as_bytes());
        let found = terms.next_bytes(state).unwrap();
        let expected = ByteSet::from_bytes(next.bytes());
        assert!(found == expected, "{text:?} after {read}: {:?}", found.iter().collect::<Vec<u8>>());
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

#[test]
fn an_escape_begins_only_where_one_can_be_finished() {
    let mut terms = Terms::new();
    for (text, free, expected) in
        [("a", false, false), ("a", true, true), ("\\n", false, true), ("\\x01", false, true), ("/", false, false)]
    {
        let id = regex(&mut terms, text);
        assert_eq!(terms.can_escape(id, free.into()), Ok(expected), "{text:?}");
    }
}

#[test]
fn characters_are_found_by_any_of_their_bytes() {
    let mut terms = Terms::new();
    let id = regex(&mut terms, "b|\u{d7ff}|\u{e001}|\u{10ffff}");
    for (low, high, expected) in [
        (0, 0x61, false),
        (0x61, 0x62, true),
        (0x62, 0x62, true),
        (0xe001, 0xe001, true),
        (0x63, 0xd7fe, false),
        (0x63, 0xd7ff, true),
        (0xd800, 0xe000, false),
        (0xd800, 0xe001, true),
        (0xe002, 0x10_fffe, false),
        (0xe002, 0x10_ffff, true),
    ] {
        assert_eq!(terms.has_char_between(id, low, high), Ok(expected), "{low:x} to {high:x}");
    }
    assert_eq!(pair_span(0xd800, 0xdc00, 0xdfff), (0x1_0000, 0x1_03ff));
    assert_eq!(pair_span(0xdbff, 0xdc01, 0xdfff), (0x10_fc01, 0x10_ffff));
}
