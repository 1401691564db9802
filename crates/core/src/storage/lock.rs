//! A mutex that a child of `fork()` can lock, whatever the threads of its parent held.
//!
//! A child has one thread and a copy of all memory, locked mutexes included. No thread of the child will unlock them, and
//! the values behind them may be half written. A lock that was held at the fork therefore begins anew in the child.

#![expect(clippy::disallowed_types, reason = "the type to use instead of a mutex is here")]

use crate::storage::once::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// How many forks lie between the first process and this one.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Tells the core that this process is the child of a fork; to be called there before any other thread begins.
pub fn enter_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// How many forks lie between the first process and this one.
#[inline]
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Added to the generation whose first thread is looking whether the mutex is locked.
const LOOKING: u64 = 1 << 63;

/// In place of a generation: the mutex was locked at a fork, so no thread of this process uses it.
const ABANDONED: u64 = u64::MAX;

/// A mutex; the value is `T::default()` in a child of a fork at which another thread held it.
pub struct Lock<T> {
    value: Mutex<T>,
    /// The generation whose threads use `value`, or one of the marks above.
    state: AtomicU64,
    /// Used in place of `value` once that is abandoned.
    successor: Once<Lock<T>>,
}

impl<T: Default> Lock<T> {
    /// An unlocked value.
    pub fn new(value: T) -> Self {
        Lock { value: Mutex::new(value), state: AtomicU64::new(generation()), successor: Once::new() }
    }

    /// The value, once no other thread holds it. It must be valid at every step: a panic does not take it away.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.mutex().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mutex that the threads of this process use.
    #[inline]
    pub(super) fn mutex(&self) -> &Mutex<T> {
        match self.state.load(Ordering::Acquire) == generation() {
            true => &self.value,
            false => self.inherit(),
        }
    }

    /// The mutex to use instead of one that another process last used.
    #[cold]
    fn inherit(&self) -> &Mutex<T> {
        let now = generation();
        loop {
            let state = self.state.load(Ordering::Acquire);
            if state == now {
                return &self.value;
            }
            if state == ABANDONED {
                return self.successor.get_or_init(|| Lock::new(T::default())).mutex();
            }
            if state == now | LOOKING {
                std::thread::yield_now();
                continue;
            }
            // No thread of this process has tried the mutex before the one that wins here, so whoever holds it is gone.
            if self.state.compare_exchange(state, now | LOOKING, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                let is_held = matches!(self.value.try_lock(), Err(TryLockError::WouldBlock));
                self.state.store(if is_held { ABANDONED } else { now }, Ordering::Release);
            }
        }
    }
}

impl<T: Default> Default for Lock<T> {
    fn default() -> Self {
        Lock::new(T::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::scope;

    /// A generation that no process of the tests has: they are threads of one process, whose generation stays.
    const PARENT: u64 = 41;

    fn as_child(lock: &Lock<Vec<u32>>) {
        lock.state.store(PARENT, Ordering::Relaxed);
    }

    #[test]
    fn a_lock_that_was_held_begins_anew_for_all_threads_and_again_in_the_next_child() {
        let lock = Lock::new(vec![1]);
        let _held = lock.lock();
        as_child(&lock);
        scope(|scope| {
            (0..8).for_each(|number| {
                drop(scope.spawn({
                    let lock = &lock;
                    move || lock.lock().push(number)
                }))
            });
        });
        let mut found = lock.lock().clone();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6, 7]);
        let successor = lock.successor.get().unwrap();
        let _held_again = successor.lock();
        as_child(successor);
        assert!(lock.lock().is_empty());
    }

    #[test]
    fn a_child_whose_parent_was_looking_looks_itself() {
        let lock = Lock::new(vec![1]);
        lock.state.store(PARENT | LOOKING, Ordering::Relaxed);
        assert_eq!(*lock.lock(), [1]);
    }
}
