//! Rules over bytes, as the builder leaves them and all automata share them.

use crate::grammar::rules::Rules;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use std::sync::Arc;

/// Rules over bytes; knows no tokenizer; immutable.
pub struct Grammar {
    arena: Box<Arena>,
    rules: Arc<Rules>,
    root: TermId,
    pub specials: Vec<String>,
}

impl Grammar {
    pub(crate) fn new(arena: Box<Arena>, rules: Rules, root: TermId, specials: Vec<String>) -> Arc<Self> {
        Arc::new(Grammar { arena, rules: Arc::new(rules), root, specials })
    }

    pub(crate) fn parts(&self) -> (&Arena, &Arc<Rules>, TermId) {
        (&self.arena, &self.rules, self.root)
    }

    /// The terms on which its automata stand.
    pub(crate) fn ground(&self) -> &Arena {
        &self.arena
    }

    pub fn node_count(&self) -> usize {
        self.arena.len()
    }

    /// Bytes that the grammar itself takes.
    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }
}
