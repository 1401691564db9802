//! Position × byte → the next position: sets of (head, frame).
//!
//! A frame is an interned *set* of (what follows, parent frame): a graph-structured stack by hash-consing (Tomita 1985,
//! Scott and Johnstone 2010). Calls made at one position are grouped by rule before the rule is entered, in an order
//! in which callers come before callees, so that ambiguity costs polynomial, not exponential, space. Left recursion
//! was removed before (`rules`), so a frame never contains itself.

use crate::automaton::distance::Distances;
use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::unique::{Known, Openness, Register};
use crate::error::Result;
use crate::grammar::rules::{Entry, First, Rules};
use crate::json::object::ObjectParts;
use crate::limits::Limits;
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId, EMPTY, EPSILON};
use crate::storage::hash::Hasher128;
use crate::storage::intern::HashIndex;
use crate::storage::visited::Visited;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::{smallvec, SmallVec};
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ops::DerefMut;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FrameId(u32);

impl FrameId {
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

/// The frame below everything: what returns to it is a whole text.
pub const BOTTOM: FrameId = FrameId(0);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PositionId(pub u32);

/// The position from which nothing is allowed.
pub const DEAD: PositionId = PositionId(0);

/// Terms with the frames that they return to: one or two as a rule.
pub(crate) type Items = SmallVec<[(TermId, FrameId); 4]>;

/// What follows in a frame, with what follows that: one as a rule.
type Members = SmallVec<[(TermId, FrameId); 1]>;

/// What may come next at one place of a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    pub heads: Items,
    pub specials: Vec<(u32, FrameId)>,
    /// Whether a text may end here.
    pub accepting: bool,
    /// Whether only an exact replay can tell what follows (`First::Ask`).
    pub ask: bool,
    /// In a position of a mask: whether an item has just ended or begun, and whether what follows hangs on its value.
    pub passed: bool,
    pub unsure: bool,
    /// What the items said that are open and may not come again.
    pub register: Register,
}

impl Position {
    fn is_dead(&self) -> bool {
        self.heads.is_empty() && self.specials.is_empty() && !self.accepting
    }
}

/// A position with its places in the list and in the table.
const PER_POSITION: usize = size_of::<Position>() + 16 + 8;

/// The same for a frame.
const PER_FRAME: usize = size_of::<Members>() + 8;

pub struct Machine {
    pub arena: Arena,
    rules: Arc<Rules>,
    frames: Vec<Members>,
    frame_ids: HashIndex,
    /// For each frame what it says of open items; empty if there are none in this grammar.
    openness: Vec<Openness>,
    /// By frame, as far as it was needed.
    returns: Vec<Option<Arc<Position>>>,
    blind_returns: FxHashMap<FrameId, Arc<Position>>,
    bound_returns: FxHashMap<(TermId, FrameId), Arc<Position>>,
    firsts: FxHashMap<TermId, Arc<Vec<Entry>>>,
    positions: Vec<Arc<Position>>,
    position_ids: HashIndex,
    steps: FxHashMap<(PositionId, u8), PositionId>,
    pub(crate) known: Known,
    pub(crate) least: Distances,
    pub(crate) follow_bytes: FollowBytes,
    pub start: PositionId,
}

/// Items of one closure: heads and calls with the frames they return to.
#[derive(Default)]
pub(crate) struct Closure {
    heads: Items,
    specials: Vec<(u32, FrameId)>,
    calls: BTreeMap<u32, (u32, SmallVec<[FrameId; 2]>)>,
    accepting: bool,
    pub(crate) ask: bool,
    pub(crate) passed: bool,
    pub(crate) unsure: bool,
    seen: Visited<(TermId, FrameId)>,
    pub(crate) register: Register,
    /// Whether the register made a difference.
    pub(crate) touched: bool,
    /// Arrays of different items that begin here.
    arrays: Items,
}

impl Machine {
    /// Above an arena that was frozen, at the beginning of a text once it is told where (`begin_with`). Boxed: it is some
    /// kilobytes, and moves from hand to hand until it is where it stays.
    pub fn above(ground: &Arena, rules: Arc<Rules>) -> Box<Self> {
        Self::with(|| ground.overlay(), rules)
    }

