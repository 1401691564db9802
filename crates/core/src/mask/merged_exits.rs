//! Nodes at which a head is at an end → its exits, with small subtries merged into one trie.

use crate::bytes::byteset::ByteSet;
use crate::mask::accelerate::remainder::Remainder;
use crate::mask::exits::{Exits, Group, Groups};
use crate::mask::shared::SharedMasks;
use crate::storage::once::Once;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;
use smallvec::SmallVec;

/// From this many exits on, their subtries are merged: one walk takes less time than one per exit. Chosen without
/// measurement.
const MERGED_FROM: usize = 12;

/// A subtrie of more nodes is not merged with others. Chosen without measurement.
const LARGE_SUBTRIE: u32 = 1_000;

/// Exits are deferred if more than one in this many nodes of the trie is below them: merging takes some 0.2 µs for each,
/// and most such masks are swept instead (`sweep`).
const DEFERRED_RATIO: usize = 8;

/// A mask is swept if more than one in this many nodes may be walked, beside those below the largest exit. A large subtrie,
/// as that of a blank, is walked once, while many small ones lead to walks below their own exits.
const COSTLY_RATIO: usize = 16;

/// Fewer nodes below exits are always merged.
const DEFERRED_FROM: usize = 1_000;

/// The exits of a head. Where much of the trie is below them, they are computed when they are first asked for.
pub(crate) struct LazyExits {
    /// The nodes at which the head is at an end, where the exits are deferred.
    ends: Box<[NodeId]>,
    /// Whether much of the trie would be merged.
    are_costly: bool,
    exits: Once<Exits>,
}

impl From<Exits> for LazyExits {
    fn from(exits: Exits) -> Self {
        LazyExits { ends: Box::default(), are_costly: false, exits: Once::of(exits) }
    }
}

impl LazyExits {
    /// The exits at ascending nodes of the vocabulary's trie, many small subtries merged.
    pub fn of(ends: &[NodeId], shared: &SharedMasks) -> Self {
        let trie = &shared.vocabulary.trie;
        let sizes = ends.iter().map(|&node| trie.size(node)).filter(|&size| size <= LARGE_SUBTRIE);
        let are_costly = is_much(sizes.map(|size| size as usize).sum(), trie, DEFERRED_RATIO);
        let (below, _) = nodes_below(ends, trie, &ByteSet::FULL);
        match are_costly || is_much(below, trie, DEFERRED_RATIO) {
            true => LazyExits { ends: ends.into(), are_costly, exits: Once::new() },
            false => Exits::merged(ends, shared).into(),
        }
    }

