//! Tokens below many exits of a head → one trie of their rests, with the cached walks of it (`remainder`).
//!
//! What follows the head is walked once rather than once per exit.

use crate::mask::walk_cache::{TrieView, WalkCache};
use crate::vocabulary::trie::Trie;
use std::sync::Arc;

/// Subtries merged into one, and the cached walks of it.
pub(crate) struct MergedTrie {
    /// A hash of the nodes and tokens.
    pub hash: u128,
    /// The merged trie.
    pub trie: Trie,
    /// The cached walks of its subtries, by head.
    pub walks: WalkCache,
}

impl MergedTrie {
    /// A trie of subtries merged elsewhere, known by its nodes and tokens.
    pub fn of_merged(trie: Trie) -> Self {
        MergedTrie { hash: trie.content_hash(), trie, walks: WalkCache::default() }
    }

    /// The trie with its cached walks.
    pub fn view(self: &Arc<Self>) -> TrieView<'_> {
        TrieView { trie: &self.trie, walks: &self.walks, merged: Some(self) }
    }
}
