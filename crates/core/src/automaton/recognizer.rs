//! Grammar × whole text → whether it is a sentence, or the beginning of one.
//!
//! A recognizer keeps the automaton that it has learned for the next text; it needs no vocabulary.

use crate::automaton::machine::{Machine, PositionId, DEAD};
use crate::error::{Error, Limit, Result};
use crate::grammar::grammar::Grammar;
use crate::limits::{Cancellation, Limits, Pause};
use crate::storage::exclusive::Exclusive;
use std::sync::Arc;

impl Grammar {
    /// An automaton that has learned nothing yet.
    pub fn machine(
        &self,
        limits: &Limits,
        cancellations: [Option<Cancellation>; 2],
        pause: Option<Pause>,
    ) -> Result<Box<Machine>> {
        let (arena, rules, root) = self.parts();
        let mut machine = Machine::above(arena, rules.clone());
        machine.arena.budget.set_cancellations(cancellations);
        machine.arena.budget.set_pause(pause);
        machine.begin(limits);
        machine.arena.budget.check()?;
        machine.begin_with(root)?;
        Ok(machine)
    }
}

/// Reads whole texts by one grammar, one call at a time.
pub struct Recognizer {
    grammar: Arc<Grammar>,
    machine: Exclusive<Option<Box<Machine>>>,
}

impl Recognizer {
    /// A recognizer that has read nothing yet.
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Recognizer { grammar, machine: Exclusive::default() }
    }

    /// The grammar by which it reads.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// Bytes of what it has learned; 0 while a call is at work.
    pub fn memory_bytes(&self) -> usize {
        let machine = self.machine.try_lock();
        machine.iter().flat_map(|machine| machine.iter()).map(|machine| machine.memory_bytes()).sum()
    }

    /// Whether the text is a whole sentence. `pause` is called now and then if it takes long.
    pub fn accepts(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, pause)?.1)
    }

    /// Whether some sentence begins with the text.
    pub fn accepts_prefix(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, pause)?.0 != DEAD)
    }

    fn read(&self, data: &[u8], pause: Option<Pause>) -> Result<(PositionId, bool)> {
        let mut held = self.machine.take(pause)?;
        let limits = Limits::default();
        // No position is kept from one text to the next, so any text may begin with a new automaton.
        if held.as_ref().is_none_or(|machine| machine.memory_bytes() > limits.memory) {
            *held = None;
            *held = Some(self.grammar.machine(&limits, [None, None], pause)?);
        }
        let Some(machine) = held.as_mut() else { return Ok((DEAD, false)) };
        machine.arena.budget.set_pause(pause);
        machine.begin(&limits);
        let id = match machine.read(machine.start, data) {
            Err(error) if matches!(*error, Error::Limit(Limit::Memory(_))) => {
                // The next text will hardly need so much memory.
                *held = None;
                return Err(error);
            }
            read => read?,
        };
        Ok((id, machine.position(id).accepting))
    }
}
