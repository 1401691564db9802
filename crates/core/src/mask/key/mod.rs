//! Position → cache key: positions with equal keys have equal masks, in one grammar or in two.
//!
//! The cache key mirrors the computation of the mask, with hashes in place of token sets. `builder` makes the keys,
//! `lookahead` hashes what tokens can observe behind a head, `object_lookahead` and `object_summary` do so for the states
//! of an object, and `saturated` for heads that count. `listing` takes tokens from lookaheads.

pub(crate) mod builder;
pub(crate) mod listing;
pub(crate) mod lookahead;
pub(crate) mod object_lookahead;
pub(crate) mod object_summary;
pub(crate) mod saturated;

use crate::mask::exits::Exits;
use crate::vocabulary::token_set::WordLists;

/// A key of a mask, or of a part of one. None if a hash cannot tell everything that the mask depends on.
pub(crate) type MaskKey = Option<u128>;

/// Terms within terms, and frames below frames, are followed to this depth; deeper positions get no key. Python's
/// expressions pass more than 64 on the way from an operand to one in brackets.
pub(crate) const DEPTH: u32 = 192;

/// A hash of what tokens can observe of a term below some nodes, and the nodes at which the term ends.
#[derive(Clone)]
pub(crate) struct Lookahead {
    pub(super) hash: u128,
    /// The tokens themselves; None if they are not listed, or if an object is part of them, whose keys are hashed only.
    pub(super) tokens: Option<WordLists>,
    pub(super) ends: Exits,
}

impl Lookahead {
    pub(super) fn nothing(ends: Exits) -> Self {
        Lookahead { hash: 0, tokens: Some(WordLists::default()), ends }
    }

    /// The lookahead of a union of the two terms.
    pub(super) fn and(self, other: Lookahead) -> Self {
        let Lookahead { hash, ends, .. } = other;
        let tokens = WordLists::union(self.tokens, other.tokens);
        Lookahead { hash: self.hash.wrapping_add(hash), tokens, ends: self.ends.union(ends) }
    }

    /// The lookahead of a concatenation; `next` is the lookahead of the second term below the ends of the first.
    pub(super) fn then(self, next: Lookahead) -> Self {
        let tokens = WordLists::union(self.tokens, next.tokens);
        Lookahead { hash: self.hash.wrapping_add(next.hash), tokens, ends: next.ends }
    }

