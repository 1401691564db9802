//! Trie × head → the tokens that the head allows below a node, cached with the trie.
//!
//! What follows most heads is a separator, a bracket or the rest of a string: one walk serves all grammars.

use crate::error::Result;
use crate::mask::walk::{WalkResult, SWEEP_FROM};
use crate::regular::arena::Arena;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::transitions::MIN_CLASS;
use crate::storage::cache::lock;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{hash_words, sorted_words, Words};
use crate::vocabulary::trie::Trie;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// A trie, and the cached walks of it.
#[derive(Clone, Copy)]
pub(crate) struct TrieView<'a> {
    /// The vocabulary's trie, or subtries merged into one.
    pub trie: &'a Trie,
    /// The cached walks of its subtries, by head.
    pub walks: &'a WalkCache,
}

/// The cached walks of one trie.
#[derive(Default)]
pub(crate) struct WalkCache {
    known: Mutex<Known>,
}

/// The result of a walk with one head below one node of a trie.
pub(crate) struct CachedWalk {
    /// The tokens that stay inside the head.
    pub words: Words,
    /// A hash of the words.
    pub hash: u128,
    /// Nodes at which the head is at an end and tokens go on.
    pub exits: Box<[NodeId]>,
    /// Whether the head is at an end at any node.
    pub ends: bool,
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
        if let Some(walk) = lock(&self.known).walks.get(&key) {
            return Ok(walk.clone());
        }
        let mut walked = WalkResult::default();
        walked.walk(arena, trie, node, head)?;
        let ends = !walked.exits.is_empty();
        walked.exits.retain(|&node| trie.has_children(node));
        let words = sorted_words(walked.tokens);
        let walk = Arc::new(CachedWalk { hash: hash_words(&words), words, exits: walked.exits.into(), ends });
        let mut known = lock(&self.known);
        if known.bytes > (4 * trie.memory_bytes()).clamp(*CACHE_ROOM.start(), *CACHE_ROOM.end()) {
            *known = Known::default();
        }
        known.bytes += 136 + walk.words.len() * 8 + walk.exits.len() * 4;
        known.walks.insert(key, walk.clone());
        Ok(walk)
    }

    /// Bytes of all walks.
    pub fn memory_bytes(&self) -> usize {
        lock(&self.known).bytes
    }
}

impl WalkResult {
    /// `enter` for a head that differs from `other` below few nodes only: elsewhere the cached
    /// walks of `other` are used.
    pub fn enter_near(
        &mut self,
        arena: &mut Arena,
        view: TrieView,
        node: NodeId,
        head: TermId,
        other: TermId,
    ) -> Result<()> {
        let (trie, first_bytes) = (view.trie, arena.first_bytes(head));
        if other == EMPTY || arena.info(head).nullable || first_bytes.len() >= MIN_CLASS {
            return self.enter(arena, trie, node, head);
        }
        self.take(trie.tokens_at(node));
        for (byte, child) in trie.children_in(node, &first_bytes) {
            let next = arena.derive(head, byte)?;
            if next == EMPTY {
                continue;
            }
            arena.spend(1)?;
            if trie.size(child) > SWEEP_FROM && next == arena.derive(other, byte)? {
                let walk = view.walks.get(arena, trie, child, next)?;
                if !walk.ends && !arena.info(next).nullable {
                    self.take(trie.tokens_at(child));
                    self.add(&walk.words);
                    continue;
                }
            }
            self.enter(arena, trie, child, next)?;
        }
        Ok(())
    }
}
