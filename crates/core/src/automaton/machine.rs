//! Position × byte → the next position.
//!
//! The machine owns the interned positions and frames and the caches of steps and returns. Its state lives here; how
//! frames are made, and what may begin at an item, is in `frame` and `closure`. Analyses (`distance`, `follow_bytes`) are
//! values that callers keep beside the machine and pass in.

use crate::automaton::frame::{FrameId, FrameMembers, Frames, ItemSummary, BOTTOM};
use crate::automaton::position::{Items, Position, PositionId, Register, DEAD, PER_POSITION};
use crate::automaton::unique::analysis::UniqueAnalysis;
use crate::error::Result;
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::{Entry, Rules};
use crate::json::arena::Arena;
use crate::json::partial_value::NOTHING_READ;
use crate::limits::{Cancellation, Limits, Pause};
use crate::regular::id::{RuleId, SpecialId};
use crate::regular::term::{Term, TermId, EMPTY, EPSILON};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// Steps of the budget per new step of a position, and per position that returns to frames: about 0.4 µs each.
const STEPS_PER_STEP: u64 = 8;

/// An automaton that is built on demand while texts are read.
pub struct Machine {
    /// Terms and registers of the machine.
    pub arena: Arena,
    pub(super) rules: Arc<Rules>,
    pub(crate) frames: Frames,
    /// Positions after a return, by frame; None where no return was needed yet.
    returns: Vec<Option<Arc<Position>>>,
    abstracted_returns: FxHashMap<FrameId, Arc<Position>>,
    continuations: FxHashMap<(TermId, FrameId), Arc<Position>>,
    pub(super) firsts: FxHashMap<TermId, Arc<Vec<Entry>>>,
    /// By `PositionId`.
    positions: IndexSet<Arc<Position>, FxBuildHasher>,
    steps: FxHashMap<(PositionId, u8), PositionId>,
    pub(crate) unique: UniqueAnalysis,
    /// The position before any byte.
    pub start: PositionId,
}

impl Machine {
    /// A machine without cached positions, at the start of a grammar. Errors: the limits of the call.
    pub fn of(
        grammar: &Grammar,
        limits: &Limits,
        cancellations: [Option<Cancellation>; 2],
        pause: Option<Pause>,
    ) -> Result<Box<Self>> {
        let (arena, rules, root) = grammar.parts();
        let mut machine = Machine::idle(arena.overlay(), rules.clone());
        machine.arena.budget.set_cancellations(cancellations);
        machine.arena.budget.set_pause(pause);
        machine.begin(limits);
        machine.arena.budget.check()?;
        machine.start_at(root)?;
        Ok(machine)
    }

    /// A machine without a start: `start_at` sets it. Boxed, because it takes kilobytes and changes hands often.
    fn idle(arena: Arena, rules: Arc<Rules>) -> Box<Self> {
        Box::new(Machine {
            arena,
            rules,
            frames: Frames::default(),
            returns: Vec::new(),
            abstracted_returns: FxHashMap::default(),
            continuations: FxHashMap::default(),
            firsts: FxHashMap::default(),
            positions: IndexSet::default(),
            steps: FxHashMap::default(),
            unique: UniqueAnalysis::default(),
            start: DEAD,
        })
    }

    /// A machine with its own arena that starts at `root`.
    pub fn new(arena: Arena, rules: Arc<Rules>, root: TermId) -> Result<Box<Self>> {
        let mut machine = Self::idle(arena, rules);
        machine.start_at(root)?;
        Ok(machine)
    }

    /// Sets the start to the beginning of `root`.
    fn start_at(&mut self, root: TermId) -> Result<()> {
        self.intern(Position::default());
        let (position, _) = self.closure(&[(root, BOTTOM)], Register::Closed)?;
        self.start = self.intern(position);
        Ok(())
    }

