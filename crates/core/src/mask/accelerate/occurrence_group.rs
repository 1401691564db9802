//! Byte × characters before it → its occurrences in tokens, grouped by whether a state observes these characters.
//!
//! In most states of a search almost every character loops. All occurrences behind looping characters are met in one state,
//! so their subtries are merged and walked once. The other occurrences are entered one by one.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::mask::accelerate::Accelerators;
use crate::mask::merged_trie::hash_nodes;
use crate::vocabulary::byte_index::Occurrence;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{sorted_words, Words};
use crate::vocabulary::trie::Trie;
use crate::vocabulary::vocabulary::Vocabulary;

use std::ops::Range;

/// A byte behind characters of a class, some of which loop in the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GroupKey {
    /// The byte.
    pub byte: u8,
    /// The characters that may come before the byte.
    pub class: CharClass,
    /// The characters of the class that loop.
    pub looping: CharClass,
    /// Whether a space comes before these characters; the class then holds no space.
    pub space_prefixed: bool,
}

/// The occurrences of a byte behind characters of a class.
pub(crate) struct OccurrenceGroup {
    pub(super) key: GroupKey,
    /// Indices of occurrences behind no character, or behind characters that do not loop.
    pub individual: Box<[u32]>,
    /// Indices of the occurrences behind looping characters.
    pub(super) grouped: Box<[u32]>,
    /// The nodes of these occurrences, ascending.
    pub(super) nodes: Box<[NodeId]>,
    /// Tokens that end at these nodes.
    pub(super) words: Words,
    /// A hash of the nodes; None if their subtries are too large to be merged.
    pub(super) hash: Option<u128>,
}

/// Nodes of subtries that are merged at most. Merging more takes longer than a mask may. Chosen without measurement.
const MERGED_NODES: u32 = 4_000;

impl GroupKey {
    fn leads_to(self, place: &Occurrence) -> bool {
        match self.space_prefixed {
            true => place.space_prefixed && place.before.is_within(self.class.with(b' ')),
            false => place.before.is_within(self.class),
        }
    }

    fn is_behind_looping(self, place: &Occurrence) -> bool {
        match self.space_prefixed {
            true => place.chars > 1 && place.before.is_within(self.looping.with(b' ')),
            false => place.chars > 0 && place.before.is_within(self.looping),
        }
    }
}

impl OccurrenceGroup {
    /// The group of a key.
    pub fn of(key: GroupKey, vocabulary: &Vocabulary) -> Self {
        let on = Accelerators::on().occurrence_group;
        let places = vocabulary.occurrences(key.byte);
        let ours = (0..places.len() as u32).filter(|&at| key.leads_to(&places[at as usize]));
        let (grouped, individual): (Vec<u32>, Vec<u32>) =
            ours.partition(|&at| on && key.is_behind_looping(&places[at as usize]));
        let nodes: Vec<NodeId> = grouped.iter().map(|&at| places[at as usize].node).collect();
        let trie = &vocabulary.trie;
        let below: u32 = nodes.iter().map(|&node| trie.size(node) - 1).sum();
        let words = sorted_words(nodes.iter().flat_map(|&node| trie.tokens_at(node)).copied().collect());
        let hash = (1..=MERGED_NODES).contains(&below).then(|| hash_nodes(&nodes));
        OccurrenceGroup {
            key,
            individual: individual.into(),
            grouped: grouped.into(),
            nodes: nodes.into(),
            words,
            hash,
        }
    }

    /// Bytes of the lists.
    pub fn bytes(&self) -> usize {
        4 * (self.individual.len() + 2 * self.grouped.len()) + 8 * self.words.len() + size_of::<OccurrenceGroup>()
    }

    /// The range of grouped occurrences whose token begins with a byte, behind the space if there is one.
    fn beginning(&self, trie: &Trie, byte: u8) -> Range<usize> {
        let root = if self.key.space_prefixed { trie.child(NodeId::ROOT, b' ') } else { Some(NodeId::ROOT) };
        let Some(node) = root.and_then(|root| trie.child(root, byte)) else { return 0..0 };
        let before = |end| self.nodes.partition_point(|&node| node < end);
        before(node)..before(trie.end(node))
    }

    /// The grouped occurrences whose token begins with one of some bytes.
    pub fn beginning_with<'a>(&'a self, trie: &'a Trie, bytes: &'a ByteSet) -> impl Iterator<Item = u32> + 'a {
        bytes.iter().flat_map(|byte| &self.grouped[self.beginning(trie, byte)]).copied()
    }
}