    /// Whether the exits are computed when they are first asked for.
    pub fn is_deferred(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Whether much of the trie would be merged, or is below exits beside the largest one, beginning with one of some bytes.
    pub fn are_costly(&self, shared: &SharedMasks, bytes: &ByteSet) -> bool {
        let trie = &shared.vocabulary.trie;
        let (below, largest) = nodes_below(&self.ends, trie, bytes);
        self.are_costly || is_much(below - largest, trie, COSTLY_RATIO)
    }

    /// The exits.
    pub fn get(&self, shared: &SharedMasks) -> &Exits {
        self.exits.get_or_init(|| Exits::merged(&self.ends, shared))
    }

    /// Own bytes plus a pro-rata share of merged tries.
    pub fn memory_bytes(&self) -> usize {
        4 * self.ends.len() + self.exits.get().map_or(0, Exits::memory_bytes)
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
    /// The exits at nodes of the vocabulary's trie, many small subtries merged.
    pub(super) fn merged(ends: &[NodeId], shared: &SharedMasks) -> Self {
        let trie = &shared.vocabulary.trie;
        // Large subtries stay as they are, because what follows enters them by a few bytes only.
        let (mut small, mut exits) = (Vec::new(), SmallVec::new());
        for &node in ends {
            match trie.size(node) {
                1 => {}
                size if size > LARGE_SUBTRIE => exits.push(node),
                _ => small.push(node),
            }
        }
        let mut groups = Groups::new();
        if small.len() >= MERGED_FROM {
            groups.push(Group::new(Some(shared.merged_trie(small)), &[NodeId::ROOT][..]));
        } else {
            exits.extend(small);
        }
        groups.push(Group::new(None, exits));
        Exits::of(groups)
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
    fn many_small_exits_are_merged_and_large_ones_stay() {
        let count = |ends: usize, below: usize| {
            let mut texts: Vec<String> = Vec::new();
            for end in 0..ends {
                texts.push(format!("{}", char::from(b'A' + end as u8)));
                texts.extend((0..below).map(|more| format!("{}{more:04}", char::from(b'A' + end as u8))));
            }
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let shared = shared_masks(&texts);
            let nodes = (0..ends).map(|end| node(&shared, &char::from(b'A' + end as u8).to_string()));
            let exits = Exits::merged(&nodes.collect::<Vec<_>>(), &shared);
            let groups = exits.groups().iter();
            groups.map(|group| (group.hash() != 0, group.nodes.len())).collect::<Vec<_>>()
        };
        assert_eq!(count(3, 0), [], "nothing is below");
        assert_eq!(count(11, 1), [(false, 11)]);
        assert_eq!(count(12, 1), [(true, 1)], "the root of the merged trie");
        // 899 texts of 4 digits below a node: 1 + 1 + 9 + 90 + 899 nodes.
        assert_eq!(count(12, 898), [(true, 1)]);
        assert_eq!(count(12, 1_000), [(false, 12)]);
    }

    #[test]
    fn a_subtrie_of_a_thousand_nodes_is_not_large() {
        let merged = |texts: usize| {
            let mut all: Vec<String> =
                (0..texts).map(|more| format!("A{}", char::from_u32(0x100 + more as u32).unwrap())).collect();
            all.extend((b'B'..=b'M').map(|end| format!("{}x", char::from(end))));
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let shared = shared_masks(&all);
            let ends: Vec<_> = (b'A'..=b'M').map(|end| node(&shared, &char::from(end).to_string())).collect();
            let exits = Exits::merged(&ends, &shared);
            let size = shared.vocabulary.trie.size(node(&shared, "A"));
            (size, exits.len())
        };
        // Each text is a node behind one of its lead bytes, 64 to a lead byte.
        let (size, nodes) = merged(983);
        assert_eq!((size, nodes), (1_000, 1));
        assert_eq!(merged(984), (1_001, 2));
    }

    #[test]
    fn a_remainder_without_tokens_is_no_exit() {
        let shared = shared_masks(&["a", "ab", "b", "bc"]);
        let [a, b] = ["a", "b"].map(|text| node(&shared, text));
        let trie = &shared.vocabulary.trie;
        let exits =
            |merged, large: &[NodeId]| Exits::of_remainder(Remainder { large: large.to_vec(), merged }, &shared);
        assert!(exits(trie.merge_some(&[]), &[]).is_nowhere());
        assert_eq!(exits(trie.merge_some(&[]), &[a]).hash(), Exits::at(a).hash());
        let both = exits(trie.merge(&[b]), &[a]);
        assert_eq!(both.groups().iter().map(|group| group.hash() != 0).collect::<Vec<_>>(), [false, true]);
        assert_eq!(both.hash(), exits(trie.merge(&[b]), &[a]).hash());
    }

    #[test]
    fn exits_above_much_of_the_trie_wait_until_they_are_asked_for() {
        let exits = |count: u32| {
            let mut texts: Vec<String> = (0..count).map(|number| format!("a{number:05}")).collect();
            texts.extend((0..1_200).map(|number| format!("b{number:05}")));
            let shared = shared_masks(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let ends = ["b00", "b01"].map(|text| node(&shared, text));
            let found = LazyExits::of(&ends, &shared);
            let held = found.memory_bytes();
            assert_eq!(found.get(&shared).hash(), Exits::merged(&ends, &shared).hash());
            assert!(found.memory_bytes() >= held);
            found.is_deferred()
        };
        assert!(exits(10));
        assert!(!exits(20_000), "a small part of a larger trie");
    }

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
