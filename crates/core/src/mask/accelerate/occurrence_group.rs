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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::shared_masks;
    use crate::mask::shared::SharedMasks;
    use std::sync::Arc;

    fn class(bytes: &str) -> CharClass {
        bytes.bytes().fold(CharClass::default(), CharClass::with)
    }

    fn shared() -> Arc<SharedMasks> {
        shared_masks(&["\"", "a\"", "ab\"", "ab\"x", "c\"", "ac\"y", " a\"", " \"", " a c\"", " ac\"z"])
    }

    /// The texts up to an occurrence of the byte.
    fn texts(shared: &SharedMasks, byte: u8, places: &[u32]) -> String {
        let trie = &shared.vocabulary.trie;
        let nodes = places.iter().map(|&place| shared.vocabulary.occurrences(byte)[place as usize].node);
        nodes.map(|node| String::from_utf8(trie.path(node)).unwrap()).collect::<Vec<_>>().join("|")
    }

    fn group(shared: &SharedMasks, characters: &str, looping: &str, space_prefixed: bool) -> (String, String) {
        let key = GroupKey { byte: b'"', class: class(characters), looping: class(looping), space_prefixed };
        let group = OccurrenceGroup::of(key, &shared.vocabulary);
        let nodes = group.grouped.iter().map(|&place| shared.vocabulary.occurrences(b'"')[place as usize].node);
        assert!(nodes.eq(group.nodes.iter().copied()) && group.nodes.is_sorted());
        (texts(shared, b'"', &group.individual), texts(shared, b'"', &group.grouped))
    }

    #[test]
    fn occurrences_behind_looping_characters_are_grouped() {
        let shared = shared();
        let of = |characters, looping| group(&shared, characters, looping, false);
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(of("abc", "abc"), pair("\"", "a\"|ab\"|ac\"|c\""));
        assert_eq!(of("abc", "ab"), pair("\"|ac\"|c\"", "a\"|ab\""));
        assert_eq!(of("ab", "ab"), pair("\"", "a\"|ab\""));
        assert_eq!(of("", ""), pair("\"", ""));
        assert_eq!(of("a ", "a "), pair("\"", " \"| a\"|a\""));
    }

    #[test]
    fn behind_one_space_other_occurrences_are_grouped() {
        let shared = shared();
        let of = |characters, looping| group(&shared, characters, looping, true);
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(of("ac", "ac"), pair(" \"", " a\"| ac\""));
        assert_eq!(of("ac", "a"), pair(" \"| ac\"", " a\""));
        assert_eq!(of("c", "c"), pair(" \"", ""));
    }

    fn made(texts: &[&str]) -> OccurrenceGroup {
        let key = GroupKey { byte: b'"', class: class("ab"), looping: class("ab"), space_prefixed: false };
        OccurrenceGroup::of(key, &shared_masks(texts).vocabulary)
    }

    #[test]
    fn a_group_has_the_tokens_at_its_nodes_and_their_hash() {
        let group = made(&["a\"", "a\"x", "b\"", "\"", "ab"]);
        assert_eq!(*group.words, [(0, 0b101)]);
        assert_eq!(group.hash, Some(hash_nodes(&group.nodes)));
        assert_eq!(made(&["a\"", "b\""]).hash, None, "nothing goes on");
        assert_eq!(group.bytes(), 4 * (1 + 2 * 2) + 8 + size_of::<OccurrenceGroup>());
    }

    #[test]
    fn subtries_of_more_than_four_thousand_nodes_are_not_merged() {
        let of = |count: u32| {
            // Below a quote: characters of three bytes, 64 to each of the second bytes.
            let texts: Vec<String> =
                (0..count).map(|more| format!("a\"{}", char::from_u32(0x4000 + more).unwrap())).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let group = made(&texts);
            (group.nodes.len(), group.hash.is_some())
        };
        // 1 + 62 + 3,937 nodes are 4,000.
        assert_eq!([of(3_937), of(3_938)], [(1, true), (1, false)]);
    }

    #[test]
    fn grouped_occurrences_are_found_by_the_first_byte_of_their_tokens() {
        let shared = shared();
        for (space_prefixed, bytes, expected) in [
            (false, "a", "a\"|ab\"|ac\""),
            (false, "c", "c\""),
            (false, "ca", "a\"|ab\"|ac\"|c\""),
            (false, "bx", ""),
            (true, "a", " a\"| ac\""),
            (true, "c", ""),
        ] {
            let all = class("abc");
            let key = GroupKey { byte: b'"', class: all, looping: all, space_prefixed };
            let group = OccurrenceGroup::of(key, &shared.vocabulary);
            let begins = ByteSet::from_bytes(bytes.bytes());
            let found: Vec<u32> = group.beginning_with(&shared.vocabulary.trie, &begins).collect();
            assert_eq!(texts(&shared, b'"', &found), expected, "{space_prefixed} {bytes}");
        }
        let none = shared_masks(&["a\""]);
        let key = GroupKey { byte: b'"', class: class("a"), looping: class("a"), space_prefixed: true };
        let group = OccurrenceGroup::of(key, &none.vocabulary);
        assert_eq!(group.beginning(&none.vocabulary.trie, b'a'), 0..0, "no token begins with a space");
    }
}
