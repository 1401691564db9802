//! Arrays of different items: what one item may be hangs on the values that came, however they are spelled.

use frisket_core::builder::{Builder, Punctuation};
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::{CompiledGrammar, Matcher};
use frisket_core::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

#[test]
fn an_object_among_words_is_refused_when_its_value_came_in_another_order() {
    let mut builder = Builder::default();
    let mut words =
        |texts: &[&str]| builder.words(texts.iter().map(|text| text.as_bytes().into()).collect()).unwrap().number();
    let first = words(&[r#"{"b":2,"a":1}"#, r#""a""#]);
    let second = words(&["1e0", r#"{"a":1,"b":2}"#, r#""a""#, r#"{"b":2,"a":1}"#]);
    let rest = words(&[r#"{"b":2,"a":1}"#, "[1.0]", "[1]"]);
    let [open, close, colon, empty] = [&b"["[..], b"]", b":", b"[]"].map(|text| builder.literal(text).unwrap());
    let comma = builder.literal(b",").unwrap();
    let punctuation = Punctuation { open, close, colon, comma, empty };
    let states = [(true, vec![(first, 1)]), (true, vec![(second, 2)]), (true, vec![(rest, 2)])];
    let array = builder.unique_array(&states, punctuation, 2, Some(4)).unwrap();
    let grammar = builder.build(array.number()).unwrap();
    let tokens: Vec<&[u8]> = vec![b"{", b"a", b"\"", b"b", b"}", b"[{", b"1", b"2", b"\":", b":", b",", b"e", b"0"];
    let eos = tokens.len() as u32;
    let texts = tokens.iter().map(|&token| Some(token.into())).chain([None]).collect();
    let vocabulary = Arc::new(SharedMasks::of(Vocabulary::new(texts, vec![], vec![eos], tokens.len() + 1).unwrap()));
    let mut matcher = CompiledGrammar::new(&grammar, vocabulary.clone()).unwrap().matcher(None, None);
    for token in [&b"[{"[..], b"\"", b"b", b"\"", b":", b"2", b",", b"\"", b"a", b"\":", b"1", b"}", b","] {
        let mut mask = vec![0; 1];
        matcher.fill(&mut mask).unwrap();
        matcher.advance(tokens.iter().position(|&other| other == token).unwrap() as u32).unwrap();
    }
    let mut mask = vec![0; 1];
    matcher.fill(&mut mask).unwrap();
    let allowed: Vec<&[u8]> = (0..eos).filter(|id| mask[0] >> id & 1 == 1).map(|id| tokens[id as usize]).collect();
    assert_eq!(allowed, [&b"\""[..], b"1"]);
}

/// Every token that a mask allows, for all texts of at most so many tokens, leads to an end or to another token.
fn assert_no_dead_end(matcher: &mut Matcher, tokens: &[&[u8]], left: usize) {
    let mut mask = vec![0; 1];
    matcher.fill(&mut mask).unwrap_or_else(|error| panic!("{:?}: {error}", String::from_utf8_lossy(&matcher.text())));
    for token in (0..tokens.len() as u32).filter(|token| mask[0] >> token & 1 == 1 && left > 0) {
        matcher.advance(token).unwrap();
        assert_no_dead_end(matcher, tokens, left - 1);
        assert!(matcher.rollback(1).unwrap());
    }
}

#[test]
fn exponents_of_zero_are_one_value() {
    let tokens: Vec<&[u8]> = vec![b"[", b"]", b",", b"0", b"1", b"e", b".", b"0e", b",0", b"e1,", b"0.0e"];
    let texts = tokens.iter().map(|&token| Some(token.into())).chain([None]).collect();
    let eos = vec![tokens.len() as u32];
    let vocabulary = Arc::new(SharedMasks::of(Vocabulary::new(texts, vec![], eos, tokens.len() + 1).unwrap()));
    let mantissas: [&[&str]; 6] = [&["0"], &["0", "1"], &["0", "10"], &["0", "0.0"], &["0.1", "0.0"], &["1", "10"]];
    for mantissas in mantissas {
        for (fewest, most) in [(1, None), (1, Some(1)), (0, Some(2))] {
            for apart in [false, true] {
                let mut builder = Builder::default();
                let [letter, digits] =
                    [[(b'e', b'e')], [(b'0', b'1')]].map(|ranges| builder.byte_class(&ranges).unwrap());
                let digits = builder.repeat(digits.number(), fewest, most).unwrap();
                // A letter of its own, or one that stands with the mantissa.
                let words = mantissas.iter().map(|text| match apart {
                    true => text.as_bytes().into(),
                    false => format!("{text}e").into_bytes().into(),
                });
                let mut parts = vec![builder.words(words.collect()).unwrap().number()];
                if apart {
                    parts.push(letter.number());
                }
                parts.push(digits.number());
                let item = builder.cat(&parts).unwrap().number();
                let [open, close, colon, empty] =
                    [&b"["[..], b"]", b":", b"[]"].map(|text| builder.literal(text).unwrap());
                let comma = builder.literal(b",").unwrap();
                let punctuation = Punctuation { open, close, colon, comma, empty };
                let array = builder.unique_array(&[(true, vec![(item, 0)])], punctuation, 0, None).unwrap();
                let grammar = builder.build(array.number()).unwrap();
                let mut matcher = CompiledGrammar::new(&grammar, vocabulary.clone()).unwrap().matcher(None, None);
                assert_no_dead_end(&mut matcher, &tokens, 8);
            }
        }
    }
}
