//! Trie × head → the tokens that the head allows below a node, cached with the trie.
//!
//! What follows most heads is a separator, a bracket or the rest of a string: one walk serves all grammars.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::accelerate::remainder::Remainder;
use crate::mask::walk::WalkResult;
use crate::regular::term::TermId;
use crate::storage::lock::Lock;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{hash_words, sorted_words, Words};
use crate::vocabulary::trie::Trie;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A trie, and the cached walks of it.
#[derive(Clone, Copy)]
pub(crate) struct TrieView<'a> {
    /// The vocabulary's trie, or subtries merged into one.
    pub trie: &'a Trie,
    /// The cached walks of its subtries, by head.
    pub walks: &'a WalkCache,
    /// The trie as a shared one, if it is merged.
    pub merged: Option<&'a Arc<MergedTrie>>,
}

/// Tokens below many exits of a head → one trie of their rests (`remainder`), and the cached walks of it.
///
/// What follows the head is walked once rather than once per exit.
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

/// The cached walks of one trie.
#[derive(Default)]
pub(crate) struct WalkCache {
    known: Lock<Known>,
}

/// The result of a walk with one head below one node of a trie.
pub(crate) struct CachedWalk {
    /// The tokens that stay inside the head.
    pub words: Words,
    /// A hash of the words.
    pub hash: u128,
    /// Nodes at which the head is at an end and tokens go on; of many, those of large subtries.
    pub exits: Box<[NodeId]>,
    /// Other tokens than the walk's, below all other exits.
    pub remainder: Option<Arc<MergedTrie>>,
}

#[derive(Default)]
struct Known {
    /// Under (node, hash of the head).
    walks: FxHashMap<(NodeId, u128), Arc<CachedWalk>>,
    bytes: usize,
}

/// Bytes of walks that one trie keeps before it drops all of them: 4 times the trie's own bytes, within these bounds. A
/// bound on the bytes of tries thereby bounds the bytes of their walks.
const CACHE_ROOM: std::ops::RangeInclusive<usize> = 64 << 10..=4 << 20;

impl WalkCache {
    /// The walk of a head below a node, from the cache or new.
    pub fn get(&self, arena: &mut Arena, trie: &Trie, node: NodeId, head: TermId) -> Result<Arc<CachedWalk>> {
        let key = (node, arena.info(head).hash);
        if let Some(walk) = self.known.lock().walks.get(&key) {
            return Ok(walk.clone());
        }
        let mut walked = WalkResult::default();
        walked.walk(arena, trie, node, head)?;
        walked.exits.retain(|&node| trie.has_children(node));
        let words = sorted_words(walked.tokens);
        let (mut exits, mut remainder) = (walked.exits, None);
        if let Some(Remainder { large, merged }) = Remainder::of(arena, trie, &exits, words.iter().copied())? {
            exits = large;
            remainder = merged.has_children(NodeId::ROOT).then(|| Arc::new(MergedTrie::of_merged(merged)));
        }
        let walk = Arc::new(CachedWalk { hash: hash_words(&words), words, exits: exits.into(), remainder });
        let own = 144 + walk.words.len() * 8 + walk.exits.len() * 4;
        arena.budget.grow_shared(own)?;
        let mut known = self.known.lock();
        if known.bytes > (4 * trie.memory_bytes()).clamp(*CACHE_ROOM.start(), *CACHE_ROOM.end()) {
            *known = Known::default();
        }
        let remainder = walk.remainder.as_ref().map_or(0, |merged| merged.trie.memory_bytes());
        known.bytes += own + remainder;
        known.walks.insert(key, walk.clone());
        Ok(walk)
    }

    /// Bytes of all walks.
    pub fn memory_bytes(&self) -> usize {
        self.known.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::error::{Error, Limit};
    use crate::limits::Limits;
    use crate::mask::fixture::shared_masks;
    use crate::mask::shared::SharedMasks;
    use crate::regular::term::MANY;

    /// Names of up to 300 letters, alone and before a bracket; an arena and the term of all names.
    fn names() -> (Arc<SharedMasks>, Arena, TermId) {
        let names: Vec<String> = (1..=300).map(|length| "a".repeat(length)).collect();
        let brackets: Vec<String> = names.iter().map(|name| format!("{name}(")).collect();
        let texts: Vec<&str> = names.iter().chain(&brackets).map(String::as_str).collect();
        let mut arena = Arena::new();
        let letter = arena.class(ByteSet::range(b'a', b'a')).unwrap();
        let name = arena.repeat(letter, 1, MANY).unwrap();
        (shared_masks(&texts), arena, name)
    }

    /// A name, then more names without a sign between them: each remainder is merged from the one before.
    #[test]
    fn a_remainder_of_a_remainder_is_no_larger() {
        let (shared, mut arena, name) = names();
        let trie = &shared.vocabulary.trie;
        let mut walk = shared.walks.get(&mut arena, trie, NodeId::ROOT, name).unwrap();
        for behind in 1..4 {
            let merged = walk.remainder.clone().unwrap();
            // Behind so many names, a token goes on with any shorter rest of its own.
            let rests: usize = (1..=300).map(|length: usize| length.saturating_sub(behind - 1)).sum();
            assert_eq!(merged.trie.tokens_below(NodeId::ROOT).len(), rests, "behind {behind} names");
            walk = merged.walks.get(&mut arena, &merged.trie, NodeId::ROOT, name).unwrap();
        }
    }

    #[test]
    fn a_walk_counts_what_it_leaves_in_the_cache() {
        let (shared, mut arena, name) = names();
        let trie = &shared.vocabulary.trie;
        let memory = arena.memory_bytes() + 1_000;
        arena.begin(&Limits { memory, ..Limits::default() });
        let ended = shared.walks.get(&mut arena, trie, NodeId::ROOT, name).err();
        assert!(matches!(ended.as_deref(), Some(Error::Limit(Limit::Memory(_)))), "{}", ended.is_some());
        assert!(arena.spend(1).is_err(), "the call has ended");
        arena.begin(&Limits::default());
        assert!(shared.walks.get(&mut arena, trie, NodeId::ROOT, name).is_ok());
    }

    #[test]
    fn a_cache_that_is_full_begins_anew() {
        let shared = shared_masks(&["a", "ab", "abc"]);
        let (trie, mut arena) = (&shared.vocabulary.trie, Arena::new());
        let cache = WalkCache::default();
        let b = arena.literal(b"b").unwrap();
        cache.get(&mut arena, trie, NodeId::ROOT, b).unwrap();
        assert_eq!(cache.memory_bytes(), 144, "neither words nor exits");
        let fits = (64 << 10) / 144;
        let mut most = 0;
        for count in 0..fits {
            let word = arena.literal(format!("x{count}").as_bytes()).unwrap();
            cache.get(&mut arena, trie, NodeId::ROOT, word).unwrap();
            most = most.max(cache.memory_bytes());
        }
        assert_eq!(most, 456 * 144, "the first walks of more than 64 kibibytes");
        let last = arena.literal(b"y").unwrap();
        cache.get(&mut arena, trie, NodeId::ROOT, last).unwrap();
        assert_eq!(cache.memory_bytes(), 144);
        let ab = arena.literal(b"ab").unwrap();
        let alone = WalkCache::default();
        alone.get(&mut arena, trie, NodeId::ROOT, ab).unwrap();
        assert_eq!(alone.memory_bytes(), 144 + 8 + 4, "one word and one exit");
    }
}
