//! A byte × the characters that come before it → where tokens have it: one by one where a state may tell those characters
//! apart, all together where it does not.
//!
//! Most states of a search are left by few characters for another one, and that stays as it is whatever else comes. What
//! tokens do to it is the same for all of them, so it is found once, below the places merged into one trie.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::error::Result;
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use crate::storage::hash::Hasher128;
use crate::vocabulary::byte_index::Occurrence;
use crate::vocabulary::token_set::{sorted_words, tokens, Words};
use crate::vocabulary::trie::Trie;

use std::ops::Range;

/// A byte behind characters of a class only, of which some are quiet: they leave a state as it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GroupKey {
    pub byte: u8,
    pub class: CharClass,
    pub quiet: CharClass,
    /// Whether a space comes first, and none in the class.
    pub space_prefixed: bool,
}

pub(crate) struct OccurrenceGroup {
    way: GroupKey,
    /// Places of the byte, among all of them, before which more than quiet characters come, or none.
    pub heard: Box<[u32]>,
    /// The others, and their nodes.
    quiet: Box<[u32]>,
    nodes: Box<[u32]>,
    /// Tokens that end at those.
    words: Words,
    /// Of the nodes, if it takes little to merge what is below them.
    hash: Option<u128>,
}

/// More nodes below are walked place by place: merging them would be waited for.
const MERGED: u32 = 4_000;

impl GroupKey {
    fn leads_to(self, place: &Occurrence) -> bool {
        match self.space_prefixed {
            true => place.space_prefixed && place.before.is_within(self.class.with(b' ')),
            false => place.before.is_within(self.class),
        }
    }

    fn is_quiet(self, place: &Occurrence) -> bool {
        match self.space_prefixed {
            true => place.chars > 1 && place.before.is_within(self.quiet.with(b' ')),
            false => place.chars > 0 && place.before.is_within(self.quiet),
        }
    }
}

impl OccurrenceGroup {
    pub fn of(way: GroupKey, shared: &SharedMasks) -> Self {
        let places = shared.vocabulary.occurrences(way.byte);
        let ours = (0..places.len() as u32).filter(|&at| way.leads_to(&places[at as usize]));
        let (quiet, heard): (Vec<u32>, Vec<u32>) = ours.partition(|&at| way.is_quiet(&places[at as usize]));
        let nodes: Vec<u32> = quiet.iter().map(|&at| places[at as usize].node).collect();
        let trie = &shared.vocabulary.trie;
        let below: u32 = nodes.iter().map(|&node| trie.end(node) - node - 1).sum();
        let words = sorted_words(nodes.iter().flat_map(|&node| trie.tokens_at(node)).copied().collect());
        let hash = (1..=MERGED).contains(&below).then(|| Hasher128::hash_numbers(&nodes));
        OccurrenceGroup { way, heard: heard.into(), quiet: quiet.into(), nodes: nodes.into(), words, hash }
    }

    pub fn bytes(&self) -> usize {
        4 * (self.heard.len() + 2 * self.quiet.len()) + 8 * self.words.len() + size_of::<OccurrenceGroup>()
    }

    /// The quiet places whose first character is a byte.
    fn beginning(&self, trie: &Trie, byte: u8) -> Range<usize> {
        let root = if self.way.space_prefixed { trie.child(0, b' ') } else { Some(0) };
        let Some(node) = root.and_then(|root| trie.child(root, byte)) else { return 0..0 };
        let before = |end| self.nodes.partition_point(|&node| node < end);
        before(node)..before(trie.end(node))
    }

    /// The quiet places whose first character is one of some.
    pub fn beginning_with<'a>(&'a self, trie: &'a Trie, bytes: &'a ByteSet) -> impl Iterator<Item = u32> + 'a {
        bytes.iter().flat_map(|byte| &self.quiet[self.beginning(trie, byte)]).copied()
    }

    /// A state has come to all the others at once.
    pub fn enter(
        &self,
        arena: &mut Arena,
        shared: &SharedMasks,
        state: TermId,
        except: &ByteSet,
        reach: &mut WalkResult,
    ) -> Result<()> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        let first = usize::from(self.way.space_prefixed);
        let excepted = |token| {
            let text = shared.vocabulary.token(token).unwrap_or_default();
            text.get(first).is_some_and(|&byte| except.contains(byte))
        };
        if let Some(hash) = self.hash.filter(|_| !arena.info(state).nullable) {
            let forest = shared.merged(hash, &self.nodes);
            let piece = forest.pieces.get(arena, &forest.trie, 0, state)?;
            // Ends would be those of the merged trie.
            if !piece.ends {
                for words in [&self.words, &piece.words] {
                    match except.is_empty() {
                        true => reach.add(words),
                        false => reach.tokens.extend(tokens(words.iter().copied()).filter(|&token| !excepted(token))),
                    }
                }
                return Ok(());
            }
        }
        for (&node, &at) in self.nodes.iter().zip(&self.quiet) {
            if !excepted(shared.vocabulary.occurrences(self.way.byte)[at as usize].token) {
                arena.spend(1)?;
                reach.enter(arena, &shared.vocabulary.trie, node, state)?;
            }
        }
        Ok(())
    }
}
