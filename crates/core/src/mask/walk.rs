//! Head × trie → the tokens that stay inside the head, and the nodes at which it is at an end, by walking the trie.
//!
//! This is the plain way to every head mask. The accelerators of `accelerate` replace parts of it, and each is tested
//! against it.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::dfa_cache::{DfaCache, Row, NARROW, NOWHERE};
use crate::regular::term::{TermId, EMPTY, EPSILON};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::Part;
use crate::vocabulary::trie::Trie;
use crate::vocabulary::vocabulary::Vocabulary;

/// Lists of at least this many tokens are added to the dense bits: a mask is written faster from one set than from two.
/// Chosen without measurement.
const MERGED_FROM: usize = 32;

/// More tokens than this are kept as bits rather than as a list. Chosen without measurement.
const DENSE_FROM: usize = 1_000;

/// A subtrie of more nodes is swept, if the head reads more than a few bytes. Chosen without measurement.
const SWEEP_FROM: u32 = 12;

/// A sweep of more states goes on by single derivatives, since it meets each state too seldom for a table of its own.
const SWEEP_ROWS: usize = 512;

/// The tokens and exits of a head, while a walk collects them.
#[derive(Default)]
pub(crate) struct WalkResult {
    /// Tokens that an accelerator found as one set.
    pub dense: Option<Part>,
    /// The nodes at which the head is at an end.
    pub exits: Vec<NodeId>,
    /// Whether nothing follows the head: then its exits are not collected.
    pub is_last: bool,
    /// The states of the head, for all its walks.
    pub dfa: DfaCache,
    /// Tokens that are not in `many`, in any order.
    pub tokens: Vec<u32>,
    /// Tokens as bits, once they are more than `DENSE_FROM`; empty before.
    many: Vec<u32>,
    /// Words of `many`; 0 where tokens are always kept as a list.
    mask_words: usize,
    /// The families of the sweep, the innermost last.
    pending: Vec<Family>,
}

/// Children of one node that a sweep has still to visit.
struct Family {
    left: std::ops::Range<usize>,
    /// The row of the state at their parent.
    row: u32,
}

