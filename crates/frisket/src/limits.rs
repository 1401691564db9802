//! The caller's limits → those of the core, with the flag that ends a call.

use frisket_core::limits::{self as core, Cancellation};
use std::time::Duration;

/// What one call may take: steps, memory, time, and who may end it.
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
}

impl Limits {
    /// At most so many elementary steps of a call, 40 nanoseconds each at most: 50 million where nobody says otherwise.
    /// They are the same on every machine.
    #[must_use]
    pub fn steps(mut self, steps: u64) -> Self {
        self.inner.steps = steps;
        self
    }

    /// At most so many bytes of a grammar, 256 MiB where nobody says otherwise. A compiled grammar that reaches them forgets
    /// what it has learned and goes on.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.inner.memory = bytes;
        self
    }

    /// At most so much time of a call: as long as it takes where nobody says otherwise.
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

    /// The core's limits, and the flag.
    pub(crate) fn parts(&self) -> (core::Limits, Option<Cancellation>) {
        (self.inner, self.cancellation.clone())
    }
}
