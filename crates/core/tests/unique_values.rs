//! Arrays of different items: what one item may be hangs on the values that came, however they are spelled.

mod common;

use common::{allowed, punctuation, vocabulary_of, BRACKETS};
use frisket_core::builder::Builder;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::{CompiledGrammar, Matcher};

#[test]
fn an_object_among_words_is_refused_when_its_value_came_in_another_order() {
    let mut builder = Builder::default();
    let mut words =
        |texts: &[&str]| builder.words(texts.iter().map(|text| text.as_bytes().into()).collect()).unwrap().number();
    let first = words(&[r#"{"b":2,"a":1}"#, r#""a""#]);
    let second = words(&["1e0", r#"{"a":1,"b":2}"#, r#""a""#, r#"{"b":2,"a":1}"#]);
    let rest = words(&[r#"{"b":2,"a":1}"#, "[1.0]", "[1]"]);
    let punctuation = punctuation(&mut builder, BRACKETS);
    let states = [(true, vec![(first, 1)]), (true, vec![(second, 2)]), (true, vec![(rest, 2)])];
    let array = builder.unique_array(&states, punctuation, 2, Some(4)).unwrap();
    let grammar = builder.build(array.number()).unwrap();
    let tokens: Vec<&[u8]> = vec![b"{", b"a", b"\"", b"b", b"}", b"[{", b"1", b"2", b"\":", b":", b",", b"e", b"0"];
    let vocabulary = vocabulary_of(tokens.iter().copied());
    let mut matcher = CompiledGrammar::new(&grammar, vocabulary.clone()).unwrap().matcher(None);
    for token in [&b"[{"[..], b"\"", b"b", b"\"", b":", b"2", b",", b"\"", b"a", b"\":", b"1", b"}", b","] {
        matcher.mask().unwrap();
        matcher.advance(tokens.iter().position(|&other| other == token).unwrap() as u32).unwrap();
    }
    let allowed = allowed(&mut matcher, &vocabulary).unwrap();
    let allowed: Vec<&[u8]> = allowed.into_iter().map(|token| tokens[token as usize]).collect();
    assert_eq!(allowed, [&b"\""[..], b"1"]);
}

/// Every token that a mask allows, for all texts of at most so many tokens, leads to an end or to another token.
fn assert_no_dead_end(matcher: &mut Matcher, vocabulary: &SharedMasks, left: usize) {
    let tokens = allowed(matcher, vocabulary);
    let tokens = tokens.unwrap_or_else(|error| panic!("{:?}: {error}", String::from_utf8_lossy(&matcher.text())));
    for token in tokens {
        if left > 0 && vocabulary.vocabulary.token(token).is_some() {
            matcher.advance(token).unwrap();
            assert_no_dead_end(matcher, vocabulary, left - 1);
            assert!(matcher.rollback(1));
        }
    }
}

#[test]
fn exponents_of_zero_are_one_value() {
    let tokens = ["[", "]", ",", "0", "1", "e", ".", "0e", ",0", "e1,", "0.0e"];
    let vocabulary = vocabulary_of(tokens.map(str::as_bytes));
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
                let punctuation = punctuation(&mut builder, BRACKETS);
                let array = builder.unique_array(&[(true, vec![(item, 0)])], punctuation, 0, None).unwrap();
                let grammar = builder.build(array.number()).unwrap();
                let mut matcher = CompiledGrammar::new(&grammar, vocabulary.clone()).unwrap().matcher(None);
                assert_no_dead_end(&mut matcher, &vocabulary, 8);
            }
        }
    }
}
