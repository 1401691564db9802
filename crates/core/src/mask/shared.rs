//! Vocabulary → the caches that all its grammars share.
//!
//! Terms are hashed by content, so a head mask, a mask or a lookahead of one grammar is valid in every other one.
//! Each cache is bounded in bytes and drops its least recently used entries.

use crate::mask::head_mask::HeadMask;
use crate::mask::key::Lookahead;
use crate::mask::mask::Mask;
use crate::mask::walk_cache::MergedTrie;
use crate::mask::walk_cache::{TrieView, WalkCache};
use crate::storage::cache::Cache;
use crate::vocabulary::trie::Trie;
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// Bytes of head masks. A thousand real schemas need some tens of megabytes.
const HEAD_MASKS: usize = 64 << 20;

/// Bytes of merged subtries. Most heads end at one of a few sets of nodes, those behind a quote for example.
const MERGED_TRIES: usize = 8 << 20;

/// Bytes of the hashes of saturated heads: some ten thousand entries.
const SATURATED: usize = 2 << 20;

/// Bytes of lookaheads: some ten thousand entries.
const LOOKAHEADS: usize = 4 << 20;

/// Bytes of masks: some ten thousand entries.
const MASKS: usize = 8 << 20;

/// A vocabulary and the caches of masks that all its grammars share.
pub struct SharedMasks {
    /// The vocabulary, which no grammar changes.
    pub vocabulary: Arc<Vocabulary>,
    /// The cached walks of the vocabulary's trie, by node and head.
    pub(crate) walks: WalkCache,
    /// Under the hash of a head.
    pub(crate) head_masks: Cache<u128, HeadMask>,
    /// The hash of a head → the hash of the head with its counts saturated at the longest token.
    pub(crate) saturated: Cache<u128, u128>,
    /// Under a hash of a term and of exits.
    pub(crate) lookaheads: Cache<u128, Lookahead>,
    /// Under the key of a position.
    pub(crate) masks: Cache<u128, Arc<Mask>>,
    /// Under a hash of the nodes.
    merged_tries: Cache<u128, Arc<MergedTrie>>,
}

impl SharedMasks {
    /// Empty caches for a vocabulary.
    pub fn new(vocabulary: Arc<Vocabulary>) -> Self {
        SharedMasks {
            walks: WalkCache::default(),
            head_masks: Cache::new(HEAD_MASKS),
            saturated: Cache::new(SATURATED),
            lookaheads: Cache::new(LOOKAHEADS),
            masks: Cache::new(MASKS),
            merged_tries: Cache::new(MERGED_TRIES),
            vocabulary,
        }
    }

    /// Empty caches for a vocabulary that nobody else holds.
    pub fn of(vocabulary: Vocabulary) -> Self {
        Self::new(Arc::new(vocabulary))
    }

    /// Bytes of the vocabulary and of all caches.
    pub fn memory_bytes(&self) -> usize {
        self.vocabulary.memory_bytes()
            + self.walks.memory_bytes()
            + self.head_masks.memory_bytes()
            + self.saturated.memory_bytes()
            + self.lookaheads.memory_bytes()
            + self.masks.memory_bytes()
            + self.merged_tries.memory_bytes()
    }

    /// The vocabulary's trie, and the cached walks of it.
    pub(crate) fn view(&self) -> TrieView<'_> {
        TrieView { trie: &self.vocabulary.trie, walks: &self.walks, merged: None }
    }

    /// A trie of subtries merged elsewhere, cached with its walks.
    pub(crate) fn shared_trie(&self, trie: Trie) -> Arc<MergedTrie> {
        let merged = MergedTrie::of_merged(trie);
        if let Some(known) = self.merged_tries.get(merged.hash) {
            return known;
        }
        let merged = Arc::new(merged);
        self.merged_tries.put(merged.hash, merged.clone(), merged.trie.memory_bytes());
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::arena::Arena;
    use crate::mask::fixture::{node, shared_masks};
    use crate::mask::mask::Mask;
    use crate::mask::walk::WalkResult;

    #[test]
    fn every_cache_is_counted() {
        let shared = shared_masks(&["a", "ab", "\"", "a\""]);
        let mut held = shared.memory_bytes();
        assert_eq!(held, shared.vocabulary.memory_bytes());
        let mut grows = |what: &str| {
            let now = shared.memory_bytes();
            assert!(now > held, "{what}");
            held = now;
        };
        let mut arena = Arena::new();
        let head = arena.literal(b"b").unwrap();
        let a = node(&shared, "a");
        shared.walks.get(&mut arena, &shared.vocabulary.trie, a, head).unwrap();
        grows("walks");
        let head_mask = HeadMask::from_walk(&mut arena, WalkResult::default(), &shared, false).unwrap();
        shared.head_masks.put(1, head_mask, 1);
        grows("head_masks");
        shared.saturated.put(1, 1, 1);
        grows("saturated");
        shared.lookaheads.put(1, Lookahead::nothing(crate::mask::exits::Exits::NOWHERE), 1);
        grows("lookaheads");
        shared.masks.put(1, Arc::new(Mask::from_tokens(&[1])), 1);
        grows("masks");
        let places = shared.vocabulary.trie.places_below(&[a], |_| true);
        shared.shared_trie(shared.vocabulary.trie.merge(&[(a, &places[..])]));
        grows("merged_tries");
    }
}
