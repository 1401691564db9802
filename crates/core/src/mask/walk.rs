//! One head along a trie → the tokens that stay inside it, and the nodes at which it is at an end.

use crate::error::Result;
use crate::mask::dfa_cache::{DfaCache, Row, NARROW, NOWHERE};
use crate::mask::shared::SharedMasks;
use crate::regular::arena::Arena;
use crate::regular::term::{TermId, EMPTY, EPSILON};
use crate::regular::transitions::MIN_CLASS;
use crate::vocabulary::token_set::{tokens, Part, Words};
use crate::vocabulary::trie::Trie;

/// So many tokens are added to the bits of the others: a mask is written faster from one place than from two.
const MERGED_FROM: usize = 32;

/// More tokens than this are kept as bits.
const DENSE_FROM: usize = 1_000;

/// A larger subtrie is swept, if the head reads more than a few bytes.
const SWEEP_FROM: u32 = 12;

/// A subtrie of more nodes is looked at as a whole: a state that all its bytes leave as it is takes all its tokens.
const LEAP: u32 = 4;

/// More states than this are walked one by one.
const SWEEP_ROWS: usize = 512;

/// Tokens and exits while they are collected.
#[derive(Default)]
pub(crate) struct WalkResult {
    pub dense: Option<Part>,
    pub exits: Vec<u32>,
    /// The states met, for all walks of one head.
    pub table: DfaCache,
    pub tokens: Vec<u32>,
    /// The tokens as bits, once they are many: a list of all of them would touch more memory than all else does.
    many: Vec<u32>,
    /// How many words that takes; 0 where there is a list only.
    room: usize,
    /// The innermost last.
    open: Vec<Family>,
}

/// Children that a sweep has still to look at.
struct Family {
    left: std::ops::Range<usize>,
    /// The row of their parent.
    row: u32,
}

impl WalkResult {
    pub fn of(shared: &SharedMasks) -> Self {
        WalkResult { room: shared.vocabulary.mask_words(), ..WalkResult::default() }
    }

    pub fn take(&mut self, tokens: &[u32]) {
        if self.tokens.len() + tokens.len() > DENSE_FROM && self.room > 0 {
            self.spill();
            if tokens.len() > DENSE_FROM {
                tokens.iter().for_each(|&token| self.many[token as usize >> 5] |= 1 << (token & 31));
                return;
            }
        }
        self.tokens.extend_from_slice(tokens);
    }

    /// Words of a mask.
    pub fn add(&mut self, words: &Words) {
        if self.room > 0 && self.tokens.len() + words.len() >= MERGED_FROM {
            self.spill();
            words.iter().for_each(|&(word, set)| self.many[word as usize] |= set);
        } else {
            self.tokens.extend(tokens(words.iter().copied()));
        }
    }

    fn spill(&mut self) {
        if self.many.is_empty() {
            self.many = vec![0; self.room];
        }
        self.tokens.drain(..).for_each(|token| self.many[token as usize >> 5] |= 1 << (token & 31));
    }

    /// Whether all tokens but the dense ones are in the list.
    pub fn is_listed(&self) -> bool {
        self.many.is_empty()
    }

    /// Many tokens join the dense ones, few stay a list.
    pub fn merge(&mut self) {
        if self.dense.is_some() && self.tokens.len() >= MERGED_FROM {
            self.spill();
        }
        if self.many.is_empty() {
            return;
        }
        self.spill();
        let bits = std::mem::take(&mut self.many);
        let bits = match &self.dense {
            Some(part) => bits.into_iter().zip(part.words()).map(|(bits, word)| bits | word).collect(),
            None => bits.into(),
        };
        self.dense = Some(Part { bits, within: None });
    }

