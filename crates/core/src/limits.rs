//! Limits of a call → a budget that is checked inside the loops, and a flag that cancels from another thread.
//!
//! Hostile grammars exist, so every loop whose length depends on input spends from a budget.

use crate::clock::Instant;
use crate::error::{Error, Limit, Result};
use std::cmp::Ordering as Order;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// The resources that one call may use.
///
/// Steps are deterministic: the same call fails or succeeds on every machine. The clock is read only if `time` is set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Bytes. A compiled grammar that grows beyond forgets its caches. Capacity counts, not only content.
    pub memory: usize,
    /// Elementary steps, some 40 nanoseconds each at most. A dear operation counts as several.
    pub steps: u64,
    /// Wall-clock time; `None` for no limit.
    pub time: Option<Duration>,
    /// When the time began; `None` where each call has its own.
    pub begun: Option<Instant>,
}

impl Default for Limits {
    /// The masks of the 2,826 schemas of MaskBench take less than 500,000 steps each, the builds less than 2 million, their
    /// automata some megabytes. The default allows a hundred masks and stops a hostile grammar within two seconds.
    fn default() -> Self {
        Limits { memory: 256 << 20, steps: 50_000_000, time: None, begun: None }
    }
}

impl Limits {
    /// The same limits for several calls, whose time begins now unless it did before.
    pub fn started(self) -> Self {
        Limits { begun: self.begun.or_else(|| self.time.map(|_| Instant::now())), ..self }
    }

    /// The end of the time, where it has begun and there is one.
    fn deadline(&self) -> Option<Instant> {
        self.begun?.checked_add(self.time?)
    }
}

/// A flag that ends the calls it was given to, from any thread and permanently.
#[derive(Clone, Debug)]
pub struct Cancellation {
    /// Its own flag, then those of the cancellations that it was joined with.
    flags: Vec<Arc<AtomicBool>>,
}

impl Default for Cancellation {
    fn default() -> Self {
        Cancellation { flags: vec![Arc::default()] }
    }
}

impl Cancellation {
    /// Ends these calls.
    pub fn cancel(&self) {
        self.flags[0].store(true, Ordering::Relaxed);
    }

    /// Whether `cancel` was called.
    pub fn is_cancelled(&self) -> bool {
        self.flags.iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// A cancellation that is cancelled once either of the two is.
    pub fn join(&self, other: &Cancellation) -> Cancellation {
        Cancellation { flags: [Arc::default()].iter().chain(&self.flags).chain(&other.flags).cloned().collect() }
    }
}

/// The flag and the clock that end a call. Loops that read input have no budget, and check these two instead.
#[derive(Clone, Default, Debug)]
pub struct Watch {
    cancellation: Option<Cancellation>,
    /// The end of the allowed time, and its length.
    end: Option<(Instant, Duration)>,
}

impl Watch {
    /// The watch of a call under these limits, which begins now if its time has not begun.
    pub fn new(limits: &Limits, cancellation: Option<Cancellation>) -> Self {
        let limits = limits.started();
        Watch { cancellation, end: limits.deadline().zip(limits.time) }
    }

