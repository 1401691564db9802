//! Vocabulary → the caches that all its grammars share.
//!
//! Terms are hashed by content, so a head mask, a mask or a lookahead of one grammar is valid in every other one.
//! Each cache is bounded in bytes and drops its least recently used entries.

use crate::mask::head_mask::HeadMask;
use crate::mask::key::{Lookahead, Saturated};
use crate::mask::mask::Mask;
use crate::mask::merged_trie::{hash_nodes, MergedTrie};
use crate::mask::walk_cache::{TrieView, WalkCache};
use crate::storage::cache::Cache;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::TokenSet;
use crate::vocabulary::trie::Trie;
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// Bytes of head masks. A thousand real schemas need some tens of megabytes.
const HEAD_MASKS: usize = 64 << 20;

/// Bytes of merged subtries. Most heads end at one of a few sets of nodes, those behind a quote for example.
const MERGED_TRIES: usize = 8 << 20;

/// Bytes of token sets without their long tokens, and of the sets from which they were made.
const SETS_WITHOUT_LONG: usize = 1 << 20;

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
    /// The cached walks of the tries of each band of long tokens, in the order of the bands.
    pub(crate) long_walks: Vec<WalkCache>,
    /// Address of a token set → the set, which the entry keeps alive, and the set without its long tokens.
    without_long: Cache<usize, [TokenSet; 2]>,
    /// Under the hash of a head.
    pub(crate) head_masks: Cache<u128, HeadMask>,
    /// Under the hash of a head.
    pub(crate) saturated: Cache<u128, Saturated>,
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
            long_walks: vocabulary.long_tokens().bands.iter().map(|_| WalkCache::default()).collect(),
            without_long: Cache::new(SETS_WITHOUT_LONG),
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
            + self.long_walks.iter().map(WalkCache::memory_bytes).sum::<usize>()
            + self.without_long.memory_bytes()
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

    /// The subtries below some nodes of the vocabulary's trie, merged into one.
    pub(crate) fn merged_trie(&self, mut nodes: Vec<NodeId>) -> Arc<MergedTrie> {
        nodes.sort_unstable();
        let hash = hash_nodes(&nodes);
        if let Some(merged) = self.merged_tries.get(hash) {
            return merged;
        }
        let merged = Arc::new(MergedTrie::new(hash, &self.vocabulary.trie, &nodes));
        self.merged_tries.put(hash, merged.clone(), merged.trie.memory_bytes());
        merged
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

    /// A token set without the long tokens.
    pub(crate) fn without_long(&self, set: &TokenSet) -> TokenSet {
        let key = set.as_ptr() as usize;
        if let Some([_, others]) = self.without_long.get(key) {
            return others;
        }
        let others = self.vocabulary.long_tokens().others.iter();
        let without: TokenSet = set.iter().zip(others).map(|(set, others)| set & others).collect();
        self.without_long.put(key, [set.clone(), without.clone()], 4 * (set.len() + without.len()));
        without
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{node, shared_masks};
    use crate::mask::mask::Mask;
    use crate::mask::walk::WalkResult;
    use crate::regular::arena::Arena;

    const LONG: &str = "abcdefghijklmnopq";

    #[test]
    fn every_cache_is_counted() {
        let shared = shared_masks(&["a", "ab", "\"", "a\"", LONG]);
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
        let band = &shared.vocabulary.long_tokens().bands[0].trie;
        shared.long_walks[0].get(&mut arena, band, NodeId::ROOT, head).unwrap();
        grows("long_walks");
        shared.without_long(&TokenSet::from([1]));
        grows("without_long");
        let head_mask = HeadMask::from_walk(&mut arena, WalkResult::default(), &shared, false).unwrap();
        shared.head_masks.put(1, head_mask, 1);
        grows("head_masks");
        shared.saturated.put(1, Saturated { hash: None, far: false }, 1);
        grows("saturated");
        shared.lookaheads.put(1, Lookahead::nothing(crate::mask::exits::Exits::NOWHERE), 1);
        grows("lookaheads");
        shared.masks.put(1, Arc::new(Mask::from_tokens(&[1])), 1);
        grows("masks");
        shared.merged_trie(vec![a]);
        grows("merged_tries");
    }

    #[test]
    fn subtries_are_merged_once_in_whatever_order_they_are_named() {
        let shared = shared_masks(&["a", "ax", "b", "bx", "c", "cx"]);
        let [a, b, c] = ["a", "b", "c"].map(|text| node(&shared, text));
        let merged = shared.merged_trie(vec![b, a]);
        assert!(Arc::ptr_eq(&merged, &shared.merged_trie(vec![a, b])));
        assert!(!Arc::ptr_eq(&merged, &shared.merged_trie(vec![a, c])));
        assert_eq!(merged.trie.tokens_below(NodeId::ROOT).len(), 2);
    }

    #[test]
    fn a_merged_trie_is_known_by_what_is_in_it() {
        let shared = shared_masks(&["a", "ax", "b", "bx", "c", "cx"]);
        let trie = |texts: &[&str]| {
            let nodes: Vec<NodeId> = texts.iter().map(|text| node(&shared, text)).collect();
            shared.shared_trie(shared.vocabulary.trie.merge(&nodes))
        };
        let one = trie(&["a", "b"]);
        assert!(Arc::ptr_eq(&one, &trie(&["a", "b"])));
        assert!(!Arc::ptr_eq(&one, &trie(&["a", "c"])));
        assert!(shared.merged_tries.memory_bytes() >= one.trie.memory_bytes());
    }

    #[test]
    fn a_set_loses_its_long_tokens_once() {
        let shared = shared_masks(&["a", LONG, "abcdefghijklmnop"]);
        let set = TokenSet::from([0b111]);
        let without = shared.without_long(&set);
        assert_eq!(*without, [0b101], "16 characters are not long");
        assert!(Arc::ptr_eq(&without, &shared.without_long(&set)));
        let other = shared.without_long(&TokenSet::from([0b111]));
        assert!(*other == *without && !Arc::ptr_eq(&other, &without), "sets are known by their place");
        assert_eq!(*shared.without_long(&TokenSet::from([0b010])), [0]);
        let wide = shared_masks(&["a"; 70]);
        wide.without_long(&TokenSet::from([1, 2, 3]));
        let entry = Cache::new(1_000);
        entry.put(0, (), 4 * (3 + 3));
        assert_eq!(wide.without_long.memory_bytes(), entry.memory_bytes(), "both sets are counted");
    }

    #[test]
    fn there_is_a_cache_of_walks_for_each_band_of_long_tokens() {
        let longer = LONG.repeat(3);
        let bands = |texts: &[&str]| shared_masks(texts).long_walks.len();
        assert_eq!([bands(&["a"]), bands(&[LONG]), bands(&[LONG, &longer])], [0, 1, 2]);
    }
}
