//! A value that is made when it is first asked for, without a lock.
//!
//! Several threads may make it, and the first one's stays. The standard library's cells let the others wait instead, and a
//! child of `fork()` would wait for a thread that it does not have (`lock`).

use once_cell::race::OnceBox;
use std::ops::Deref;

/// A cell that is written once.
#[derive(Debug)]
pub struct Once<T>(OnceBox<T>);

impl<T> Once<T> {
    /// An empty cell.
    pub const fn new() -> Self {
        Once(OnceBox::new())
    }

    /// A cell that holds its value already.
    pub fn of(value: T) -> Self {
        Once(OnceBox::with_value(Box::new(value)))
    }

    /// The value, if it was made.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// The value, made by this call or by another.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| Box::new(make()))
    }

    /// The value, made by this call or by another; the error of `make` leaves the cell empty.
    pub fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        self.0.get_or_try_init(|| make().map(Box::new))
    }
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once::new()
    }
}

/// A static value that its own function makes when it is first used.
pub struct Lazy<T> {
    value: Once<T>,
    make: fn() -> T,
}

impl<T> Lazy<T> {
    /// A value that `make` will make.
    pub const fn new(make: fn() -> T) -> Self {
        Lazy { value: Once::new(), make }
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value.get_or_init(self.make)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn the_first_value_stays_and_no_thread_waits_for_another() {
        let (once, both) = (Once::new(), Barrier::new(2));
        let make = |value| {
            both.wait();
            value
        };
        let made = std::thread::scope(|scope| {
            let other = scope.spawn(|| *once.get_or_init(|| make(1)));
            [*once.get_or_init(|| make(2)), other.join().unwrap()]
        });
        assert_eq!(made, [*once.get().unwrap(); 2]);
        assert_eq!(once.get_or_try_init(|| Err(())), Ok(&made[0]));
    }

    #[test]
    fn an_error_leaves_the_cell_empty() {
        let once: Once<u8> = Once::default();
        assert_eq!((once.get_or_try_init(|| Err("no")), once.get()), (Err("no"), None));
        assert_eq!(Once::of(7).get_or_try_init(|| Err("no")), Ok(&7));
    }
}
