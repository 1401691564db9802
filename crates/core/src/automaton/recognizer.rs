//! Grammar × whole text → whether the text is a sentence, or a prefix of one.
//!
//! Recognition needs no vocabulary and no masks, so it stands apart from them. The machine is kept for the next text.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, DEAD};
use crate::error::{Error, Limit, Result};
use crate::grammar::grammar::Grammar;
use crate::limits::{Cancellation, Limits, Pause};
use crate::storage::exclusive::Exclusive;
use std::sync::Arc;

impl Grammar {
    /// A machine without cached positions. Errors: the limits of the call.
    pub fn machine(
        &self,
        limits: &Limits,
        cancellations: [Option<Cancellation>; 2],
        pause: Option<Pause>,
    ) -> Result<Box<Machine>> {
        let (arena, rules, root) = self.parts();
        let mut machine = Machine::with_base(arena, rules.clone());
        machine.arena.budget.set_cancellations(cancellations);
        machine.arena.budget.set_pause(pause);
        machine.begin(limits);
        machine.arena.budget.check()?;
        machine.start_at(root)?;
        Ok(machine)
    }
}

/// Reads whole texts by one grammar, one call at a time.
pub struct Recognizer {
    grammar: Arc<Grammar>,
    machine: Exclusive<Option<Box<Machine>>>,
}

impl Recognizer {
    /// A recognizer with an empty cache.
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Recognizer { grammar, machine: Exclusive::default() }
    }

    /// The grammar that the recognizer reads by.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// Bytes of the cached machine; 0 while a call is running.
    pub fn memory_bytes(&self) -> usize {
        let machine = self.machine.try_lock();
        machine.iter().flat_map(|machine| machine.iter()).map(|machine| machine.memory_bytes()).sum()
    }

    /// Whether the text is a sentence. `pause` is called now and then during a long call. Errors: limits.
    pub fn accepts(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, pause)?.1)
    }

    /// Whether the text is a prefix of a sentence. Errors: limits.
    pub fn accepts_prefix(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, pause)?.0 != DEAD)
    }

    /// The lengths of all prefixes of the text that are sentences, shortest first. Errors: limits.
    pub fn ends(&self, data: &[u8], pause: Option<Pause>) -> Result<Vec<usize>> {
        self.run(pause, |machine| {
            let (mut ends, mut id) = (Vec::new(), machine.start);
            for length in 0..=data.len() {
                if machine.position(id).accepting {
                    ends.push(length);
                }
                if id == DEAD || length == data.len() {
                    break;
                }
                id = machine.read(id, &data[length..=length])?;
            }
            Ok(ends)
        })
    }

    fn read(&self, data: &[u8], pause: Option<Pause>) -> Result<(PositionId, bool)> {
        self.run(pause, |machine| {
            let id = machine.read(machine.start, data)?;
            Ok((id, machine.position(id).accepting))
        })
    }

    /// Runs a call on the machine, which is kept for the next one.
    fn run<T>(&self, pause: Option<Pause>, call: impl FnOnce(&mut Machine) -> Result<T>) -> Result<T> {
        let mut held = self.machine.take(pause)?;
        let limits = Limits::default();
        // No position outlives its text, so a new machine may start at any text.
        let machine = match held.take().filter(|machine| machine.memory_bytes() <= limits.memory) {
            Some(machine) => held.insert(machine),
            None => held.insert(self.grammar.machine(&limits, [None, None], pause)?),
        };
        machine.arena.budget.set_pause(pause);
        machine.begin(&limits);
        let done = call(machine);
        if matches!(&done, Err(error) if matches!(**error, Error::Limit(Limit::Memory(_)))) {
            // Other texts rarely need so much memory.
            *held = None;
        }
        done
    }
}
