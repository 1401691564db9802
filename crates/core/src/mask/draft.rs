//! Draft × the exact position → its mask, in arrays whose items are all different.
//!
//! A draft is the mask that all positions share whose states differ in the values that came only. It is right but for the
//! tokens that end an item as one of those values, and those after which no other value is left. To find these, the trie
//! of tokens and the set of texts to be avoided are walked side by side: no other token can meet one of the texts.

use crate::automaton::machine::{Machine, PositionId};
use crate::automaton::unique::{Cursor, ItemKey, OpenItem};
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::mask::shared::SharedMasks;
use crate::regular::term::{TermId, EMPTY};

use rustc_hash::FxHashMap;
use std::mem::take;
use std::sync::Arc;

/// So many tokens are looked at one by one.
const FEW: usize = 64;

pub(crate) struct Draft {
    pub mask: Arc<Mask>,
    pub recheck: Recheck,
    /// Tokens of which the position must be asked because of a later item, or for another reason.
    pub always: Vec<u32>,
}

/// What tokens may do to the item that was open when the mask began.
#[derive(Default)]
pub(crate) struct Recheck {
    /// Those that may end it as a value that came.
    pub ends: Vec<u32>,
    /// Those that may leave too few values for it.
    pub short: Vec<u32>,
    /// Those that may do so if a numeral is zero so far.
    pub exponents: Vec<u32>,
    /// Whether any token may leave too few values.
    pub thin: bool,
}

/// Below fewer nodes than this a walk is cheaper than looking it up.
const KNOWN_FROM: u32 = 16;

/// What walks have found below a node of the trie, for a set of texts that may follow there: the next set shares all but
/// one branch with the one before it.
#[derive(Default)]
pub(crate) struct Walks {
    known: FxHashMap<(u32, Cursor, Option<TermId>, ItemKey), Arc<Found>>,
    bytes: usize,
}

#[derive(Default)]
struct Found {
    /// Tokens of which the exact position must be asked, and those that are known to leave no value.
    replay: Vec<u32>,
    refused: Vec<u32>,
}

impl Walks {
    pub fn memory_bytes(&self) -> usize {
        self.bytes
    }
}

/// A walk along tokens and texts.
struct Walk<'a> {
    machine: &'a mut Machine,
    shared: &'a SharedMasks,
    item: &'a OpenItem,
    thin: bool,
    walks: &'a mut Walks,
    found: Found,
}

impl Draft {
    /// What the draft does not allow is in no doubt, but for what the position must be asked.
    pub fn new(mask: Mask, mut recheck: Recheck, mut always: Vec<u32>) -> Self {
        for tokens in [&mut recheck.ends, &mut recheck.short, &mut recheck.exponents] {
            tokens.retain(|&token| mask.allows(token));
        }
        for tokens in [&mut recheck.ends, &mut recheck.short, &mut recheck.exponents, &mut always] {
            tokens.sort_unstable();
            tokens.dedup();
            tokens.shrink_to_fit();
        }
        Draft { mask: Arc::new(mask), recheck, always }
    }

    pub fn memory_bytes(&self) -> usize {
        let tokens = self.recheck.ends.len() + self.recheck.short.len() + self.always.len();
        size_of::<Draft>() + self.mask.memory_bytes() + 4 * tokens
    }

