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
    use crate::mask::fixture::{node, shared_masks, Scene};

    fn hash_behind(scene: &mut Scene, frame: FrameId, exits: &Exits) -> Option<u128> {
        scene.keys().lookahead_behind(frame, exits, DEPTH).unwrap().map(|found| found.hash)
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
        let [one, other, both, deep] = frames.map(|frame| hash_behind(&mut scene, frame, &at).unwrap());
        assert_eq!(both, one.wrapping_add(other));
        assert!(one != other && deep != one, "abd reads the frame below");
        let held = scene.machine.memory_bytes();
        assert_eq!(hash_behind(&mut scene, frames[3], &at), Some(deep));
        assert_eq!(scene.machine.memory_bytes(), held, "known");
    }
}
