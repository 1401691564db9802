//! Trie × the texts that an open item must avoid → the tokens that a draft may wrongly allow.
//!
//! The trie and the set of excluded texts are walked side by side: only tokens along an excluded text are visited.

use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::automaton::unique::cursor::ExcludedCursor;
use crate::automaton::unique::item::{ItemKey, OpenItem};
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::mask::shared::SharedMasks;
use crate::regular::term::{TermId, EMPTY};
use crate::vocabulary::id::NodeId;
use rustc_hash::FxHashMap;
use std::mem::take;
use std::sync::Arc;

/// Nodes of a subtrie below which a walk takes less time than a look-up of its result. Chosen without measurement.
const KNOWN_FROM: u32 = 16;

/// The results of walks.
#[derive(Default)]
pub(crate) struct TextWalks {
    /// By node of the trie and set of excluded texts. A set with one more value shares all other branches with the set
    /// before, so most results are found again.
    known: FxHashMap<(NodeId, ExcludedCursor, Option<TermId>, ItemKey), Arc<Found>>,
    /// The tokens at and below a node that the draft of an abstract position allows: few, even below a blank.
    allowed: FxHashMap<(PositionId, NodeId), Arc<[u32]>>,
    bytes: usize,
}

/// The tokens that a draft may wrongly allow.
#[derive(Default)]
pub(crate) struct Found {
    /// Tokens that the exact position must answer.
    pub replay: Vec<u32>,
    /// Nodes at which an excluded text has ended: the exact position must answer all tokens at and below them.
    pub ends: Vec<NodeId>,
    /// Tokens after which no value is left.
    pub refused: Vec<u32>,
}

impl Found {
    /// Bytes of all lists.
    fn memory_bytes(&self) -> usize {
        4 * (self.replay.len() + self.ends.len() + self.refused.len())
    }
}

impl TextWalks {
    /// Bytes of all results.
    pub fn memory_bytes(&self) -> usize {
        self.bytes
    }

    /// The tokens that may be wrong for an open item; `any_exhausts`: also those after which no value is left.
    pub fn walk(
        &mut self,
        machine: &mut Machine,
        shared: &SharedMasks,
        item: &OpenItem,
        any_exhausts: bool,
    ) -> Result<Found> {
        let mut walk = Walk { machine, shared, item, any_exhausts, walks: self, found: Found::default() };
        walk.descend(NodeId::ROOT, item.cursor, item.head)?;
        Ok(walk.found)
    }

    /// The tokens at and below a node that the draft of `id` allows.
    pub fn allowed(&mut self, shared: &SharedMasks, mask: &Mask, id: PositionId, node: NodeId) -> Arc<[u32]> {
        let list = || {
            let trie = &shared.vocabulary.trie;
            let tokens = trie.tokens_at(node).iter().chain(trie.tokens_below(node)).copied();
            let allowed: Arc<[u32]> = tokens.filter(|&token| mask.allows(token)).collect();
            self.bytes += size_of::<(PositionId, NodeId)>() + 48 + 4 * allowed.len();
            allowed
        };
        self.allowed.entry((id, node)).or_insert_with(list).clone()
    }
}

/// A walk of the trie side by side with the excluded texts.
struct Walk<'a> {
    machine: &'a mut Machine,
    shared: &'a SharedMasks,
    item: &'a OpenItem,
    any_exhausts: bool,
    walks: &'a mut TextWalks,
    found: Found,
}

impl Walk<'_> {
    fn descend(&mut self, node: NodeId, cursor: ExcludedCursor, head: Option<TermId>) -> Result<()> {
        let trie = &self.shared.vocabulary.trie;
        let bytes = self.item.bytes(&self.machine.arena.terms.keys, &cursor);
        match bytes {
            Some(bytes) if bytes.len() * 2 < trie.child_range(node).len() as u32 => {
                for byte in bytes.iter() {
                    if let Some(child) = trie.child(node, byte) {
                        self.enter(child, byte, cursor, head)?;
                    }
                }
            }
            _ => {
                for (byte, child) in trie.children(node) {
                    self.enter(child, byte, cursor, head)?;
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, child: NodeId, byte: u8, cursor: ExcludedCursor, head: Option<TermId>) -> Result<()> {
        let trie = &self.shared.vocabulary.trie;
        self.machine.arena.spend(1)?;
        let next = cursor.next(&self.machine.arena.terms.keys, byte);
        let keys = &self.machine.arena.terms.keys;
        let other_spellings = self.item.has_other_spellings(&cursor, &next, byte);
        if !next.has_conflict(keys) && !other_spellings {
            return Ok(());
        }
        if other_spellings || next.is_at_end(keys) || cursor.is_at_numeral_end(keys, byte) {
            self.found.ends.push(child);
            return Ok(());
        }
        let head = match head.filter(|_| self.any_exhausts) {
            None => None,
            Some(head) => match self.machine.arena.derive(head, byte)? {
                EMPTY => return Ok(()),
                head => Some(head),
            },
        };
        let tokens = trie.tokens_at(child);
        if self.any_exhausts && !tokens.is_empty() {
            let leaves = match head {
                Some(head) => self.machine.can_end_differently(self.item, head, &next)?,
                None => None,
            };
            match leaves {
                Some(true) => {}
                Some(false) => self.found.refused.extend_from_slice(tokens),
                None => self.found.replay.extend_from_slice(tokens),
            }
        }
        match trie.size(child) {
            1 => Ok(()),
            2..KNOWN_FROM => self.descend(child, next, head),
            _ => self.descend_known(child, next, head),
        }
    }

    fn descend_known(&mut self, node: NodeId, cursor: ExcludedCursor, head: Option<TermId>) -> Result<()> {
        let key = (node, cursor.representative(), head, self.item.key(self.any_exhausts));
        let below = match self.walks.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let outer = take(&mut self.found);
                let walked = self.descend(node, cursor, head);
                let below = Arc::new(std::mem::replace(&mut self.found, outer));
                walked?;
                self.walks.bytes += size_of_val(&key) + 64 + below.memory_bytes();
                self.walks.known.insert(key, below.clone());
                below
            }
        };
        self.found.replay.extend_from_slice(&below.replay);
        self.found.ends.extend_from_slice(&below.ends);
        self.found.refused.extend_from_slice(&below.refused);
        Ok(())
    }
}
