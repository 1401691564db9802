//! Trie × head → the tokens that the head allows below a node, cached with the trie.
//!
//! A head often ends at many nodes. Their subtries are merged into one trie, so that what follows is walked once rather
//! than once per node.

use crate::error::Result;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use crate::storage::cache::lock;
use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{hash_words, sorted_words, Words};
use crate::vocabulary::trie::Trie;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Subtries merged into one, and the cached walks of it.
pub(crate) struct MergedTrie {
    /// A hash of the nodes whose subtries were merged.
    pub hash: u128,
    /// The merged trie.
    pub trie: Trie,
    /// The cached walks of its subtries, by head.
    pub pieces: Pieces,
}

/// The hash of ascending nodes, under which their merged trie is cached.
pub(crate) fn hash_nodes(nodes: &[NodeId]) -> u128 {
    let mut hash = Hasher128::new(0);
    nodes.iter().for_each(|&node| hash.word(node.number().into()));
    hash.finish()
}

/// The cached walks of one trie.
#[derive(Default)]
pub(crate) struct Pieces {
    known: Mutex<Known>,
}

/// The result of a walk with one head below one node of a trie.
pub(crate) struct Piece {
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
    pieces: FxHashMap<(NodeId, u128), Arc<Piece>>,
    bytes: usize,
}

/// Bytes of pieces that one trie keeps before it drops all of them: 4 times the trie's own bytes, within these bounds. A
/// bound on the bytes of tries thereby bounds the bytes of their pieces.
const PIECES_ROOM: std::ops::RangeInclusive<usize> = 64 << 10..=4 << 20;

impl Pieces {
    /// The piece of a head below a node, from the cache or walked.
    pub fn get(&self, arena: &mut Arena, trie: &Trie, node: NodeId, head: TermId) -> Result<Arc<Piece>> {
        let key = (node, arena.info(head).hash);
        if let Some(piece) = lock(&self.known).pieces.get(&key) {
            return Ok(piece.clone());
        }
        let mut walked = WalkResult::default();
        walked.walk(arena, trie, node, head)?;
        let ends = !walked.exits.is_empty();
        walked.exits.retain(|&node| trie.has_children(node));
        let words = sorted_words(walked.tokens);
        let piece = Arc::new(Piece { hash: hash_words(&words), words, exits: walked.exits.into(), ends });
        let mut known = lock(&self.known);
        if known.bytes > (4 * trie.memory_bytes()).clamp(*PIECES_ROOM.start(), *PIECES_ROOM.end()) {
            *known = Known::default();
        }
        known.bytes += 136 + piece.words.len() * 8 + piece.exits.len() * 4;
        known.pieces.insert(key, piece.clone());
        Ok(piece)
    }

    /// Bytes of all pieces.
    pub fn memory_bytes(&self) -> usize {
        lock(&self.known).bytes
    }
}
