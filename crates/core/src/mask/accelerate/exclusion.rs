//! A JSON string of all texts but a few → the same without the exclusion, and the tokens that may spell what is excluded:
//! the names of an object's properties, say, which its other keys may not repeat.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::json_string::escape;
use crate::regular::key_set::KeySets;
use crate::regular::term::{Parts, Spelling, Term, TermId, EPSILON};
use crate::regular::transitions::MIN_CLASS;
use crate::vocabulary::trie::Trie;

pub(crate) struct Exclusion {
    /// The string without it.
    pub near: TermId,
    /// What is excluded: finite sets of texts.
    excluded: Parts,
    /// Whether each text is spelled in one way, and so many go on from anywhere that none is left without an end because
    /// those few are missing.
    plain: bool,
    opened: bool,
}

impl Exclusion {
    /// Not of what reads little: a walk is cheaper than to compare the two.
    pub fn of(arena: &mut Arena, head: TermId) -> Result<Option<Exclusion>> {
        let Term::Quoted { text, state: state @ (Spelling::Start | Spelling::Body), free } = *arena.term(head) else {
            return Ok(None);
        };
        let Term::And(parts) = arena.term(text) else { return Ok(None) };
        let parts = Parts::from_slice(parts);
        if arena.first_bytes(text).intersection(&ByteSet::range(0, 0x7f)).len() < MIN_CLASS {
            return Ok(None);
        }
        let (mut kept, mut excluded) = (Parts::new(), Parts::new());
        for &part in parts.iter() {
            match *arena.term(part) {
                Term::Not(inner) if arena.is_finite(inner) => excluded.push(inner),
                _ => kept.push(part),
            }
        }
        if excluded.is_empty() || kept.is_empty() {
            return Ok(None);
        }
        let plain = !free && matches!(kept[..], [kept] if arena.has_all_longer_lengths(kept));
        let opened = state == Spelling::Body;
        let near = if let [only] = kept[..] { only } else { arena.and(kept)? };
        let near = arena.quoted_state(near, state, free)?;
        Ok(Some(Exclusion { near, excluded, plain, opened }))
    }

    /// Collect the nodes at which an excluded text has just ended; false if its spellings have to be searched for.
    pub fn spelled(&self, arena: &Arena, trie: &Trie, closed: &mut Vec<u32>) -> bool {
        if !self.plain {
            return false;
        }
        let Some(start) = (if self.opened { Some(0) } else { trie.find(0, b"\"") }) else { return true };
        let mut ends = Vec::new();
        self.excluded.iter().for_each(|&part| arena.spelled(part, trie, start, &mut ends));
        closed.extend(ends.into_iter().filter_map(|node| trie.child(node, b'"')));
        true
    }
}

impl Arena {
    /// The bytes by which a string may part from the same without the exclusion; None if it does not say so.
    pub(crate) fn excluding(&mut self, head: TermId) -> Option<ByteSet> {
        let Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } = *self.term(head) else { return None };
        let Term::And(parts) = self.term(text) else { return None };
        let parts = Parts::from_slice(parts);
        let mut bytes = None;
        for &part in parts.iter() {
            if let Term::Not(inner) = *self.term(part) {
                if inner == EPSILON || self.is_finite(inner) {
                    let all = bytes.get_or_insert_with(|| ByteSet::from_bytes([b'"', b'\\'].into_iter()));
                    *all = all.union(&self.first_bytes(inner));
                }
            }
        }
        bytes
    }

    /// Collect the nodes at which a text ends that is in a term finite by its kind (`is_finite`).
    fn spelled(&self, id: TermId, trie: &Trie, start: u32, ends: &mut Vec<u32>) {
        let mut end = |text: &[u8]| ends.extend(follow(trie, start, text));
        match *self.term(id) {
            Term::Words { set, low, high, depth } => {
                let words = &self.terms.word_sets[set as usize].words[low as usize..high as usize];
                words.iter().for_each(|word| end(&word[depth as usize..]));
            }
            Term::Literal { literal, position } => end(&self.terms.literals[literal as usize][position as usize..]),
            Term::Class(set) => set.iter().for_each(|byte| end(&[byte])),
            Term::Keys(set) => spelled_keys(&self.registers.keys, set, trie, start, ends),
            _ => unreachable!("{:?} is not finite by its kind", self.term(id)),
        }
    }
}

/// The same for a set of keys, of which there may be thousands: only as far as tokens go.
fn spelled_keys(keys: &KeySets, set: u32, trie: &Trie, node: u32, ends: &mut Vec<u32>) {
    if keys.has_empty(set) {
        ends.push(node);
    }
    for (byte, rest) in keys.children(set) {
        if let Some(child) = follow(trie, node, &[byte]) {
            spelled_keys(keys, rest, trie, child, ends);
        }
    }
}

/// Where a text leads as it is spelled in a string.
fn follow(trie: &Trie, node: u32, text: &[u8]) -> Option<u32> {
    text.iter().try_fold(node, |node, &byte| match escape(byte) {
        Some(escape) => trie.find(node, escape.as_bytes()),
        None => trie.child(node, byte),
    })
}
