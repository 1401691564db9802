//! Places of a pattern → a deterministic automaton over classes of characters.
//!
//! Places that consume nothing are passed when the characters before and after are both known, which decides anchors
//! and word boundaries. Lookbehinds run as automata of their own from the start of the text.

use super::program::{Place, Program};
use super::{Halt, Result};
use crate::char_set::CharSet;
use crate::unicode::property::SURROGATES;
use frisket_core::builder::Builder;
use rustc_hash::{FxHashMap, FxHashSet};

const MOST_STATES: usize = 400;
const MOST_MOVES: u64 = 50_000;
const MOST_CLASSES: usize = 100;
/// Moves between two checks of the builder's limits and flags: some tens of microseconds.
const SLICE: u64 = 256;

/// The number of a set of branches.
type State = usize;
/// Lookaheads that are still being checked, in order: whether each is negative, and its state.
type Checks = Vec<(bool, State)>;
/// A place, and the lookaheads that run beside it.
type Branch = (usize, Checks);

/// A character of the text, as far as the pattern tells characters apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Neighbour {
    /// None: the text begins or ends here.
    Edge,
    /// A part of a text begins or ends here, and the text beside it is unknown: assertions about it are taken to hold,
    /// or to fail.
    Beside(bool),
    Class(usize),
}

/// The surroundings of a position: the characters before and after, and whether each lookbehind holds.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Context {
    before: Neighbour,
    after: Neighbour,
    behind: Vec<bool>,
}

impl Context {
    /// The context with the opposite assumption about the text beside a part.
    fn flipped(&self) -> Self {
        let after = match self.after {
            Neighbour::Beside(holds) => Neighbour::Beside(!holds),
            known => known,
        };
        Context { after, ..self.clone() }
    }
}

/// A deterministic automaton: for each state (0 is the start) the next state by class, and whether it accepts.
pub(super) struct Table {
    pub next: Vec<Vec<usize>>,
    pub accepts: Vec<bool>,
    pub classes: Vec<CharSet>,
}

pub(super) struct Machine<'a> {
    builder: &'a mut Builder,
    program: &'a Program,
    classes: Vec<CharSet>,
    /// The set of each place, as classes.
    members: Vec<Vec<bool>>,
    /// Class → the one that stands for all classes that no assertion about the previous character tells apart.
    before: Vec<usize>,
    states: Vec<Vec<Branch>>,
    numbers: FxHashMap<Vec<Branch>, State>,
    /// Steps that were made, with the next state; None if the state matches whatever follows.
    known: FxHashMap<(State, Context), Option<State>>,
    moves: u64,
}

