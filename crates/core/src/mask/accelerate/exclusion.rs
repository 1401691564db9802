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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{node, shared_masks};
    use crate::regular::key_set::NO_KEYS;

    fn all_but(arena: &mut Arena, excluded: TermId) -> TermId {
        let (any, others) = (arena.any_text().unwrap(), arena.not(excluded).unwrap());
        arena.and(vec![any, others]).unwrap()
    }

    fn words(arena: &mut Arena, texts: &[&str]) -> TermId {
        arena.words(texts.iter().map(|text| text.as_bytes().into()).collect()).unwrap()
    }

    #[test]
    fn a_string_with_excluded_texts_is_the_string_without_them() {
        let mut arena = Arena::new();
        let few = words(&mut arena, &["ab", "cd"]);
        let text = all_but(&mut arena, few);
        let any = arena.any_text().unwrap();
        for state in [Spelling::Start, Spelling::Body] {
            let [head, relaxed] = [text, any].map(|text| arena.quoted_state(text, state, false).unwrap());
            let exclusion = Exclusion::of(&mut arena, head).unwrap().unwrap();
            assert_eq!((exclusion.relaxed, &exclusion.excluded[..]), (relaxed, &[few][..]));
            assert!(exclusion.plain && exclusion.opened == (state == Spelling::Body));
            let free = arena.quoted_state(text, state, true).unwrap();
            assert!(!Exclusion::of(&mut arena, free).unwrap().unwrap().plain, "several spellings");
            assert!(Exclusion::of(&mut arena, relaxed).unwrap().is_none());
        }
        let inside = arena.quoted_state(text, Spelling::Escape, false).unwrap();
        assert!(Exclusion::of(&mut arena, inside).unwrap().is_none());
        assert!(Exclusion::of(&mut arena, text).unwrap().is_none(), "no string");
    }

    #[test]
    fn a_text_of_few_bytes_or_without_end_is_no_plain_exclusion() {
        let mut arena = Arena::new();
        let few = words(&mut arena, &["ab", "abc"]);
        let others = arena.not(few).unwrap();
        let mut of = |high, most| {
            let class = arena.class(ByteSet::range(b'a', high)).unwrap();
            let text = arena.repeat(class, 0, most).unwrap();
            let text = arena.and(vec![text, others]).unwrap();
            let head = arena.quoted_state(text, Spelling::Body, false).unwrap();
            Exclusion::of(&mut arena, head).unwrap().map(|exclusion| exclusion.plain)
        };
        let many = crate::regular::term::MANY;
        // 20 letters are enough for a walk to be slow.
        assert_eq!([of(b's', many), of(b't', many)], [None, Some(true)]);
        assert_eq!(of(b't', 5), Some(false), "the exclusion may leave a prefix dead");
        let x = arena.literal(b"x").unwrap();
        let any = arena.any_text().unwrap();
        let endless = arena.cat(x, any).unwrap();
        let text = all_but(&mut arena, endless);
        let head = arena.quoted_state(text, Spelling::Body, false).unwrap();
        assert!(Exclusion::of(&mut arena, head).unwrap().is_none(), "infinitely many texts");
    }

    #[test]
    fn excluded_texts_end_where_the_trie_has_their_closing_quotes() {
        let shared = shared_masks(&["ab\"", "\"ab\"x", "\"cd", "\\\"\"", "b\"", "\"\"", "\""]);
        let trie = &shared.vocabulary.trie;
        let mut arena = Arena::new();
        let mut ends = |make: &dyn Fn(&mut Arena) -> TermId, state, free| {
            let excluded = make(&mut arena);
            let text = all_but(&mut arena, excluded);
            let head = arena.quoted_state(text, state, free).unwrap();
            let exclusion = Exclusion::of(&mut arena, head).unwrap().unwrap();
            let mut nodes = Vec::new();
            let known = exclusion.ends_of_excluded(&arena, trie, &mut nodes);
            let mut texts: Vec<_> = nodes.iter().map(|&node| String::from_utf8(trie.path(node)).unwrap()).collect();
            texts.sort_unstable();
            (known, texts.join(" "))
        };
        let three = |arena: &mut Arena| words(arena, &["ab", "cd", "\""]);
        assert_eq!(
            ends(&three, Spelling::Body, false),
            (true, "\\\"\" ab\"".into()),
            "a quote is spelled with an escape"
        );
        assert_eq!(ends(&three, Spelling::Start, false), (true, "\"ab\"".into()), "no token ends cd");
        assert_eq!(ends(&three, Spelling::Body, true), (false, String::new()));
        let class = |arena: &mut Arena| arena.class(ByteSet::range(b'b', b'c')).unwrap();
        assert_eq!(ends(&class, Spelling::Body, false), (true, "b\"".into()));
        let literal = |arena: &mut Arena| arena.literal(b"ab").unwrap();
        assert_eq!(ends(&literal, Spelling::Body, false), (true, "ab\"".into()));
        let keys = |arena: &mut Arena| {
            let all = [&b""[..], b"ab", b"b", b"zz"];
            let with = |set, key: &&[u8]| arena.terms.keys.with(set, key, &mut arena.terms.budget);
            let set = all.iter().fold(NO_KEYS, with);
            arena.key_set(set).unwrap()
        };
        assert_eq!(ends(&keys, Spelling::Body, false), (true, "\" ab\" b\"".into()));
        assert_eq!(ends(&keys, Spelling::Start, false), (true, "\"\" \"ab\"".into()));
    }

    #[test]
    fn a_trie_without_quotes_has_no_end_of_a_string() {
        let shared = shared_masks(&["ab", "c"]);
        let mut arena = Arena::new();
        let few = words(&mut arena, &["ab", "c"]);
        let text = all_but(&mut arena, few);
        let head = arena.quoted_state(text, Spelling::Start, false).unwrap();
        let exclusion = Exclusion::of(&mut arena, head).unwrap().unwrap();
        let mut nodes = Vec::new();
        assert!(exclusion.ends_of_excluded(&arena, &shared.vocabulary.trie, &mut nodes) && nodes.is_empty());
        assert_eq!(follow(&shared.vocabulary.trie, NodeId::ROOT, b"ab"), Some(node(&shared, "ab")));
    }

    #[test]
    fn strings_differ_from_others_behind_the_first_bytes_of_what_they_exclude() {
        let mut arena = Arena::new();
        let few = words(&mut arena, &["ab", "cd"]);
        let text = all_but(&mut arena, few);
        let mut of = |text, state| {
            let head = arena.quoted_state(text, state, false).unwrap();
            differing_bytes(&mut arena, head).map(|bytes| bytes.iter().collect::<Vec<_>>())
        };
        assert_eq!(of(text, Spelling::Body), Some(b"\"\\ac".to_vec()));
        assert_eq!(of(text, Spelling::Start), of(text, Spelling::Body));
        assert_eq!(of(text, Spelling::Escape), None);
        let any = arena.any_text().unwrap();
        let head = arena.quoted_state(any, Spelling::Body, false).unwrap();
        assert!(differing_bytes(&mut arena, head).is_none() && differing_bytes(&mut arena, any).is_none());
    }
}