    /// Errors if the call was cancelled or its time is over.
    pub fn check(&self) -> Result<()> {
        if self.cancellation.as_ref().is_some_and(Cancellation::is_cancelled) {
            return Err(Error::Limit(Limit::Cancelled).into());
        }
        match self.end {
            Some((end, time)) if Instant::now() >= end => Err(Error::Limit(Limit::Time(time)).into()),
            _ => Ok(()),
        }
    }
}

/// Items that are sorted without a check of the limits: they take less than a millisecond.
const SORTED_AT_ONCE: usize = 8_192;

/// Sorts many items in slices, and calls `look` to check the limits before each slice. Equal items end up in any order.
///
/// Quicksort down to the slices, at medians that are found in linear time (Hoare 1961).
pub fn sort_by<T, E>(
    items: &mut [T],
    compare: &impl Fn(&T, &T) -> Order,
    look: &mut impl FnMut() -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    if items.len() <= SORTED_AT_ONCE {
        items.sort_unstable_by(compare);
        return Ok(());
    }
    look()?;
    if items.is_sorted_by(|one, next| compare(one, next).is_le()) {
        return Ok(());
    }
    let (low, _, high) = items.select_nth_unstable_by(items.len() / 2, compare);
    sort_by(low, compare, look)?;
    look()?;
    sort_by(high, compare, look)
}

/// A callback between the slices of a long call; false cancels the call.
pub type Pause = fn() -> bool;

/// Steps between two checks of clock, memory and flags: some tens of microseconds.
const SLICE: u64 = 4_096;

/// The remaining resources of one call.
#[derive(Clone)]
pub(crate) struct Budget {
    /// Steps until the next check.
    slice: u64,
    /// Steps behind that check.
    rest: u64,
    limits: Limits,
    /// The end of the allowed time. Where that has not begun, it is set at the first check: most calls end before that and
    /// never read the clock.
    deadline: Option<Instant>,
    /// Flags that end the call: the caller's and the object's.
    cancellations: [Option<Cancellation>; 2],
    pause: Option<Pause>,
    /// Bytes reported by `grow`, minus those released.
    held: usize,
    /// Bytes that this call has put into caches of several grammars.
    shared: usize,
    /// The bytes at which the call fails.
    max_held: usize,
}

impl Default for Budget {
    fn default() -> Self {
        let limits = Limits { memory: usize::MAX, steps: u64::MAX, time: None, begun: None };
        let mut budget = Budget {
            slice: 0,
            rest: 0,
            limits,
            deadline: None,
            cancellations: [None, None],
            pause: None,
            held: 0,
            shared: 0,
            max_held: usize::MAX,
        };
        budget.begin(&limits);
        budget
    }
}

impl Budget {
    /// Resets steps, memory limit and deadline for the next call.
    pub fn begin(&mut self, limits: &Limits) {
        self.limits = *limits;
        self.shared = 0;
        self.max_held = limits.memory;
        self.deadline = limits.deadline();
        self.renew();
    }

    /// Resets the steps and keeps the deadline, for one of several parts of a call.
    ///
    /// The current slice continues, so that many short parts are checked as often as one long call.
    pub fn renew(&mut self) {
        self.slice = self.limits.steps.min(self.slice);
        self.rest = self.limits.steps - self.slice;
    }

    /// Adopts the deadline of another budget. Errors if a limit is already reached.
    pub fn resume(&mut self, other: &Budget) -> Result<()> {
        self.deadline = other.deadline;
        self.check()
    }

    /// Goes on with the call of another budget of the same limits: its deadline and its steps. Errors if a limit is
    /// reached.
    pub fn continue_call(&mut self, other: &Budget) -> Result<()> {
        self.resume(other)?;
        self.spend(other.spent().saturating_sub(self.spent()))
    }

    /// Sets the flags that can end the following calls.
    pub fn set_cancellations(&mut self, cancellations: [Option<Cancellation>; 2]) {
        self.cancellations = cancellations;
    }

    /// Sets the callback between slices.
    pub fn set_pause(&mut self, pause: Option<Pause>) {
        self.pause = pause;
    }

    /// Counts bytes that other objects hold against the memory limit.
    pub fn reserve(&mut self, bytes: usize) {
        self.max_held = self.limits.memory.saturating_sub(bytes);
    }

    /// Reports an allocation.
    #[inline]
    pub fn grow(&mut self, bytes: usize) {
        self.held += bytes;
    }

    /// Errors if an allocation that is to come would exceed the limit of memory.
    pub fn check_room(&mut self, bytes: usize) -> Result<()> {
        match self.held.saturating_add(self.shared).saturating_add(bytes) > self.max_held {
            true => self.fail(Limit::Memory(self.limits.memory)),
            false => Ok(()),
        }
    }

    /// Reports an allocation that caches of several grammars keep: it counts until the call ends. Errors at the limit.
    pub fn grow_shared(&mut self, bytes: usize) -> Result<()> {
        self.shared += bytes;
        match self.exceeds_memory() {
            true => self.fail(Limit::Memory(self.limits.memory)),
            false => Ok(()),
        }
    }

    fn exceeds_memory(&self) -> bool {
        self.held.saturating_add(self.shared) > self.max_held
    }

