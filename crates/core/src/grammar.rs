//! What was built → automata: rules over bytes, as compiled grammars share them, and as they read whole texts.

use crate::cache::lock;
use crate::error::Result;
use crate::limit::{Cancellation, Limits, Pause};
use crate::machine::{Machine, PositionId, DEAD};
use crate::rules::Rules;
use crate::term::{Arena, TermId};
use std::sync::{Arc, Mutex};

/// Rules over bytes; knows no tokenizer; immutable.
pub struct Grammar {
    arena: Box<Arena>,
    rules: Arc<Rules>,
    root: TermId,
    pub specials: Vec<String>,
    reader: Mutex<Option<Box<Machine>>>,
}

impl Grammar {
    pub(crate) fn new(arena: Box<Arena>, rules: Rules, root: TermId, specials: Vec<String>) -> Arc<Self> {
        Arc::new(Grammar { arena, rules: Arc::new(rules), root, specials, reader: Mutex::new(None) })
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

    /// With what `accepts` has learned.
    pub fn memory_bytes(&self) -> usize {
        let learned = lock(&self.reader).as_ref().map_or(0, |machine| machine.memory_bytes());
        self.arena.memory_bytes() + learned
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

    fn read(&self, data: &[u8]) -> Result<(PositionId, bool)> {
        let mut reader = lock(&self.reader);
        let limits = Limits::default();
        // It keeps no positions from one text to the next, so it may start anew at any of them.
        if reader.as_ref().is_none_or(|machine| machine.memory_bytes() > limits.memory) {
            *reader = None;
            *reader = Some(self.machine(&limits, [None, None], None)?);
        }
        let Some(machine) = reader.as_mut() else { return Ok((DEAD, false)) };
        machine.begin(&limits);
        let mut id = machine.start;
        for &byte in data {
            id = machine.step(id, byte)?;
            if id == DEAD {
                break;
            }
        }
        Ok((id, machine.position(id).accepting))
    }

    /// Whether the text is a whole sentence.
    pub fn accepts(&self, data: &[u8]) -> Result<bool> {
        Ok(self.read(data)?.1)
    }

    /// Whether some sentence begins with the text.
    pub fn accepts_prefix(&self, data: &[u8]) -> Result<bool> {
        Ok(self.read(data)?.0 != DEAD)
    }
}
