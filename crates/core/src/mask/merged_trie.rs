//! A trie × heads → what each does to the tokens below a node, kept for all who come there.

use crate::error::Result;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use crate::storage::cache::lock;
use crate::vocabulary::token_set::{hash_words, sorted_words, Words};
use crate::vocabulary::trie::Trie;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Subtries merged into one, and what heads do below its nodes.
pub(crate) struct MergedTrie {
    /// Of the nodes below which it was.
    pub hash: u128,
    pub trie: Trie,
    pub pieces: Pieces,
}

/// Pieces of one trie.
#[derive(Default)]
pub(crate) struct Pieces {
    known: Mutex<Known>,
}

/// What a head does to the tokens below one node of a trie.
pub(crate) struct Piece {
    pub words: Words,
    /// Of the words.
    pub hash: u128,
    /// Nodes at which it is at an end and tokens go on.
    pub exits: Box<[u32]>,
    /// Whether it is at an end anywhere.
    pub ends: bool,
}

#[derive(Default)]
struct Known {
    /// Under (node, hash of the head).
    pieces: FxHashMap<(u32, u128), Arc<Piece>>,
    bytes: usize,
}

/// Bytes of pieces that one trie keeps before it starts afresh: in proportion to the trie, so that what bounds the tries
/// (`Vocabulary::locals`) bounds their pieces.
const PIECES_ROOM: std::ops::RangeInclusive<usize> = 64 << 10..=4 << 20;

impl Pieces {
    pub fn get(&self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<Arc<Piece>> {
        let key = (node, arena.info(head).hash);
        if let Some(piece) = lock(&self.known).pieces.get(&key) {
            return Ok(piece.clone());
        }
        let mut reach = WalkResult::default();
        reach.walk(arena, trie, node, head)?;
        let ends = !reach.exits.is_empty();
        reach.exits.retain(|&node| trie.end(node) > node + 1);
        let words = sorted_words(reach.tokens);
        let piece = Arc::new(Piece { hash: hash_words(&words), words, exits: reach.exits.into(), ends });
        let mut known = lock(&self.known);
        if known.bytes > (4 * trie.memory_bytes()).clamp(*PIECES_ROOM.start(), *PIECES_ROOM.end()) {
            *known = Known::default();
        }
        known.bytes += 136 + piece.words.len() * 8 + piece.exits.len() * 4;
        known.pieces.insert(key, piece.clone());
        Ok(piece)
    }

    pub fn memory_bytes(&self) -> usize {
        lock(&self.known).bytes
    }
}
