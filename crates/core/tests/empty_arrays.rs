//! An array with too few different values is empty, and leaves every other rule as it was.

mod common;

use common::{punctuation, BRACKETS};
use frisket_core::automaton::recognizer::Recognizer;
use frisket_core::builder::Builder;

#[test]
fn an_empty_array_beside_a_left_recursive_rule() {
    let mut builder = Builder::default();
    let [one, letter] = [b"1", b"a"].map(|text| builder.literal(text).unwrap());
    let punctuation = punctuation(&mut builder, BRACKETS);
    builder.unique_array(&[(true, vec![(one.number(), 0)])], punctuation, 2, None).unwrap();
    let rule = builder.rule("r").unwrap();
    let body = builder.alt(&[rule.number(), letter.number()]).unwrap();
    builder.define(rule.number(), body.number()).unwrap();
    let recognizer = Recognizer::new(builder.build(rule.number()).unwrap());
    assert!(recognizer.accepts(b"a", None).unwrap());
    assert!(!recognizer.accepts(b"aa", None).unwrap());
}
