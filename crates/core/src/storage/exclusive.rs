//! A value → one thread at a time, for as long as a call takes.
//!
//! A long call pauses now and then, and what is done in a pause may call again: a signal's handler, say, with the same
//! objects at hand. It would wait for its own thread; here it is refused.

use crate::error::{Error, Result};
use crate::limits::Pause;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

#[derive(Default)]
pub struct Exclusive<T> {
    value: Mutex<T>,
    /// The thread that has it for a call; 0: none, or one that has it for a moment.
    holder: AtomicUsize,
}

pub struct ExclusiveGuard<'a, T> {
    value: MutexGuard<'a, T>,
    holder: &'a AtomicUsize,
}

/// A number that no other living thread has.
fn this_thread() -> usize {
    thread_local!(static PLACE: u8 = const { 0 });
    PLACE.with(|place| std::ptr::from_ref(place) as usize)
}

impl<T> Exclusive<T> {
    pub fn new(value: T) -> Self {
        Exclusive { value: Mutex::new(value), holder: AtomicUsize::new(0) }
    }

    /// For a moment, in which nothing else is called; nothing if another has it, or a call went wrong in its middle.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.value.try_lock().ok()
    }

    /// For a call, which pauses before it waits for another thread.
    pub fn take(&self, pause: Option<Pause>) -> Result<ExclusiveGuard<'_, T>> {
        let value = match self.value.try_lock() {
            Ok(value) => value,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if self.holder.load(Ordering::Relaxed) == this_thread() => {
                return Err(Error::Reentrant.into());
            }
            Err(TryLockError::WouldBlock) => {
                pause.map(|pause| pause());
                self.value.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        self.holder.store(this_thread(), Ordering::Relaxed);
        Ok(ExclusiveGuard { value, holder: &self.holder })
    }

    /// Whether a call went wrong in its middle.
    pub fn is_poisoned(&self) -> bool {
        self.value.is_poisoned()
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
