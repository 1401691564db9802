//! What was built → automata: rules over bytes, as compiled grammars share them, and as they read whole texts.

use crate::automaton::machine::{Machine, PositionId, DEAD};
use crate::error::{Error, Limit, Result};
use crate::grammar::rules::Rules;
use crate::limits::{Cancellation, Limits, Pause};
use crate::regular::term::{Arena, TermId};
use crate::storage::exclusive::Turn;
use std::sync::Arc;

/// Rules over bytes; knows no tokenizer; immutable.
pub struct Grammar {
    arena: Box<Arena>,
    rules: Arc<Rules>,
    root: TermId,
    pub specials: Vec<String>,
    reader: Turn<Option<Box<Machine>>>,
}

impl Grammar {
    pub(crate) fn new(arena: Box<Arena>, rules: Rules, root: TermId, specials: Vec<String>) -> Arc<Self> {
        Arc::new(Grammar { arena, rules: Arc::new(rules), root, specials, reader: Turn::default() })
    }

    pub(crate) fn parts(&self) -> (&Arena, &Rules, TermId) {
        (&self.arena, &self.rules, self.root)
    }

    /// What its automata stand on.
    pub(crate) fn ground(&self) -> &Arena {
        &self.arena
    }

    pub fn node_count(&self) -> usize {
        self.arena.len()
    }

    /// With what `accepts` has learned, if that is not at work now.
    pub fn memory_bytes(&self) -> usize {
        let reader = self.reader.glance();
        let learned = reader.iter().flat_map(|reader| reader.iter()).map(|machine| machine.memory_bytes());
        self.arena.memory_bytes() + learned.sum::<usize>()
    }

    /// An automaton that has learned nothing yet.
    pub fn machine(
        &self,
        limits: &Limits,
        cancellations: [Option<Cancellation>; 2],
        pause: Option<Pause>,
    ) -> Result<Box<Machine>> {
        let mut machine = Machine::above(&self.arena, self.rules.clone());
        machine.arena.budget.heed(cancellations);
        machine.arena.budget.pause_with(pause);
        machine.begin(limits);
        machine.arena.budget.check()?;
        machine.begin_with(self.root)?;
        Ok(machine)
    }

    fn read(&self, data: &[u8], pause: Option<Pause>) -> Result<(PositionId, bool)> {
        let mut reader = self.reader.take(pause)?;
        let limits = Limits::default();
        // It keeps no positions from one text to the next, so it may start anew at any of them.
        if reader.as_ref().is_none_or(|machine| machine.memory_bytes() > limits.memory) {
            *reader = None;
            *reader = Some(self.machine(&limits, [None, None], pause)?);
        }
        let Some(machine) = reader.as_mut() else { return Ok((DEAD, false)) };
        machine.arena.budget.pause_with(pause);
        machine.begin(&limits);
        let read = machine.read(machine.start, data);
        let id = match read {
            Err(error) if matches!(*error, Error::Limit(Limit::Memory(_))) => {
                // Nobody will need so much soon.
                *reader = None;
                return Err(error);
            }
            read => read?,
        };
        Ok((id, machine.position(id).accepting))
    }

    /// Whether the text is a whole sentence. `pause` is called now and then if it takes long.
    pub fn accepts(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, pause)?.1)
    }

    /// Whether some sentence begins with the text.
    pub fn accepts_prefix(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, pause)?.0 != DEAD)
    }
}
