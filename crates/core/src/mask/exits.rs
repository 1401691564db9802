//! Where something is at an end in mid-token → the nodes of tries below which what follows it is looked for.
//!
//! Known by their hash, which no grammar has a part in: what tokens see of a term from there on is the same for all.

use crate::mask::composer::TrieView;
use crate::mask::merged_trie::MergedTrie;
use crate::mask::shared::SharedMasks;
use crate::storage::hash::Hasher128;

use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// None: nowhere.
#[derive(Clone, Default)]
pub(crate) struct Exits(Option<Arc<(u128, Groups)>>);

/// What tables know them by.
pub(crate) type Key = [u64; 2];

/// Those of each trie, by the hashes of the tries.
pub(crate) type Groups = SmallVec<[Group; 1]>;

/// Nodes of one trie, ascending.
pub(crate) struct Group {
    /// None: that of the vocabulary.
    forest: Option<Arc<MergedTrie>>,
    pub nodes: SmallVec<[u32; 4]>,
}

impl Group {
    pub fn new(forest: Option<Arc<MergedTrie>>, nodes: impl Into<SmallVec<[u32; 4]>>) -> Self {
        Group { forest, nodes: nodes.into() }
    }

    /// Other nodes of the same trie.
    pub fn beside(&self, nodes: SmallVec<[u32; 4]>) -> Self {
        Group { forest: self.forest.clone(), nodes }
    }

    /// 0: the vocabulary's trie.
    pub fn hash(&self) -> u128 {
        self.forest.as_ref().map_or(0, |forest| forest.hash)
    }

    pub fn view<'a>(&'a self, shared: &'a SharedMasks) -> TrieView<'a> {
        match self.forest.as_deref() {
            Some(MergedTrie { trie, pieces, .. }) => TrieView { trie, pieces },
            None => shared.view(),
        }
    }
}

impl Exits {
    pub const NOWHERE: Exits = Exits(None);

    pub fn at(node: u32) -> Self {
        Exits::of(smallvec![Group::new(None, smallvec![node])])
    }

    /// In any order.
    pub fn of(mut groups: Groups) -> Self {
        groups.retain(|group| !group.nodes.is_empty());
        if groups.is_empty() {
            return Exits::NOWHERE;
        }
        groups.sort_unstable_by_key(|group| group.hash());
        groups.dedup_by(|next, group| {
            let same = next.hash() == group.hash();
            if same {
                group.nodes.extend_from_slice(&next.nodes);
            }
            same
        });
        let mut hash = Hasher128::new(groups.len() as u64);
        for group in &mut groups {
            group.nodes.sort_unstable();
            group.nodes.dedup();
            hash.wide(group.hash());
            hash.word(group.nodes.len() as u64);
            group.nodes.iter().for_each(|&node| hash.word(node.into()));
        }
        Exits(Some(Arc::new((hash.finish(), groups))))
    }

    pub fn is_nowhere(&self) -> bool {
        self.0.is_none()
    }

    /// 0: nowhere.
    pub fn hash(&self) -> u128 {
        self.0.as_ref().map_or(0, |exits| exits.0)
    }

    /// The hash, packed.
    pub fn key(&self) -> Key {
        [self.hash() as u64, (self.hash() >> 64) as u64]
    }

    pub fn groups(&self) -> &[Group] {
        self.0.as_ref().map_or(&[], |exits| &exits.1)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.groups().iter().map(|group| group.nodes.len()).sum()
    }

    pub fn both(self, other: Exits) -> Exits {
        if self.hash() == other.hash() || other.is_nowhere() {
            return self;
        }
        if self.is_nowhere() {
            return other;
        }
        let groups = [self, other].map(|exits| exits.0);
        let groups = groups.iter().flatten().flat_map(|exits| &exits.1);
        Exits::of(groups.map(|group| group.beside(group.nodes.clone())).collect())
    }

    /// With a share of the tries that they keep.
    pub fn memory_bytes(&self) -> usize {
        let tries = self.groups().iter().filter_map(|group| group.forest.as_ref());
        let tries = tries.map(|forest| {
            (forest.trie.memory_bytes() + forest.pieces.memory_bytes()) / Arc::strong_count(forest).max(1)
        });
        let own = self.0.as_ref().map_or(0, |_| size_of::<(u128, Groups)>() + 16 + 4 * self.len());
        own + tries.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::vocabulary::Vocabulary;

    #[test]
    fn exits_are_known_by_their_nodes_in_whatever_order() {
        let texts = ["a", "ab", "abc", "b", "bc"].map(|text| Some(text.as_bytes().into()));
        let shared = SharedMasks::of(Vocabulary::new(texts.to_vec(), vec![], vec![], 5).unwrap());
        let forest = shared.merged_trie(vec![1, 4]);
        let own = |nodes: &[u32]| Group::new(None, nodes);
        let merged = |nodes: &[u32]| Group::new(Some(forest.clone()), nodes);
        let all = Exits::of(smallvec![own(&[2, 1]), merged(&[1])]);
        assert_eq!(all.len(), 3);
        for other in [
            Exits::of(smallvec![merged(&[1]), own(&[1]), own(&[2, 1])]),
            Exits::at(2).both(Exits::at(1)).both(Exits::of(smallvec![merged(&[1, 1])])),
            Exits::of(smallvec![merged(&[1])]).both(Exits::of(smallvec![own(&[1, 2])])).both(Exits::at(1)),
            all.clone().both(Exits::NOWHERE),
            Exits::NOWHERE.both(all.clone()),
        ] {
            assert!(other.hash() == all.hash() && other.len() == 3);
        }
        // The same nodes of another trie are others.
        for other in
            [Exits::at(1), Exits::of(smallvec![own(&[1, 2, 3])]), Exits::of(smallvec![own(&[1]), merged(&[1, 2])])]
        {
            assert_ne!(other.hash(), all.hash());
        }
        assert!(Exits::of(smallvec![own(&[])]).is_nowhere());
        assert_eq!(Exits::NOWHERE.hash(), 0);
    }
}