    /// What the arena is made by writes it where it stays.
    fn with(arena: impl FnOnce() -> Arena, rules: Arc<Rules>) -> Box<Self> {
        Box::new(Machine {
            arena: arena(),
            rules,
            frames: vec![Members::new()],
            frame_ids: HashIndex::default(),
            openness: Vec::new(),
            returns: Vec::new(),
            blind_returns: FxHashMap::default(),
            bound_returns: FxHashMap::default(),
            firsts: FxHashMap::default(),
            positions: Vec::new(),
            position_ids: HashIndex::default(),
            steps: FxHashMap::default(),
            known: Known::default(),
            least: Distances::default(),
            follow_bytes: FollowBytes::default(),
            start: DEAD,
        })
    }

    pub fn new(arena: Arena, rules: Arc<Rules>, root: TermId) -> Result<Box<Self>> {
        let mut machine = Self::with(|| arena, rules);
        machine.begin_with(root)?;
        Ok(machine)
    }

    pub fn begin_with(&mut self, root: TermId) -> Result<()> {
        self.intern(Position::default());
        let (position, _) = self.closure(&[(root, BOTTOM)], Register::Closed)?;
        self.start = self.intern(position);
        Ok(())
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(crate) fn members(&self, frame: FrameId) -> &[(TermId, FrameId)] {
        &self.frames[frame.0 as usize]
    }

    pub(crate) fn openness(&self, frame: FrameId) -> Openness {
        self.openness.get(frame.0 as usize).copied().unwrap_or_default()
    }

    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }

    /// Begin the next call.
    pub fn begin(&mut self, limits: &Limits) {
        self.arena.begin(limits);
    }

    pub fn position(&self, id: PositionId) -> &Arc<Position> {
        &self.positions[id.0 as usize]
    }

    /// Whether a string of any text is all there is, in its middle.
    pub(crate) fn is_in_text(&self, id: PositionId) -> bool {
        let position = self.position(id);
        let [(head, _)] = position.heads[..] else { return false };
        let alone = position.specials.is_empty() && !position.ask && position.register == Register::Closed;
        alone && self.arena.is_in_any_text(head)
    }

    pub(crate) fn intern(&mut self, position: Position) -> PositionId {
        let hash = FxBuildHasher.hash_one(&position).into();
        if let Some(id) = self.position_ids.get(hash, |id| *self.positions[id as usize] == position) {
            return PositionId(id);
        }
        self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
        let id = PositionId(self.positions.len() as u32);
        self.positions.push(Arc::new(position));
        self.position_ids.insert(hash, id.0, &mut self.arena.budget);
        id
    }

    pub(crate) fn frame(&mut self, mut members: Vec<(TermId, FrameId)>) -> FrameId {
        members.sort_unstable();
        members.dedup();
        self.frame_of(&members)
    }

    /// The same for members in order, each once.
    fn frame_of(&mut self, members: &[(TermId, FrameId)]) -> FrameId {
        if let [(EPSILON, parent)] = *members {
            return parent;
        }
        let mut hash = Hasher128::new(members.len() as u64);
        members.iter().for_each(|&(term, parent)| hash.word(u64::from(term.0) << 32 | u64::from(parent.0)));
        let hash = hash.finish();
        if let Some(id) = self.frame_ids.get(hash, |id| *self.frames[id as usize] == *members) {
            return FrameId(id);
        }
        let members = Members::from_slice(members);
        self.arena.budget.grow(PER_FRAME + if members.spilled() { 16 * members.len() } else { 0 });
        let id = FrameId(self.frames.len() as u32);
        if !self.arena.registers.uniques.is_empty() {
            let openness = self.measure(&members);
            self.openness.resize(self.frames.len(), Openness::default());
            self.openness.push(openness);
        }
        self.frames.push(members);
        self.frame_ids.insert(hash, id.0, &mut self.arena.budget);
        id
    }

