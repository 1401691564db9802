//! Texts × trie → the nodes to which the texts lead, without a term per prefix.
//!
//! `literals` collects the tokens of one head; this file only finds nodes, for the composer and for keys of masks.

use crate::error::Result;
use crate::regular::arena::Terms;
use crate::regular::json_string::escape;
use crate::regular::term::{Escapes, Spelling, Term, TermId, EPSILON};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;
use smallvec::{smallvec, SmallVec};

/// The bytes of a text with one spelling.
pub(crate) type SingleText = SmallVec<[u8; 64]>;

/// Bytes of a single text at most; a head of a longer text is treated as any other head. Chosen without measurement.
const LONGEST_TEXT: usize = 256;

impl Terms {
    /// The text of a head that reads exactly one text with one spelling.
    pub(crate) fn single_text(&self, head: TermId) -> Option<SingleText> {
        let (text, state) = match *self.term(head) {
            Term::Quoted { text, state: state @ (Spelling::Start | Spelling::Body), escapes: Escapes::CANONICAL } => {
                (text, state)
            }
            _ => return self.bare_text(head),
        };
        let mut spelled = SingleText::new();
        if state == Spelling::Start {
            spelled.push(b'"');
        }
        let bare = if text == EPSILON { SingleText::new() } else { self.bare_text(text)? };
        for byte in bare {
            match escape(byte) {
                Some(escape) => spelled.extend_from_slice(escape.as_bytes()),
                None => spelled.push(byte),
            }
        }
        spelled.push(b'"');
        Some(spelled)
    }

    fn bare_text(&self, id: TermId) -> Option<SingleText> {
        match *self.term(id) {
            Term::Literal { literal, position } => {
                let rest = &self.literals[literal.index()][position as usize..];
                (rest.len() <= LONGEST_TEXT).then(|| SingleText::from_slice(rest))
            }
            Term::Class(set) if set.len() == 1 => Some(smallvec![set.iter().next()?]),
            _ => None,
        }
    }
}

/// Walk the trie from a node along sorted texts of which `depth` bytes are read. `enter` gets each node, the texts that
/// lead through it and the bytes read of them; it returns whether to go on below.
pub(crate) fn walk_along<T>(
    trie: &Trie,
    node: NodeId,
    texts: &[T],
    depth: usize,
    bytes: &impl Fn(&T) -> &[u8],
    enter: &mut impl FnMut(NodeId, &[T], usize) -> Result<bool>,
) -> Result<()> {
    if let [text] = texts {
        let mut place = node;
        for (at, &byte) in bytes(text).iter().enumerate().skip(depth) {
            match trie.child(place, byte) {
                Some(child) => place = child,
                None => break,
            }
            if !enter(place, texts, at + 1)? || !trie.has_children(place) {
                break;
            }
        }
        return Ok(());
    }
    let at = |text: &T| bytes(text).get(depth).copied();
    let mut rest = texts;
    while let Some(first) = rest.first() {
        let Some(byte) = at(first) else {
            rest = &rest[1..];
            continue;
        };
        let (here, after) = rest.split_at(rest.partition_point(|text| at(text) == Some(byte)));
        rest = after;
        if let Some(child) = trie.child(node, byte) {
            if enter(child, here, depth + 1)? && trie.has_children(child) {
                walk_along(trie, child, here, depth + 1, bytes, enter)?;
            }
        }
    }
    Ok(())
}

/// Walks the trie from its root along one text after the other; a prefix shared with the text before is not walked again.
pub(crate) struct TriePath<'a> {
    trie: &'a Trie,
    before: &'a [u8],
    /// For each byte of `before`, as far as tokens read it: the node, and the last node so far at which a token ends.
    path: SmallVec<[(NodeId, NodeId); 32]>,
}

impl<'a> TriePath<'a> {
    /// At the root of a trie.
    pub fn new(trie: &'a Trie) -> Self {
        TriePath { trie, before: &[], path: SmallVec::new() }
    }

    /// The last node on the path of a text at which a token ends (0: none), and the node after the whole text.
    pub fn read(&mut self, text: &'a [u8]) -> (NodeId, Option<NodeId>) {
        let common = self.before.iter().zip(text).take_while(|(one, other)| one == other).count();
        self.path.truncate(common);
        self.before = text;
        let (mut node, mut last) = self.path.last().copied().unwrap_or_default();
        // If tokens left the text before within the shared prefix, they leave this one there, too.
        if self.path.len() == common {
            for &byte in &text[common..] {
                let Some(child) = self.trie.child(node, byte) else { break };
                node = child;
                if !self.trie.tokens_at(node).is_empty() {
                    last = node;
                }
                self.path.push((node, last));
            }
        }
        (last, (self.path.len() == text.len()).then_some(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::shared::SharedMasks;
    use crate::regular::arena::Arena;
    use crate::vocabulary::vocabulary::Vocabulary;

    #[test]
    fn texts_lead_as_far_as_each_of_them_alone() {
        let tokens = ["a", "ab", "abcd", "b", "bcdef", "bcx"].map(|text| Some(text.as_bytes().into()));
        let shared = SharedMasks::of(Vocabulary::new(tokens.to_vec(), vec![], vec![], 6).unwrap());
        let trie = &shared.vocabulary.trie;
        let node = |text: &str| trie.find(NodeId::ROOT, text.as_bytes());
        let mut path = TriePath::new(trie);
        for (text, last, whole) in [
            ("", "", true),
            ("a", "a", true),
            ("abc", "ab", true),
            ("abce", "ab", false),
            ("abcezz", "ab", false),
            ("abcf", "ab", false),
            ("abcd", "abcd", true),
            ("abcde", "abcd", false),
            ("abcde", "abcd", false),
            ("ac", "a", false),
            ("bcde", "b", true),
            ("bcd", "b", true),
            ("bcy", "b", false),
            ("zz", "", false),
            ("zzz", "", false),
            ("ab", "ab", true),
        ] {
            let wanted = (node(last).unwrap(), whole.then(|| node(text).unwrap()));
            assert_eq!(path.read(text.as_bytes()), wanted, "{text:?}");
            assert_eq!(TriePath::new(trie).read(text.as_bytes()), wanted, "{text:?} alone");
        }
    }

    #[test]
    fn the_single_text_of_a_string_is_what_it_matches() {
        let mut arena = Arena::new();
        for text in ["", "a", "tool", "a\"b\\c/\u{1}\n", "é€😀"] {
            let literal = arena.literal(text.as_bytes()).unwrap();
            for state in [Spelling::Start, Spelling::Body] {
                let head = arena.quoted_state(literal, state, false).unwrap();
                let spelled = arena.terms.single_text(head).unwrap();
                assert!(arena.matches(head, &spelled).unwrap(), "{text:?} {state:?}");
                let free = arena.quoted_state(literal, state, true).unwrap();
                assert!(arena.terms.single_text(free).is_none(), "{text:?} may be spelled in several ways");
            }
        }
    }
}
