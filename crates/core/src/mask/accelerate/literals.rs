//! Heads that are one of a few texts → what they do to a trie: followed as they are spelled, without a derivative. A term
//! for each beginning of each text would be made for this walk alone.

use crate::error::Result;
use crate::mask::head_mask::HeadMask;
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::derivative::narrow;
use crate::regular::json_string::escape;
use crate::regular::term::{Spelling, Term, TermId};
use crate::vocabulary::trie::Trie;

use std::collections::VecDeque;

/// Words, sorted and alike in their first `depth` bytes.
#[derive(Clone, Copy)]
struct Words<'a> {
    words: &'a [Box<[u8]>],
    depth: usize,
}

/// Of sets with as many words, masks are made when a grammar meets its vocabulary,
const LARGE: u32 = 4_096;

/// wherever as many words go on: there are few such places, and each takes longer than a mask may.
const MANY: u32 = 1_000;

/// How often each word may be looked at for that.
const TIMES: u32 = 4;

impl Arena {
    /// What heads of large sets of words do to a vocabulary, before anyone asks for it.
    pub fn prepare(&mut self, shared: &SharedMasks) -> Result<()> {
        if !(0..self.terms.word_sets.len()).any(|set| self.terms.word_sets[set].words.len() >= LARGE as usize) {
            return Ok(());
        }
        let terms = (0..self.len() as u32).map(TermId);
        let is_large = |term: &Term| matches!(*term, Term::Words { low, high, .. } if high - low >= LARGE);
        let mut roots: Vec<(TermId, bool)> = Vec::new();
        for term in terms {
            match *self.term(term) {
                Term::Quoted { text, free: false, .. } if is_large(self.term(text)) => roots.push((text, true)),
                Term::Words { .. } if is_large(self.term(term)) => roots.push((term, false)),
                _ => {}
            }
        }
        // Words that are quoted somewhere stand by themselves only to be quoted.
        roots.sort_unstable();
        roots.dedup();
        for place in 0..roots.len() {
            let (text, quoted) = roots[place];
            if quoted || !roots.contains(&(text, true)) {
                self.prepare_words(shared, text, quoted)?;
            }
        }
        Ok(())
    }

    fn prepare_words(&mut self, shared: &SharedMasks, text: TermId, quoted: bool) -> Result<()> {
        let mut room = None;
        let mut texts = VecDeque::from([text]);
        while let Some(text) = texts.pop_front() {
            let Term::Words { set, low, high, depth } = *self.term(text) else { continue };
            let room = room.get_or_insert((high - low).saturating_mul(TIMES));
            *room = room.saturating_sub(high - low);
            if high - low < MANY || *room == 0 {
                continue;
            }
            let head = if quoted { self.quoted_state(text, Spelling::Body, false)? } else { text };
            let hash = self.info(head).hash;
            if shared.head_masks.get(hash).is_none() {
                let mut reach = WalkResult::of(shared);
                if reach.spell(self, &shared.vocabulary.trie, 0, head)? {
                    let head_mask = HeadMask::from_reach(reach, shared, false);
                    let bytes = head_mask.memory_bytes();
                    shared.head_masks.put(hash, head_mask, bytes);
                }
            }
            let words = self.terms.word_sets[set as usize].words.clone();
            let mut at = low + u32::from(words[low as usize].len() == depth as usize);
            while at < high {
                let byte = words[at as usize][depth as usize];
                let to = narrow(&words, at, high, depth, byte).1;
                if to - at >= MANY {
                    texts.push_back(self.derive(text, byte)?);
                }
                at = to;
            }
        }
        Ok(())
    }
}

/// A text on its way down a trie.
struct Speller<'a> {
    reach: &'a mut WalkResult,
    trie: &'a Trie,
    start: u32,
    /// Whether it is spelled as the rest of a JSON string.
    quoted: bool,
}

