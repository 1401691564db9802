//! Frame × exits → the tokens that, below the exits, go on with the continuations of the frame.
//!
//! A programming language has many operators and rules behind each name. A walk follows them frame by frame, and each
//! depth of nesting has frames of its own. A lookahead is cached by rule instead, so a new depth finds it known.

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::error::Result;
use crate::mask::accelerate::Accelerators;
use crate::mask::composer::Composer;
use crate::mask::exits::{Exits, Group};
use crate::mask::key::builder::KeyBuilder;
use crate::mask::key::{Lookahead, DEPTH};
use crate::mask::walk_cache::TrieView;
use crate::regular::term::{Term, TermId};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::WordLists;

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
        let found = KeyBuilder { machine, follow_bytes, parts, shared }.tokens_behind(frame, &exits, DEPTH)?;
        let Some(tokens) = found else { return Ok(false) };
        tokens.lists().iter().for_each(|words| self.add(words));
        Ok(true)
    }
}

impl KeyBuilder<'_> {
    /// The tokens below listed exits that go on with the continuations of a frame. None if no lookahead lists them.
    fn tokens_behind(&mut self, frame: FrameId, exits: &Exits, depth: u32) -> Result<Option<WordLists>> {
        if exits.is_nowhere() || frame == BOTTOM {
            return Ok(Some(WordLists::default()));
        }
        let key = (frame, exits.key());
        if let Some(known) = self.parts.lookaheads.listed.get(&key) {
            return Ok(known.clone());
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        let mut all = Some(WordLists::default());
        for at in 0..self.machine.members(frame).len() {
            let (term, parent) = self.machine.members(frame)[at];
            let Some(Lookahead { tokens, ends, .. }) = self.lookahead(term, exits, depth)? else {
                all = None;
                break;
            };
            let behind = self.tokens_behind(parent, &ends, depth)?;
            all = WordLists::union(WordLists::union(all, tokens), behind);
            self.machine.arena.spend(1 + all.as_ref().map_or(0, WordLists::len))?;
        }
        self.machine.arena.budget.grow(72 + all.as_ref().map_or(0, WordLists::memory_bytes));
        self.parts.lookaheads.listed.insert(key, all.clone());
        Ok(all)
    }
}
