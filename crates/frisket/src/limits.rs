//! The caller's limits → those of the core, with the flag that ends a call.

use frisket_core::automaton::recognizer::Allowance;
use frisket_core::limits::{self as core, Cancellation, Pause};
use std::time::Duration;

/// The limits of one call: steps, memory, time, and a flag that ends it.
///
/// ```
/// use frisket::{Cancellation, Code, Grammar, Limits};
///
/// let flag = Cancellation::default();
/// let limits = Limits::default().steps(1_000_000).cancellation(&flag);
/// flag.cancel(); // as a rule, from another thread
/// assert_eq!(Grammar::from_regex("[a-z]+", &limits).err().unwrap().code(), Code::Cancelled);
/// ```
#[derive(Clone, Default, Debug)]
pub struct Limits {
    inner: core::Limits,
    cancellation: Option<Cancellation>,
    pause: Option<Pause>,
}

impl Limits {
    /// The most elementary steps of a call, 50 million by default. A step takes 40 nanoseconds at most, and a call
    /// takes the same number of steps on every machine.
    #[must_use]
    pub fn steps(mut self, steps: u64) -> Self {
        self.inner.steps = steps;
        self
    }

    /// The most bytes of a grammar, 256 MiB by default. A compiled grammar that reaches them forgets what it has
    /// learned and goes on.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.inner.memory = bytes;
        self
    }

    /// The most time of a call; unlimited by default.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.inner.time = Some(time);
        self
    }

    /// A flag that ends every call under these limits.
    #[must_use]
    pub fn cancellation(mut self, flag: &Cancellation) -> Self {
        self.cancellation = Some(flag.clone());
        self
    }

    /// A function that a long call calls now and then, and before it waits for another thread; false ends the call.
    #[must_use]
    pub fn pause(mut self, pause: Pause) -> Self {
        self.pause = Some(pause);
        self
    }

    /// The same limits for several calls, whose time begins now unless it did before.
    #[must_use]
    pub fn started(mut self) -> Self {
        self.inner = self.inner.started();
        self
    }

    /// The function that `pause` set.
    pub(crate) fn between(&self) -> Option<Pause> {
        self.pause
    }

    /// The limits of a reading.
    pub(crate) fn allowance(&self) -> Allowance {
        Allowance { limits: self.inner, cancellation: self.cancellation.clone(), pause: self.pause }
    }

    /// Limits of the core, with the flag.
    #[doc(hidden)]
    pub fn of_parts(inner: core::Limits, cancellation: Option<Cancellation>) -> Self {
        Limits { inner, cancellation, pause: None }
    }

    /// The core's limits, and the flag.
    #[doc(hidden)]
    pub fn parts(&self) -> (core::Limits, Option<Cancellation>) {
        (self.inner, self.cancellation.clone())
    }
}