    /// Steps of the budget to join this lookahead with another: its number of words and nodes.
    pub(super) fn size(&self) -> u64 {
        self.tokens.as_ref().map_or(0, WordLists::len) + self.ends.len() as u64
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Lookahead>() + self.tokens.as_ref().map_or(0, WordLists::memory_bytes) + self.ends.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::frame::{FrameId, BOTTOM};
    use crate::builder::ObjectRules;
    use crate::mask::fixture::{node, object, printable_and, shared_masks, Scene};
    use crate::mask::shared::SharedMasks;
    use crate::regular::id::ObjectId;
    use crate::regular::term::{Term, EPSILON};
    use crate::vocabulary::id::NodeId;
    use std::sync::Arc;

    #[test]
    fn alternatives_add_their_hashes_and_unite_their_ends() {
        let at = |node| Exits::at(NodeId::new(node));
        let one = Lookahead { hash: u128::MAX, ..Lookahead::nothing(at(1)) };
        let other = Lookahead { hash: 3, ..Lookahead::nothing(at(2)) };
        let (both, swapped) = (one.clone().and(other.clone()), other.and(one.clone()));
        assert_eq!((both.hash, both.ends.len()), (2, 2));
        assert_eq!((swapped.hash, swapped.ends.hash()), (2, both.ends.hash()));
        let same = one.clone().and(Lookahead::nothing(Exits::NOWHERE));
        assert_eq!((same.hash, same.ends.hash()), (one.hash, one.ends.hash()));
    }

    #[test]
    fn a_lookahead_counts_itself_and_its_ends() {
        let nowhere = Lookahead::nothing(Exits::NOWHERE);
        assert_eq!(nowhere.memory_bytes(), size_of::<Lookahead>());
        let ends = Exits::at(NodeId::new(1));
        let bytes = ends.memory_bytes();
        assert!(bytes > 0);
        assert_eq!(Lookahead::nothing(ends).memory_bytes(), size_of::<Lookahead>() + bytes);
    }

    /// The lookahead of the states of an object behind a comma's or a bracket's token.
    fn members(shared: &Arc<SharedMasks>, named: &[(&str, bool)], any: bool, text: &str) -> Option<u128> {
        let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
        let mut scene = Scene::new(shared, |builder| object(builder, named, any, rules));
        let (_, frame) = scene.head(text);
        hash_behind(&mut scene, frame, &Exits::at(node(shared, "1")), DEPTH)
    }

    fn hash_behind(scene: &mut Scene, frame: FrameId, exits: &Exits, depth: u32) -> Option<u128> {
        scene.keys().lookahead_behind(frame, exits, depth).unwrap().map(|found| found.hash)
    }

    #[test]
    fn an_object_is_known_by_whether_it_may_close_and_how_keys_begin() {
        let shared = printable_and(&["1}", "1,", "1,\"", "1,\"a"]);
        let open = members(&shared, &[], true, "{\"x\":").unwrap();
        assert_eq!(members(&shared, &[], true, "{\"x\":1,\"y\":"), Some(open), "what came is not seen");
        assert_eq!(members(&shared, &[("b", false)], true, "{\"b\":"), Some(open), "no token reads the name");
        let must = members(&shared, &[("b", true)], true, "{\"x\":").unwrap();
        assert_ne!(must, open, "it may not close");
        let [a, b, c] =
            ["a", "b", "c"].map(|name| members(&shared, &[("x", false), (name, false)], false, "{\"x\":").unwrap());
        assert_eq!(b, c, "no token reads these names");
        assert!(a != b && a != open && b != open);
        let last = members(&shared, &[("x", false)], false, "{\"x\":").unwrap();
        assert!(last != a && last != b, "nothing more may come");
    }

    #[test]
    fn what_is_too_deep_has_no_key() {
        let shared = shared_masks(&["a", "ab"]);
        let mut scene = Scene::new(&shared, |builder| builder.literal(b"b").unwrap());
        let (head, _) = scene.head("");
        let frame = scene.frame(head);
        let at = Exits::at(node(&shared, "a"));
        let mut of = |depth| {
            let alone = scene.keys().lookahead(head, &at, depth).unwrap().is_some();
            (alone, scene.keys().lookahead_behind(frame, &at, depth).unwrap().is_some())
        };
        assert_eq!([of(0), of(1)], [(false, false), (true, false)]);
        // The scene has cached that this frame is too deep; with empty caches, the frame gets its lookahead.
        scene.parts = Default::default();
        assert!(scene.keys().lookahead_behind(frame, &at, 2).unwrap().is_some());
        for depth in [0, 5] {
            assert_eq!(hash_behind(&mut scene, BOTTOM, &at, depth), Some(0), "nothing is below");
            assert_eq!(hash_behind(&mut scene, frame, &Exits::NOWHERE, depth), Some(0));
            assert!(scene.keys().lookahead(EPSILON, &at, depth).unwrap().is_some());
        }
    }

    #[test]
    fn a_frame_is_all_that_it_returns_to() {
        let shared = shared_masks(&["a", "ab", "ac", "abd"]);
        let mut scene = Scene::new(&shared, |builder| builder.literal(b"b").unwrap());
        let [b, c, d] = [b"b", b"c", b"d"].map(|text| scene.machine.arena.literal(text).unwrap());
        let below = scene.frame(d);
        let mut frame = |members: Vec<_>| scene.machine.frames.of(&mut scene.machine.arena, members);
        let frames = [vec![(b, BOTTOM)], vec![(c, BOTTOM)], vec![(b, BOTTOM), (c, BOTTOM)], vec![(b, below)]];
        let frames = frames.map(&mut frame);
        let at = Exits::at(node(&shared, "a"));
        let [one, other, both, deep] = frames.map(|frame| hash_behind(&mut scene, frame, &at, DEPTH).unwrap());
        assert_eq!(both, one.wrapping_add(other));
        assert!(one != other && deep != one, "abd reads the frame below");
        let held = scene.machine.memory_bytes();
        assert_eq!(hash_behind(&mut scene, frames[3], &at, DEPTH), Some(deep));
        assert_eq!(scene.machine.memory_bytes(), held, "known");
    }

    #[test]
    fn no_token_of_text_passes_a_special_token() {
        let shared = shared_masks(&["a", "ab"]);
        let mut scene = Scene::new(&shared, |builder| builder.literal(b"b").unwrap());
        let arena = &mut scene.machine.arena;
        let special = arena.special(crate::regular::id::SpecialId::new(0)).unwrap();
        let b = arena.literal(b"b").unwrap();
        let then_b = arena.seq(special, b).unwrap();
        let at = Exits::at(node(&shared, "a"));
        for term in [special, then_b] {
            let found = scene.keys().lookahead(term, &at, DEPTH).unwrap().unwrap();
            assert!(found.hash == 0 && found.ends.is_nowhere());
        }
    }

    #[test]
    fn each_place_of_an_object_is_seen_by_its_own_tokens() {
        let shared = printable_and(&["x{\"", "x{}", "x\"", "x,\"", "x}"]);
        let mut whole = EPSILON;
        let mut scene = Scene::new(&shared, |builder| {
            whole = object(builder, &[], true, ObjectRules::default());
            whole
        });
        let (object, arena) = (ObjectId::new(0), &mut scene.machine.arena);
        let state = arena.first_state(object);
        let terms = [Term::ObjectKey { object, state }, Term::ObjectNext { object, state }];
        let [key, next] = terms.map(|term| arena.object_term(term).unwrap());
        let exits = Exits::at(node(&shared, "x"));
        let hashes = [whole, key, next].map(|term| scene.keys().lookahead(term, &exits, DEPTH).unwrap().unwrap().hash);
        assert!(!hashes.contains(&0) && hashes[0] != hashes[1] && hashes[0] != hashes[2] && hashes[1] != hashes[2]);
    }
}
