//! A composed mask's open questions → answers, read from the automaton.
//!
//! Head masks are shared between heads that differ in a few tokens. Those tokens (`replay`) and the nodes above them
//! (`recheck`) are answered here by the position itself, after all parts have been joined.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, Register, DEAD};
use crate::error::Result;
use crate::mask::composer::Composer;
use crate::regular::term::{Term, EMPTY};
use crate::vocabulary::id::NodeId;
use std::mem::take;

impl Composer<'_> {
    /// Answer every token that the parts leave undecided. False if a token was answered by `exact`, so that other
    /// positions abstracted to `id` may have another mask.
    pub fn resolve(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let rechecked = self.recheck_nodes(id, exact)?;
        Ok(self.replay_tokens(id, exact)? && rechecked)
    }

    /// `resolve` for a position without the values of its unique items. Tokens that only the exact position can answer
    /// are added to `always`.
    pub fn resolve_draft(&mut self, id: PositionId) -> Result<()> {
        let trie = &self.shared.vocabulary.trie;
        let mut end = NodeId::ROOT;
        for node in sorted(take(&mut self.recheck)) {
            if node < end {
                continue;
            }
            end = trie.end(node);
            self.replay.extend(trie.tokens_at(node).iter().chain(trie.tokens_below(node)));
        }
        for token in sorted(take(&mut self.replay)) {
            match self.machine.reached(id, self.shared.vocabulary.token(token).unwrap_or_default())? {
                Some(at) => self.accumulator.put(token, at != DEAD),
                None => self.always.push(token),
            }
        }
        Ok(())
    }

    /// Walk again at and below the nodes where a part may be wrong.
    fn recheck_nodes(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let nodes = sorted(take(&mut self.recheck));
        // From here on tokens are refused: lists must be copied first, and earlier walks must be repeated.
        self.copies_lists = true;
        self.walked.clear();
        let view = self.shared.view();
        let (mut end, mut shared) = (NodeId::ROOT, true);
        for node in nodes {
            if node < end {
                continue;
            }
            end = view.trie.end(node);
            let (here, below) = (view.trie.tokens_at(node), view.trie.tokens_below(node));
            let path = view.trie.path(node);
            let at = match self.machine.reached(id, &path)? {
                Some(at) => at,
                None => {
                    shared = false;
                    path.iter().try_fold(exact, |at, &byte| self.machine.step(at, byte))?
                }
            };
            [here, below].into_iter().for_each(|tokens| self.accumulator.refuse_all(tokens));
            if at != DEAD {
                here.iter().for_each(|&token| self.accumulator.allow(token));
                let position = self.machine.position(at).clone();
                self.walk_position(view, node, &position)?;
            }
        }
        Ok(shared)
    }

    /// Read the tokens of `replay` one by one.
    fn replay_tokens(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let mut unknown = Vec::new();
        for token in sorted(take(&mut self.replay)) {
            let bytes = self.shared.vocabulary.token(token).unwrap_or_default();
            let known = match self.machine.stays(id, bytes)? {
                None => self.machine.reached(id, bytes)?.map(|at| at != DEAD),
                known => known,
            };
            match known {
                Some(allowed) => self.accumulator.put(token, allowed),
                None => unknown.push((bytes, token)),
            }
        }
        // In the order of their bytes, so that a common prefix is read once.
        unknown.sort_unstable();
        let texts = unknown.iter().map(|&(bytes, _)| bytes);
        let allowed = self.machine.can_follow(exact, texts)?;
        unknown.iter().zip(&allowed).for_each(|(&(_, token), &allowed)| self.accumulator.put(token, allowed));
        Ok(unknown.is_empty())
    }
}

fn sorted<T: Ord>(mut ids: Vec<T>) -> Vec<T> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

impl Machine {
    /// Whether bytes may follow, where the heads alone tell: one head reads beyond the bytes, or all heads die before any
    /// is at an end. None where what follows the heads matters.
    pub(crate) fn stays(&mut self, id: PositionId, bytes: &[u8]) -> Result<Option<bool>> {
        let position = self.position(id).clone();
        if position.register != Register::Closed {
            return Ok(None);
        }
        let mut left = false;
        for &(head, _) in &position.heads {
            let mut at = match *self.arena.term(head) {
                Term::KeyExtra { inner, .. } => inner,
                _ => head,
            };
            for (place, &byte) in bytes.iter().enumerate() {
                left |= place > 0 && self.arena.info(at).nullable;
                at = self.arena.derive(at, byte)?;
                if at == EMPTY {
                    break;
                }
            }
            if at != EMPTY && !self.arena.info(at).nullable {
                return Ok(Some(true));
            }
            left |= at != EMPTY;
        }
        Ok((!left).then_some(false))
    }

    /// The position after bytes; None where that depends on the text of an unknown key.
    pub(crate) fn reached(&mut self, mut id: PositionId, bytes: &[u8]) -> Result<Option<PositionId>> {
        for &byte in bytes {
            if self.position(id).needs_replay || self.position(id).depends_on_value {
                return Ok(None);
            }
            id = self.step(id, byte)?;
        }
        Ok((!self.position(id).needs_replay && !self.position(id).depends_on_value).then_some(id))
    }
}
