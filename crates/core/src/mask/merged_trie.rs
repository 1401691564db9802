//! Nodes of a trie → one trie of the subtries below them.
//!
//! A head often ends at many nodes. Their subtries are merged into one trie, so that what follows is walked once rather
//! than once per node.

use crate::mask::walk_cache::{TrieView, WalkCache};
use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

use std::sync::Arc;

/// Subtries merged into one, and the cached walks of it.
pub(crate) struct MergedTrie {
    /// A hash of the nodes whose subtries were merged, or of the trie itself.
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

    /// A trie of subtries merged elsewhere, known by its nodes and tokens.
    pub fn of_merged(trie: Trie) -> Self {
        MergedTrie { hash: trie.content_hash(), trie, walks: WalkCache::default() }
    }

    /// The trie with its cached walks.
    pub fn view(self: &Arc<Self>) -> TrieView<'_> {
        TrieView { trie: &self.trie, walks: &self.walks, merged: Some(self) }
    }
}

/// The hash of ascending nodes, under which their merged trie is cached.
pub(crate) fn hash_nodes(nodes: &[NodeId]) -> u128 {
    let mut hash = Hasher128::new(0);
    nodes.iter().for_each(|&node| hash.word(node.number().into()));
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{node, shared_masks};

    #[test]
    fn subtries_are_merged_and_tokens_below_equal_texts_meet() {
        let shared = shared_masks(&["a", "ax", "b", "bx", "bxy", "bz", "c", "cx"]);
        let trie = &shared.vocabulary.trie;
        let merged = Arc::new(MergedTrie::new(7, trie, &[node(&shared, "a"), node(&shared, "b")]));
        let tokens = |text: &[u8]| {
            let node = merged.view().trie.find(NodeId::ROOT, text)?;
            let mut tokens = merged.trie.tokens_at(node).to_vec();
            tokens.sort_unstable();
            Some(tokens)
        };
        assert_eq!(tokens(b"x"), Some(vec![1, 3]), "ax and bx");
        assert_eq!(tokens(b"xy"), Some(vec![4]));
        assert_eq!(tokens(b"z"), Some(vec![5]));
        assert_eq!(tokens(b"a"), None, "what leads to the nodes is gone");
        assert_eq!((merged.hash, merged.trie.len()), (7, 4), "the root, x, xy and z");
        assert!(std::ptr::eq(merged.view().walks, &merged.walks));
    }

    #[test]
    fn nodes_are_known_by_all_their_numbers_in_order() {
        let of = |nodes: &[u32]| hash_nodes(&nodes.iter().map(|&node| NodeId::new(node)).collect::<Vec<_>>());
        let all = [of(&[]), of(&[0]), of(&[1]), of(&[1, 2]), of(&[1, 3]), of(&[2, 1]), of(&[1, 2, 3])];
        for (at, hash) in all.iter().enumerate() {
            assert!(!all[..at].contains(hash), "{at}");
        }
        assert_eq!(of(&[1, 2]), all[3]);
    }
}
