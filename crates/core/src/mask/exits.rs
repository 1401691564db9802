//! Nodes of tries at which a head is at an end → the tries and nodes below which the walk goes on.
//!
//! Exits are compared and cached by a hash of their nodes. No grammar enters the hash, so that lookaheads below the exits
//! can be shared by all grammars.

use crate::mask::walk_cache::MergedTrie;
use crate::mask::walk_cache::TrieView;
use crate::storage::hash::Hasher128;
use crate::storage::once::Once;
use crate::vocabulary::id::NodeId;

use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// The nodes at which a term is at an end in mid-token; None if there are none.
#[derive(Clone, Default)]
pub(crate) struct Exits(Option<Arc<Nodes>>);

struct Nodes {
    hash: u128,
    groups: Groups,
    is_listed: bool,
}

/// The hash of exits in 16 bytes without padding, for the keys of tables.
pub(crate) type Key = [u64; 2];

/// One group per trie, in the order of the hashes of the tries.
pub(crate) type Groups = SmallVec<[Group; 1]>;

/// Nodes of one trie, ascending.
pub(crate) struct Group {
    /// The merged trie; None for the vocabulary's trie.
    merged: Option<Arc<MergedTrie>>,
    /// The nodes, ascending once they are part of `Exits`.
    pub nodes: SmallVec<[NodeId; 4]>,
}

impl Group {
    /// A group of nodes of a merged trie, or of the vocabulary's trie if `merged` is None.
    pub fn new(merged: Option<Arc<MergedTrie>>, nodes: impl Into<SmallVec<[NodeId; 4]>>) -> Self {
        Group { merged, nodes: nodes.into() }
    }

    /// A group of other nodes of the same trie.
    pub fn with_nodes(&self, nodes: SmallVec<[NodeId; 4]>) -> Self {
        Group { merged: self.merged.clone(), nodes }
    }

    /// The hash of the trie; 0 for the vocabulary's trie.
    pub fn hash(&self) -> u128 {
        self.merged.as_ref().map_or(0, |merged_trie| merged_trie.hash)
    }

    /// The trie, with its cached walks.
    /// `own` is the view of the vocabulary's trie.
    pub fn view<'a>(&'a self, own: TrieView<'a>) -> TrieView<'a> {
        self.merged.as_ref().map_or(own, MergedTrie::view)
    }
}

impl Exits {
    /// The exits of a term that is at an end at no node.
    pub const NOWHERE: Exits = Exits(None);

    /// The exits that consist of one node of the vocabulary's trie.
    pub fn at(node: NodeId) -> Self {
        Exits::of(smallvec![Group::new(None, smallvec![node])])
    }

    /// The exits of some groups, given in any order.
    pub fn of(groups: Groups) -> Self {
        Exits::new(groups, false)
    }

    /// The exits of some groups. With `is_listed`, lookaheads list the tokens below the exits, and not only hash them.
    pub fn new(mut groups: Groups, is_listed: bool) -> Self {
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
        let mut hash = Hasher128::new(2 * groups.len() as u64 + u64::from(is_listed));
        for group in &mut groups {
            group.nodes.sort_unstable();
            group.nodes.dedup();
            hash.wide(group.hash());
            hash.word(group.nodes.len() as u64);
            group.nodes.iter().for_each(|&node| hash.word(node.number().into()));
        }
        Exits(Some(Arc::new(Nodes { hash: hash.finish(), groups, is_listed })))
    }

    /// Whether there is no node.
    pub fn is_nowhere(&self) -> bool {
        self.0.is_none()
    }

    /// The hash of the nodes; 0 if there are none.
    pub fn hash(&self) -> u128 {
        self.0.as_ref().map_or(0, |exits| exits.hash)
    }

    /// The hash as a key of tables.
    pub fn key(&self) -> Key {
        [self.hash() as u64, (self.hash() >> 64) as u64]
    }

    /// The groups, one per trie.
    pub fn groups(&self) -> &[Group] {
        self.0.as_ref().map_or(&[], |exits| &exits.groups)
    }

    /// Whether lookaheads list the tokens below.
    pub fn is_listed(&self) -> bool {
        self.0.as_ref().is_some_and(|exits| exits.is_listed)
    }

    /// How many nodes there are, in all tries.
    pub fn len(&self) -> usize {
        self.groups().iter().map(|group| group.nodes.len()).sum()
    }

