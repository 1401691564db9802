//! Root × rules × terms → Grammar: the immutable value that all automata of a grammar share.
//!
//! The type stands apart from its builder, because automata and masks never build.

use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::regular::term::TermId;
use std::sync::Arc;

/// A language over bytes, given by rules. Knows no tokenizer, never changes, and is shared between threads.
pub struct Grammar {
    arena: Box<Arena>,
    rules: Arc<Rules>,
    /// The term of the grammar's texts.
    root: TermId,
    /// Names of the special tokens, by their numbers in terms.
    pub specials: Vec<String>,
}

impl Grammar {
    /// Shares finished rules as a grammar.
    pub(crate) fn new(arena: Box<Arena>, rules: Rules, root: TermId, specials: Vec<String>) -> Arc<Self> {
        Arc::new(Grammar { arena, rules: Arc::new(rules), root, specials })
    }

    /// The frozen arena, the rules and the root term.
    pub(crate) fn parts(&self) -> (&Arena, &Arc<Rules>, TermId) {
        (&self.arena, &self.rules, self.root)
    }

    /// The frozen arena on which the grammar's automata stand.
    pub(crate) fn ground(&self) -> &Arena {
        &self.arena
    }

    /// The number of terms in the grammar's arena.
    pub fn node_count(&self) -> usize {
        self.arena.len()
    }

    /// Bytes that the grammar holds, without automata and masks.
    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }
}
