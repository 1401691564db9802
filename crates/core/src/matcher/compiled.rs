//! Grammar × Vocabulary → CompiledGrammar: one lazy automaton that all matchers of the grammar share.
//!
//! It stands apart from the matcher because it is shared between threads: nothing here belongs to one sequence.

use crate::automaton::machine::Machine;
use crate::automaton::migration::Migration;
use crate::bytes::byteset::ByteSet;
use crate::error::{Error, Limit, Result};
use crate::grammar::grammar::Grammar;
use crate::limits::{Cancellation, Limits, Pause};
use crate::mask::accelerate::literals::prepare;
use crate::mask::shared::SharedMasks;
use crate::matcher::checkpoint::{Registry, Trail};
use crate::matcher::lazy::{first_epoch_of_child, Input, LazyAutomaton, MatcherState, SharedTables, EPOCH_BITS};
use crate::matcher::matcher::Matcher;
use crate::matcher::next_bytes::{next_byte_ranges, shown};
use crate::storage::exclusive::{Exclusive, ExclusiveGuard};
use crate::vocabulary::vocabulary::Vocabulary;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

/// How many byte ranges an error names where the vocabulary cannot begin as the grammar must.
const SHOWN_RANGES: usize = 12;

/// A grammar over a vocabulary: one lazy automaton, shared by all its matchers.
pub struct CompiledGrammar {
    /// The vocabulary, and the caches of masks that all its grammars share.
    pub masks: Arc<SharedMasks>,
    /// The limits of each call.
    pub limits: Limits,
    pub(super) cancellation: Option<Cancellation>,
    /// Called now and then during a long call, and before a call waits for another thread.
    pause: Option<Pause>,
    grammar: Arc<Grammar>,
    special_ids: Vec<u32>,
    start: MatcherState,
    pub(super) tables: SharedTables,
    pub(super) checkpoints: Registry,
    /// None in a child of a fork at which another thread computed.
    automaton: Exclusive<Option<LazyAutomaton>>,
    /// Bytes held, as of the last call that computed something.
    memory: AtomicUsize,
    composed: AtomicUsize,
    steps: AtomicU64,
}

impl CompiledGrammar {
    /// The grammar over the vocabulary of `masks`, with default limits.
    pub fn new(grammar: &Arc<Grammar>, masks: Arc<SharedMasks>) -> Result<Arc<Self>> {
        Self::with_limits(grammar, masks, Limits::default(), None, None)
    }

    /// The grammar over the vocabulary of `masks`.
    ///
    /// Errors: a vocabulary that lacks a special token of the grammar or any token to begin with; a grammar larger than
    /// its memory; a limit or a cancellation that ends the call.
    pub fn with_limits(
        grammar: &Arc<Grammar>,
        masks: Arc<SharedMasks>,
        limits: Limits,
        cancellation: Option<Cancellation>,
        pause: Option<Pause>,
    ) -> Result<Arc<Self>> {
        let vocabulary = &masks.vocabulary;
        let mut special_ids = Vec::with_capacity(grammar.specials.len());
        for name in &grammar.specials {
            let Some(id) = vocabulary.special_id(name) else {
                let known = vocabulary.special.iter().map(|(name, _)| name.clone()).collect();
                return Err(Error::NoSpecialToken(name.clone(), known).into());
            };
            // A token leads to one special token of the grammar.
            if let Some(place) = special_ids.iter().position(|&other| other == id) {
                let other = &grammar.specials[place];
                let message = format!("{other:?} and {name:?} are one token of the vocabulary: use one of the names");
                return Err(Error::Vocabulary(message).into());
            }
            special_ids.push(id);
        }
        let mut machine = Machine::of(grammar, &limits, [cancellation.clone(), None], pause)?;
        check_can_begin(&mut machine, vocabulary)?;
        match prepare(&mut machine.arena, &masks) {
            // A mask that is not prepared now is computed when a matcher asks for it.
            Ok(()) => {}
            Err(error) if matches!(*error, Error::Limit(Limit::Steps(_))) => {}
            Err(error) => return Err(error),
        }
        if machine.memory_bytes() > limits.memory {
            return Err(Error::Limit(Limit::Memory(limits.memory)).into());
        }
        let automaton = LazyAutomaton::new(0, machine, &special_ids);
        Ok(Arc::new(CompiledGrammar {
            masks,
            limits,
            cancellation,
            pause,
            grammar: grammar.clone(),
            special_ids,
            start: automaton.start(),
            tables: SharedTables::default(),
            checkpoints: Registry::default(),
            memory: AtomicUsize::new(automaton.memory_bytes()),
            composed: AtomicUsize::default(),
            steps: AtomicU64::default(),
            automaton: Exclusive::new(Some(automaton)),
        }))
    }