    fn union(&mut self, frames: &[FrameId]) -> Result<FrameId> {
        if let [one] = frames {
            return Ok(*one);
        }
        let mut members = Vec::new();
        for &frame in frames {
            if frame == BOTTOM {
                members.push((EPSILON, BOTTOM));
            } else {
                members.extend_from_slice(&self.frames[frame.0 as usize]);
            }
        }
        self.arena.spend(members.len() as u64)?;
        // Each is in order: the stable sort merges such runs.
        members.sort();
        members.dedup();
        Ok(self.frame_of(&members))
    }

    fn pushed(&mut self, rest: &[TermId], mut frame: FrameId) -> FrameId {
        for &term in rest.iter().rev() {
            frame = self.frame_of(&[(term, frame)]);
        }
        frame
    }

    /// Each once, with the frames of all that are equal as one.
    pub(crate) fn merged<T, L>(&mut self, mut list: L) -> Result<L>
    where
        T: Copy + Ord,
        L: DerefMut<Target = [(T, FrameId)]> + FromIterator<(T, FrameId)>,
    {
        if list.len() < 2 {
            return Ok(list);
        }
        self.arena.spend(list.len() as u64)?;
        list.sort_unstable();
        if list.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return Ok(list);
        }
        let groups = list.chunk_by(|one, other| one.0 == other.0);
        groups
            .map(|group| {
                let frames: SmallVec<[FrameId; 8]> = group.iter().map(|&(_, frame)| frame).collect();
                Ok((group[0].0, self.union(&frames)?))
            })
            .collect()
    }

    fn first(&mut self, id: TermId) -> Result<Arc<Vec<Entry>>> {
        if let Some(entries) = self.firsts.get(&id) {
            return Ok(entries.clone());
        }
        let entries = Arc::new(self.rules.first(&mut self.arena, id)?);
        self.arena.budget.grow(48 + entries.len() * size_of::<Entry>());
        self.firsts.insert(id, entries.clone());
        Ok(entries)
    }

    /// Everything that can begin at these items, and whether the register made a difference.
    pub(crate) fn closure(&mut self, items: &[(TermId, FrameId)], register: Register) -> Result<(Position, bool)> {
        let mut closure = Closure { register, ..Closure::default() };
        self.open(items, &mut closure)?;
        self.close(closure)
    }

    /// The body of a rule.
    pub(crate) fn body(&self, rule: u32) -> Option<TermId> {
        self.rules.body(rule)
    }

    /// Follow items until heads and calls are left; what may be empty returns.
    fn open(&mut self, items: &[(TermId, FrameId)], closure: &mut Closure) -> Result<()> {
        let mut work = Items::from_slice(items);
        while let Some((term, frame)) = work.pop() {
            if !closure.seen.insert((term, frame)) {
                continue;
            }
            self.arena.spend(1)?;
            if let Term::Unique(_) | Term::UniqueItem { .. } | Term::UniqueEnd { .. } | Term::UniqueNext { .. } =
                self.arena.term(term)
            {
                self.expand(term, frame, &mut work, closure)?;
                continue;
            }
            if self.open_object(term, frame, &mut work, closure)? {
                continue;
            }
            if self.rules.nullable(&self.arena, term) {
                if frame == BOTTOM {
                    closure.accepting = true;
                } else {
                    work.extend_from_slice(&self.frames[frame.0 as usize]);
                }
            }
            if let Some((head, rest)) = self.rules.plain_first(&self.arena, term) {
                let frame = rest.map_or(frame, |rest| self.frame_of(&[(rest, frame)]));
                closure.heads.push((head, frame));
                continue;
            }
            let entries = self.first(term)?;
            self.enter(&entries, frame, closure);
            work.append(&mut closure.arrays);
        }
        Ok(())
    }

    /// An object where it is not in the middle of something: there is one for each state of it, and how it begins
    /// (`Rules::first`) would be remembered in vain. False if it is none.
    fn open_object(&mut self, term: TermId, frame: FrameId, work: &mut Items, closure: &mut Closure) -> Result<bool> {
        match *self.arena.term(term) {
            Term::Object(_) | Term::ObjectNext { .. } => {
                let ObjectParts { end, next } = self.arena.object_parts(term)?;
                if let Some((before, key)) = next {
                    work.push(match before {
                        EPSILON => (key, frame),
                        _ => (before, self.frame_of(&[(key, frame)])),
                    });
                }
                work.extend(end.map(|end| (end, frame)));
            }
            Term::ObjectKey { object, state } => {
                if self.arena.asks_for_keys(object, state)? {
                    closure.ask = true;
                    return Ok(true);
                }
                for (head, follow) in self.arena.key_heads(object, state)? {
                    let frame = follow.map_or(frame, |follow| self.frame_of(&[(follow, frame)]));
                    closure.heads.push((head, frame));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn enter(&mut self, entries: &[Entry], frame: FrameId, closure: &mut Closure) {
        for entry in entries {
            let frame = self.pushed(&entry.rest, frame);
            match entry.first {
                First::Head(head) => closure.heads.push((head, frame)),
                First::Special(special) => closure.specials.push((special, frame)),
                First::Ask => closure.ask = true,
                First::Unique(array) => closure.arrays.push((array, frame)),
                First::Call(rule) => {
                    let place = self.rules.order[rule as usize];
                    closure.calls.entry(place).or_insert_with(|| (rule, SmallVec::new())).1.push(frame);
                }
            }
        }
    }

    /// Enter the called rules, callers before callees, each once; then merge the frames of equal heads.
    fn close(&mut self, mut closure: Closure) -> Result<(Position, bool)> {
        while let Some((_, (rule, frames))) = closure.calls.pop_first() {
            self.arena.spend(frames.len() as u64)?;
            let frame = self.union(&frames)?;
            let entries = self.rules.entries(rule);
            self.enter(&entries, frame, &mut closure);
            let arrays = std::mem::take(&mut closure.arrays);
            if !arrays.is_empty() {
                self.open(&arrays, &mut closure)?;
            }
        }
        let Closure { heads, specials, accepting, ask, passed, unsure, register, touched, .. } = closure;
        let (heads, specials) = (self.merged(heads)?, self.merged(specials)?);
        let mut position = Position { heads, specials, accepting, ask, passed, unsure, register };
        self.update_register(&mut position);
        Ok((position, touched))
    }

    /// A register is kept as long as an item is open.
    pub(crate) fn update_register(&self, position: &mut Position) {
        let open = |frame: FrameId| self.openness(frame).open;
        let kept = !self.openness.is_empty()
            && (position.heads.iter().any(|&(_, frame)| open(frame))
                || position.specials.iter().any(|&(_, frame)| open(frame)));
        position.register = match position.register {
            _ if !kept => Register::Closed,
            Register::Closed => Register::At(0),
            register => register,
        };
    }

    /// Whether a finished head says itself what follows it.
    fn binds(&self, head: TermId) -> bool {
        matches!(self.arena.term(head), Term::KeyDone { .. } | Term::KeyExtra { .. })
    }

    /// What follows a head that is at an end, for masks.
    pub(crate) fn after(&mut self, head: TermId, frame: FrameId) -> Result<Arc<Position>> {
        self.follow(head, frame, Register::Abstracted)
    }

    fn follow(&mut self, head: TermId, frame: FrameId, register: Register) -> Result<Arc<Position>> {
        if self.binds(head) {
            if let Some(position) = self.bound_returns.get(&(head, frame)) {
                return Ok(position.clone());
            }
            let follow = self.arena.bound(head)?.unwrap_or(EMPTY);
            let (position, touched) = self.closure(&[(follow, frame)], register)?;
            let position = Arc::new(position);
            if !touched {
                self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
                self.bound_returns.insert((head, frame), position.clone());
            }
            return Ok(position);
        }
        if let Some(Some(position)) = self.returns.get(frame.place()) {
            return Ok(position.clone());
        }
        if register == Register::Abstracted {
            if let Some(position) = self.blind_returns.get(&frame) {
                return Ok(position.clone());
            }
        }
        let (position, touched) = if frame == BOTTOM {
            (Position { accepting: true, ..Position::default() }, false)
        } else {
            let members = self.frames[frame.0 as usize].clone();
            self.closure(&members, register)?
        };
        let position = Arc::new(position);
        if !touched {
            self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
            if self.returns.len() <= frame.place() {
                self.returns.resize(self.frames.len(), None);
            }
            self.returns[frame.place()] = Some(position.clone());
        } else if register == Register::Abstracted {
            self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
            self.blind_returns.insert(frame, position.clone());
        }
        Ok(position)
    }

    /// The position after one more byte.
    pub fn step(&mut self, id: PositionId, byte: u8) -> Result<PositionId> {
        if let Some(&next) = self.steps.get(&(id, byte)) {
            return Ok(next);
        }
        let position = self.position(id).clone();
        let mut next = self.moved(&position.heads, position.register, byte)?;
        self.prune(&mut next)?;
        let next = self.intern(next);
        self.arena.budget.grow(24);
        self.steps.insert((id, byte), next);
        Ok(next)
    }

    /// The same without remembering it, and with what could only end as a value that came before.
    pub(crate) fn moved(&mut self, heads: &[(TermId, FrameId)], register: Register, byte: u8) -> Result<Position> {
        let mut moved = Items::new();
        for &(head, frame) in heads {
            let next = self.arena.derive(head, byte)?;
            if next != EMPTY {
                moved.push((next, frame));
            }
        }
        let register = self.read_on(register, byte);
        self.close_heads(moved, register)
    }

    /// Of each text whether a position exists after it. No position is remembered; what a text has in common with the one
    /// before it is not read again.
    pub(crate) fn can_follow<'a>(
        &mut self,
        id: PositionId,
        texts: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<bool>> {
        let mut allowed = Vec::new();
        // The positions along the text before, as far as there are any.
        let (mut path, mut before): (Vec<Position>, &[u8]) = (Vec::new(), &[]);
        for text in texts {
            let common = before.iter().zip(text).take_while(|(one, other)| one == other).count();
            path.truncate(common);
            // Where the text before ended early, this one does if it gets as far.
            let dead = path.len() < common;
            for &byte in text.iter().skip(path.len()).take_while(|_| !dead) {
                let from = path.last().unwrap_or(&self.positions[id.0 as usize]);
                let (heads, register) = (from.heads.clone(), from.register);
                let next = self.moved(&heads, register, byte)?;
                if next.is_dead() {
                    break;
                }
                path.push(next);
            }
            before = text;
            let lives = path.len() == text.len() && {
                let mut last = path.last().map_or_else(|| (*self.positions[id.0 as usize]).clone(), Position::clone);
                self.prune(&mut last)?;
                !last.is_dead()
            };
            allowed.push(lives);
        }
        Ok(allowed)
    }

    /// The position after a special token.
    pub fn step_special(&mut self, id: PositionId, special: u32) -> Result<PositionId> {
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

    /// Items that have just read something, with what follows those at an end.
    pub(crate) fn close_heads(&mut self, moved: Items, register: Register) -> Result<Position> {
        match moved[..] {
            [] => return Ok(Position::default()),
            // The common case: one head, in its middle.
            [(head, _)] if head != EPSILON && !self.arena.info(head).nullable => {
                let mut position = Position { heads: moved, register, ..Position::default() };
                self.update_register(&mut position);
                return Ok(position);
            }
            _ => {}
        }
        let mut position = Position { register, ..Position::default() };
        let returned = |position: &mut Position, after: &Position| {
            position.accepting |= after.accepting;
            position.ask |= after.ask;
            position.passed |= after.passed;
            position.unsure |= after.unsure;
            // An item of a position for masks begins here.
            if register == Register::Closed && after.register == Register::Abstracted {
                position.register = Register::Abstracted;
            }
            position.heads.extend_from_slice(&after.heads);
            position.specials.extend_from_slice(&after.specials);
        };
        position.heads.reserve(moved.len());
        let mut ended: SmallVec<[FrameId; 4]> = SmallVec::new();
        // Merge first: returning once from a set of frames is what keeps ambiguity polynomial.
        for (head, frame) in self.merged(moved)? {
            if self.arena.info(head).nullable {
                if self.binds(head) {
                    let after = self.follow(head, frame, register)?;
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
            let frame = self.union(&ended)?;
            let after = self.follow(EPSILON, frame, register)?;
            returned(&mut position, &after);
        }
        position.heads = self.merged(position.heads)?;
        position.specials = self.merged(position.specials)?;
        self.update_register(&mut position);
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::builder::Builder;

    /// a (b | c d)*
    fn machine() -> Box<Machine> {
        let mut builder = Builder::default();
        let [a, b, c, d] = [&b"a"[..], b"b", b"c", b"d"].map(|text| builder.literal(text).unwrap().0);
        let two = builder.seq(&[c, d]).unwrap().0;
        let one = builder.alt(&[b, two]).unwrap().0;
        let more = builder.repeat(one, 0, None).unwrap().0;
        let root = builder.seq(&[a, more]).unwrap();
        builder.build(root.0).unwrap().machine(&Limits::default(), [None, None], None).unwrap()
    }

    fn reads(machine: &mut Machine, text: &[u8]) -> PositionId {
        text.iter().fold(machine.start, |at, &byte| machine.step(at, byte).unwrap())
    }

    #[test]
    fn a_position_is_where_texts_lead_whatever_they_are() {
        let mut machine = machine();
        let (one, other) = (reads(&mut machine, b"ab"), reads(&mut machine, b"abcdb"));
        assert_eq!(one, other);
        assert!(machine.position(one).accepting && !machine.position(machine.start).accepting);
        assert_eq!(reads(&mut machine, b"ad"), DEAD);
        assert!(machine.position(DEAD).is_dead() && !machine.position(one).is_dead());
        let may =
            machine.can_follow(one, [&b""[..], b"b", b"bb", b"bc", b"bd", b"bdx", b"c", b"cd", b"cx"].into_iter());
        assert_eq!(may.unwrap(), [true, true, true, true, false, false, true, true, false]);
        let may = machine.can_follow(DEAD, [&b""[..], b"b"].into_iter()).unwrap();
        assert_eq!(may, [false, false]);
    }

    #[test]
    fn positions_frames_and_steps_are_counted() {
        let mut machine = machine();
        let held = machine.memory_bytes();
        let heads: Items = (100..106).map(|term| (TermId(term), BOTTOM)).collect();
        let position = Position { heads, ..Position::default() };
        let id = machine.intern(position.clone());
        let grown = machine.memory_bytes() - held;
        assert!((PER_POSITION + 6 * 8..PER_POSITION + 6 * 8 + 256).contains(&grown), "{grown}");
        assert_eq!((machine.intern(position), machine.memory_bytes()), (id, held + grown), "nothing is kept twice");
        const { assert!(PER_POSITION > size_of::<Position>() && PER_FRAME > size_of::<Members>()) };
        let held = machine.memory_bytes();
        let members: Vec<_> = (200..210).map(|term| (TermId(term), BOTTOM)).collect();
        let frame = machine.frame(members.clone());
        let grown = machine.memory_bytes() - held;
        assert!((PER_FRAME + 10 * 16..PER_FRAME + 10 * 16 + 256).contains(&grown), "{grown}");
        let again = machine.frame(members.iter().rev().chain(&members).copied().collect());
        assert_eq!((again, machine.memory_bytes()), (frame, held + grown), "a frame is a set");
        assert_eq!(machine.frame(vec![(EPSILON, frame)]), frame, "what is behind nothing is itself");
        let start = machine.start;
        let after = machine.step(start, b'a').unwrap();
        let held = machine.memory_bytes();
        assert_eq!((machine.step(start, b'a').unwrap(), machine.memory_bytes()), (after, held));
        assert_eq!(machine.step(after, b'x').unwrap(), DEAD);
        assert_eq!(machine.memory_bytes(), held + 24);
    }
}
