//! Matcher → one that several threads may call: their calls wait for each other.

use crate::compiled::CompiledGrammar;
use crate::error::{Error, Result};
use crate::matcher::Matcher;
use frisket_core::limits::Pause;
use frisket_core::mask::mask::Mask;
use frisket_core::storage::exclusive::Exclusive;
use std::sync::Arc;

/// A matcher that several threads may call: their calls wait for each other. For bindings, whose hosts share objects.
pub struct SharedMatcher {
    /// None in a child of a fork at which another thread was in a call of it.
    inner: Exclusive<Option<Matcher>>,
    mask_words: usize,
    /// Declared after the matcher, so that it is dropped later.
    compiled: CompiledGrammar,
}

impl SharedMatcher {
    /// The matcher, for all threads.
    pub fn new(matcher: Matcher) -> Self {
        let (mask_words, compiled) = (matcher.mask_words(), matcher.compiled());
        SharedMatcher { inner: Exclusive::new(Some(matcher)), mask_words, compiled }
    }

    /// The grammar and vocabulary that it was made from.
    pub fn compiled(&self) -> &CompiledGrammar {
        &self.compiled
    }

    /// The uint32 words of a mask.
    pub fn mask_words(&self) -> usize {
        self.mask_words
    }

    /// The result of `act` on the matcher. `pause` is called before the call waits for another thread.
    ///
    /// Errors: those of `act`; this thread, or one of a parent process at a fork, is in a call of the matcher.
    pub fn call<T>(&self, pause: Option<Pause>, act: impl FnOnce(&mut Matcher) -> Result<T>) -> Result<T> {
        let mut held = self.inner.take(pause)?;
        if self.inner.is_poisoned() {
            return Err(Error::broken("a matcher"));
        }
        act(held.as_mut().ok_or_else(Error::forked)?)
    }

    /// The result of `act` on the matcher; None if it is None, or if a thread is in a call of the matcher.
    pub fn try_call<T>(&self, act: impl FnOnce(&mut Matcher) -> Option<T>) -> Option<T> {
        act(self.inner.try_lock()?.as_mut()?)
    }

    /// The mask without room, if it takes no computation and no thread is in a call of the matcher.
    pub fn known_mask(&self) -> Option<Arc<Mask>> {
        self.try_call(|matcher| matcher.known_mask())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Grammar, Limits, Vocabulary};
    use std::panic::{catch_unwind, AssertUnwindSafe};

    #[test]
    fn a_matcher_that_a_panic_left_is_used_no_more() {
        let vocabulary = Vocabulary::from_bytes(["a", ""], [("<end>", 1)], &[1]).unwrap();
        let grammar = Grammar::from_regex("a", &Limits::default()).unwrap();
        let matcher = SharedMatcher::new(grammar.compile(&vocabulary, &Limits::default()).unwrap().matcher());
        assert!(matcher.known_mask().is_none());
        assert!(matcher.call(None, |matcher| matcher.mask(None)).unwrap().allows(0));
        assert!(matcher.known_mask().is_some_and(|mask| mask.is_single()));
        let panicked =
            catch_unwind(AssertUnwindSafe(|| matcher.call(None, |_| -> Result<()> { panic!("on purpose") })));
        assert!(panicked.is_err());
        assert_eq!(matcher.call(None, |_| Ok(())).unwrap_err().code(), Code::Bug);
        assert!(matcher.known_mask().is_none());
    }
}
