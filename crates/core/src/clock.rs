//! The clock of limits: the standard library's, or the host's where the standard library has none.
//!
//! In WebAssembly without a system, `std::time::Instant::now` panics.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use hosted::{set_clock, Instant};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
mod hosted {
    use once_cell::race::OnceBox;
    use std::time::Duration;

    static CLOCK: OnceBox<fn() -> Duration> = OnceBox::new();

    /// Gives the host's clock, which never goes back. Without one no time passes, and no limit on time ends a call.
    pub fn set_clock(clock: fn() -> Duration) {
        CLOCK.get_or_init(|| Box::new(clock));
    }

    /// A moment: the time since the host's clock began.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Self {
            Instant(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }

        /// The time since that moment.
        pub fn elapsed(self) -> Duration {
            Self::now().0.saturating_sub(self.0)
        }

        /// The moment that is later by `time`, if it can be represented.
        pub fn checked_add(self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Instant)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hosted::{set_clock, Instant};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    static SECONDS: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn time_passes_as_the_host_says() {
        let before = Instant::now();
        SECONDS.store(5, Ordering::Relaxed);
        assert_eq!((before.elapsed(), Instant::now() == before), (Duration::ZERO, true));
        set_clock(|| Duration::from_secs(SECONDS.load(Ordering::Relaxed)));
        let begun = Instant::now();
        SECONDS.store(8, Ordering::Relaxed);
        assert_eq!(begun.elapsed(), Duration::from_secs(3));
        assert_eq!(begun.checked_add(Duration::from_secs(3)), Some(Instant::now()));
        assert_eq!(begun.checked_add(Duration::MAX), None);
        // If the clock goes back, the elapsed time is zero rather than negative.
        SECONDS.store(1, Ordering::Relaxed);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