    /// The rules by which the machine reads.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Bytes that the machine holds.
    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }

    /// Starts the budget of a new call.
    pub fn begin(&mut self, limits: &Limits) {
        self.arena.begin(limits);
    }

    /// The position of a number that this machine returned.
    pub fn position(&self, id: PositionId) -> &Arc<Position> {
        &self.positions[id.index()]
    }

    /// Whether the position is inside one unrestricted JSON string and nothing else.
    pub(crate) fn is_in_text(&self, id: PositionId) -> bool {
        self.position(id).only_head().is_some_and(|head| self.arena.is_in_any_text(head))
    }

    /// The number of a position; equal positions have equal numbers.
    pub(crate) fn intern(&mut self, position: Position) -> PositionId {
        if let Some(place) = self.positions.get_index_of(&position) {
            return PositionId::at(place);
        }
        self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
        let (place, _) = self.positions.insert_full(Arc::new(position));
        PositionId::at(place)
    }

    /// The continuations of a frame with their parent frames, sorted.
    pub(crate) fn members(&self, frame: FrameId) -> &[(TermId, FrameId)] {
        self.frames.members(frame)
    }

    /// Facts about the open items of a frame; the default where the grammar has no unique items.
    pub(crate) fn item_summary(&self, frame: FrameId) -> ItemSummary {
        self.frames.item_summary(frame)
    }

    /// The body of a rule; None if the rule is not defined.
    pub(crate) fn body(&self, rule: RuleId) -> Option<TermId> {
        self.rules.body(rule)
    }

    /// Clears the register unless an item is open.
    pub(crate) fn update_register(&self, position: &mut Position) {
        let kept = self.frames.can_be_open() && position.frames().any(|frame| self.frames.item_summary(frame).is_open);
        position.register = match position.register {
            _ if !kept => Register::Closed,
            Register::Closed => Register::At(NOTHING_READ),
            register => register,
        };
    }

    /// Whether the continuation depends on what the head has read, and not on its frame alone.
    pub(crate) fn has_own_continuation(&self, head: TermId) -> bool {
        matches!(self.arena.term(head), Term::KeyDone { .. } | Term::KeyExtra { .. })
    }

    /// The position after a finished head, for masks: values of items are abstracted.
    pub(crate) fn return_position(&mut self, head: TermId, frame: FrameId) -> Result<Arc<Position>> {
        self.return_position_with(head, frame, Register::Abstracted)
    }

    fn return_position_with(&mut self, head: TermId, frame: FrameId, register: Register) -> Result<Arc<Position>> {
        if self.has_own_continuation(head) {
            if let Some(position) = self.continuations.get(&(head, frame)) {
                return Ok(position.clone());
            }
            let follow = self.arena.continuation(head)?.unwrap_or(EMPTY);
            let (position, uses_register) = self.closure(&[(follow, frame)], register)?;
            let position = Arc::new(position);
            if !uses_register {
                self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
                self.continuations.insert((head, frame), position.clone());
            }
            return Ok(position);
        }
        if let Some(Some(position)) = self.returns.get(frame.index()) {
            return Ok(position.clone());
        }
        if register == Register::Abstracted {
            if let Some(position) = self.abstracted_returns.get(&frame) {
                return Ok(position.clone());
            }
        }
        let (position, uses_register) = if frame == BOTTOM {
            (Position { accepting: true, ..Position::default() }, false)
        } else {
            let members = FrameMembers::from_slice(self.frames.members(frame));
            self.closure(&members, register)?
        };
        let position = Arc::new(position);
        if !uses_register {
            self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
            if self.returns.len() <= frame.index() {
                self.returns.resize(self.frames.len(), None);
            }
            self.returns[frame.index()] = Some(position.clone());
        } else if register == Register::Abstracted {
            self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
            self.abstracted_returns.insert(frame, position.clone());
        }
        Ok(position)
    }

    /// The position after one more byte.
    pub fn step(&mut self, id: PositionId, byte: u8) -> Result<PositionId> {
        if let Some(&next) = self.steps.get(&(id, byte)) {
            return Ok(next);
        }
        let position = self.position(id).clone();
        self.arena.spend(STEPS_PER_STEP)?;
        let mut next = self.step_uncached(&position.heads, position.register, byte)?;
        self.prune(&mut next)?;
        let next = self.intern(next);
        self.arena.budget.grow(24);
        self.steps.insert((id, byte), next);
        Ok(next)
    }

    /// Steps without caching or interning. The result may contain heads whose items can only end as excluded values.
    pub(crate) fn step_uncached(
        &mut self,
        heads: &[(TermId, FrameId)],
        register: Register,
        byte: u8,
    ) -> Result<Position> {
        let mut moved = Items::new();
        for &(head, frame) in heads {
            let next = self.arena.derive(head, byte)?;
            if next != EMPTY {
                moved.push((next, frame));
            }
        }
        let register = self.advance_register(register, byte);
        self.close_heads(moved, register)
    }

    /// For each text, whether some position follows it. No position is interned, and a prefix shared with the text
    /// before is read once.
    pub(crate) fn can_follow<'a>(
        &mut self,
        id: PositionId,
        texts: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<bool>> {
        let mut allowed = Vec::new();
        // `path[i]` is the position after `i + 1` bytes of the text before.
        let (mut path, mut before): (Vec<Position>, &[u8]) = (Vec::new(), &[]);
        for text in texts {
            let common = before.iter().zip(text).take_while(|(one, other)| one == other).count();
            path.truncate(common);
            // The text before was dead within the shared prefix, so this text is dead too.
            let dead = path.len() < common;
            for &byte in text.iter().skip(path.len()).take_while(|_| !dead) {
                let from = path.last().unwrap_or(&self.positions[id.index()]);
                let (heads, register) = (from.heads.clone(), from.register);
                let next = self.step_uncached(&heads, register, byte)?;
                if next.is_dead() {
                    break;
                }
                path.push(next);
            }
            before = text;
            let lives = path.len() == text.len() && {
                let mut last = path.last().map_or_else(|| (*self.positions[id.index()]).clone(), Position::clone);
                self.prune(&mut last)?;
                !last.is_dead()
            };
            allowed.push(lives);
        }
        Ok(allowed)
    }

    /// The position after a special token.
    pub fn step_special(&mut self, id: PositionId, special: SpecialId) -> Result<PositionId> {
        let position = self.position(id).clone();
        match position.specials.iter().find(|&&(other, _)| other == special) {
            Some(&(_, frame)) => {
                let mut next = self.close_heads(smallvec![(EPSILON, frame)], position.register)?;
                self.prune(&mut next)?;
                Ok(self.intern(next))
            }
            None => Ok(DEAD),
        }
    }

    /// The position of heads that have just read a byte: finished heads return to their frames.
    pub(crate) fn close_heads(&mut self, moved: Items, register: Register) -> Result<Position> {
        match moved[..] {
            [] => return Ok(Position::default()),
            // The common case: one head that is not at its end.
            [(head, _)] if head != EPSILON && !self.arena.info(head).nullable => {
                let mut position = Position { heads: moved, register, ..Position::default() };
                self.update_register(&mut position);
                return Ok(position);
            }
            _ => {}
        }
        self.arena.spend(STEPS_PER_STEP)?;
        let mut position = Position { register, ..Position::default() };
        let returned = |position: &mut Position, after: &Position| {
            position.accepting |= after.accepting;
            position.needs_replay |= after.needs_replay;
            position.crosses_item |= after.crosses_item;
            position.depends_on_value |= after.depends_on_value;
            // The register of an abstracted position begins here.
            if register == Register::Closed && after.register == Register::Abstracted {
                position.register = Register::Abstracted;
            }
            position.heads.extend_from_slice(&after.heads);
            position.specials.extend_from_slice(&after.specials);
        };
        position.heads.reserve(moved.len());
        let mut ended: SmallVec<[FrameId; 4]> = SmallVec::new();
        // Merging before returning keeps ambiguity polynomial: each set of frames returns once.
        for (head, frame) in self.frames.merge(&mut self.arena, moved)? {
            if self.arena.info(head).nullable {
                if self.has_own_continuation(head) {
                    let after = self.return_position_with(head, frame, register)?;
                    returned(&mut position, &after);
                } else {
                    ended.push(frame);
                }
            }
            let finished = match *self.arena.term(head) {
                Term::KeyDone { .. } => true,
                Term::KeyExtra { inner, .. } => inner == EPSILON,
                _ => head == EPSILON,
            };
            if !finished {
                position.heads.push((head, frame));
            }
        }
        if !ended.is_empty() {
            let frame = self.frames.union(&mut self.arena, &ended)?;
            let after = self.return_position_with(EPSILON, frame, register)?;
            returned(&mut position, &after);
        }
        position.heads = self.frames.merge(&mut self.arena, position.heads)?;
        position.specials = self.frames.merge(&mut self.arena, position.specials)?;
        self.update_register(&mut position);
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, alt, machine, seq};
    use crate::automaton::frame::PER_FRAME;

    /// a (b | c d)*
    fn letters() -> Box<Machine> {
        machine(|builder| {
            let [a, b, c, d] = [&b"a"[..], b"b", b"c", b"d"].map(|text| builder.literal(text).unwrap());
            let two = seq(builder, &[c, d]);
            let one = alt(builder, &[b, two]);
            let more = builder.repeat(one.number(), 0, None).unwrap();
            seq(builder, &[a, more])
        })
    }

    #[test]
    fn a_position_is_where_texts_lead_whatever_they_are() {
        let mut machine = letters();
        let (one, other) = (after(&mut machine, b"ab"), after(&mut machine, b"abcdb"));
        assert_eq!(one, other);
        assert!(machine.position(one).accepting && !machine.position(machine.start).accepting);
        assert_eq!(after(&mut machine, b"ad"), DEAD);
        assert!(machine.position(DEAD).is_dead() && !machine.position(one).is_dead());
        let may =
            machine.can_follow(one, [&b""[..], b"b", b"bb", b"bc", b"bd", b"bdx", b"c", b"cd", b"cx"].into_iter());
        assert_eq!(may.unwrap(), [true, true, true, true, false, false, true, true, false]);
        let may = machine.can_follow(DEAD, [&b""[..], b"b"].into_iter()).unwrap();
        assert_eq!(may, [false, false]);
    }

    #[test]
    fn positions_frames_and_steps_are_counted() {
        let mut machine = letters();
        let held = machine.memory_bytes();
        let heads: Items = (100..106).map(|term| (TermId::new(term), BOTTOM)).collect();
        let position = Position { heads, ..Position::default() };
        let id = machine.intern(position.clone());
        let grown = machine.memory_bytes() - held;
        assert!((PER_POSITION + 6 * 8..PER_POSITION + 6 * 8 + 256).contains(&grown), "{grown}");
        assert_eq!((machine.intern(position), machine.memory_bytes()), (id, held + grown), "nothing is kept twice");
        const { assert!(PER_POSITION > size_of::<Position>() && PER_FRAME > size_of::<FrameMembers>()) };
        let held = machine.memory_bytes();
        let members: Vec<_> = (200..210).map(|term| (TermId::new(term), BOTTOM)).collect();
        let frame = machine.frames.of(&mut machine.arena, members.clone());
        let grown = machine.memory_bytes() - held;
        assert!((PER_FRAME + 10 * 16..PER_FRAME + 10 * 16 + 256).contains(&grown), "{grown}");
        let again = machine.frames.of(&mut machine.arena, members.iter().rev().chain(&members).copied().collect());
        assert_eq!((again, machine.memory_bytes()), (frame, held + grown), "a frame is a set");
        assert_eq!(
            machine.frames.of(&mut machine.arena, vec![(EPSILON, frame)]),
            frame,
            "what is behind nothing is itself"
        );
        let start = machine.start;
        let after = machine.step(start, b'a').unwrap();
        let held = machine.memory_bytes();
        assert_eq!((machine.step(start, b'a').unwrap(), machine.memory_bytes()), (after, held));
        assert_eq!(machine.step(after, b'x').unwrap(), DEAD);
        assert_eq!(machine.memory_bytes(), held + 24);
    }
}