    /// Reports that an allocation was freed.
    pub fn release(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Bytes reported by `grow` and not released.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Stops counting the bytes held so far: they are shared, and their creator counts them.
    pub fn reset_held(&mut self) {
        self.held = 0;
    }

    /// Takes steps. Errors if a limit is reached.
    #[inline]
    pub fn spend(&mut self, amount: u64) -> Result<()> {
        match self.slice.checked_sub(amount) {
            Some(rest) => {
                self.slice = rest;
                Ok(())
            }
            None => self.start_slice(amount),
        }
    }

    /// Leaves at most `steps` to the rest of the call.
    pub fn leave(&mut self, steps: u64) {
        let cut = (self.slice + self.rest).saturating_sub(steps);
        self.slice -= cut.saturating_sub(self.rest);
        self.rest = self.rest.saturating_sub(cut);
    }

    /// Errors if a front end's steps over a whole build exceed the limit of one call.
    pub fn check_build_steps(&self, steps: u64) -> Result<()> {
        match steps > self.limits.steps {
            true => Err(Error::Limit(Limit::Build(self.limits.steps)).into()),
            false => Ok(()),
        }
    }

    /// Steps taken in this call.
    pub fn spent(&self) -> u64 {
        self.limits.steps - self.slice - self.rest
    }

    /// Checks every limit. Errors if one is reached.
    pub fn check(&mut self) -> Result<()> {
        self.take_and_check(0)
    }

    /// Starts the next slice: checks the limits and calls the callback.
    #[cold]
    fn start_slice(&mut self, amount: u64) -> Result<()> {
        self.take_and_check(amount)?;
        match self.pause {
            Some(pause) if !pause() => self.fail(Limit::Cancelled),
            _ => Ok(()),
        }
    }

    /// Takes steps and checks every limit.
    fn take_and_check(&mut self, amount: u64) -> Result<()> {
        let Some(left) = (self.slice + self.rest).checked_sub(amount) else {
            return self.fail(Limit::Steps(self.limits.steps));
        };
        self.slice = left.min(SLICE);
        self.rest = left - self.slice;
        let failed = if self.cancellations.iter().flatten().any(Cancellation::is_cancelled) {
            Some(Limit::Cancelled)
        } else if self.exceeds_memory() {
            Some(Limit::Memory(self.limits.memory))
        } else {
            self.time_exceeded()
        };
        match failed {
            Some(limit) => self.fail(limit),
            None => Ok(()),
        }
    }

    /// Takes all remaining steps, so that every later `spend` of the call fails, too.
    fn fail(&mut self, limit: Limit) -> Result<()> {
        (self.slice, self.rest) = (0, 0);
        Err(Error::Limit(limit).into())
    }

    /// The time limit, if it has passed.
    fn time_exceeded(&mut self) -> Option<Limit> {
        let time = self.limits.time?;
        let now = Instant::now();
        if self.deadline.is_none() {
            self.deadline = now.checked_add(time);
        }
        (now >= self.deadline?).then_some(Limit::Time(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(steps: u64) -> Limits {
        Limits { steps, ..Limits::default() }
    }

    #[test]
    fn every_step_of_the_limit_can_be_spent() {
        for steps in [0, 1, SLICE - 1, SLICE, SLICE + 1, 10 * SLICE + 7] {
            let mut budget = Budget::default();
            budget.begin(&limits(steps));
            assert!((0..steps).all(|step| budget.spent() == step && budget.spend(1).is_ok()));
            assert_eq!(budget.spend(1), Err(Error::Limit(Limit::Steps(steps)).into()));
            assert!(budget.spend(1).is_err(), "an exhausted budget stays exhausted");
            budget.begin(&limits(steps));
            assert!(budget.spend(steps).is_ok() && budget.spend(1).is_err());
        }
    }

    #[test]
    fn every_limit_is_seen_within_a_slice() {
        let within_a_slice = |budget: &mut Budget| (0..=SLICE).find_map(|_| budget.spend(1).err());
        let mut budget = Budget::default();
        budget.begin(&Limits { memory: 100, ..limits(u64::MAX) });
        budget.grow(101);
        assert_eq!(within_a_slice(&mut budget), Some(Error::Limit(Limit::Memory(100)).into()));
        budget.begin(&Limits { memory: 100, ..limits(u64::MAX) });
        budget.release(101);
        budget.grow(60);
        assert_eq!(budget.grow_shared(40), Ok(()));
        assert_eq!(budget.grow_shared(1), Err(Error::Limit(Limit::Memory(100)).into()), "at once");
        budget.begin(&Limits { memory: 100, ..limits(u64::MAX) });
        assert_eq!((budget.held(), within_a_slice(&mut budget)), (60, None), "what is shared counts in one call only");
        let flag = Cancellation::default();
        let mut budget = Budget::default();
        budget.set_cancellations([None, Some(flag.clone())]);
        budget.begin(&limits(u64::MAX));
        assert_eq!(within_a_slice(&mut budget), None);
        flag.cancel();
        assert_eq!(within_a_slice(&mut budget), Some(Error::Limit(Limit::Cancelled).into()));
        budget.set_cancellations([None, None]);
        budget.begin(&Limits { time: Some(Duration::ZERO), ..limits(u64::MAX) });
        assert_eq!(within_a_slice(&mut budget), Some(Error::Limit(Limit::Time(Duration::ZERO)).into()));
    }

    #[test]
    fn calls_of_limits_that_were_started_share_one_time() {
        let hour = Duration::from_secs(3_600);
        let started = |since: Duration| {
            let begun = Instant::now().checked_sub(since);
            assert!(begun.is_some(), "the machine has run for so long");
            Limits { time: Some(hour), begun, ..Limits::default() }
        };
        for (since, is_over) in [(Duration::ZERO, false), (hour, true)] {
            let limits = started(since);
            assert_eq!(limits.started(), limits, "what was started goes on");
            let mut budget = Budget::default();
            for _ in 0..2 {
                budget.begin(&limits);
                assert_eq!(budget.check().is_err(), is_over);
            }
            let ended = Watch::new(&limits, None).check();
            assert_eq!(ended, if is_over { Err(Error::Limit(Limit::Time(hour)).into()) } else { Ok(()) });
        }
        assert_eq!(Limits::default().started(), Limits::default(), "without a limit no clock is read");
        let forever = Limits { time: Some(Duration::MAX), ..Limits::default() };
        assert!(Watch::new(&forever, None).check().is_ok());
        let mut budget = Budget::default();
        budget.begin(&forever);
        assert!(budget.check().is_ok());
    }

    #[test]
    fn many_items_are_sorted_in_slices() {
        let mixed: Vec<u32> = (0..100_000u32).map(|number| number.wrapping_mul(2_654_435_761) >> 12).collect();
        let sorted: Vec<u32> = (0..100_000).collect();
        for items in [&mixed[..], &mixed[..SORTED_AT_ONCE], &mixed[..SORTED_AT_ONCE + 1], &sorted, &[]] {
            let mut looks = 0;
            let mut made = items.to_vec();
            let mut look = || {
                looks += 1;
                Ok::<(), ()>(())
            };
            sort_by(&mut made, &u32::cmp, &mut look).unwrap();
            let mut expected = items.to_vec();
            expected.sort_unstable();
            assert_eq!(made, expected);
            assert!(looks * SORTED_AT_ONCE >= items.len().saturating_sub(SORTED_AT_ONCE) || items.is_sorted());
            let ended = sort_by(&mut items.to_vec(), &u32::cmp, &mut || Err(()));
            assert_eq!(ended.is_err(), items.len() > SORTED_AT_ONCE);
        }
    }

    #[test]
    fn either_of_two_cancellations_cancels_what_both_were_joined_to() {
        for first in [true, false] {
            let (one, other) = (Cancellation::default(), Cancellation::default());
            let joined = one.join(&other);
            let again = joined.join(&Cancellation::default());
            assert!(!joined.is_cancelled() && !again.is_cancelled());
            let flag = if first { &one } else { &other };
            flag.cancel();
            assert!(joined.is_cancelled() && again.is_cancelled());
            assert_eq!((one.is_cancelled(), other.is_cancelled()), (first, !first));
        }
    }

    #[test]
    fn a_call_that_goes_on_elsewhere_has_taken_its_steps() {
        let mut written = Budget::default();
        written.begin(&Limits { steps: 100, ..Limits::default() });
        let mut first = written.clone();
        first.spend(60).unwrap();
        written.continue_call(&first).unwrap();
        assert_eq!(written.spent(), 60);
        assert_eq!(*written.spend(41).unwrap_err(), Error::Limit(Limit::Steps(100)));
    }
}