    /// The head has come to a node.
    pub fn enter(&mut self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<()> {
        self.take(trie.tokens_at(node));
        if arena.info(head).nullable {
            self.exits.push(node);
        }
        if head != EPSILON && trie.end(node) > node + 1 {
            self.walk(arena, trie, node, head)?;
        }
        Ok(())
    }

    /// The same of the vocabulary's trie for a head most of which does as another one does: that is known, or will be.
    pub fn enter_beside(
        &mut self,
        arena: &mut Arena,
        shared: &SharedMasks,
        node: u32,
        head: TermId,
        other: TermId,
    ) -> Result<()> {
        let (trie, may) = (&shared.vocabulary.trie, arena.first_bytes(head));
        if other == EMPTY || arena.info(head).nullable || may.len() >= MIN_CLASS {
            return self.enter(arena, trie, node, head);
        }
        self.take(trie.tokens_at(node));
        for (byte, child) in trie.children_in(node, &may) {
            let next = arena.derive(head, byte)?;
            if next == EMPTY {
                continue;
            }
            arena.spend(1)?;
            if trie.end(child) - child > SWEEP_FROM && next == arena.derive(other, byte)? {
                let piece = shared.pieces.get(arena, trie, child, next)?;
                if !piece.ends && !arena.info(next).nullable {
                    self.take(trie.tokens_at(child));
                    self.add(&piece.words);
                    continue;
                }
            }
            self.enter(arena, trie, child, next)?;
        }
        Ok(())
    }

    /// Everything below a node within one head.
    pub fn walk(&mut self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<()> {
        if self.spell(arena, trie, node, head)? {
            return Ok(());
        }
        let may = arena.first_bytes(head);
        if trie.end(node) - node > SWEEP_FROM && may.len() > NARROW && self.table.rows.len() <= SWEEP_ROWS {
            return self.sweep(arena, trie, node, head);
        }
        for (byte, child) in trie.children_in(node, &may) {
            let next = arena.derive(head, byte)?;
            if next != EMPTY {
                arena.spend(1)?;
                self.enter(arena, trie, child, next)?;
            }
        }
        Ok(())
    }

    /// The same for a head that reads much.
    fn sweep(&mut self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<()> {
        let view = self.open.len();
        let row = self.table.row(arena, head);
        self.open.push(Family { left: trie.child_range(node), row });
        // Most nodes are entered: their tokens are taken in runs, up to the next node that is not. Nothing of that node is
        // looked at but its byte, which stands beside those of its siblings.
        let mut run = 0..0;
        'children: while self.open.len() > view {
            let Some(Family { left, row }) = self.open.last_mut() else { break };
            let Some(place) = left.next() else {
                self.open.pop();
                continue;
            };
            let mut row = *row;
            let (mut byte, mut at) = trie.child_at(place);
            loop {
                let next = self.table.step(arena, row, byte)?;
                if next == NOWHERE {
                    continue 'children;
                }
                let Row { state, nullable, narrow, .. } = self.table.rows[next as usize];
                let end = trie.end(at);
                let below = end - at;
                if self.table.rows.len() > SWEEP_ROWS || state == EPSILON || below > SWEEP_FROM && narrow {
                    // So many states: each is met too seldom for a row of its own. Or it wants few of many children.
                    self.enter(arena, trie, at, state)?;
                    continue 'children;
                }
                arena.spend(1)?;
                if trie.tokens_before(at) != run.end {
                    self.take(trie.tokens_between(run.start, run.end));
                    run.start = trie.tokens_before(at);
                }
                run.end = trie.tokens_before(at + 1);
                if nullable {
                    self.exits.push(at);
                } else if next == row && below > LEAP && self.table.leaps(arena, trie, at, row)? {
                    run.end = trie.tokens_before(end);
                    continue 'children;
                }
                if below == 1 {
                    continue 'children;
                }
                if trie.end(at + 1) < end {
                    self.open.push(Family { left: trie.child_range(at), row: next });
                    continue 'children;
                }
                // An only child is the next node.
                at += 1;
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

    /// All tokens and all exits, in order.
    pub(crate) fn everything(reach: WalkResult) -> (Vec<u32>, Vec<u32>) {
        let WalkResult { dense, tokens: mut list, mut exits, many, .. } = reach;
        list.extend(tokens(many.into_iter().enumerate().map(|(word, bits)| (word as u32, bits))));
        list.extend(tokens(
            dense.iter().flat_map(|part| part.words().enumerate()).map(|(word, bits)| (word as u32, bits)),
        ));
        list.sort_unstable();
        list.dedup();
        exits.sort_unstable();
        (list, exits)
    }
}
