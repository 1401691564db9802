//! Mask of an abstract position × the values that came → the mask of a position in an array of unique items.
//!
//! All positions of such an array share one draft, which ignores the values that came. The draft is right except for
//! tokens that end an item with one of those values, and for tokens after which no other value is left. To find these
//! tokens, the trie and the set of excluded texts are walked side by side: no other token can meet an excluded text.

use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::automaton::unique::cursor::ExcludedCursor;
use crate::automaton::unique::item::{ItemKey, OpenItem};
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::mask::shared::SharedMasks;
use crate::mask::uncertain::UncertainTokens;
use crate::regular::term::{TermId, EMPTY};
use crate::vocabulary::id::NodeId;

use rustc_hash::FxHashMap;
use std::mem::take;
use std::sync::Arc;

/// Up to this many tokens are compared with the values one by one; more are found by a walk. Chosen without measurement.
const FEW: usize = 64;

/// The mask of an abstract position, and the tokens for which it may be wrong.
pub(crate) struct Draft {
    /// The mask that ignores the values that came.
    pub mask: Arc<Mask>,
    /// Tokens whose answer depends on the values, for the item that is open.
    pub uncertain: UncertainTokens,
    /// Tokens that the exact position must answer, because of a later item or for another reason.
    pub always: Vec<u32>,
}

/// Nodes of a subtrie below which a walk takes less time than a look-up of its result. Chosen without measurement.
const KNOWN_FROM: u32 = 16;

/// The results of walks below a node of the trie, for a set of excluded texts. The set after one more value shares all but
/// one branch with the set before.
#[derive(Default)]
pub(crate) struct TextWalks {
    known: FxHashMap<(NodeId, ExcludedCursor, Option<TermId>, ItemKey), Arc<Found>>,
    bytes: usize,
}

#[derive(Default)]
struct Found {
    /// Tokens that the exact position must answer.
    replay: Vec<u32>,
    /// Tokens that leave no value.
    refused: Vec<u32>,
}

impl TextWalks {
    /// Bytes of all results.
    pub fn memory_bytes(&self) -> usize {
        self.bytes
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

impl Draft {
    /// A draft of a mask; uncertain tokens that the mask forbids are dropped, because values can only forbid more.
    pub fn new(mask: Mask, mut uncertain: UncertainTokens, mut always: Vec<u32>) -> Self {
        for tokens in [&mut uncertain.equal, &mut uncertain.exhausting, &mut uncertain.exponents] {
            tokens.retain(|&token| mask.allows(token));
        }
        for tokens in [&mut uncertain.equal, &mut uncertain.exhausting, &mut uncertain.exponents, &mut always] {
            tokens.sort_unstable();
            tokens.dedup();
            tokens.shrink_to_fit();
        }
        Draft { mask: Arc::new(mask), uncertain, always }
    }

    /// Bytes of the mask and of the lists of tokens.
    pub fn memory_bytes(&self) -> usize {
        let tokens = self.uncertain.equal.len() + self.uncertain.exhausting.len() + self.always.len();
        size_of::<Draft>() + self.mask.memory_bytes() + 4 * tokens
    }

    /// The mask of the exact position.
    pub fn correct(
        &self,
        machine: &mut Machine,
        shared: &SharedMasks,
        walks: &mut TextWalks,
        exact: PositionId,
    ) -> Result<Arc<Mask>> {
        let UncertainTokens { equal, exhausting, exponents, any_exhausts } = &self.uncertain;
        let is_settled = equal.is_empty() && exhausting.is_empty() && !any_exhausts;
        if is_settled && exponents.is_empty() && self.always.is_empty() {
            return Ok(self.mask.clone());
        }
        let position = machine.position(exact).clone();
        let item = if is_settled { None } else { machine.open_item(&position)? };
        let (mut replay, mut refused) = (Vec::new(), Vec::new());
        match item {
            Some(item) => {
                let any_exhausts = *any_exhausts || exhausting.len() > FEW;
                let one_by_one = [(equal, equal.len() <= FEW), (exhausting, !any_exhausts)];
                let keys = &machine.arena.registers.keys;
                for (tokens, _) in one_by_one.into_iter().filter(|&(_, chosen)| chosen) {
                    let text = |token| shared.vocabulary.token(token).unwrap_or_default();
                    replay.extend(tokens.iter().filter(|&&token| item.meets(keys, text(token))));
                }
                if any_exhausts || equal.len() > FEW {
                    let found = Found { replay, refused };
                    let mut walk = Walk { machine, shared, item: &item, any_exhausts, walks, found };
                    walk.descend(NodeId::ROOT, item.cursor, item.head)?;
                    Found { replay, refused } = walk.found;
                }
            }
            None if *any_exhausts => {
                replay.extend((0..shared.vocabulary.size() as u32).filter(|&token| self.mask.allows(token)))
            }
            None => replay.extend(equal.iter().chain(exhausting)),
        }
        if !exponents.is_empty() && machine.can_be_zero(&position) {
            replay.extend_from_slice(exponents);
        }
        replay.retain(|&token| self.mask.allows(token));
        refused.retain(|&token| self.mask.allows(token));
        if !self.always.is_empty() {
            let came = machine.seen_strings(&position)?;
            let text = |token| shared.vocabulary.token(token).unwrap_or_default();
            let keys = &machine.arena.registers.keys;
            let uncertain = self
                .always
                .iter()
                .filter(|&&token| came.as_ref().is_none_or(|came| came.can_repeat(keys, text(token))));
            replay.extend(uncertain);
        }
        if replay.is_empty() && refused.is_empty() {
            return Ok(self.mask.clone());
        }
        replay.sort_unstable();
        replay.dedup();
        let mut texts: Vec<(&[u8], u32)> =
            replay.iter().map(|&token| (shared.vocabulary.token(token).unwrap_or_default(), token)).collect();
        // In the order of their bytes, so that a common prefix is read once.
        texts.sort_unstable();
        let allowed = machine.can_follow(exact, texts.iter().map(|&(bytes, _)| bytes))?;
        let mut found: Vec<(u32, bool)> =
            texts.iter().zip(allowed).map(|(&(_, token), allowed)| (token, allowed)).collect();
        found.extend(refused.into_iter().map(|token| (token, false)));
        found.retain(|&(token, allowed)| self.mask.allows(token) != allowed);
        if found.is_empty() {
            return Ok(self.mask.clone());
        }
        found.sort_unstable();
        found.dedup();
        Ok(Arc::new(self.mask.corrected(&found)))
    }
}

impl Walk<'_> {
    fn descend(&mut self, node: NodeId, cursor: ExcludedCursor, head: Option<TermId>) -> Result<()> {
        let trie = &self.shared.vocabulary.trie;
        let bytes = self.item.bytes(&self.machine.arena.registers.keys, &cursor);
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
        let next = cursor.next(&self.machine.arena.registers.keys, byte);
        let keys = &self.machine.arena.registers.keys;
        let odd = self.item.is_in_noncanonical_numeral(&next);
        if !next.has_conflict(keys) && !odd {
            return Ok(());
        }
        if odd || next.is_at_end(keys) || cursor.is_at_numeral_end(keys, byte) {
            self.found.replay.extend(trie.tokens_at(child).iter().chain(trie.tokens_below(child)));
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
                self.walks.bytes += size_of_val(&key) + 64 + 4 * (below.replay.len() + below.refused.len());
                self.walks.known.insert(key, below.clone());
                below
            }
        };
        self.found.replay.extend_from_slice(&below.replay);
        self.found.refused.extend_from_slice(&below.refused);
        Ok(())
    }
}
