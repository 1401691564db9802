//! Mask of an abstract position × the values that came → the mask of a position in an array of unique items.
//!
//! All positions of such an array share one draft, which ignores the values that came. The draft is right except for
//! tokens that end an item with one of those values, and for tokens after which no other value is left.

use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::automaton::unique::item::OpenItems;
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::mask::shared::SharedMasks;
use crate::mask::text_walk::{Found, TextWalks};
use crate::mask::uncertain::UncertainTokens;
use crate::vocabulary::id::NodeId;
use std::sync::Arc;

/// Up to this many tokens are compared with the values one by one; more are found by a walk. Chosen without measurement.
const FEW: usize = 64;

/// The mask of an abstract position, and the tokens for which it may be wrong.
pub(crate) struct Draft {
    /// The mask that ignores the values that came.
    pub mask: Arc<Mask>,
    /// Tokens whose answer depends on the values, for the item that is open.
    pub uncertain: UncertainTokens,
    /// Tokens that the exact position must answer, because of a later item or for another reason.
    pub always: Vec<u32>,
}

impl Draft {
    /// A draft of a mask; uncertain tokens that the mask forbids are dropped, because values can only forbid more.
    pub fn new(mask: Mask, mut uncertain: UncertainTokens, mut always: Vec<u32>) -> Self {
        for tokens in [&mut uncertain.equal, &mut uncertain.exhausting, &mut uncertain.exponents] {
            tokens.retain(|&token| mask.allows(token));
        }
        for tokens in [&mut uncertain.equal, &mut uncertain.exhausting, &mut uncertain.exponents, &mut always] {
            tokens.sort_unstable();
            tokens.dedup();
            tokens.shrink_to_fit();
        }
        Draft { mask: Arc::new(mask), uncertain, always }
    }

    /// Bytes of the mask and of the lists of tokens.
    pub fn memory_bytes(&self) -> usize {
        let UncertainTokens { equal, exhausting, exponents, .. } = &self.uncertain;
        let tokens = equal.len() + exhausting.len() + exponents.len() + self.always.len();
        size_of::<Draft>() + self.mask.memory_bytes() + 4 * tokens
    }