    /// The union of two exits.
    pub fn union(self, other: Exits) -> Exits {
        if self.hash() == other.hash() || other.is_nowhere() {
            return self;
        }
        if self.is_nowhere() {
            return other;
        }
        let is_listed = self.is_listed() || other.is_listed();
        let groups = self.groups().iter().chain(other.groups());
        Exits::new(groups.map(|group| group.with_nodes(group.nodes.clone())).collect(), is_listed)
    }

    /// Own bytes plus a pro-rata share of merged tries.
    pub fn memory_bytes(&self) -> usize {
        let tries = self.groups().iter().filter_map(|group| group.merged.as_ref());
        let tries = tries.map(|merged_trie| {
            (merged_trie.trie.memory_bytes() + merged_trie.walks.memory_bytes()) / Arc::strong_count(merged_trie).max(1)
        });
        let own = self.0.as_ref().map_or(0, |_| size_of::<Nodes>() + 16 + 4 * self.len());
        own + tries.sum::<usize>()
    }
}

/// The exits of a head. Where much of the trie is below them, they are computed when they are first asked for.
pub(crate) struct LazyExits {
    /// The nodes at which the head is at an end, where the exits are deferred.
    pub(super) ends: Box<[NodeId]>,
    /// Whether much of the trie is in small subtries below the exits.
    pub(super) are_costly: bool,
    pub(super) exits: Once<Exits>,
}

impl From<Exits> for LazyExits {
    fn from(exits: Exits) -> Self {
        LazyExits { ends: Box::default(), are_costly: false, exits: Once::of(exits) }
    }
}

impl LazyExits {
    /// Whether the exits are computed when they are first asked for.
    pub fn is_deferred(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Own bytes plus a pro-rata share of merged tries.
    pub fn memory_bytes(&self) -> usize {
        4 * self.ends.len() + self.exits.get().map_or(0, Exits::memory_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::shared::SharedMasks;
    use crate::vocabulary::vocabulary::Vocabulary;

    #[test]
    fn exits_are_known_by_their_nodes_in_whatever_order() {
        let texts = ["a", "ab", "abc", "b", "bc"].map(|text| Some(text.as_bytes().into()));
        let shared = SharedMasks::of(Vocabulary::new(texts.to_vec(), vec![], vec![], 5).unwrap());
        let trie = &shared.vocabulary.trie;
        let places = trie.places_below(&[NodeId::new(1)], |_| true);
        let merged_trie = shared.shared_trie(trie.merge(&[(NodeId::new(1), &places[..])]));
        let ids = |nodes: &[u32]| nodes.iter().map(|&node| NodeId::new(node)).collect::<SmallVec<[NodeId; 4]>>();
        let own = |nodes: &[u32]| Group::new(None, ids(nodes));
        let at = |node| Exits::at(NodeId::new(node));
        let merged = |nodes: &[u32]| Group::new(Some(merged_trie.clone()), ids(nodes));
        let all = Exits::of(smallvec![own(&[2, 1]), merged(&[1])]);
        assert_eq!(all.len(), 3);
        for other in [
            Exits::of(smallvec![merged(&[1]), own(&[1]), own(&[2, 1])]),
            at(2).union(at(1)).union(Exits::of(smallvec![merged(&[1, 1])])),
            Exits::of(smallvec![merged(&[1])]).union(Exits::of(smallvec![own(&[1, 2])])).union(at(1)),
            all.clone().union(Exits::NOWHERE),
            Exits::NOWHERE.union(all.clone()),
        ] {
            assert!(other.hash() == all.hash() && other.len() == 3);
        }
        // The same node numbers in another trie are different exits.
        for other in [at(1), Exits::of(smallvec![own(&[1, 2, 3])]), Exits::of(smallvec![own(&[1]), merged(&[1, 2])])] {
            assert_ne!(other.hash(), all.hash());
        }
        let listed = |nodes: &[u32]| Exits::new(smallvec![own(nodes)], true);
        assert_ne!(listed(&[1]).hash(), at(1).hash(), "lookaheads of both differ in what they tell");
        assert_eq!(listed(&[1]).union(listed(&[2])).hash(), listed(&[1, 2]).hash());
        assert!(listed(&[1]).is_listed() && !at(1).is_listed() && !Exits::NOWHERE.is_listed());
        assert!(Exits::of(smallvec![own(&[])]).is_nowhere());
        assert_eq!(Exits::NOWHERE.hash(), 0);
    }
}
