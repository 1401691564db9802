//! Frame × exits → the tokens that, below the exits, go on with the continuations of the frame.
//!
//! A programming language has many operators and rules behind each name. A walk follows them frame by frame, and each
//! depth of nesting has frames of its own. A lookahead is cached by rule instead, so a new depth finds it known.

use crate::automaton::frame::FrameId;
use crate::error::Result;
use crate::mask::accelerate::Accelerators;
use crate::mask::composer::Composer;
use crate::mask::exits::{Exits, Group};
use crate::mask::key::builder::KeyBuilder;
use crate::mask::key::DEPTH;
use crate::mask::walk_cache::TrieView;
use crate::regular::term::{Term, TermId};
use crate::vocabulary::id::NodeId;
use smallvec::smallvec;

impl Composer<'_> {
    /// Allow the tokens below exits that go on with what follows a head; false if no lookahead lists them.
    pub(in crate::mask) fn add_listed(
        &mut self,
        view: TrieView,
        exits: &[NodeId],
        head: TermId,
        frame: FrameId,
    ) -> Result<bool> {
        let Composer { machine, follow_bytes, shared, key_parts: parts, asks_lookaheads, .. } = self;
        let is_key = matches!(machine.arena.term(head), Term::KeyDone { .. } | Term::KeyExtra { .. });
        // Tokens that end an item of a unique array must be noted (`uncertain`): a lookahead does not.
        if !*asks_lookaheads || !Accelerators::on().listing || is_key || machine.frames.can_be_open() {
            return Ok(false);
        }
        let exits = Exits::new(smallvec![Group::new(view.merged.cloned(), exits)], true);
        let found = KeyBuilder { machine, follow_bytes, parts, shared }.lookahead_behind(frame, &exits, DEPTH)?;
        let Some(tokens) = found.and_then(|found| found.tokens) else { return Ok(false) };
        tokens.lists().iter().for_each(|words| self.add(words));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::ObjectRules;
    use crate::mask::fixture::{node, object, printable_and, shared_masks, taken, Scene};

    const TOKENS: [&str; 8] = ["a", "ab", "abc", "abd", "ax", "b", "bc", "abcd"];

    /// A rule of one literal, a frame that returns to it and then to `then`, and the tokens listed below the token a.
    fn listed(text: &str, then: &str) -> Option<Vec<u32>> {
        let shared = shared_masks(&TOKENS);
        let mut scene = Scene::new(&shared, |builder| builder.literal(b"b").unwrap());
        let [text, then] = [text, then].map(|text| scene.machine.arena.literal(text.as_bytes()).unwrap());
        let below = scene.frame(then);
        let frame = scene.machine.frames.of(&mut scene.machine.arena, vec![(text, below)]);
        let mut composer = scene.composer();
        let view = composer.shared.view();
        let at = [node(&shared, "a")];
        composer.add_listed(view, &at, text, frame).unwrap().then(|| taken(&mut composer))
    }

    #[test]
    fn tokens_go_on_with_what_a_frame_returns_to_and_with_the_frame_below() {
        assert_eq!(listed("b", "c"), Some(vec![1, 2]), "ab, and abc of both");
        assert_eq!(listed("b", "cd"), Some(vec![1, 2, 7]));
        assert_eq!(listed("x", "c"), Some(vec![4]));
        assert_eq!(listed("c", "b"), Some(vec![]), "no token goes on with c");
    }

    #[test]
    fn a_walk_finds_the_same_tokens() {
        let shared = shared_masks(&TOKENS);
        let mut scene = Scene::new(&shared, |builder| builder.literal(b"b").unwrap());
        let [b, c] = [b"b", b"c"].map(|text| scene.machine.arena.literal(text).unwrap());
        let below = scene.frame(c);
        let frame = scene.machine.frames.of(&mut scene.machine.arena, vec![(b, below), (c, below)]);
        let mut composer = scene.composer();
        let view = composer.shared.view();
        composer.walk_behind(view, &[node(&shared, "a")], b, frame).unwrap();
        let walked = taken(&mut composer);
        assert!(composer.add_listed(view, &[node(&shared, "a")], b, frame).unwrap());
        assert_eq!(taken(&mut composer), walked);
    }

    #[test]
    fn what_a_lookahead_hashes_only_is_not_listed() {
        let shared = printable_and(&["1}", "1,", "1,\""]);
        let mut scene = Scene::new(&shared, |builder| object(builder, &[], true, ObjectRules::default()));
        let (head, frame) = scene.head("{\"x\":");
        let mut composer = scene.composer();
        let view = composer.shared.view();
        assert!(!composer.add_listed(view, &[node(&shared, "1")], head, frame).unwrap(), "keys of objects");
    }

    #[test]
    fn a_composer_that_asks_no_lookaheads_lists_nothing() {
        let shared = shared_masks(&TOKENS);
        let mut scene = Scene::new(&shared, |builder| builder.literal(b"b").unwrap());
        let b = scene.machine.arena.literal(b"b").unwrap();
        let frame = scene.frame(b);
        let mut composer = scene.composer();
        let view = composer.shared.view();
        composer.asks_lookaheads = false;
        assert!(!composer.add_listed(view, &[node(&shared, "a")], b, frame).unwrap());
    }
}