    pub fn correct(
        &self,
        machine: &mut Machine,
        shared: &SharedMasks,
        walks: &mut Walks,
        exact: PositionId,
    ) -> Result<Arc<Mask>> {
        let Recheck { ends, short, exponents, thin } = &self.recheck;
        let is_told = ends.is_empty() && short.is_empty() && !thin;
        if is_told && exponents.is_empty() && self.always.is_empty() {
            return Ok(self.mask.clone());
        }
        let position = machine.position(exact).clone();
        let item = if is_told { None } else { machine.open_item(&position)? };
        let (mut replay, mut refused) = (Vec::new(), Vec::new());
        match item {
            Some(item) => {
                let thin = *thin || short.len() > FEW;
                let one_by_one = [(ends, ends.len() <= FEW), (short, !thin)];
                let keys = &machine.arena.registers.keys;
                for (tokens, _) in one_by_one.into_iter().filter(|&(_, meant)| meant) {
                    let text = |token| shared.vocabulary.token(token).unwrap_or_default();
                    replay.extend(tokens.iter().filter(|&&token| item.has_any_in(keys, text(token))));
                }
                if thin || ends.len() > FEW {
                    let found = Found { replay, refused };
                    let mut walk = Walk { machine, shared, item: &item, thin, walks, found };
                    walk.descend(0, item.cursor, item.head)?;
                    Found { replay, refused } = walk.found;
                }
            }
            None if *thin => {
                replay.extend((0..shared.vocabulary.size() as u32).filter(|&token| self.mask.allows(token)))
            }
            None => replay.extend(ends.iter().chain(short)),
        }
        if !exponents.is_empty() && machine.may_be_zero(&position) {
            replay.extend_from_slice(exponents);
        }
        replay.retain(|&token| self.mask.allows(token));
        refused.retain(|&token| self.mask.allows(token));
        if !self.always.is_empty() {
            let came = machine.values_that_came(&position)?;
            let text = |token| shared.vocabulary.token(token).unwrap_or_default();
            let keys = &machine.arena.registers.keys;
            let doubted =
                self.always.iter().filter(|&&token| came.as_ref().is_none_or(|came| came.may_meet(keys, text(token))));
            replay.extend(doubted);
        }
        if replay.is_empty() && refused.is_empty() {
            return Ok(self.mask.clone());
        }
        replay.sort_unstable();
        replay.dedup();
        let mut texts: Vec<(&[u8], u32)> =
            replay.iter().map(|&token| (shared.vocabulary.token(token).unwrap_or_default(), token)).collect();
        // Those that begin alike one after the other: what they share is read once.
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
        Ok(Arc::new(self.mask.with(&found)))
    }
}

impl Walk<'_> {
    fn descend(&mut self, node: u32, cursor: Cursor, head: Option<TermId>) -> Result<()> {
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

    fn enter(&mut self, child: u32, byte: u8, cursor: Cursor, head: Option<TermId>) -> Result<()> {
        let trie = &self.shared.vocabulary.trie;
        self.machine.arena.spend(1)?;
        let next = cursor.next(&self.machine.arena.registers.keys, byte);
        let keys = &self.machine.arena.registers.keys;
        let odd = self.item.begins_odd(&next);
        if !next.is_hindered(keys) && !odd {
            return Ok(());
        }
        if odd || next.is_whole(keys) || cursor.ends_with(keys, byte) {
            self.found.replay.extend(trie.tokens_at(child).iter().chain(trie.tokens_below(child)));
            return Ok(());
        }
        let head = match head.filter(|_| self.thin) {
            None => None,
            Some(head) => match self.machine.arena.derive(head, byte)? {
                EMPTY => return Ok(()),
                head => Some(head),
            },
        };
        let tokens = trie.tokens_at(child);
        if self.thin && !tokens.is_empty() {
            let leaves = match head {
                Some(head) => self.machine.leaves_open(self.item, head, &next)?,
                None => None,
            };
            match leaves {
                Some(true) => {}
                Some(false) => self.found.refused.extend_from_slice(tokens),
                None => self.found.replay.extend_from_slice(tokens),
            }
        }
        match trie.end(child) - child {
            1 => Ok(()),
            2..KNOWN_FROM => self.descend(child, next, head),
            _ => self.descend_known(child, next, head),
        }
    }

    fn descend_known(&mut self, node: u32, cursor: Cursor, head: Option<TermId>) -> Result<()> {
        let key = (node, cursor.settled(), head, self.item.key(self.thin));
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