    /// The vocabulary that the grammar was compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.masks.vocabulary
    }

    /// Bytes held, without those of the vocabulary's caches.
    pub fn memory_bytes(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// How many masks were composed; all others came from a cache of this grammar or of the vocabulary.
    pub fn masks_composed(&self) -> usize {
        self.composed.load(Ordering::Relaxed)
    }

    /// Elementary steps (`Limits`) that all calls of matchers took together.
    pub fn steps_taken(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// How often the automaton was dropped because it had grown to its limit of memory.
    pub fn epoch(&self) -> u64 {
        self.tables.read().epoch & ((1 << EPOCH_BITS) - 1)
    }

    /// A matcher at the start.
    pub fn matcher(self: &Arc<Self>, cancellation: Option<Cancellation>) -> Matcher {
        Matcher::new(self.clone(), self.start, cancellation)
    }

    /// The automaton, held by one thread at a time. Errors: the limits, where a child of a fork makes it anew.
    pub(super) fn automaton(&self) -> Result<AutomatonGuard<'_>> {
        let mut held = self.automaton.take(self.pause)?;
        if held.is_none() {
            let machine = Machine::of(&self.grammar, &self.limits, [self.cancellation.clone(), None], self.pause)?;
            *held = Some(LazyAutomaton::new(first_epoch_of_child(), machine, &self.special_ids));
        }
        Ok(AutomatonGuard(held))
    }

    /// Publish the automaton's memory, masks and steps, after a call on it.
    pub(super) fn record(&self, automaton: &LazyAutomaton) {
        self.memory.store(automaton.memory_bytes(), Ordering::Relaxed);
        self.composed.store(automaton.masks_composed(), Ordering::Relaxed);
        self.steps.fetch_add(automaton.machine.arena.budget.spent(), Ordering::Relaxed);
    }

    /// Begin a new epoch with the checkpoints of `trail` and of other matchers, the latest first, until the new automaton
    /// holds more than `room` bytes. Returns what the old epoch held, for the caller to drop. An error if the call was
    /// cancelled; then nothing has changed.
    pub(super) fn begin_epoch(
        &self,
        automaton: &mut LazyAutomaton,
        trail: &Trail,
        room: usize,
        flags: [Option<Cancellation>; 2],
    ) -> Result<impl Sized> {
        let mut machine = Machine::of(&self.grammar, &self.limits, flags, self.pause)?;
        machine.arena.budget.resume(&automaton.machine.arena.budget)?;
        let mut migration = Migration::new(self.grammar.ground(), &automaton.machine, &mut machine);
        let mut copies = Vec::new();
        for checkpoint in trail.latest_first().chain(self.checkpoints.latest_first()) {
            let Some(position) = checkpoint.position(automaton.epoch) else { continue };
            match migration.copy(position) {
                Ok(copy) => copies.push((checkpoint, copy)),
                Err(error) if matches!(*error, Error::Limit(Limit::Cancelled)) => return Err(error),
                // A matcher without checkpoints takes all inputs again.
                Err(_) => break,
            }
            if migration.held() > room {
                break;
            }
        }
        machine.arena.budget.renew();
        let next = automaton.next_epoch(machine, &self.special_ids);
        for (checkpoint, copy) in copies {
            checkpoint.move_to(next.epoch, copy);
        }
        let tables = self.tables.begin_epoch(next.epoch);
        Ok((std::mem::replace(automaton, next), tables))
    }

    /// The state after an input; None if the input may not come.
    pub(super) fn step(
        &self,
        automaton: &mut LazyAutomaton,
        state: MatcherState,
        input: Input<'_>,
    ) -> Result<Option<MatcherState>> {
        automaton.step(&self.tables, self.vocabulary(), &self.special_ids, state, input)
    }
}