    /// The mask of the exact position, of which `id` is the abstract one.
    pub fn correct(
        &self,
        machine: &mut Machine,
        shared: &SharedMasks,
        walks: &mut TextWalks,
        [exact, id]: [PositionId; 2],
    ) -> Result<Arc<Mask>> {
        let UncertainTokens { equal, exhausting, exponents, any_exhausts } = &self.uncertain;
        let is_settled = equal.is_empty() && exhausting.is_empty() && !any_exhausts;
        if is_settled && exponents.is_empty() && self.always.is_empty() {
            return Ok(self.mask.clone());
        }
        let position = machine.position(exact).clone();
        let open = if is_settled { None } else { machine.open_items(&position)? };
        let (mut replay, mut refused) = (Vec::new(), Vec::new());
        match open {
            Some(OpenItems { items, closing }) => {
                let is_uncertain = |token: &u32| {
                    *any_exhausts || equal.binary_search(token).is_ok() || exhausting.binary_search(token).is_ok()
                };
                for bracket in closing {
                    replay.extend(shared.vocabulary.tokens_holding(bracket).filter(is_uncertain));
                }
                let any_exhausts = *any_exhausts || exhausting.len() > FEW;
                for item in &items {
                    let one_by_one = [(equal, equal.len() <= FEW), (exhausting, !any_exhausts)];
                    let keys = &machine.arena.terms.keys;
                    for (tokens, _) in one_by_one.into_iter().filter(|&(_, chosen)| chosen) {
                        let text = |token| shared.vocabulary.token(token).unwrap_or_default();
                        replay.extend(tokens.iter().filter(|&&token| item.meets(keys, text(token))));
                    }
                    if any_exhausts || equal.len() > FEW {
                        let Found { replay: found, ends, refused: none_left } =
                            walks.walk(machine, shared, item, any_exhausts)?;
                        replay.extend(found);
                        refused.extend(none_left);
                        for node in ends {
                            replay.extend_from_slice(&walks.allowed(shared, &self.mask, id, node));
                        }
                    }
                }
            }
            None => {
                if *any_exhausts {
                    replay.extend_from_slice(shared.vocabulary.trie.tokens_below(NodeId::ROOT));
                } else {
                    replay.extend(equal.iter().chain(exhausting));
                }
            }
        }
        if !exponents.is_empty() && machine.can_be_zero(&position) {
            replay.extend_from_slice(exponents);
        }
        replay.retain(|&token| self.mask.allows(token));
        refused.retain(|&token| self.mask.allows(token));
        replay.extend_from_slice(&self.always);
        if replay.is_empty() && refused.is_empty() {
            return Ok(self.mask.clone());
        }
        replay.sort_unstable();
        replay.dedup();
        let mut texts: Vec<(&[u8], u32)> =
            replay.iter().map(|&token| (shared.vocabulary.token(token).unwrap_or_default(), token)).collect();
        // In the order of their bytes, so that a common prefix is read once.
        texts.sort_unstable();
        let allowed = machine.can_follow(exact, texts.iter().map(|&(bytes, _)| bytes))?;
        let mut found: Vec<(u32, bool)> =
            texts.iter().zip(allowed).map(|(&(_, token), allowed)| (token, allowed)).collect();
        found.extend(refused.into_iter().map(|token| (token, false)));
        found.retain(|&(token, allowed)| self.mask.allows(token) != allowed);
        if found.is_empty() {
            return Ok(self.mask.clone());
        }
        found.sort_unstable();
        found.dedup();
        Ok(Arc::new(self.mask.corrected(&found)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::mask::fixture::{printable_and, unique, Scene};
    use crate::regular::term::TermId;

    fn any_letters(builder: &mut Builder) -> TermId {
        let letter = builder.byte_class(&[(b'a', b'z')]).unwrap().number();
        let text = builder.repeat(letter, 0, None).unwrap().number();
        builder.quoted(text, false).unwrap()
    }

    fn array(tokens: &[&str], item: impl FnOnce(&mut Builder) -> TermId) -> Scene {
        Scene::new(&printable_and(tokens), |builder| {
            let item = item(builder);
            unique(builder, item)
        })
    }

    fn long(scene: &mut Scene, text: &str) -> Vec<String> {
        scene.allowed(text).into_iter().filter(|token| token.len() > 1).collect()
    }

    #[test]
    fn what_no_token_can_repeat_is_not_looked_at() {
        let mut scene = array(&["b\""], any_letters);
        let [one, other] = ["[\"xy\",\"", "[\"zx\",\"z"].map(|text| scene.mask(text));
        let [ab, cd] = ["[\"xy\",\"q", "[\"zx\",\"q"].map(|text| scene.mask(text));
        assert!(Arc::ptr_eq(&ab, &cd), "the draft itself");
        assert!(one.allows(u32::from(b'"' - b' ')) && !other.allows(u32::from(b'1' - b' ')));
        assert_eq!(scene.masks.composed, 2, "one draft where the texts agree so far, one where they differ");
    }

    #[test]
    fn a_token_that_would_repeat_an_item_is_refused() {
        let mut scene = array(&["ab\"", "cd\"", "ab", "b\",\"", "ab\",\"cd\"", "xy\",\"xy\""], any_letters);
        assert_eq!(long(&mut scene, "[\""), ["ab\"", "cd\"", "ab", "b\",\"", "ab\",\"cd\""], "xy twice in one token");
        assert_eq!(long(&mut scene, "[\"ab\",\""), ["cd\"", "ab", "b\",\""]);
        assert_eq!(long(&mut scene, "[\"cd\",\""), ["ab\"", "ab", "b\",\""]);
        assert_eq!(
            long(&mut scene, "[\"ab\",\"a"),
            ["ab\"", "cd\"", "ab", "ab\",\"cd\"", "xy\",\"xy\""],
            "ab is a, then b"
        );
        assert_eq!(long(&mut scene, "[\"aab\",\"a"), ["cd\"", "ab", "b\",\"", "xy\",\"xy\""]);
    }

    #[test]
    fn a_token_that_leaves_no_other_value_is_refused() {
        let words = |builder: &mut Builder| {
            let words = ["aa", "ab", "b"].map(|word| word.as_bytes().into()).to_vec();
            let words = builder.words(words).unwrap();
            builder.quoted(words.number(), false).unwrap()
        };
        let mut scene = array(&["\"a", "\"b", "\"aa"], words);
        assert_eq!(long(&mut scene, "["), ["\"a", "\"b", "\"aa"]);
        assert_eq!(long(&mut scene, "[\"aa\","), ["\"a", "\"b"]);
        assert_eq!(long(&mut scene, "[\"aa\",\"ab\","), ["\"b"]);
        assert_eq!(long(&mut scene, "[\"b\","), ["\"a", "\"aa"]);
        assert!(!scene.allowed("[\"aa\",\"ab\",\"b\"").contains(&",".into()), "nothing is left");
    }

    #[test]
    fn a_number_is_equal_however_it_is_spelled() {
        let numbers = |builder: &mut Builder| {
            let digit = builder.byte_class(&[(b'0', b'9')]).unwrap().number();
            let e = builder.byte_class(&[(b'E', b'E'), (b'e', b'e')]).unwrap().number();
            let exponent = builder.cat(&[e, digit]).unwrap().number();
            let exponent = builder.repeat(exponent, 0, Some(1)).unwrap().number();
            let minus = builder.literal(b"-").unwrap().number();
            let minus = builder.repeat(minus, 0, Some(1)).unwrap().number();
            builder.cat(&[minus, digit, exponent]).unwrap()
        };
        let mut scene = array(&["0e1", "1e0", "1e1,", "0,", "-0,", "e1", "e1,", ",0e", ",1e"], numbers);
        assert_eq!(long(&mut scene, "["), ["0e1", "1e0", "1e1,", "0,", "-0,"]);
        assert_eq!(long(&mut scene, "[0,"), ["1e0", "1e1,"], "zero has many spellings");
        assert_eq!(long(&mut scene, "[1,"), ["0e1", "1e1,", "0,", "-0,"]);
        assert_eq!(long(&mut scene, "[0,1"), ["e1", "e1,", ",1e"], "0e is 0");
        assert_eq!(long(&mut scene, "[1,0"), ["e1", "e1,", ",1e"]);
        assert_eq!(long(&mut scene, "[1,2"), ["e1", "e1,", ",0e", ",1e"]);
        assert!(!scene.allowed("[0,-").contains(&"0".into()));
    }
}
