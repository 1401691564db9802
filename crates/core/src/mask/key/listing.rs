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
        // Tokens that end an item of a unique array must be noted (`draft`): a lookahead does not.
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
