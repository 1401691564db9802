//! Head that counts × vocabulary → the hash of the head with its counts saturated at the longest token.
//!
//! A head that counts is another term after every character, and to saturate it takes longer than the rest of a mask's
//! key. The hashes are therefore cached for all grammars, under the hash of the head.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::shared::SharedMasks;
use crate::regular::term::TermId;

impl SharedMasks {
    /// The hash of a head that allows the same tokens, equal for all counts beyond the longest token.
    pub(crate) fn saturated_hash(&self, arena: &mut Arena, head: TermId) -> Result<u128> {
        if !arena.info(head).counts {
            return Ok(arena.info(head).hash);
        }
        let own = arena.info(head).hash;
        if let Some(known) = self.saturated.get(own) {
            return Ok(known);
        }
        let saturated = arena.saturate(head, self.vocabulary.longest)?;
        let hash = arena.info(saturated).hash;
        self.saturated.put(own, hash, size_of::<u128>());
        Ok(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::shared_masks;
    use crate::regular::term::{Spelling, MANY};

    /// Up to `most` characters and a quote: of any text, or of words of letters.
    fn counted(arena: &mut Arena, words: bool, most: u32) -> TermId {
        let text = match words {
            false => arena.any_text().unwrap(),
            true => {
                let letter = arena.class(crate::bytes::byteset::ByteSet::range(b'a', b'z')).unwrap();
                let space = arena.literal(b" ").unwrap();
                let word = arena.repeat(letter, 1, MANY).unwrap();
                let more = arena.cat(space, word).unwrap();
                let more = arena.repeat(more, 0, MANY).unwrap();
                arena.cat(word, more).unwrap()
            }
        };
        let text = arena.bounded(text, 0, most).unwrap();
        arena.quoted_state(text, Spelling::Body, false).unwrap()
    }

    #[test]
    fn a_head_that_does_not_count_keeps_its_hash() {
        let (shared, mut arena) = (shared_masks(&["a", "abcdefghijklmnopqrstuvwxyz"]), Arena::new());
        let head = counted(&mut arena, false, MANY);
        let own = arena.info(head).hash;
        assert_eq!(shared.saturated_hash(&mut arena, head).unwrap(), own);
        assert_eq!(shared.saturated.memory_bytes(), 0, "there is nothing to keep");
    }

    #[test]
    fn counts_beyond_the_longest_token_are_one() {
        for longest in ["abc", "abcdefghijklmnopqrstuvwxyz"] {
            let (shared, mut arena) = (shared_masks(&["a", "\"", longest]), Arena::new());
            let length = longest.len() as u32;
            let mut of = |most| {
                let head = counted(&mut arena, false, most);
                shared.saturated_hash(&mut arena, head).unwrap()
            };
            let far = of(1_000);
            assert_eq!(of(length + 5), far, "{longest}");
            assert_ne!(of(length - 1), far, "{longest}");
            assert_ne!(of(length - 1), of(length - 2), "{longest}");
        }
    }

    #[test]
    fn a_head_is_saturated_once_for_all_grammars() {
        let shared = shared_masks(&["a", "\"", "abcdefghijklmnopqrstuvwxyz"]);
        let mut arenas = [Arena::new(), Arena::new()];
        let hashes = arenas.each_mut().map(|arena| {
            let head = counted(arena, false, 1_000);
            let before = arena.len();
            let hash = shared.saturated_hash(arena, head).unwrap();
            (hash, arena.len() > before)
        });
        assert_eq!(hashes[0].0, hashes[1].0);
        assert_eq!([hashes[0].1, hashes[1].1], [true, false], "the second grammar makes no term");
        assert!(shared.saturated.memory_bytes() > 0);
    }
}
