//! A value that one thread owns for the duration of a call.
//!
//! A long call pauses, and a signal handler in that pause may call again on the same thread. A mutex would deadlock there;
//! `Exclusive` returns an error.

use crate::error::{Error, Result};
use crate::limits::Pause;
use crate::storage::lock::Lock;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{MutexGuard, PoisonError, TryLockError};

/// A lock that refuses a thread which already holds it. The value is `T::default()` in a child of a fork at which another
/// thread held it.
#[derive(Default)]
pub struct Exclusive<T: Default> {
    /// The guarded value.
    value: Lock<T>,
    /// The thread that holds the value for a call; 0 if none does.
    holder: AtomicU64,
}

/// The value, until it is dropped.
pub struct ExclusiveGuard<'a, T> {
    value: MutexGuard<'a, T>,
    holder: &'a AtomicU64,
}

/// A number that no other thread has or had, in this process and in those that forked it.
fn this_thread() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    thread_local!(static NUMBER: u64 = LAST.fetch_add(1, Ordering::Relaxed) + 1);
    NUMBER.with(|number| *number)
}

impl<T: Default> Exclusive<T> {
    /// An unlocked value.
    pub fn new(value: T) -> Self {
        Exclusive { value: Lock::new(value), holder: AtomicU64::new(0) }
    }

    /// The value for a moment without other calls; `None` if it is held or poisoned.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.value.mutex().try_lock().ok()
    }

    /// The value for a call. If another thread holds it, calls `pause` and waits.
    ///
    /// Errors with `Reentrant` if this thread holds it. A poisoned value is returned; see `is_poisoned`.
    pub fn take(&self, pause: Option<Pause>) -> Result<ExclusiveGuard<'_, T>> {
        let mutex = self.value.mutex();
        let value = match mutex.try_lock() {
            Ok(value) => value,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if self.holder.load(Ordering::Relaxed) == this_thread() => {
                return Err(Error::Reentrant.into());
            }
            Err(TryLockError::WouldBlock) => {
                pause.map(|pause| pause());
                mutex.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        self.holder.store(this_thread(), Ordering::Relaxed);
        Ok(ExclusiveGuard { value, holder: &self.holder })
    }

    /// Whether a call panicked while it held the value.
    pub fn is_poisoned(&self) -> bool {
        self.value.mutex().is_poisoned()
    }
}

impl<T> Drop for ExclusiveGuard<'_, T> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

impl<T> Deref for ExclusiveGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for ExclusiveGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_thread_that_has_it_is_refused_and_others_wait() {
        static PAUSED: AtomicUsize = AtomicUsize::new(0);
        let pause: Pause = || PAUSED.fetch_add(1, Ordering::Release) == 0;
        let turn = Exclusive::new(1);
        let mut taken = turn.take(Some(pause)).unwrap();
        assert_eq!(turn.take(Some(pause)).err(), Some(Error::Reentrant.into()));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| *turn.take(Some(pause)).unwrap());
            while PAUSED.load(Ordering::Acquire) == 0 {
                std::thread::yield_now();
            }
            *taken = 2;
            drop(taken);
            assert_eq!(other.join().unwrap(), 2);
        });
        assert_eq!(turn.take(None).map(|taken| *taken), Ok(2));
    }
}
