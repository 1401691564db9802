//! Mask of an abstract position × the values that came → the mask of a position in an array of unique items.
//!
//! All positions of such an array share one draft, which ignores the values that came. The draft is right except for
//! tokens that end an item with one of those values, and for tokens after which no other value is left. A walk of the
//! trie along the excluded texts finds these tokens.

use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::automaton::unique::cursor::{ExcludedCursor, Next, OpenItem};
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::mask::shared::SharedMasks;
use crate::regular::term::{TermId, EMPTY};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// The mask of an abstract position, and the tokens for which it may be wrong.
pub(crate) struct Draft {
    /// The mask that ignores the values that came.
    pub mask: Arc<Mask>,
    /// The places in the trie of tokens whose answer depends on the values, for the item that is open. None: all tokens.
    uncertain: Option<Vec<u32>>,
    /// Tokens that the exact position must answer, because of a later item or for another reason.
    always: Vec<u32>,
}

impl Draft {
    /// A draft of a mask; uncertain tokens that the mask forbids are dropped, because values can only forbid more.
    pub fn new(mask: Mask, vocabulary: &Vocabulary, uncertain: Option<Vec<u32>>, always: Vec<u32>) -> Self {
        let place = |token: u32| vocabulary.places()[token as usize];
        let uncertain =
            uncertain.map(|tokens| sorted(tokens.into_iter().filter(|&token| mask.allows(token)).map(place)));
        Draft { mask: Arc::new(mask), uncertain, always: sorted(always.into_iter()) }
    }

    /// Bytes of the mask and of the lists of tokens.
    pub fn memory_bytes(&self) -> usize {
        let tokens = self.uncertain.as_ref().map_or(0, Vec::len) + self.always.len();
        size_of::<Draft>() + self.mask.memory_bytes() + 4 * tokens
    }

    /// The mask of the exact position.
    pub fn correct(&self, machine: &mut Machine, shared: &SharedMasks, exact: PositionId) -> Result<Arc<Mask>> {
        let trie = &shared.vocabulary.trie;
        let (mut replay, mut refused) = (self.always.clone(), Vec::new());
        if self.uncertain.as_ref().is_none_or(|places| !places.is_empty()) {
            let position = machine.position(exact).clone();
            match machine.open_item(&position)? {
                Some(item) => {
                    let mut walk = Walk { machine, trie, draft: self, item: &item, replay, refused };
                    walk.descend(NodeId::ROOT, item.cursor, item.head)?;
                    (replay, refused) = (walk.replay, walk.refused);
                }
                None => self.add_uncertain(trie, NodeId::ROOT, &mut replay),
            }
        }
        let mut texts: Vec<(&[u8], u32)> =
            replay.iter().map(|&token| (shared.vocabulary.token(token).unwrap_or_default(), token)).collect();
        // In the order of their bytes, so that a common prefix is read once.
        texts.sort_unstable();
        texts.dedup();
        let allowed = machine.can_follow(exact, texts.iter().map(|&(bytes, _)| bytes))?;
        let answers = texts.iter().zip(allowed).map(|(&(_, token), allowed)| (token, allowed));
        let answers = answers.chain(refused.into_iter().map(|token| (token, false)));
        let found = sorted(answers.filter(|&(token, allowed)| self.mask.allows(token) != allowed));
        match found[..] {
            [] => Ok(self.mask.clone()),
            _ => Ok(Arc::new(self.mask.corrected(&found))),
        }
    }

    /// Adds the tokens at and below a node that may be wrong.
    fn add_uncertain(&self, trie: &Trie, node: NodeId, tokens: &mut Vec<u32>) {
        let (from, to) = (trie.tokens_before(node), trie.tokens_before(trie.end(node)));
        match &self.uncertain {
            Some(places) => {
                let before = |end: usize| places.partition_point(|&place| (place as usize) < end);
                let places = &places[before(from)..before(to)];
                tokens.extend(places.iter().flat_map(|&place| trie.tokens_between(place as usize, place as usize + 1)));
            }
            None => {
                tokens.extend(trie.tokens_between(from, to).iter().filter(|&&token| self.mask.allows(token)));
            }
        }
    }
}

fn sorted<T: Ord>(found: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = found.collect();
    found.sort_unstable();
    found.dedup();
    found.shrink_to_fit();
    found
}

/// A walk of the trie side by side with the excluded texts.
struct Walk<'a> {
    machine: &'a mut Machine,
    trie: &'a Trie,
    draft: &'a Draft,
    item: &'a OpenItem,
    /// Tokens that the exact position must answer.
    replay: Vec<u32>,
    /// Tokens after which no value is left.
    refused: Vec<u32>,
}

impl Walk<'_> {
    fn descend(&mut self, node: NodeId, cursor: ExcludedCursor, head: Option<TermId>) -> Result<()> {
        let bytes = self.item.bytes(&self.machine.arena.terms.keys, &cursor);
        for (byte, child) in self.trie.children_in(node, &bytes) {
            self.enter(child, byte, cursor, head)?;
        }
        Ok(())
    }

    fn enter(&mut self, node: NodeId, byte: u8, cursor: ExcludedCursor, head: Option<TermId>) -> Result<()> {
        self.machine.arena.spend(1)?;
        let next = match self.item.next(&self.machine.arena.terms.keys, &cursor, byte) {
            Next::Apart => return Ok(()),
            Next::Unclear => {
                self.draft.add_uncertain(self.trie, node, &mut self.replay);
                return Ok(());
            }
            Next::Along(next) => next,
        };
        let head = match head {
            Some(head) => match self.machine.arena.derive(head, byte)? {
                EMPTY => return Ok(()),
                head => Some(head),
            },
            None => None,
        };
        let tokens = self.trie.tokens_at(node);
        if !tokens.is_empty() {
            let leaves = match head {
                Some(head) => self.machine.can_end_differently(self.item, head, &next)?,
                None => None,
            };
            match leaves {
                Some(true) => {}
                Some(false) => self.refused.extend_from_slice(tokens),
                None => self.replay.extend(tokens.iter().filter(|&&token| self.draft.mask.allows(token))),
            }
        }
        match self.trie.has_children(node) {
            true => self.descend(node, next, head),
            false => Ok(()),
        }
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