impl WalkResult {
    /// No tokens yet, of a vocabulary.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        WalkResult { mask_words: vocabulary.mask_words(), ..WalkResult::default() }
    }

    /// `new`, for a head that nothing follows or (false) that something may follow.
    pub fn of_head(vocabulary: &Vocabulary, is_last: bool) -> Self {
        WalkResult { is_last, ..WalkResult::new(vocabulary) }
    }

    /// Add tokens.
    pub fn take(&mut self, tokens: &[u32]) {
        if self.tokens.len() + tokens.len() > DENSE_FROM && self.mask_words > 0 {
            self.list_to_bits();
            if tokens.len() > DENSE_FROM {
                tokens.iter().for_each(|&token| self.many[token as usize >> 5] |= 1 << (token & 31));
                return;
            }
        }
        self.tokens.extend_from_slice(tokens);
    }

    fn list_to_bits(&mut self) {
        if self.many.is_empty() {
            self.many = vec![0; self.mask_words];
        }
        self.tokens.drain(..).for_each(|token| self.many[token as usize >> 5] |= 1 << (token & 31));
    }

    /// Add many tokens to the dense ones; few stay a list.
    pub fn merge(&mut self) {
        if self.dense.is_some() && self.tokens.len() >= MERGED_FROM {
            self.list_to_bits();
        }
        if self.many.is_empty() {
            return;
        }
        self.list_to_bits();
        let bits = std::mem::take(&mut self.many);
        let bits = match &self.dense {
            Some(part) => bits.into_iter().zip(part.words()).map(|(bits, word)| bits | word).collect(),
            None => bits.into(),
        };
        self.dense = Some(Part { bits, within: None });
    }

    /// Add the tokens at and below a node, to which the path leads the head.
    pub fn enter(&mut self, arena: &mut Arena, trie: &Trie, node: NodeId, head: TermId) -> Result<()> {
        self.take(trie.tokens_at(node));
        if !self.is_last && arena.info(head).nullable {
            self.exits.push(node);
        }
        if head != EPSILON && trie.has_children(node) {
            self.walk(arena, trie, node, head)?;
        }
        Ok(())
    }

    /// Add the tokens below a node that stay inside a head.
    pub fn walk(&mut self, arena: &mut Arena, trie: &Trie, node: NodeId, head: TermId) -> Result<()> {
        if self.walk_literals(arena, trie, node, head)? {
            return Ok(());
        }
        let first_bytes = arena.first_bytes(head);
        if trie.size(node) > SWEEP_FROM && first_bytes.len() > NARROW && self.dfa.rows.len() <= SWEEP_ROWS {
            return self.sweep(arena, trie, node, head);
        }
        for (byte, child) in trie.children_in(node, &first_bytes) {
            let next = arena.derive(head, byte)?;
            if next != EMPTY {
                arena.spend(1)?;
                self.enter(arena, trie, child, next)?;
            }
        }
        Ok(())
    }

    /// `walk` for a head that reads many bytes: depth first along the trie, with states in tables.
    fn sweep(&mut self, arena: &mut Arena, trie: &Trie, node: NodeId, head: TermId) -> Result<()> {
        let depth = self.pending.len();
        let row = self.dfa.row(arena, head);
        self.pending.push(Family { left: trie.child_range(node), row });
        // Most nodes are entered. Tokens of nodes entered in a row are adjacent in the trie, so they are added as one run.
        // Only the byte of a node that is not entered is read: it is stored beside those of its siblings.
        let mut run = 0..0;
        'children: while self.pending.len() > depth {
            let Some(Family { left, row }) = self.pending.last_mut() else { break };
            let Some(place) = left.next() else {
                self.pending.pop();
                continue;
            };
            let mut row = *row;
            let (mut byte, mut at) = trie.child_at(place);
            loop {
                let next = self.dfa.step(arena, row, byte)?;
                if next == NOWHERE {
                    continue 'children;
                }
                let Row { state, nullable, narrow, .. } = self.dfa.rows[next as usize];
                let end = trie.end(at);
                let below = trie.size(at);
                if self.dfa.rows.len() > SWEEP_ROWS || state == EPSILON || below > SWEEP_FROM && narrow {
                    // The head has too many states for tables, or reads few of many children.
                    self.enter(arena, trie, at, state)?;
                    continue 'children;
                }
                arena.spend(1)?;
                if trie.tokens_before(at) != run.end {
                    self.take(trie.tokens_between(run.start, run.end));
                    run.start = trie.tokens_before(at);
                }
                run.end = trie.tokens_before(at.next());
                if nullable && !self.is_last {
                    self.exits.push(at);
                }
                if below == 1 {
                    continue 'children;
                }
                if trie.end(at.next()) < end {
                    self.pending.push(Family { left: trie.child_range(at), row: next });
                    continue 'children;
                }
                // An only child is the next node.
                at = at.next();
                (byte, row) = (trie.byte(at), next);
            }
        }
        self.take(trie.tokens_between(run.start, run.end));
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::vocabulary::token_set::tokens;

    /// All tokens and all exits, in order.
    pub(crate) fn everything(walked: WalkResult) -> (Vec<u32>, Vec<NodeId>) {
        let WalkResult { dense, tokens: mut list, mut exits, many, .. } = walked;
        list.extend(tokens(many.into_iter().enumerate().map(|(word, bits)| (word as u32, bits))));
        list.extend(tokens(
            dense.iter().flat_map(|part| part.words().enumerate()).map(|(word, bits)| (word as u32, bits)),
        ));
        list.sort_unstable();
        list.dedup();
        exits.sort_unstable();
        (list, exits)
    }

    /// A walk by derivatives, node by node.
    pub(crate) fn derived(arena: &mut Arena, trie: &Trie, node: NodeId, head: TermId, walked: &mut WalkResult) {
        for (byte, child) in trie.children(node) {
            let next = arena.derive_uncached(head, byte, true).unwrap();
            if next != EMPTY {
                walked.tokens.extend_from_slice(trie.tokens_at(child));
                if arena.info(next).nullable {
                    walked.exits.push(child);
                }
                derived(arena, trie, child, next, walked);
            }
        }
    }
}
