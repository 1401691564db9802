//! Head → head mask, cached for one grammar and under the head's hash for all grammars of the vocabulary.
//!
//! A head that counts is another term after every character. It is looked up with its count saturated at the length of
//! the longest token, so that all counts far from their end share one head mask.

use crate::error::Result;
use crate::mask::head_mask::HeadMask;
use crate::mask::shared::SharedMasks;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use crate::storage::hash::Hasher128;
use crate::vocabulary::long_tokens::SHORT_TOKEN_CHARS;
use rustc_hash::FxHashMap;

/// Bytes of an entry in one of the tables, beside its value.
const ENTRY_BYTES: usize = 24;

/// The head masks that one compiled grammar has at hand.
#[derive(Default)]
pub(crate) struct HeadMasks {
    by_head: FxHashMap<TermId, HeadMask>,
    /// (head, horizon) → the head with its counts saturated there.
    pub(super) saturated: FxHashMap<(TermId, u32), TermId>,
    /// (head that counts, horizon) → the head mask of the saturated head.
    pub(super) counting: FxHashMap<(TermId, u32), HeadMask>,
    /// Bytes of the three tables.
    held: usize,
}

impl HeadMasks {
    /// Bytes of the tables.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.held
    }

    /// How many head masks there are, heads that differ only beyond their horizon taken as one.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.by_head.len()
    }

    /// The head mask of a head, exact for tokens of at most `horizon` characters.
    pub(crate) fn get(
        &mut self,
        arena: &mut Arena,
        shared: &SharedMasks,
        head: TermId,
        horizon: u32,
    ) -> Result<HeadMask> {
        let head = arena.terms.open_key(head).map_or(head, |(inner, _)| inner);
        if !arena.info(head).counts {
            return self.find_or_compute(arena, shared, head);
        }
        if let Some(head_mask) = self.counting.get(&(head, horizon)) {
            return Ok(head_mask.clone());
        }
        // Also cached under the hash of the head as it is: a hit there saves saturating the head.
        let hash = arena.info(head).hash ^ Hasher128::hash_numbers(&[horizon]);
        let head_mask = match shared.head_masks.get(hash) {
            Some(head_mask) => head_mask,
            None => {
                // Tokens that begin as the head does may all be short: then a smaller horizon is exact.
                let most = shared.vocabulary.longest_of(&arena.first_bytes(head));
                let saturated =
                    self.saturated(arena, head, if most <= SHORT_TOKEN_CHARS { horizon.min(most) } else { horizon })?;
                let head_mask = self.find_or_compute(arena, shared, saturated)?;
                shared.head_masks.put(hash, head_mask.clone(), size_of::<HeadMask>());
                head_mask
            }
        };
        self.held += ENTRY_BYTES + size_of::<HeadMask>();
        self.counting.insert((head, horizon), head_mask.clone());
        Ok(head_mask)
    }

    /// `Arena::saturated`, cached.
    pub(crate) fn saturated(&mut self, arena: &mut Arena, head: TermId, horizon: u32) -> Result<TermId> {
        if !arena.info(head).counts {
            return Ok(head);
        }
        if let Some(&saturated) = self.saturated.get(&(head, horizon)) {
            return Ok(saturated);
        }
        let saturated = arena.saturate(head, horizon)?;
        self.held += ENTRY_BYTES;
        self.saturated.insert((head, horizon), saturated);
        Ok(saturated)
    }

    fn find_or_compute(&mut self, arena: &mut Arena, shared: &SharedMasks, head: TermId) -> Result<HeadMask> {
        if let Some(head_mask) = self.by_head.get(&head) {
            return Ok(head_mask.clone());
        }
        let hash = arena.info(head).hash;
        let known = shared.head_masks.get(hash);
        let head_mask = match known {
            Some(head_mask) => head_mask,
            None => {
                let mut neighbour = |arena: &mut Arena, neighbour| {
                    let neighbour = self.saturated(arena, neighbour, shared.vocabulary.longest)?;
                    self.find_or_compute(arena, shared, neighbour)
                };
                let head_mask = HeadMask::compute(arena, shared, head, &mut neighbour)?;
                shared.head_masks.put(hash, head_mask.clone(), head_mask.memory_bytes());
                head_mask
            }
        };
        self.held += ENTRY_BYTES + head_mask.memory_bytes();
        self.by_head.insert(head, head_mask.clone());
        Ok(head_mask)
    }
}
