//! Head that reads one of finitely many texts → its tokens and exits, by following the texts along the trie.
//!
//! A walk by derivatives would make a term for every prefix of every text, and no other code would use these terms.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::accelerate::Accelerators;
use crate::mask::head_mask::HeadMask;
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::derivative::narrow;
use crate::regular::json_string::escape;
use crate::regular::term::{Escapes, Spelling, Term, TermId};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

use std::collections::VecDeque;

/// Sorted words with a common prefix of `depth` bytes.
#[derive(Clone, Copy)]
struct Words<'a> {
    words: &'a [Box<[u8]>],
    depth: usize,
}

/// Words of a set whose masks are computed when the grammar is compiled: each takes longer than a mask may. Chosen without
/// measurement.
const LARGE: u32 = 4_096;

/// A prefix of a large set is prepared if at least this many words have it. Chosen without measurement.
const MANY: u32 = 1_000;

/// How often preparation may visit each word of a set. Chosen without measurement.
const VISITS: u32 = 4;

/// Compute the head masks of large sets of words ahead of the first matcher that needs them.
pub(crate) fn prepare(arena: &mut Arena, shared: &SharedMasks) -> Result<()> {
    if !Accelerators::on().literals
        || !(0..arena.terms.word_sets.len()).any(|set| arena.terms.word_sets[set].words.len() >= LARGE as usize)
    {
        return Ok(());
    }
    let terms = (0..arena.len() as u32).map(TermId::new);
    let is_large = |term: &Term| matches!(*term, Term::Words { low, high, .. } if high - low >= LARGE);
    let mut roots: Vec<(TermId, bool)> = Vec::new();
    for term in terms {
        match *arena.term(term) {
            Term::Quoted { text, escapes: Escapes::CANONICAL, .. } if is_large(arena.term(text)) => {
                roots.push((text, true))
            }
            Term::Words { .. } if is_large(arena.term(term)) => roots.push((term, false)),
            _ => {}
        }
    }
    // Words that some term quotes occur unquoted only as a part of that term.
    roots.sort_unstable();
    roots.dedup();
    for place in 0..roots.len() {
        let (text, quoted) = roots[place];
        if quoted || !roots.contains(&(text, true)) {
            prepare_words(arena, shared, text, quoted)?;
        }
    }
    Ok(())
}

fn prepare_words(arena: &mut Arena, shared: &SharedMasks, text: TermId, quoted: bool) -> Result<()> {
    let mut visits = None;
    let mut texts = VecDeque::from([text]);
    while let Some(text) = texts.pop_front() {
        let Term::Words { set, low, high, depth } = *arena.term(text) else { continue };
        let visits = visits.get_or_insert((high - low).saturating_mul(VISITS));
        *visits = visits.saturating_sub(high - low);
        if high - low < MANY || *visits == 0 {
            continue;
        }
        let head = if quoted { arena.quoted_state(text, Spelling::Body, false)? } else { text };
        let hash = arena.info(head).hash;
        if shared.head_masks.get(hash).is_none() {
            let mut walked = WalkResult::new(&shared.vocabulary);
            if walked.walk_literals(arena, &shared.vocabulary.trie, NodeId::ROOT, head)? {
                let head_mask = HeadMask::from_walk(arena, walked, shared, false)?;
                let bytes = head_mask.memory_bytes();
                arena.budget.grow_shared(bytes)?;
                shared.head_masks.put(hash, head_mask, bytes);
            }
        }
        let words = arena.terms.word_sets[set.index()].words.clone();
        let mut at = low + u32::from(words[low as usize].len() == depth as usize);
        while at < high {
            let byte = words[at as usize][depth as usize];
            let to = narrow(&words, at, high, depth, byte).1;
            if to - at >= MANY {
                texts.push_back(arena.derive(text, byte)?);
            }
            at = to;
        }
    }
    Ok(())
}

/// A walk of texts along a trie.
struct LiteralWalk<'a> {
    walked: &'a mut WalkResult,
    trie: &'a Trie,
    start: NodeId,
    /// Whether texts are spelled as the rest of a JSON string.
    quoted: bool,
}

impl WalkResult {
    /// Add the tokens below a node that stay inside a head, if the head reads one of finitely many texts with one spelling
    /// each; false, with nothing added, for other heads.
    pub fn walk_literals(&mut self, arena: &mut Arena, trie: &Trie, node: NodeId, head: TermId) -> Result<bool> {
        if !Accelerators::on().literals {
            return Ok(false);
        }
        let (text, state) = match *arena.term(head) {
            Term::Quoted { text, state: state @ (Spelling::Start | Spelling::Body), escapes: Escapes::CANONICAL } => {
                (text, Some(state))
            }
            _ => (head, None),
        };
        let quoted = state.is_some();
        match *arena.term(text) {
            Term::Literal { literal, position } => {
                let data = arena.terms.literals[literal.index()].clone();
                let mut walk = LiteralWalk { walked: self, trie, start: node, quoted };
                if let Some(node) = walk.opened(node, state) {
                    walk.text(node, &data[position as usize..]);
                }
            }
            Term::Words { set, low, high, depth } => {
                let words = arena.terms.word_sets[set.index()].words.clone();
                let mut walk = LiteralWalk { walked: self, trie, start: node, quoted };
                if let Some(node) = walk.opened(node, state) {
                    let words = Words { words: &words[low as usize..high as usize], depth: depth as usize };
                    walk.words(arena, node, words)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl LiteralWalk<'_> {
    /// The node behind the opening quote, if that was not read yet.
    fn opened(&mut self, node: NodeId, state: Option<Spelling>) -> Option<NodeId> {
        match state {
            Some(Spelling::Start) => self.follow(node, b"\""),
            _ => Some(node),
        }
    }

    /// The node after a text. Tokens that end on the path are added.
    fn follow(&mut self, mut node: NodeId, text: &[u8]) -> Option<NodeId> {
        for &byte in text {
            node = self.trie.child(node, byte)?;
            self.walked.take(self.trie.tokens_at(node));
        }
        Some(node)
    }

    /// The node after a byte, escaped where a JSON string requires that.
    fn byte(&mut self, node: NodeId, byte: u8) -> Option<NodeId> {
        match escape(byte).filter(|_| self.quoted) {
            Some(escape) => self.follow(node, escape.as_bytes()),
            None => self.follow(node, &[byte]),
        }
    }

    fn end(&mut self, node: NodeId) {
        let end = if self.quoted { self.follow(node, b"\"") } else { Some(node) };
        self.walked.exits.extend(end);
    }

    fn text(&mut self, node: NodeId, text: &[u8]) {
        if let Some(node) = text.iter().try_fold(node, |node, &byte| self.byte(node, byte)) {
            self.end(node);
        }
    }

    fn words(&mut self, arena: &mut Arena, node: NodeId, words: Words) -> Result<()> {
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
            // The start itself is no exit: the caller knows whether the head may be empty.
            self.end(node);
        }
        // Many words share a long prefix, but few tokens go on there: stop where none does.
        while let Some(word) = rest.first().filter(|_| self.trie.has_children(node)) {
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
    use crate::mask::walk::tests::{derived, everything};

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
            let mut walked = WalkResult::default();
            if walked.walk_literals(&mut arena, &trie, NodeId::ROOT, head).unwrap() {
                let mut other = WalkResult::default();
                derived(&mut arena, &trie, NodeId::ROOT, head, &mut other);
                assert_eq!(everything(walked), everything(other), "{:?}", arena.term(head));
                spelled += 1;
            }
        }
        assert!(spelled > 20);
    }
}
