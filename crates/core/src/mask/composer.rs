//! Heads of a position × trie → the tokens that may come next, collected into one mask.
//!
//! At each exit of a head the walk goes on with what the frame returns to. Walks below a node are cached (`WalkCache`).

use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::Position;
use crate::error::Result;
use crate::json::object::Narrowed;
use crate::mask::accumulator::Accumulator;
use crate::mask::head_mask::HeadMask;
use crate::mask::key::builder::KeyParts;
use crate::mask::shared::SharedMasks;
use crate::mask::walk_cache::TrieView;
use crate::regular::id::{ObjectId, ObjectStateId};
use crate::regular::term::{Term, TermId, Text, EMPTY, EPSILON};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::Words;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// After this many walks for one mask, the composer looks for repeated walks, which few masks have, and for lookaheads,
/// which would take longer than they save for fewer walks. Chosen without measurement.
const FEW_WALKS: usize = 64;

/// Heads with fewer first bytes are walked to find the tokens that depend on the values that came; for others all tokens
/// count. Chosen without measurement.
const FEW_FIRST_BYTES: u32 = 24;

/// Nodes of a subtrie below which a walk takes less time than a look-up of its result. Chosen without measurement.
const CACHED_FROM: u32 = 12;

/// Collects one mask.
pub(crate) struct Composer<'a> {
    /// The automaton of the grammar.
    pub machine: &'a mut Machine,
    /// The FOLLOW sets of the machine's frames.
    pub follow_bytes: &'a mut FollowBytes,
    /// The vocabulary, and the caches that its grammars share.
    pub shared: &'a SharedMasks,
    /// The lookaheads found so far.
    pub key_parts: KeyParts,
    /// Whether lookaheads that list their tokens replace walks.
    pub asks_lookaheads: bool,
    /// Tokens allowed or refused one by one.
    pub accumulator: Accumulator,
    /// Tokens that the parts of the mask may answer wrongly: `resolve` reads each with the automaton.
    pub replay: Vec<u32>,
    /// Nodes at and below which a part of the mask may be wrong: `resolve` walks there again.
    pub recheck: Vec<NodeId>,
    /// Tokens whose answer depends on the values of unique items that came, for the item that is open.
    pub uncertain: Vec<u32>,
    /// Whether the answer of every token may depend on them.
    pub all_uncertain: bool,
    /// Tokens whose answer depends on the values of unique items that came, for a later item.
    pub always: Vec<u32>,
    /// Whether the walk is still inside the item that was open when the mask began.
    pub first: bool,
    walks: usize,
    /// (trie, node, head, frame, first) of each walk, after the first `FEW_WALKS`.
    pub(super) walked: FxHashSet<(usize, NodeId, TermId, FrameId, bool)>,
}

impl<'a> Composer<'a> {
    /// A composer of an empty mask; the accumulator must fit the vocabulary.
    pub fn new(
        machine: &'a mut Machine,
        follow_bytes: &'a mut FollowBytes,
        shared: &'a SharedMasks,
        key_parts: KeyParts,
        accumulator: Accumulator,
    ) -> Self {
        Composer {
            machine,
            follow_bytes,
            shared,
            key_parts,
            asks_lookaheads: true,
            accumulator,
            replay: Vec::new(),
            recheck: Vec::new(),
            uncertain: Vec::new(),
            all_uncertain: false,
            always: Vec::new(),
            first: false,
            walks: 0,
            walked: FxHashSet::default(),
        }
    }

    /// Allow the tokens of a list.
    pub fn add(&mut self, words: &Words) {
        words.iter().for_each(|&(word, bits)| self.accumulator.add(word, bits));
    }

