//! Head that counts × vocabulary → the hash of the head with its counts saturated at the longest token.
//!
//! A head that counts is another term after every character, and to saturate it takes longer than the rest of a mask's
//! key. The hashes are therefore cached for all grammars, under the hash of the head.

use crate::error::Result;
use crate::mask::dfa_cache::NARROW;
use crate::mask::key::Saturated;
use crate::mask::shared::SharedMasks;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use crate::vocabulary::long_tokens::SHORT_TOKEN_CHARS;

impl SharedMasks {
    /// The hash of a head that allows the same tokens, equal for all counts beyond the longest token.
    pub(crate) fn saturated_hash(&self, arena: &mut Arena, head: TermId) -> Result<u128> {
        if !arena.info(head).counts {
            return Ok(arena.info(head).hash);
        }
        match self.saturated_of(arena, head)?.hash {
            Some(hash) => Ok(hash),
            None => arena.saturate(head, self.vocabulary.longest).map(|saturated| arena.info(saturated).hash),
        }
    }

    /// Whether a count of the head ends between the short tokens' length and the longest token:
    /// only long tokens observe the end.
    pub(crate) fn ends_far(&self, arena: &mut Arena, head: TermId) -> Result<bool> {
        Ok(self.vocabulary.longest > SHORT_TOKEN_CHARS
            && arena.info(head).counts
            && self.saturated_of(arena, head)?.far)
    }

    fn saturated_of(&self, arena: &mut Arena, head: TermId) -> Result<Saturated> {
        let own = arena.info(head).hash;
        if let Some(known) = self.saturated.get(own) {
            return Ok(known);
        }
        let reads = arena.first_bytes(head);
        let mut found = Saturated { hash: None, far: false };
        // Heads of few bytes, such as white space, are left out: few long tokens consist of these bytes.
        if reads.len() > NARROW && self.vocabulary.longest_of(&reads) > SHORT_TOKEN_CHARS {
            let exact = arena.saturate(head, self.vocabulary.longest)?;
            found.hash = Some(arena.info(exact).hash);
            found.far = arena.saturate(head, SHORT_TOKEN_CHARS)? != exact;
        }
        self.saturated.put(own, found, size_of::<Saturated>());
        Ok(found)
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
        assert!(!shared.ends_far(&mut arena, head).unwrap());
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

    #[test]
    fn an_end_is_far_between_the_short_tokens_and_the_longest() {
        let shared = shared_masks(&["a", "\"", "abcdefghijklmnopqrstuvwxyz"]);
        let mut arena = Arena::new();
        let mut far = |words, most| {
            let head = counted(&mut arena, words, most);
            shared.ends_far(&mut arena, head).unwrap()
        };
        assert_eq!([8, 20, 1_000].map(|most| far(true, most)), [false, true, false]);
        assert_eq!([8, 20, 1_000].map(|most| far(false, most)), [false, true, false]);
        let short = shared_masks(&["a", "\"", "abcdefghijklmnop"]);
        let head = counted(&mut arena, true, 20);
        assert!(!short.ends_far(&mut arena, head).unwrap(), "no token is long");
        let other = shared_masks(&["a", "\"", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]);
        assert!(!other.ends_far(&mut arena, head).unwrap(), "the long tokens begin otherwise");
    }

    #[test]
    fn heads_of_few_bytes_are_saturated_when_they_are_asked_for() {
        let shared = shared_masks(&["a", "b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"]);
        let mut arena = Arena::new();
        let mut head = |high, most| {
            let class = arena.class(crate::bytes::byteset::ByteSet::range(b'a', high)).unwrap();
            let head = arena.repeat(class, 0, most).unwrap();
            (head, shared.saturated_of(&mut arena, head).unwrap().hash.is_some())
        };
        // Eight bytes are few.
        assert_eq!([head(b'h', 50).1, head(b'i', 50).1], [false, true]);
        let no_long = shared_masks(&["abcdefghijklmnop"]);
        let wide = head(b'i', 50).0;
        let [one, other, near] = [50, 60, 10].map(|most| head(b'h', most).0);
        let [one, other, near] = [one, other, near].map(|head| shared.saturated_hash(&mut arena, head).unwrap());
        assert!(one == other && one != near);
        assert!(no_long.saturated_of(&mut arena, wide).unwrap().hash.is_none(), "16 characters are not long");
    }
}
