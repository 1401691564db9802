//! JSON string that excludes finitely many texts → the string without the exclusion, and the nodes where excluded texts end.
//!
//! The unnamed keys of an object exclude the names of its properties. Their head masks differ from that of any string in
//! the few tokens that complete a name.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::arena::Arena;
use crate::regular::id::KeySetId;
use crate::regular::json_string::escape;
use crate::regular::key_set::KeySets;
use crate::regular::term::{Escapes, Parts, Spelling, Term, TermId, EPSILON};
use crate::regular::terms::Terms;
use crate::regular::transitions::MIN_CLASS;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

/// A JSON string, split into a language and finite sets of excluded texts.
pub(crate) struct Exclusion {
    /// The string without the exclusion.
    pub relaxed: TermId,
    /// The excluded texts: finite sets.
    excluded: Parts,
    /// Whether each text has one spelling, and every prefix so many continuations that the exclusion makes none of them
    /// dead.
    plain: bool,
    /// Whether the opening quote has been read.
    opened: bool,
}

impl Exclusion {
    /// The exclusion of a head; None if there is none, or if the head reads few bytes and a walk takes less time.
    pub fn of(arena: &mut Arena, head: TermId) -> Result<Option<Exclusion>> {
        let Term::Quoted { text, state: state @ (Spelling::Start | Spelling::Body), escapes } = *arena.term(head)
        else {
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
                Term::Not(inner) if arena.terms.is_finite(inner) => excluded.push(inner),
                _ => kept.push(part),
            }
        }
        if excluded.is_empty() || kept.is_empty() {
            return Ok(None);
        }
        let plain =
            escapes == Escapes::CANONICAL && matches!(kept[..], [kept] if arena.terms.has_all_longer_lengths(kept));
        let opened = state == Spelling::Body;
        let relaxed = if let [only] = kept[..] { only } else { arena.and(kept)? };
        let relaxed = arena.quoted_state(relaxed, state, escapes)?;
        Ok(Some(Exclusion { relaxed, excluded, plain, opened }))
    }

    /// Collect the nodes behind the closing quote of each excluded text; false if a text may have several spellings.
    pub fn ends_of_excluded(&self, arena: &Arena, trie: &Trie, nodes: &mut Vec<NodeId>) -> bool {
        if !self.plain {
            return false;
        }
        let Some(start) = (if self.opened { Some(NodeId::ROOT) } else { trie.find(NodeId::ROOT, b"\"") }) else {
            return true;
        };
        let mut ends = Vec::new();
        self.excluded.iter().for_each(|&part| collect_ends(arena, part, trie, start, &mut ends));
        nodes.extend(ends.into_iter().filter_map(|node| trie.child(node, b'"')));
        true
    }
}

/// The bytes after which a string may differ from the string without its exclusion; None if the head is no string
/// with an exclusion.
pub(crate) fn differing_bytes(terms: &mut Terms, head: TermId) -> Option<ByteSet> {
    let Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } = *terms.term(head) else { return None };
    let Term::And(parts) = terms.term(text) else { return None };
    let parts = Parts::from_slice(parts);
    let mut bytes = None;
    for &part in parts.iter() {
        if let Term::Not(inner) = *terms.term(part) {
            if inner == EPSILON || terms.is_finite(inner) {
                let all = bytes.get_or_insert_with(|| ByteSet::from_bytes([b'"', b'\\'].into_iter()));
                *all = all.union(&terms.first_bytes(inner));
            }
        }
    }
    bytes
}

/// Collect the nodes at which a text of a finite term (`is_finite`) ends.
fn collect_ends(terms: &Terms, id: TermId, trie: &Trie, start: NodeId, ends: &mut Vec<NodeId>) {
    let mut end = |text: &[u8]| ends.extend(follow(trie, start, text));
    match *terms.term(id) {
        Term::Words { set, low, high, depth } => {
            let words = &terms.word_sets[set.index()].words[low as usize..high as usize];
            words.iter().for_each(|word| end(&word[depth as usize..]));
        }
        Term::Literal { literal, position } => end(&terms.literals[literal.index()][position as usize..]),
        Term::Class(set) => set.iter().for_each(|byte| end(&[byte])),
        Term::Keys(set) => collect_key_ends(&terms.keys, set, trie, start, ends),
        _ => unreachable!("{:?} is not finite by its kind", terms.term(id)),
    }
}

/// `collect_ends` for a set of keys: its trie and that of the tokens are walked side by side, since keys may be thousands.
fn collect_key_ends(keys: &KeySets, set: KeySetId, trie: &Trie, node: NodeId, ends: &mut Vec<NodeId>) {
    if keys.has_empty(set) {
        ends.push(node);
    }
    for (byte, rest) in keys.children(set) {
        if let Some(child) = follow(trie, node, &[byte]) {
            collect_key_ends(keys, rest, trie, child, ends);
        }
    }
}

/// The node after a text as a JSON string spells it.
fn follow(trie: &Trie, node: NodeId, text: &[u8]) -> Option<NodeId> {
    text.iter().try_fold(node, |node, &byte| match escape(byte) {
        Some(escape) => trie.find(node, escape.as_bytes()),
        None => trie.child(node, byte),
    })
}
