//! A vocabulary → what masks of any grammar have in common on it, kept while somebody holds the vocabulary.
//!
//! Terms hash by content, so what one grammar learned about a head, a position or a subtrie holds for every other one.
//! Each cache is bounded in bytes and drops its least recently used entries.

use crate::mask::accelerate::occurrence_group::{GroupKey, OccurrenceGroup};
use crate::mask::head_mask::HeadMask;
use crate::mask::key::saturated::Saturated;
use crate::mask::key::Lookahead;
use crate::mask::mask::Mask;
use crate::mask::merged_trie::{MergedTrie, Pieces};
use crate::storage::cache::Cache;
use crate::storage::hash::Hasher128;
use crate::vocabulary::token_set::TokenSet;
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// Bytes of head masks. A thousand real schemas learn some tens of megabytes.
const HEAD_MASKS: usize = 64 << 20;

/// Bytes of grouped occurrences: the quotes and backslashes of some hundred patterns.
const OCCURRENCE_GROUPS: usize = 2 << 20;

/// Bytes of merged subtries: those below the ends of texts, say, of which most heads have one of a few sets.
const MERGED_TRIES: usize = 8 << 20;

/// Bytes of token sets without the long tokens, with the sets from which they were cut.
const CUT_SETS: usize = 1 << 20;

/// Bytes of the hashes of heads with saturated counts: some ten thousand.
const SATURATED: usize = 2 << 20;

/// Bytes of what tokens see of terms: some ten thousand.
const LOOKAHEADS: usize = 4 << 20;

/// Bytes of masks: some ten thousand.
const MASKS: usize = 8 << 20;

/// A vocabulary and the caches of masks that all its grammars share.
pub struct SharedMasks {
    /// The vocabulary, which no grammar changes.
    pub vocabulary: Arc<Vocabulary>,
    pub(crate) pieces: Pieces,
    /// Pieces of each band of long tokens, in the order of the bands.
    pub(crate) long_pieces: Vec<Pieces>,
    /// Token sets, by their address (each entry holds its set), and the same sets without the long tokens.
    cut: Cache<usize, [TokenSet; 2]>,
    occurrence_groups: Cache<GroupKey, Arc<OccurrenceGroup>>,
    /// Under the hash of a head.
    pub(crate) head_masks: Cache<u128, HeadMask>,
    /// Under the hash of a head.
    pub(crate) saturated: Cache<u128, Saturated>,
    /// Under a hash of a term and of the nodes from which tokens go on.
    pub(crate) seen: Cache<u128, Lookahead>,
    /// Under the key of a position.
    pub(crate) masks: Cache<u128, Arc<Mask>>,
    /// Under a hash of the nodes.
    merged_tries: Cache<u128, Arc<MergedTrie>>,
}

impl SharedMasks {
    /// Empty caches for a vocabulary.
    pub fn new(vocabulary: Arc<Vocabulary>) -> Self {
        SharedMasks {
            pieces: Pieces::default(),
            long_pieces: vocabulary.long_tokens().bands.iter().map(|_| Pieces::default()).collect(),
            cut: Cache::new(CUT_SETS),
            occurrence_groups: Cache::new(OCCURRENCE_GROUPS),
            head_masks: Cache::new(HEAD_MASKS),
            saturated: Cache::new(SATURATED),
            seen: Cache::new(LOOKAHEADS),
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
            + self.pieces.memory_bytes()
            + self.long_pieces.iter().map(Pieces::memory_bytes).sum::<usize>()
            + self.cut.memory_bytes()
            + self.occurrence_groups.memory_bytes()
            + self.head_masks.memory_bytes()
            + self.saturated.memory_bytes()
            + self.seen.memory_bytes()
            + self.masks.memory_bytes()
            + self.merged_tries.memory_bytes()
    }

    /// The places of a byte, grouped by the characters before it.
    pub(crate) fn occurrence_group(&self, way: GroupKey) -> Arc<OccurrenceGroup> {
        if let Some(behind) = self.occurrence_groups.get(way) {
            return behind;
        }
        let behind = Arc::new(OccurrenceGroup::of(way, self));
        self.occurrence_groups.put(way, behind.clone(), behind.bytes());
        behind
    }

    /// The subtries below some nodes, merged into one.
    pub(crate) fn merged_trie(&self, mut nodes: Vec<u32>) -> Arc<MergedTrie> {
        nodes.sort_unstable();
        self.merged(Hasher128::hash_numbers(&nodes), &nodes)
    }

    /// The subtries below ascending nodes whose hash is known, merged into one.
    pub(crate) fn merged(&self, hash: u128, nodes: &[u32]) -> Arc<MergedTrie> {
        if let Some(forest) = self.merged_tries.get(hash) {
            return forest;
        }
        let forest = Arc::new(MergedTrie { hash, trie: self.vocabulary.trie.merge(nodes), pieces: Pieces::default() });
        self.merged_tries.put(hash, forest.clone(), forest.trie.memory_bytes());
        forest
    }

    /// A token set without the long tokens.
    pub(crate) fn without_long(&self, set: &TokenSet) -> TokenSet {
        let key = set.as_ptr() as usize;
        if let Some([_, cut]) = self.cut.get(key) {
            return cut;
        }
        let others = self.vocabulary.long_tokens().others.iter();
        let cut: TokenSet = set.iter().zip(others).map(|(set, others)| set & others).collect();
        self.cut.put(key, [set.clone(), cut.clone()], 4 * (set.len() + cut.len()));
        cut
    }
}
