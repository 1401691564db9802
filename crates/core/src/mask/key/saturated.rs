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