impl WalkResult {
    /// Everything below a node within one head, if it is one of a few texts and each is spelled in one way.
    pub fn spell(&mut self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<bool> {
        let (text, state) = match *arena.term(head) {
            Term::Quoted { text, state: state @ (Spelling::Start | Spelling::Body), free: false } => {
                (text, Some(state))
            }
            _ => (head, None),
        };
        let quoted = state.is_some();
        match *arena.term(text) {
            Term::Literal { literal, position } => {
                let data = arena.terms.literals[literal as usize].clone();
                let mut speller = Speller { reach: self, trie, start: node, quoted };
                if let Some(node) = speller.opened(node, state) {
                    speller.text(node, &data[position as usize..]);
                }
            }
            Term::Words { set, low, high, depth } => {
                let words = arena.terms.word_sets[set as usize].words.clone();
                let mut speller = Speller { reach: self, trie, start: node, quoted };
                if let Some(node) = speller.opened(node, state) {
                    let words = Words { words: &words[low as usize..high as usize], depth: depth as usize };
                    speller.words(arena, node, words)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Speller<'_> {
    /// Behind the opening quote, if it is still to come.
    fn opened(&mut self, node: u32, state: Option<Spelling>) -> Option<u32> {
        match state {
            Some(Spelling::Start) => self.follow(node, b"\""),
            _ => Some(node),
        }
    }

    /// Where a text leads from a node. The tokens that end on the way are inside.
    fn follow(&mut self, mut node: u32, text: &[u8]) -> Option<u32> {
        for &byte in text {
            node = self.trie.child(node, byte)?;
            self.reach.take(self.trie.tokens_at(node));
        }
        Some(node)
    }

    /// The same for a byte as it is spelled.
    fn byte(&mut self, node: u32, byte: u8) -> Option<u32> {
        match escape(byte).filter(|_| self.quoted) {
            Some(escape) => self.follow(node, escape.as_bytes()),
            None => self.follow(node, &[byte]),
        }
    }

    fn end(&mut self, node: u32) {
        let end = if self.quoted { self.follow(node, b"\"") } else { Some(node) };
        self.reach.exits.extend(end);
    }

    fn text(&mut self, node: u32, text: &[u8]) {
        if let Some(node) = text.iter().try_fold(node, |node, &byte| self.byte(node, byte)) {
            self.end(node);
        }
    }

    fn words(&mut self, arena: &mut Arena, node: u32, words: Words) -> Result<()> {
        arena.spend(1)?;
        let (first, mut rest) = match words.words {
            [] => return Ok(()),
            [word] => {
                self.text(node, &word[words.depth..]);
                return Ok(());
            }
            [first, rest @ ..] => (first, rest),
        };
        if first.len() > words.depth {
            rest = words.words;
        } else if self.quoted || node != self.start {
            // A head that is at an end before it reads anything is its caller's matter.
            self.end(node);
        }
        // Many words have begun like a long token, and few tokens go on.
        while let Some(word) = rest.first().filter(|_| self.trie.end(node) > node + 1) {
            let byte = word[words.depth];
            let (here, after) = rest.split_at(rest.partition_point(|word| word[words.depth] == byte));
            rest = after;
            if let Some(child) = self.byte(node, byte) {
                self.words(arena, child, Words { words: here, depth: words.depth + 1 })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::term::EMPTY;

    /// The same by derivatives.
    fn derived(arena: &mut Arena, trie: &Trie, node: u32, head: TermId, reach: &mut WalkResult) {
        for (byte, child) in trie.children(node) {
            let next = arena.derive(head, byte).unwrap();
            if next != EMPTY {
                reach.tokens.extend_from_slice(trie.tokens_at(child));
                if arena.info(next).nullable {
                    reach.exits.push(child);
                }
                derived(arena, trie, child, next, reach);
            }
        }
    }

    fn sorted(reach: WalkResult) -> (Vec<u32>, Vec<u32>) {
        let WalkResult { mut tokens, mut exits, .. } = reach;
        tokens.sort_unstable();
        tokens.dedup();
        exits.sort_unstable();
        (tokens, exits)
    }

    #[test]
    fn spelled_and_derived_agree() {
        let words = ["", "a", "ab", "abc", "b\"c", "b\\", "\n", "\nx", "\u{1}", "\u{1f}b", "c/d", "é", "éa", "~"];
        let texts = [
            "a",
            "ab",
            "abc",
            "abc\"",
            "\"",
            "\",",
            "\"a",
            "\"\"",
            "\"ab\"]",
            "\\",
            "\\n",
            "\\nx\"",
            "\\u",
            "\\u0",
            "\\u001",
            "\\u0001\"",
            "\\u001f",
            "\\u001F",
            "\\\"",
            "b\\\"",
            "b\\\"c\"}",
            "b\\\\\"",
            "c/",
            "\\/",
            "c/d\"",
            "\n",
            "\u{1}",
            "é",
            "éa\"",
            "~\" ",
            "b",
            "c",
            "x",
        ];
        let trie = Trie::new(0..texts.len() as u32, |id| texts[id as usize].as_bytes());
        let mut arena = Arena::new();
        let all: Vec<Box<[u8]>> = words.iter().map(|word| word.as_bytes().into()).collect();
        let mut heads = vec![arena.words(all).unwrap()];
        for word in words {
            heads.push(arena.literal(word.as_bytes()).unwrap());
        }
        for text in heads.clone() {
            for state in [Spelling::Start, Spelling::Body] {
                heads.push(arena.quoted_state(text, state, false).unwrap());
            }
        }
        let mut spelled = 0;
        for head in heads {
            let mut reach = WalkResult::default();
            if reach.spell(&mut arena, &trie, 0, head).unwrap() {
                let mut other = WalkResult::default();
                derived(&mut arena, &trie, 0, head, &mut other);
                assert_eq!(sorted(reach), sorted(other), "{:?}", arena.term(head));
                spelled += 1;
            }
        }
        assert!(spelled > 20);
    }
}
