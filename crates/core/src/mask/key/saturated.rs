//! A head that counts × a vocabulary → what tokens see of its counts, kept under the hash of the head for all grammars:
//! with every character a count is another head, and to clip it takes longer than all else that a mask asks of it.

use crate::error::Result;
use crate::mask::dfa_cache::NARROW;
use crate::mask::shared::SharedMasks;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use crate::vocabulary::long_tokens::SHORT_TOKEN_CHARS;

/// Of one head.
#[derive(Clone, Copy)]
pub(crate) struct Saturated {
    /// Of the head clipped to the longest token; None where no long token goes along, so that nobody asks.
    hash: Option<u128>,
    /// Whether a count ends in the reach of long tokens only.
    far: bool,
}

impl SharedMasks {
    /// The hash of a head that treats every token alike.
    pub(crate) fn saturated_hash(&self, arena: &mut Arena, head: TermId) -> Result<u128> {
        if !arena.info(head).counts {
            return Ok(arena.info(head).hash);
        }
        match self.saturated_of(arena, head)?.hash {
            Some(hash) => Ok(hash),
            None => arena.saturate(head, self.vocabulary.longest).map(|near| arena.info(near).hash),
        }
    }

    /// Whether a count of the head ends in the reach of long tokens only: all others are answered as if it did not.
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
        let mut near = Saturated { hash: None, far: false };
        // White space, say: few long tokens are made of it, and all others end soon.
        if reads.len() > NARROW && self.vocabulary.longest_of(&reads) > SHORT_TOKEN_CHARS {
            let exact = arena.saturate(head, self.vocabulary.longest)?;
            near.hash = Some(arena.info(exact).hash);
            near.far = arena.saturate(head, SHORT_TOKEN_CHARS)? != exact && arena.counted(exact)?.is_none();
        }
        self.saturated.put(own, near, size_of::<Saturated>());
        Ok(near)
    }
}
