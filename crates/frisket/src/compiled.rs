//! Grammar × Vocabulary → CompiledGrammar → matchers.

use crate::error::Result;
use crate::limits::Limits;
use crate::matcher::Matcher;
use crate::vocabulary::Vocabulary;
use frisket_core::grammar::grammar::Grammar;
use frisket_core::limits::Cancellation;
use frisket_core::matcher as core;
use std::sync::Arc;

/// A grammar over a vocabulary. Threads share it: each uses the masks that others have composed.
#[derive(Clone)]
pub struct CompiledGrammar(Arc<core::CompiledGrammar>);

impl CompiledGrammar {
    pub(crate) fn of(compiled: &Arc<core::CompiledGrammar>) -> Self {
        CompiledGrammar(compiled.clone())
    }

    pub(crate) fn new(grammar: &Arc<Grammar>, vocabulary: &Vocabulary, limits: &Limits) -> Result<Self> {
        let ((bounds, flag), masks) = (limits.parts(), vocabulary.masks().clone());
        let compiled = core::CompiledGrammar::with_limits(grammar, masks, bounds, flag, limits.between())?;
        Ok(CompiledGrammar(compiled))
    }

    /// A matcher at the beginning of a text.
    pub fn matcher(&self) -> Matcher {
        self.matcher_with(None)
    }

    /// A matcher at the beginning of a text. The flag, too, ends its calls and those of its forks.
    pub fn matcher_with(&self, cancellation: Option<&Cancellation>) -> Matcher {
        Matcher::new(self.0.matcher(cancellation.cloned()))
    }

    /// The vocabulary that the grammar was compiled for.
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary::of_masks(self.0.masks.clone())
    }

    /// A number that tells compiled grammars apart.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// How often the automaton was dropped because it had reached the limit of memory.
    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// How many masks were composed; all others came from a cache.
    pub fn masks_composed(&self) -> usize {
        self.0.masks_composed()
    }

    /// Bytes of the automaton and of its masks, with the parts that it uses of what grammars share.
    pub fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }
}