/// The automaton, until it is dropped.
pub(super) struct AutomatonGuard<'a>(ExclusiveGuard<'a, Option<LazyAutomaton>>);

impl Deref for AutomatonGuard<'_> {
    type Target = LazyAutomaton;

    fn deref(&self) -> &LazyAutomaton {
        self.0.as_ref().expect("made when it was taken")
    }
}

impl DerefMut for AutomatonGuard<'_> {
    fn deref_mut(&mut self) -> &mut LazyAutomaton {
        self.0.as_mut().expect("made when it was taken")
    }
}

/// An error if the grammar must begin with a byte with which no token of the vocabulary begins.
fn check_can_begin(machine: &mut Machine, vocabulary: &Vocabulary) -> Result<()> {
    let first = machine.position(machine.start).clone();
    if vocabulary.begins == ByteSet::FULL || first.accepting || !first.specials.is_empty() {
        return Ok(());
    }
    let start = machine.start;
    let ranges = next_byte_ranges(machine, start, 256)?;
    if ranges.iter().any(|&(low, high)| vocabulary.begins_between(low, high)) {
        return Ok(());
    }
    let text = shown(&ranges[..ranges.len().min(SHOWN_RANGES)]);
    Err(Error::Vocabulary(format!("no token of the vocabulary begins as the grammar must: {text}")).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::matcher::fixture::{message, over, shared_masks};

    #[test]
    fn a_vocabulary_that_cannot_begin_is_refused() {
        let literal = |text: &'static [u8]| move |builder: &mut Builder| builder.literal(text).unwrap().number();
        let message_of = |text, tokens: &[&[u8]]| message(over(literal(text), tokens));
        assert!(message_of(b"xy", &[b"y", b"a"]).ends_with("begins as the grammar must: x"));
        assert_eq!(message_of(b"xy", &[b"y", b"x"]), "");
        assert_eq!(message_of(b"", &[b"y"]), "", "a grammar may end at once");
        let special = |name: &'static str| move |builder: &mut Builder| builder.special(name).unwrap().number();
        assert_eq!(message(over(special("<s>"), &[b"y"])), "", "or begin with a special token");
        assert!(message(over(special("<t>"), &[b"y"])).contains("no special token \"<t>\""));
        let many = |builder: &mut Builder| {
            let ranges: Vec<(u8, u8)> = (0..13).map(|number| (b'A' + 2 * number, b'A' + 2 * number)).collect();
            builder.byte_class(&ranges).unwrap().number()
        };
        let shown = message(over(many, &[b"B"]));
        assert!(shown.ends_with("A, C, E, G, I, K, M, O, Q, S, U, W"), "of many only the first: {shown}");
    }

    #[test]
    fn a_grammar_larger_than_its_memory_is_refused() {
        let mut builder = Builder::default();
        let root = builder.literal(b"abc").unwrap();
        let grammar = builder.build(root.number()).unwrap();
        let with = |memory| {
            let limits = Limits { memory, ..Limits::default() };
            CompiledGrammar::with_limits(&grammar, shared_masks(&[b"a", b"b", b"c"]), limits, None, None)
        };
        let held = with(1 << 20).unwrap().memory_bytes();
        assert!(with(held).is_ok());
        assert!(matches!(with(held / 2).map(drop).map_err(|error| *error), Err(Error::Limit(Limit::Memory(_)))));
    }
}
