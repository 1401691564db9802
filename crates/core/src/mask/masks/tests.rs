//! Tests of the masks of one compiled grammar.

use super::*;
use crate::builder::Builder;
use crate::vocabulary::vocabulary::Vocabulary;

#[test]
fn masks_count_what_they_keep_and_compose_each_once() {
    let mut builder = Builder::default();
    let words = builder.words(vec![b"ab"[..].into(), b"cd"[..].into()]).unwrap();
    let grammar = builder.build(words.number()).unwrap();
    let tokens = [&b"a"[..], b"b", b"c", b"d"].map(|text| Some(text.into())).to_vec();
    let vocabulary = SharedMasks::of(Vocabulary::new(tokens, vec![], vec![], 4).unwrap());
    let mut machine = Machine::of(&grammar, &crate::limits::Limits::default(), [None, None], None).unwrap();
    let mut masks = Masks::new(Vec::new());
    let mut follow_bytes = FollowBytes::default();
    let start = machine.start;
    assert_eq!(masks.memory_bytes(), 0);
    let mask = masks.mask(&mut machine, &mut follow_bytes, &vocabulary, start).unwrap();
    let held = masks.memory_bytes();
    assert!(masks.composed == 1 && held >= mask.memory_bytes() + 32);
    assert_eq!(held, masks.held + masks.last_head_masks.memory_bytes());
    assert!(Arc::ptr_eq(&mask, &masks.mask(&mut machine, &mut follow_bytes, &vocabulary, start).unwrap()));
    assert_eq!((masks.composed, masks.memory_bytes()), (1, held), "what is known takes nothing more");
    // Another grammar of the vocabulary has it, too, for the price of its place in a table.
    let mut other = Masks::new(Vec::new());
    assert!(Arc::ptr_eq(&mask, &other.mask(&mut machine, &mut follow_bytes, &vocabulary, start).unwrap()));
    assert_eq!(other.composed, 0);
    assert!(other.memory_bytes() >= 32);
}