impl<'a> Machine<'a> {
    pub fn new(builder: &'a mut Builder, program: &'a Program) -> Result<Self> {
        let set = |place: &'a Place| match place {
            Place::Char { ranges, .. } | Place::Neighbour { ranges, .. } => Some(ranges),
            _ => None,
        };
        let chars = CharSet::new(vec![SURROGATES]).complement();
        let classes = chars.split_by(program.places.iter().filter_map(set), MOST_CLASSES).ok_or(Halt::TooLarge)?;
        let members_of = |place| match set(place) {
            Some(ranges) => classes.iter().map(|class| !class.is_disjoint(ranges)).collect(),
            None => Vec::new(),
        };
        let members: Vec<Vec<bool>> = program.places.iter().map(members_of).collect();
        let is_behind = |place: &Place| matches!(place, Place::Neighbour { ahead: false, .. });
        let behinds: Vec<usize> = (0..members.len()).filter(|&place| is_behind(&program.places[place])).collect();
        let mut seen: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        let told = |class: usize| behinds.iter().map(|&place| members[place][class]).collect();
        let before = (0..classes.len()).map(|class| *seen.entry(told(class)).or_insert(class)).collect();
        Ok(Machine {
            builder,
            program,
            classes,
            members,
            before,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            moves: 0,
        })
    }

    /// The automaton.
    pub fn table(mut self) -> Result<Table> {
        let start = self.state(vec![(self.program.start, Checks::new())]);
        let done = self.state(vec![(self.program.accept(), Checks::new())]);
        let nothing = self.state(Vec::new());
        let trackers: Vec<State> =
            self.program.trackers.iter().map(|&start| self.state(vec![(start, Checks::new())])).collect();
        let edge = if self.program.is_part { Neighbour::Beside(false) } else { Neighbour::Edge };
        let first = (start, trackers, edge);
        let mut numbers = FxHashMap::from_iter([(first.clone(), 0)]);
        let mut order = vec![first];
        let mut table = Table { next: Vec::new(), accepts: Vec::new(), classes: self.classes.clone() };
        while let Some((state, trackers, before)) = order.get(table.next.len()).cloned() {
            let mut row = Vec::with_capacity(self.classes.len());
            for class in 0..self.classes.len() {
                let context = self.context(&trackers, before, Neighbour::Class(class))?;
                let next = self.step(state, &context)?.unwrap_or(done);
                let mut moved = Vec::with_capacity(trackers.len());
                for &tracker in &trackers {
                    moved.push(self.step(tracker, &context)?.unwrap_or(nothing));
                }
                let after = (next, moved, Neighbour::Class(self.before[class]));
                let fresh = order.len();
                let number = *numbers.entry(after.clone()).or_insert(fresh);
                if number == fresh {
                    if fresh >= MOST_STATES {
                        return Err(Halt::TooLarge);
                    }
                    order.push(after);
                }
                row.push(number);
            }
            table.next.push(row);
            let context = self.context(&trackers, before, edge)?;
            let accepts = self.matches(state, &context, false)?;
            // A part must match alike, whether assertions about the text beside it hold or fail.
            if self.program.is_part && self.matches(state, &context.flipped(), false)? != accepts {
                return Err(Halt::TooLarge);
            }
            table.accepts.push(accepts);
        }
        Ok(table)
    }

    fn state(&mut self, branches: Vec<Branch>) -> State {
        let fresh = self.states.len();
        let number = *self.numbers.entry(branches).or_insert_with_key(|branches| {
            self.states.push(branches.clone());
            fresh
        });
        number
    }

    /// The context of a position, with the lookbehinds that hold there. Inner lookbehinds come first, as outer ones ask
    /// them.
    fn context(&mut self, trackers: &[State], before: Neighbour, after: Neighbour) -> Result<Context> {
        let mut context = Context { before, after, behind: Vec::new() };
        for &tracker in trackers {
            let mut holds = false;
            for (place, _) in self.states[tracker].clone() {
                let reached = self.reached(place, &context)?;
                holds |= reached.iter().any(|(place, _)| matches!(self.program.places[*place], Place::End));
            }
            context.behind.push(holds);
        }
        Ok(context)
    }

    /// The state after the context's character; None if the state matches whatever follows.
    fn step(&mut self, state: State, context: &Context) -> Result<Option<State>> {
        let key = (state, context.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let stepped = self.stepped(state, context)?;
        self.known.insert(key, stepped);
        Ok(stepped)
    }

    fn stepped(&mut self, state: State, context: &Context) -> Result<Option<State>> {
        let Neighbour::Class(class) = context.after else { return Ok(Some(state)) };
        let mut found: Vec<Branch> = Vec::new();
        for (start, checks) in self.states[state].clone() {
            for (place, started) in self.reached(start, context)? {
                let (next, is_done) = match self.program.places[place] {
                    Place::Char { next, .. } if self.members[place][class] => (next, false),
                    Place::Accept => (place, true),
                    _ => continue,
                };
                let Some(remaining) = self.checked(checks.iter().chain(&started), context)? else { continue };
                if is_done && remaining.is_empty() {
                    return Ok(None);
                }
                found.push((next, remaining));
            }
        }
        found.sort_unstable();
        found.dedup();
        // A branch with more lookaheads to check than another one at the same place adds nothing.
        let less = |one: &Branch, other: &Branch| {
            one.0 == other.0 && one.1.len() < other.1.len() && one.1.iter().all(|check| other.1.contains(check))
        };
        let kept = found.iter().filter(|branch| !found.iter().any(|other| less(other, branch))).cloned().collect();
        Ok(Some(self.state(kept)))
    }

    /// The lookaheads that go on after the context's character; None if one has failed.
    fn checked<'c>(
        &mut self,
        checks: impl Iterator<Item = &'c (bool, State)>,
        context: &Context,
    ) -> Result<Option<Checks>> {
        let mut remaining = Checks::new();
        for &(negative, state) in checks {
            match self.step(state, context)? {
                None if negative => return Ok(None),
                None => {}
                Some(after) if !self.states[after].is_empty() => remaining.push((negative, after)),
                Some(_) if !negative => return Ok(None),
                Some(_) => {}
            }
        }
        remaining.sort_unstable();
        remaining.dedup();
        Ok(Some(remaining))
    }

    /// Whether the state matches at the end of the text. A lookahead may look beyond the end of a part.
    fn matches(&mut self, state: State, context: &Context, is_lookahead: bool) -> Result<bool> {
        let goes_on = is_lookahead && context.after == Neighbour::Beside(true);
        for (start, checks) in self.states[state].clone() {
            'branch: for (place, started) in self.reached(start, context)? {
                if !goes_on && !matches!(self.program.places[place], Place::End | Place::Accept) {
                    continue;
                }
                for &(negative, check) in checks.iter().chain(&started) {
                    // A negative lookahead fails if its item matches, so the assumption is reversed.
                    let holds = match negative {
                        true => !self.matches(check, &context.flipped(), true)?,
                        false => self.matches(check, context, true)?,
                    };
                    if !holds {
                        continue 'branch;
                    }
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The places that consume or end, with the lookaheads that begin on the way to them.
    fn reached(&mut self, start: usize, context: &Context) -> Result<Vec<Branch>> {
        let mut seen: FxHashSet<Branch> = FxHashSet::default();
        let mut found = Vec::new();
        let mut waiting: Vec<Branch> = vec![(start, Checks::new())];
        let program = self.program;
        while let Some(branch) = waiting.pop() {
            self.moves += 1;
            if self.moves > MOST_MOVES {
                return Err(Halt::TooLarge);
            }
            if self.moves.is_multiple_of(SLICE) {
                self.builder.check(SLICE)?;
            }
            if !seen.insert(branch.clone()) {
                continue;
            }
            let (number, mut checks) = branch;
            match &program.places[number] {
                Place::Fork(next) => waiting.extend(next.iter().map(|&next| (next, checks.clone()))),
                Place::Neighbour { edge, ahead, next, .. } => {
                    let holds = match if *ahead { context.after } else { context.before } {
                        Neighbour::Edge => *edge,
                        Neighbour::Beside(_) if !ahead => return Err(Halt::TooLarge),
                        Neighbour::Beside(holds) => holds,
                        Neighbour::Class(class) => self.members[number][class],
                    };
                    if holds {
                        waiting.push((*next, checks));
                    }
                }
                Place::Ahead { start, negative, next } => {
                    let check = (*negative, self.state(vec![(*start, Checks::new())]));
                    if let Err(index) = checks.binary_search(&check) {
                        checks.insert(index, check);
                    }
                    waiting.push((*next, checks));
                }
                Place::Behind { tracker, negative, next } => {
                    if context.behind.get(*tracker).is_some_and(|holds| holds != negative) {
                        waiting.push((*next, checks));
                    }
                }
                Place::End | Place::Accept | Place::Char { .. } => found.push((number, checks)),
            }
        }
        Ok(found)
    }
}
