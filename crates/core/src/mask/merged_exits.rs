//! Nodes at which a head is at an end → its exits, and whether a walk below them takes longer than a sweep of the trie.

use crate::bytes::byteset::ByteSet;
use crate::mask::accelerate::remainder::Remainder;
use crate::mask::exits::{Exits, Group, Groups, LazyExits};
use crate::mask::shared::SharedMasks;
use crate::storage::once::Once;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;
use smallvec::{smallvec, SmallVec};

/// A subtrie of more nodes, as that of a blank, is entered by few bytes, and a walk below it is short. Chosen without
/// measurement.
const LARGE_SUBTRIE: u32 = 1_000;

/// Exits are deferred if more than one in this many nodes of the trie is below them: most such masks are swept
/// (`sweep`).
const DEFERRED_RATIO: usize = 8;

/// A mask is swept if more than one in this many nodes may be walked, beside those below the largest exit. A large subtrie,
/// as that of a blank, is walked once, while many small ones lead to walks below their own exits.
const COSTLY_RATIO: usize = 16;

/// Exits above fewer nodes are never deferred.
const DEFERRED_FROM: usize = 1_000;

impl LazyExits {
    /// The exits at ascending nodes of the vocabulary's trie.
    pub fn of(ends: &[NodeId], shared: &SharedMasks) -> Self {
        let trie = &shared.vocabulary.trie;
        let sizes = ends.iter().map(|&node| trie.size(node)).filter(|&size| size <= LARGE_SUBTRIE);
        let are_costly = is_much(sizes.map(|size| size as usize).sum(), trie, DEFERRED_RATIO);
        let (below, _) = nodes_below(ends, trie, &ByteSet::FULL);
        match are_costly || is_much(below, trie, DEFERRED_RATIO) {
            true => LazyExits { ends: ends.into(), are_costly, exits: Once::new() },
            false => Exits::at_nodes(ends, shared).into(),
        }
    }

    /// Whether much of the trie is in small subtries, or below exits beside the largest one, beginning with one of some bytes.
    pub fn are_costly(&self, shared: &SharedMasks, bytes: &ByteSet) -> bool {
        let trie = &shared.vocabulary.trie;
        let (below, largest) = nodes_below(&self.ends, trie, bytes);
        self.are_costly || is_much(below - largest, trie, COSTLY_RATIO)
    }

    /// The exits.
    pub fn get(&self, shared: &SharedMasks) -> &Exits {
        self.exits.get_or_init(|| Exits::at_nodes(&self.ends, shared))
    }
}

/// The nodes of the trie below ascending nodes that begin there with one of some bytes: all of them, and the most below one.
fn nodes_below(nodes: &[NodeId], trie: &Trie, bytes: &ByteSet) -> (usize, usize) {
    let (mut below, mut largest, mut end) = (0, 0, NodeId::ROOT);
    for &node in nodes {
        if node >= end {
            end = trie.end(node);
            let size = trie.children_in(node, bytes).map(|(_, child)| trie.size(child) as usize).sum();
            (below, largest) = (below + size, largest.max(size));
        }
    }
    (below, largest)
}

fn is_much(nodes: usize, trie: &Trie, ratio: usize) -> bool {
    nodes > DEFERRED_FROM && nodes * ratio > trie.len()
}

impl Exits {
    /// The exits at nodes of the vocabulary's trie, as far as tokens go on there.
    fn at_nodes(ends: &[NodeId], shared: &SharedMasks) -> Self {
        let trie = &shared.vocabulary.trie;
        let nodes: SmallVec<_> = ends.iter().copied().filter(|&node| trie.has_children(node)).collect();
        Exits::of(smallvec![Group::new(None, nodes)])
    }

    /// The exits of a head that allows most tokens below them.
    pub(super) fn of_remainder(remainder: Remainder, shared: &SharedMasks) -> Self {
        let Remainder { large, merged } = remainder;
        let mut groups = Groups::new();
        if merged.has_children(NodeId::ROOT) {
            groups.push(Group::new(Some(shared.shared_trie(merged)), &[NodeId::ROOT][..]));
        }
        groups.push(Group::new(None, large));
        Exits::of(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{node, shared_masks};

    #[test]
    fn many_large_exits_are_costly_and_one_is_not() {
        let texts: Vec<String> = (0..6_000).map(|number| format!("{number:04}")).collect();
        let shared = shared_masks(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let costly = |ends: &[&str], bytes| {
            let ends: Vec<NodeId> = ends.iter().map(|text| node(&shared, text)).collect();
            let found = LazyExits::of(&ends, &shared);
            assert!(found.is_deferred());
            found.are_costly(&shared, &bytes)
        };
        assert!(costly(&["1", "2", "3"], ByteSet::FULL));
        assert!(!costly(&["1"], ByteSet::FULL), "one walk");
        assert!(!costly(&["1", "200", "201"], ByteSet::FULL), "one walk, and two of a few nodes");
        assert!(!costly(&["1", "2", "3"], ByteSet::range(b'9', b'9')), "a tenth of what is below");
    }
}
