//! Head of a unique item × its head mask → the tokens whose answer depends on the values that came.
//!
//! `uniqueItems` forbids a token that completes an item to an earlier value, or after which only earlier values are left.
//! A draft (`draft`) is the mask without those values; this file collects the tokens that the draft must check.

use crate::automaton::frame::FrameId;
use crate::error::Result;
use crate::mask::composer::Composer;
use crate::mask::head_mask::HeadMask;
use crate::regular::term::{Term, TermId};
use crate::vocabulary::id::NodeId;

/// Heads with fewer first bytes are walked to find the tokens; for others all tokens count. Chosen without measurement.
const FEW_FIRST_BYTES: u32 = 24;

/// Tokens whose answer depends on the values that came, for the item that was open when the mask began.
#[derive(Default)]
pub(crate) struct UncertainTokens {
    /// Tokens that may end the item with a value that came.
    pub equal: Vec<u32>,
    /// Tokens after which too few other values may be left.
    pub exhausting: Vec<u32>,
    /// Tokens with an exponent: they may leave too few values if the numeral is zero so far.
    pub exponents: Vec<u32>,
    /// Whether any token may leave too few values.
    pub any_exhausts: bool,
}

impl Composer<'_> {
    /// Tokens that may end an item with a value that came.
    pub(super) fn note_equal(&mut self, tokens: &[u32]) {
        if self.first { &mut self.uncertain.equal } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Tokens after which too few values may be left for an item.
    pub(super) fn note_exhausting(&mut self, tokens: &[u32]) {
        if self.first { &mut self.uncertain.exhausting } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Tokens with an exponent: after a numeral that is zero so far, zero is the only value left.
    pub(super) fn note_exponents(&mut self, tokens: &[u32]) {
        if self.first { &mut self.uncertain.exponents } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Collect the tokens of a head whose answer depends on the values that came.
    pub fn note_uncertain_tokens(&mut self, head: TermId, frame: FrameId, head_mask: &HeadMask) -> Result<()> {
        if self.machine.has_enough_values_after_end(head, frame)? {
            return Ok(());
        }
        let language = self.machine.arena.open_key(head).map_or(head, |(inner, _)| inner);
        let is_quoted = matches!(self.machine.arena.term(language), Term::Quoted { .. });
        if is_quoted {
            let ends: Vec<u32> = head_mask.core.ends().collect();
            self.note_equal(&ends);
        }
        if self.machine.arena.first_bytes(language).len() < FEW_FIRST_BYTES {
            self.descend(self.shared.view(), NodeId::ROOT, head, frame)?;
        } else if self.first {
            self.uncertain.any_exhausts = true;
        } else {
            self.always.extend(head_mask.tokens());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::mask::fixture::{printable_and, unique, Scene};

    /// What is uncertain of the item that is open after a text: (equal, exhausting, exponents, any), and of later items.
    type Found = ([Vec<String>; 3], bool, Vec<String>);

    fn uncertain(tokens: &[&str], item: impl FnOnce(&mut Builder) -> TermId, text: &str, first: bool) -> Found {
        let mut scene = Scene::new(&printable_and(tokens), |builder| {
            let item = item(builder);
            unique(builder, item)
        });
        let shared = scene.shared.clone();
        let [_, id] = scene.abstracted(text);
        let heads = scene.machine.position(id).heads.clone();
        let &(head, frame) = heads.iter().find(|&&(_, frame)| scene.machine.item_summary(frame).is_open).unwrap();
        let mut exact = |arena: &mut crate::json::arena::Arena, head| {
            HeadMask::compute(arena, &shared, (head, false), &mut |_, _| unreachable!("its neighbour has no neighbour"))
        };
        let head_mask = HeadMask::compute(&mut scene.machine.arena, &shared, (head, false), &mut exact).unwrap();
        let mut composer = scene.composer();
        composer.first = first;
        composer.note_uncertain_tokens(head, frame, &head_mask).unwrap();
        let shown = |tokens: &[u32]| {
            let mut texts: Vec<String> = tokens
                .iter()
                .map(|&token| String::from_utf8_lossy(shared.vocabulary.token(token).unwrap()).into_owned())
                .collect();
            texts.sort_unstable();
            texts.dedup();
            texts
        };
        let UncertainTokens { equal, exhausting, exponents, any_exhausts } = &composer.uncertain;
        ([equal, exhausting, exponents].map(|tokens| shown(tokens)), *any_exhausts, shown(&composer.always))
    }

    fn letter_text(builder: &mut Builder, min: u32, max: Option<u32>) -> TermId {
        let letter = builder.byte_class(&[(b'a', b'z')]).unwrap().number();
        let text = builder.repeat(letter, min, max).unwrap().number();
        builder.quoted(text, false).unwrap()
    }

    #[test]
    fn a_token_that_ends_a_text_may_make_it_equal() {
        let found = |first| uncertain(&["ab\"", "ab"], |builder| letter_text(builder, 0, None), "[\"x\",\"", first);
        let ends = || vec!["\"".to_owned(), "ab\"".to_owned()];
        assert_eq!(found(true), ([ends(), vec![], vec![]], true, vec![]));
        let (now, _, later) = found(false);
        assert!(now.iter().all(Vec::is_empty) && ends().iter().all(|text| later.contains(text)), "a later item");
    }

    #[test]
    fn in_few_texts_any_token_may_leave_too_few() {
        let (found, any, always) = uncertain(&[], |builder| letter_text(builder, 1, Some(1)), "[\"x\",\"", true);
        assert_eq!((found[1].len(), any, always.len()), (0, true, 0), "many bytes: all tokens count");
        let (found, any, always) = uncertain(&[], |builder| letter_text(builder, 1, Some(1)), "[\"x\",\"", false);
        assert_eq!((found[1].len(), any, always.len()), (0, false, 26));
        let first = |high| {
            let one = |builder: &mut Builder| {
                let letter = builder.byte_class(&[(b'a', high)]).unwrap().number();
                builder.quoted(letter, false).unwrap()
            };
            let (found, any, _) = uncertain(&[], one, "[\"a\",\"", true);
            (found[1].len(), any)
        };
        // 22 letters, a quote and a backslash may be 24 first bytes.
        assert_eq!([first(b'u'), first(b'v')], [(21, false), (0, true)]);
    }

    #[test]
    fn a_head_of_few_bytes_is_walked_for_the_tokens_that_leave_too_few() {
        let digits = |builder: &mut Builder| builder.byte_class(&[(b'1', b'3')]).unwrap();
        let (found, any, always) = uncertain(&["2,"], digits, "[1,", true);
        assert_eq!(found[1], ["1", "2", "3"]);
        assert_eq!((any, found[2].len()), (false, 0));
        assert_eq!(found[0], ["2,"], "2 may have come");
        assert!(!always.contains(&"1".into()), "it is the open item's");
    }

    #[test]
    fn an_exponent_may_leave_zero_alone() {
        let numbers = |builder: &mut Builder| {
            let digit = builder.byte_class(&[(b'0', b'9')]).unwrap().number();
            let digits = builder.repeat(digit, 1, None).unwrap().number();
            let e = builder.byte_class(&[(b'E', b'E'), (b'e', b'e')]).unwrap().number();
            let exponent = builder.cat(&[e, digits]).unwrap().number();
            let exponent = builder.repeat(exponent, 0, Some(1)).unwrap().number();
            builder.cat(&[digits, exponent]).unwrap()
        };
        let (found, _, _) = uncertain(&["1e", "2E5", "11"], numbers, "[7,", true);
        assert!(found[2].iter().all(|text| text.contains(['e', 'E'])), "{:?}", found[2]);
        let (later, _, always) = uncertain(&["1e", "2E5", "11"], numbers, "[7,", false);
        assert!(later[2].is_empty());
        assert_eq!(found[2], ["1e", "2E5"]);
        assert_eq!(always, found[2]);
    }

    #[test]
    fn each_kind_is_noted_for_the_open_item_or_for_a_later_one() {
        let mut scene = Scene::new(&printable_and(&[]), |builder| builder.literal(b"a").unwrap());
        let mut composer = scene.composer();
        for first in [true, false] {
            composer.first = first;
            composer.note_equal(&[1]);
            composer.note_exhausting(&[2]);
            composer.note_exponents(&[3]);
        }
        let UncertainTokens { equal, exhausting, exponents, any_exhausts } = &composer.uncertain;
        assert_eq!([equal, exhausting, exponents], [&vec![1], &vec![2], &vec![3]]);
        assert_eq!((any_exhausts, &composer.always), (&false, &vec![1, 2, 3]));
    }
}
