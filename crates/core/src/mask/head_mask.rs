//! Head × vocabulary → the tokens that stay inside the head, and the trie nodes at which it is at an end in mid-token.
//!
//! A head mask does not depend on the frame. It is cached under the hash of the head's term, so that all grammars of a
//! vocabulary share it.

use crate::mask::exits::LazyExits;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{tokens, Part, Words};

use std::sync::Arc;

/// The tokens that one head allows, whatever follows the head.
#[derive(Clone)]
pub struct HeadMask {
    /// Tokens kept as one set.
    pub(crate) dense: Option<Part>,
    /// Tokens kept as a list, and the exits.
    pub(crate) core: Arc<Core>,
    /// Tokens for which the head mask may be wrong: the composer reads each with the automaton.
    pub(crate) replay: Arc<[u32]>,
    /// Nodes at and below which the head mask may be wrong: the composer walks there again with the head itself.
    pub(crate) recheck: Arc<[NodeId]>,
    /// Whether the head may have other exits at or below these nodes.
    pub(crate) inexact_exits: bool,
}

/// The part of a head mask that heads share if they differ in a count or in a few tokens.
pub(crate) struct Core {
    /// Tokens kept as a list.
    pub words: Words,
    /// A hash of all tokens, dense ones included; None if the dense set comes from an accelerator.
    pub hash: Option<u128>,
    /// Where the head is at an end and tokens go on; many small subtries are merged into one.
    pub exits: LazyExits,
    /// Whether tokens that the head allows are left out below the exits, so that no other head can use these.
    pub(super) is_reduced: bool,
    /// The tokens with which the head is at an end.
    pub(super) ends: Words,
}

impl HeadMask {
    /// Own bytes plus a pro-rata share of shared parts.
    pub fn memory_bytes(&self) -> usize {
        let core = &self.core;
        let shared = Arc::strong_count(core).max(1);
        let lists = (core.words.len() + core.ends.len()) * 8;
        let own = core.exits.memory_bytes() + lists + size_of::<Core>();
        let dense = self.dense.as_ref().map_or(0, |part| 4 * part.bits.len() / Arc::strong_count(&part.bits));
        own / shared + dense + (self.replay.len() + self.recheck.len()) * 4 + size_of::<HeadMask>()
    }

    /// A hash of the tokens; None if some of them depend on more than the head mask says.
    pub(crate) fn hash(&self) -> Option<u128> {
        self.core.hash.filter(|_| self.replay.is_empty() && self.recheck.is_empty())
    }

    /// The tokens that stay inside the head or end with it.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u32> + '_ {
        let dense = self.dense.iter().flat_map(|part| part.words().enumerate());
        tokens(dense.map(|(word, bits)| (word as u32, bits)).chain(self.core.words.iter().copied()))
    }
}

impl Core {
    /// The tokens with which the head is at an end.
    pub fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        tokens(self.ends.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::exits::{Exits, Groups};

    #[test]
    fn a_piece_takes_its_lists_and_its_share_of_what_is_common() {
        let bits: crate::vocabulary::token_set::TokenSet = vec![0; 10].into();
        let core = Core {
            words: Words::from([(0, 1), (1, 1), (2, 1)]),
            hash: None,
            exits: Exits::of(Groups::new()).into(),
            is_reduced: false,
            ends: Words::from([(0, 7); 5]),
        };
        let own = core.exits.memory_bytes() + 3 * 8 + 5 * 8 + size_of::<Core>();
        let lists = (2 + 4) * 4 + size_of::<HeadMask>();
        let dense = Some(Part { bits, within: None });
        let (replay, recheck) = (Arc::from([1, 2]), Arc::from([1, 2, 3, 4].map(NodeId::new)));
        let head_mask = HeadMask { dense, core: Arc::new(core), replay, recheck, inexact_exits: false };
        assert_eq!(head_mask.memory_bytes(), own + 40 + lists);
        let _twin = head_mask.clone();
        assert_eq!(head_mask.memory_bytes(), own / 2 + 40 / 2 + lists);
        assert_eq!(HeadMask { dense: None, ..head_mask.clone() }.memory_bytes(), own / 3 + lists);
    }
}