    /// Collect tokens that may end an item with a value that came, or after which too few other values may be left.
    fn note_uncertain(&mut self, tokens: &[u32]) {
        if self.first { &mut self.uncertain } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Collect the tokens of a head whose answer depends on the values of unique items that came.
    pub(super) fn note_uncertain_tokens(&mut self, head: TermId, frame: FrameId, head_mask: &HeadMask) -> Result<()> {
        if self.machine.has_enough_values_after_end(head, frame)? {
            return Ok(());
        }
        let language = self.machine.arena.open_key(head).map_or(head, |(inner, _)| inner);
        if matches!(self.machine.arena.term(language), Term::Quoted { .. }) {
            let ends: Vec<u32> = head_mask.core.ends().collect();
            self.note_uncertain(&ends);
        }
        if self.machine.arena.first_bytes(language).len() < FEW_FIRST_BYTES {
            self.descend(self.shared.view(), NodeId::ROOT, head, frame)?;
        } else if self.first {
            self.all_uncertain = true;
        } else {
            self.always.extend(head_mask.tokens());
        }
        Ok(())
    }

    /// Walk on with the heads that follow a head, below nodes at which that head is at an end.
    pub(super) fn walk_behind(&mut self, view: TrieView, exits: &[NodeId], head: TermId, frame: FrameId) -> Result<()> {
        if exits.is_empty() {
            return Ok(());
        }
        let follow_bytes = self.follow_bytes.after(self.machine, head, frame);
        let mut going_on = exits.iter().filter(|&&node| view.trie.has_child_in(node, &follow_bytes)).peekable();
        if self.walks > FEW_WALKS && going_on.peek().is_some() && self.add_listed(view, exits, head, frame)? {
            return Ok(());
        }
        let mut after = None;
        for &node in going_on {
            let after = match &after {
                Some(after) => after,
                None => after.insert(self.after(head, frame)?),
            };
            self.walk_position(view, node, after)?;
        }
        Ok(())
    }

    /// The position after a head that is at an end. The text that the head has read counts as unknown, because exits of
    /// one head mask belong to different texts.
    fn after(&mut self, head: TermId, frame: FrameId) -> Result<Arc<Position>> {
        let ended = match *self.machine.arena.term(head) {
            Term::KeyDone { .. } => head,
            Term::KeyExtra { .. } => self.machine.arena.replace_open_key(head, EPSILON, Text::Unknown)?,
            _ => EPSILON,
        };
        self.machine.return_position(ended, frame)
    }

    /// Allow the tokens below a node that a position reads from there.
    pub(super) fn walk_position(&mut self, view: TrieView, node: NodeId, position: &Position) -> Result<()> {
        if !view.trie.has_children(node) {
            return Ok(());
        }
        if position.needs_replay {
            self.replay.extend_from_slice(view.trie.tokens_below(node));
        }
        if position.depends_on_value {
            self.note_uncertain(view.trie.tokens_below(node));
        }
        let first = self.first;
        self.first &= !position.crosses_item;
        let walked = position.heads.iter().try_for_each(|&(head, frame)| self.walk(view, node, head, frame));
        self.first = first;
        walked
    }

    /// Allow the tokens below a node that a head reads from there, or that go on behind the head.
    pub fn walk(&mut self, view: TrieView, node: NodeId, head: TermId, frame: FrameId) -> Result<()> {
        self.machine.arena.spend(1)?;
        let head = self.machine.arena.forget_text(head)?;
        self.walks += 1;
        let walk = (std::ptr::from_ref(view.trie) as usize, node, head, frame, self.first);
        if self.walks > FEW_WALKS && !self.walked.insert(walk) {
            return Ok(());
        }
        let language = match *self.machine.arena.term(head) {
            Term::KeyNamed { object, state, low, high, depth } if !self.machine.item_summary(frame).is_open => {
                return self.walk_named_keys(view, node, (object, state), (low, high, depth), frame);
            }
            Term::KeyNamed { .. } | Term::KeyDone { .. } => None,
            Term::KeyExtra { inner, state, .. } => {
                (!self.machine.arena.registers.has_hidden_key(state)).then_some(inner)
            }
            _ => Some(head),
        };
        match language {
            Some(language)
                if view.trie.size(node) >= CACHED_FROM && self.machine.has_enough_values_in_frame(frame)? =>
            {
                if !view.trie.has_child_in(node, &self.machine.arena.first_bytes(language)) {
                    return Ok(());
                }
                let walk = view.walks.get(&mut self.machine.arena, view.trie, node, language)?;
                self.add(&walk.words);
                self.walk_behind(view, &walk.exits, head, frame)?;
                match &walk.remainder {
                    Some(merged) => self.walk_behind(merged.view(), &[NodeId::ROOT], head, frame),
                    None => Ok(()),
                }
            }
            _ => self.descend(view, node, head, frame),
        }
    }

    /// `walk` for the named keys `low..high` of an object, of which `depth` bytes are read: no term is made for the
    /// beginnings of keys.
    fn walk_named_keys(
        &mut self,
        view: TrieView,
        node: NodeId,
        (object, state): (ObjectId, ObjectStateId),
        (low, high, depth): (u32, u32, u32),
        frame: FrameId,
    ) -> Result<()> {
        let TrieView { trie, .. } = view;
        let spec = self.machine.arena.registers.objects[object.index()].clone();
        let mut rest = &spec.sorted[low as usize..high as usize];
        while let [(key, _), ..] = rest {
            let byte = key[depth as usize];
            rest = &rest[rest.partition_point(|(key, _)| key[depth as usize] == byte)..];
            let Some(child) = trie.child(node, byte) else { continue };
            let arena = &mut self.machine.arena;
            let Some(narrowed) = arena.narrow_key(object, state, low, high, depth, byte)? else { continue };
            arena.spend(1)?;
            trie.tokens_at(child).iter().for_each(|&token| self.accumulator.allow(token));
            match narrowed {
                _ if !trie.has_children(child) => {}
                Narrowed::Done(property) => {
                    let done = arena.key_done(object, state, property)?;
                    self.walk_behind(view, &[child], done, frame)?;
                }
                Narrowed::Named { low, high } => {
                    self.walk_named_keys(view, child, (object, state), (low, high, depth + 1), frame)?;
                }
            }
        }
        Ok(())
    }

    /// `walk` without caches: by the derivatives of the head, node by node.
    pub fn descend(&mut self, view: TrieView, node: NodeId, head: TermId, frame: FrameId) -> Result<()> {
        let TrieView { trie, .. } = view;
        let first_bytes = self.machine.arena.first_bytes(head);
        for (byte, child) in trie.children_in(node, &first_bytes) {
            let next = self.machine.arena.derive(head, byte)?;
            if next == EMPTY {
                continue;
            }
            self.machine.arena.spend(1)?;
            trie.tokens_at(child).iter().for_each(|&token| self.accumulator.allow(token));
            if !self.machine.has_enough_values(next, frame)? {
                self.note_uncertain(trie.tokens_at(child));
            }
            // After a numeral that is zero so far, an exponent leaves no value but zero.
            if matches!(byte, b'e' | b'E') && !self.machine.has_enough_values_in_frame(frame)? {
                self.note_uncertain(trie.tokens_at(child));
                self.note_uncertain(trie.tokens_below(child));
            }
            if self.machine.arena.can_repeat_key(next) {
                self.replay.extend_from_slice(trie.tokens_at(child));
            }
            if trie.has_children(child) {
                if self.machine.arena.info(next).nullable {
                    self.walk_behind(view, &[child], next, frame)?;
                }
                self.descend(view, child, next, frame)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {

    use crate::builder::ObjectRules;
    use crate::mask::fixture::{object, object_of, printable_and, unique, Scene};

    #[test]
    fn a_key_that_may_repeat_a_hidden_one_is_walked_with_its_state() {
        let texts: Vec<String> = ('a'..='z').map(|key| format!("\":1,\"{key}\":1")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut scene =
            Scene::new(&printable_and(&texts), |builder| object(builder, &[], true, ObjectRules::default()));
        for key in ["x", "q"] {
            let found = scene.allowed(&format!("{{\"{key}"));
            let left: Vec<&str> = texts.iter().copied().filter(|text| !found.contains(&(*text).to_owned())).collect();
            assert_eq!(left, [format!("\":1,\"{key}\":1")]);
        }
    }

    #[test]
    fn named_keys_of_two_grammars_are_not_one() {
        let texts: Vec<String> = ["ab", "cd"]
            .into_iter()
            .flat_map(|key| ('a'..='m').map(move |value| format!("[{{\"{key}\":\"{value}")))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let shared = printable_and(&texts);
        for key in ["ab", "cd"] {
            let mut scene = Scene::new(&shared, |builder| {
                let any = builder.any_text().unwrap().number();
                let value = builder.quoted(any, false).unwrap();
                let item = object_of(builder, &[(key, true)], false, value, ObjectRules::default());
                unique(builder, item)
            });
            let found: Vec<String> = scene.allowed("").into_iter().filter(|text| text.len() > 1).collect();
            assert_eq!(found.len(), 13);
            assert!(found.iter().all(|text| text.contains(key)));
        }
    }
}
