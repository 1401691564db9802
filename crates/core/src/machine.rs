//! Positions: sets of (head, frame), stepped byte by byte.
//!
//! A frame is an interned *set* of (what follows, parent frame): a graph-structured stack by hash-consing (Tomita 1985,
//! Scott and Johnstone 2010). Calls made at one position are grouped by rule before the rule is entered, in an order
//! in which callers come before callees, so that ambiguity costs polynomial, not exponential, space. Left recursion
//! was removed before (`rules`), so a frame never contains itself.

use crate::error::Result;
use crate::limit::Limits;
use crate::rules::{Entry, First, Rules};
use crate::term::{Arena, Term, TermId, Text, EMPTY, EPSILON};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FrameId(u32);

/// The frame below everything: what returns to it is a whole text.
pub const BOTTOM: FrameId = FrameId(0);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PositionId(pub u32);

/// The position from which nothing is allowed.
pub const DEAD: PositionId = PositionId(0);

/// What may come next at one place of a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    pub heads: Vec<(TermId, FrameId)>,
    pub specials: Vec<(u32, FrameId)>,
    /// Whether a text may end here.
    pub accepting: bool,
    /// Whether only an exact replay can tell what follows (`First::Ask`).
    pub ask: bool,
}

/// A position with its places in the list and in the table.
const PER_POSITION: usize = size_of::<Position>() + 16 + 8 + 24;

/// The same for a frame.
const PER_FRAME: usize = 16 + 40;

pub struct Machine {
    pub arena: Arena,
    rules: Arc<Rules>,
    frames: Vec<Box<[(TermId, FrameId)]>>,
    frame_ids: FxHashMap<Box<[(TermId, FrameId)]>, FrameId>,
    returns: FxHashMap<FrameId, Arc<Position>>,
    bound_returns: FxHashMap<(TermId, FrameId), Arc<Position>>,
    firsts: FxHashMap<TermId, Arc<Vec<Entry>>>,
    positions: Vec<Arc<Position>>,
    position_ids: FxHashMap<Arc<Position>, PositionId>,
    steps: FxHashMap<(PositionId, u8), PositionId>,
    pub start: PositionId,
}

/// Items of one closure: heads and calls with the frames they return to.
#[derive(Default)]
struct Closure {
    heads: BTreeMap<TermId, SmallVec<[FrameId; 2]>>,
    specials: BTreeMap<u32, SmallVec<[FrameId; 2]>>,
    calls: BTreeMap<u32, (u32, SmallVec<[FrameId; 2]>)>,
    accepting: bool,
    ask: bool,
    seen: FxHashSet<(TermId, FrameId)>,
}

