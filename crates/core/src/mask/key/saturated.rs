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
            found.far = arena.saturate(head, SHORT_TOKEN_CHARS)? != exact && arena.without_limit(exact)?.is_none();
        }
        self.saturated.put(own, found, size_of::<Saturated>());
        Ok(found)
    }
}
