//! Nodes of a trie → one trie of the subtries below them.
//!
//! A head often ends at many nodes. Their subtries are merged into one trie, so that what follows is walked once rather
//! than once per node.

use crate::mask::walk_cache::{TrieView, WalkCache};
use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

/// Subtries merged into one, and the cached walks of it.
pub(crate) struct MergedTrie {
    /// A hash of the nodes whose subtries were merged.
    pub hash: u128,
    /// The merged trie.
    pub trie: Trie,
    /// The cached walks of its subtries, by head.
    pub walks: WalkCache,
}

impl MergedTrie {
    /// The subtries below some nodes of a trie. `hash` is that of the nodes.
    pub fn new(hash: u128, trie: &Trie, nodes: &[NodeId]) -> Self {
        MergedTrie { hash, trie: trie.merge(nodes), walks: WalkCache::default() }
    }

    /// The trie with its cached walks.
    pub fn view(&self) -> TrieView<'_> {
        TrieView { trie: &self.trie, walks: &self.walks }
    }
}

/// The hash of ascending nodes, under which their merged trie is cached.
pub(crate) fn hash_nodes(nodes: &[NodeId]) -> u128 {
    let mut hash = Hasher128::new(0);
    nodes.iter().for_each(|&node| hash.word(node.number().into()));
    hash.finish()
}