impl Machine {
    pub fn new(arena: Arena, rules: Arc<Rules>, root: TermId) -> Result<Self> {
        let mut machine = Machine {
            arena,
            rules,
            frames: vec![Box::new([])],
            frame_ids: FxHashMap::default(),
            returns: FxHashMap::default(),
            bound_returns: FxHashMap::default(),
            firsts: FxHashMap::default(),
            positions: Vec::new(),
            position_ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            start: DEAD,
        };
        machine.intern(Position::default());
        machine.start = {
            let position = machine.closure(&[(root, BOTTOM)])?;
            machine.intern(position)
        };
        Ok(machine)
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

    fn intern(&mut self, position: Position) -> PositionId {
        if let Some(&id) = self.position_ids.get(&position) {
            return id;
        }
        self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
        let position = Arc::new(position);
        let id = PositionId(self.positions.len() as u32);
        self.positions.push(position.clone());
        self.position_ids.insert(position, id);
        id
    }

    fn frame(&mut self, mut members: Vec<(TermId, FrameId)>) -> FrameId {
        members.sort_unstable();
        members.dedup();
        if let [(EPSILON, parent)] = members[..] {
            return parent;
        }
        if let Some(&id) = self.frame_ids.get(&members[..]) {
            return id;
        }
        self.arena.budget.grow(PER_FRAME + 16 * members.len());
        let members: Box<[_]> = members.into();
        let id = FrameId(self.frames.len() as u32);
        self.frames.push(members.clone());
        self.frame_ids.insert(members, id);
        id
    }

    fn union(&mut self, frames: &[FrameId]) -> FrameId {
        if let [one] = frames {
            return *one;
        }
        let mut members = Vec::new();
        for &frame in frames {
            if frame == BOTTOM {
                members.push((EPSILON, BOTTOM));
            } else {
                members.extend_from_slice(&self.frames[frame.0 as usize]);
            }
        }
        self.frame(members)
    }

    fn pushed(&mut self, rest: &[TermId], mut frame: FrameId) -> FrameId {
        for &term in rest.iter().rev() {
            frame = self.frame(vec![(term, frame)]);
        }
        frame
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

    /// Everything that can begin at these items.
    fn closure(&mut self, items: &[(TermId, FrameId)]) -> Result<Position> {
        let mut closure = Closure::default();
        self.open(items, &mut closure)?;
        self.close(closure)
    }

    /// Follow items until heads and calls are left; what may be empty returns.
    fn open(&mut self, items: &[(TermId, FrameId)], closure: &mut Closure) -> Result<()> {
        let mut work: Vec<(TermId, FrameId)> = items.to_vec();
        while let Some((term, frame)) = work.pop() {
            if !closure.seen.insert((term, frame)) {
                continue;
            }
            self.arena.spend(1)?;
            if self.rules.nullable(&self.arena, term) {
                if frame == BOTTOM {
                    closure.accepting = true;
                } else {
                    work.extend_from_slice(&self.frames[frame.0 as usize]);
                }
            }
            let entries = self.first(term)?;
            self.enter(&entries, frame, closure);
        }
        Ok(())
    }

    fn enter(&mut self, entries: &[Entry], frame: FrameId, closure: &mut Closure) {
        for entry in entries {
            let frame = self.pushed(&entry.rest, frame);
            match entry.first {
                First::Head(head) => closure.heads.entry(head).or_default().push(frame),
                First::Special(special) => closure.specials.entry(special).or_default().push(frame),
                First::Ask => closure.ask = true,
                First::Call(rule) => {
                    let place = self.rules.order[rule as usize];
                    closure.calls.entry(place).or_insert_with(|| (rule, SmallVec::new())).1.push(frame);
                }
            }
        }
    }

    /// Enter the called rules, callers before callees, each once; then merge the frames of equal heads.
    fn close(&mut self, mut closure: Closure) -> Result<Position> {
        while let Some((_, (rule, frames))) = closure.calls.pop_first() {
            self.arena.spend(frames.len() as u64)?;
            let frame = self.union(&frames);
            let entries = self.rules.entries(rule);
            self.enter(&entries, frame, &mut closure);
        }
        let mut position = Position { accepting: closure.accepting, ask: closure.ask, ..Position::default() };
        for (head, frames) in closure.heads {
            self.arena.spend(frames.len() as u64)?;
            position.heads.push((head, self.union(&frames)));
        }
        for (special, frames) in closure.specials {
            position.specials.push((special, self.union(&frames)));
        }
        Ok(position)
    }

    /// Whether a finished head says itself what follows it.
    fn binds(&self, head: TermId) -> bool {
        matches!(self.arena.term(head), Term::KeyDone { .. } | Term::KeyExtra { .. } | Term::Item { .. })
    }

    /// What follows a head that is at an end.
    pub(crate) fn after(&mut self, head: TermId, frame: FrameId) -> Result<Arc<Position>> {
        if self.binds(head) {
            if let Some(position) = self.bound_returns.get(&(head, frame)) {
                return Ok(position.clone());
            }
            let follow = self.arena.bound(head)?.unwrap_or(EMPTY);
            let position = Arc::new(self.closure(&[(follow, frame)])?);
            self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
            self.bound_returns.insert((head, frame), position.clone());
            return Ok(position);
        }
        if let Some(position) = self.returns.get(&frame) {
            return Ok(position.clone());
        }
        let position = Arc::new(if frame == BOTTOM {
            Position { accepting: true, ..Position::default() }
        } else {
            let members = self.frames[frame.0 as usize].to_vec();
            self.closure(&members)?
        });
        self.arena.budget.grow(PER_POSITION + 8 * position.heads.len());
        self.returns.insert(frame, position.clone());
        Ok(position)
    }

    /// The position after one more byte.
    pub fn step(&mut self, id: PositionId, byte: u8) -> Result<PositionId> {
        if let Some(&next) = self.steps.get(&(id, byte)) {
            return Ok(next);
        }
        let position = self.position(id).clone();
        let mut moved: Vec<(TermId, FrameId)> = Vec::new();
        for &(head, frame) in &position.heads {
            let next = self.arena.derive(head, byte)?;
            if next != EMPTY {
                moved.push((next, frame));
            }
        }
        let next = self.settle(moved)?;
        self.arena.budget.grow(24);
        self.steps.insert((id, byte), next);
        Ok(next)
    }

    /// The position after a special token.
    pub fn step_special(&mut self, id: PositionId, special: u32) -> Result<PositionId> {
        let position = self.position(id).clone();
        match position.specials.iter().find(|&&(other, _)| other == special) {
            Some(&(_, frame)) => self.settle(vec![(EPSILON, frame)]),
            None => Ok(DEAD),
        }
    }

    /// Heads that have just read something, with what follows those at an end.
    fn settle(&mut self, moved: Vec<(TermId, FrameId)>) -> Result<PositionId> {
        match moved[..] {
            [] => return Ok(DEAD),
            // The common case: one head, in its middle.
            [(head, _)] if head != EPSILON && !self.arena.info(head).nullable => {
                return Ok(self.intern(Position { heads: moved, ..Position::default() }));
            }
            _ => {}
        }
        let mut accepting = false;
        let mut ask = false;
        let mut heads: BTreeMap<TermId, SmallVec<[FrameId; 2]>> = BTreeMap::new();
        let mut specials: BTreeMap<u32, SmallVec<[FrameId; 2]>> = BTreeMap::new();
        // Merge first: returning once from a set of frames is what keeps ambiguity polynomial.
        let mut merged: BTreeMap<TermId, SmallVec<[FrameId; 2]>> = BTreeMap::new();
        for (head, frame) in moved {
            merged.entry(head).or_default().push(frame);
        }
        let mut ended: Vec<FrameId> = Vec::new();
        for (head, frames) in merged {
            let frame = self.union(&frames);
            if self.arena.info(head).nullable {
                if self.binds(head) {
                    let after = self.after(head, frame)?;
                    accepting |= after.accepting;
                    ask |= after.ask;
                    after.heads.iter().for_each(|&(head, frame)| heads.entry(head).or_default().push(frame));
                    after.specials.iter().for_each(|&(id, frame)| specials.entry(id).or_default().push(frame));
                } else {
                    ended.push(frame);
                }
            }
            let finished = match *self.arena.term(head) {
                Term::KeyDone { .. } => true,
                Term::KeyExtra { inner, .. } | Term::Item { inner, .. } => inner == EPSILON,
                _ => head == EPSILON,
            };
            if !finished {
                heads.entry(head).or_default().push(frame);
            }
        }
        if !ended.is_empty() {
            let frame = self.union(&ended);
            let after = self.after(EPSILON, frame)?;
            accepting |= after.accepting;
            ask |= after.ask;
            after.heads.iter().for_each(|&(head, frame)| heads.entry(head).or_default().push(frame));
            after.specials.iter().for_each(|&(id, frame)| specials.entry(id).or_default().push(frame));
        }
        let mut position = Position { accepting, ask, ..Position::default() };
        for (head, mut frames) in heads {
            frames.sort_unstable();
            frames.dedup();
            self.arena.spend(frames.len() as u64)?;
            position.heads.push((head, self.union(&frames)));
        }
        for (special, frames) in specials {
            position.specials.push((special, self.union(&frames)));
        }
        Ok(self.intern(position))
    }

    /// The same position without the texts of open keys: masks do not depend on them.
    pub fn abstracted(&mut self, id: PositionId) -> Result<PositionId> {
        let position = self.position(id).clone();
        let known = |arena: &Arena, head: TermId| matches!(arena.held(head), Some((_, Text::Known(text))) if text != 0);
        if !position.heads.iter().any(|&(head, _)| known(&self.arena, head)) {
            return Ok(id);
        }
        let mut abstracted = (*position).clone();
        for (head, _) in &mut abstracted.heads {
            *head = self.unknown(*head)?;
        }
        abstracted.heads.sort_unstable();
        Ok(self.intern(abstracted))
    }

    /// A head without the text it has read.
    pub(crate) fn unknown(&mut self, head: TermId) -> Result<TermId> {
        match self.arena.held(head) {
            Some((inner, _)) => self.arena.rehold(head, inner, Text::Unknown),
            None => Ok(head),
        }
    }
}
