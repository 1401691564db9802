//! Limits → what is left of one call's steps, time and memory; and the flag that ends it from another thread.

use crate::error::{Error, Limit, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a call may take. Steps are the same on every machine, so that what is refused once is refused always; the
/// clock, which is not, is only looked at where it is asked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Bytes that a compiled grammar may grow to before it forgets what it has learned and starts anew. Terms and what
    /// they refer to count with the room that is kept for more of them.
    pub memory: usize,
    /// Elementary steps of one call, some tens of nanoseconds each.
    pub steps: u64,
    pub time: Option<Duration>,
}

impl Default for Limits {
    /// A real schema's dearest mask takes some hundred thousand steps and its automaton some megabytes: a hundred
    /// times that is left, and a hostile one is done with in about a second.
    fn default() -> Self {
        Limits { memory: 256 << 20, steps: 50_000_000, time: None }
    }
}

/// Ends the calls that it was given to, from any thread and for good.
#[derive(Clone, Default, Debug)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What else is done between the slices of a long call; whether the call may go on.
pub type Pause = fn() -> bool;

/// Steps between two looks at the clock, the memory and the flags: some tens of microseconds.
const SLICE: u64 = 4_096;

/// What is left of one call.
#[derive(Clone)]
pub(crate) struct Budget {
    /// Steps until the next look around.
    slice: u64,
    /// Steps after those.
    rest: u64,
    limits: Limits,
    /// When the time is up, once the first slice was used up: most calls never ask what time it is.
    deadline: Option<Instant>,
    cancellations: [Option<Cancellation>; 2],
    pause: Option<Pause>,
    /// Bytes of memory held, as told by `grow`, and where they must stop.
    held: usize,
    most: usize,
}

impl Default for Budget {
    fn default() -> Self {
        let limits = Limits { memory: usize::MAX, steps: u64::MAX, time: None };
        let mut budget = Budget {
            slice: 0,
            rest: 0,
            limits,
            deadline: None,
            cancellations: [None, None],
            pause: None,
            held: 0,
            most: usize::MAX,
        };
        budget.begin(&limits);
        budget
    }
}

impl Budget {
    /// Everything anew, for the next call.
    pub fn begin(&mut self, limits: &Limits) {
        self.limits = *limits;
        self.most = limits.memory;
        self.deadline = None;
        self.renew();
    }

    /// New steps, the same deadline: for one of several parts of a call. A slice that was begun goes on, so that many
    /// short calls are looked at as often as a long one.
    pub fn renew(&mut self) {
        self.slice = self.limits.steps.min(self.slice);
        self.rest = self.limits.steps - self.slice;
    }

    /// Go on with the deadline of another automaton's call.
    pub fn resume(&mut self, other: &Budget) -> Result<()> {
        self.deadline = other.deadline;
        self.check()
    }

    /// Who else may end the calls that follow.
    pub fn set_cancellations(&mut self, cancellations: [Option<Cancellation>; 2]) {
        self.cancellations = cancellations;
    }

    pub fn set_pause(&mut self, pause: Option<Pause>) {
        self.pause = pause;
    }

    /// Bytes of the memory limit that are in use elsewhere.
    pub fn reserve(&mut self, bytes: usize) {
        self.most = self.limits.memory.saturating_sub(bytes);
    }

    #[inline]
    pub fn grow(&mut self, bytes: usize) {
        self.held += bytes;
    }

    /// What was grown for a while is free again.
    pub fn release(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }

    pub fn held(&self) -> usize {
        self.held
    }

    /// What is held so far is shared by many, and counted once: where it was made.
    pub fn share(&mut self) {
        self.held = 0;
    }

    #[inline]
    pub fn spend(&mut self, amount: u64) -> Result<()> {
        match self.slice.checked_sub(amount) {
            Some(rest) => {
                self.slice = rest;
                Ok(())
            }
            None => self.go_on(amount),
        }
    }

    /// Whether so many steps of a whole build, taken outside of its calls, are within the limit of one call.
    pub fn check_build_steps(&self, steps: u64) -> Result<()> {
        match steps > self.limits.steps {
            true => Err(Error::Limit(Limit::Build(self.limits.steps)).into()),
            false => Ok(()),
        }
    }

    /// Steps of this call so far.
    pub fn spent(&self) -> u64 {
        self.limits.steps - self.slice - self.rest
    }

    /// Look at every limit, also where no step was taken.
    pub fn check(&mut self) -> Result<()> {
        self.look_around(0)
    }

    /// The next slice.
    #[cold]
    fn go_on(&mut self, amount: u64) -> Result<()> {
        self.look_around(amount)?;
        match self.pause {
            Some(pause) if !pause() => self.over(Limit::Cancelled),
            _ => Ok(()),
        }
    }

    fn look_around(&mut self, amount: u64) -> Result<()> {
        let Some(left) = (self.slice + self.rest).checked_sub(amount) else {
            return self.over(Limit::Steps(self.limits.steps));
        };
        self.slice = left.min(SLICE);
        self.rest = left - self.slice;
        let failed = if self.cancellations.iter().flatten().any(Cancellation::is_cancelled) {
            Some(Limit::Cancelled)
        } else if self.held > self.most {
            Some(Limit::Memory(self.limits.memory))
        } else {
            self.late()
        };
        match failed {
            Some(limit) => self.over(limit),
            None => Ok(()),
        }
    }

    /// What is over stays over until the next call begins.
    fn over(&mut self, limit: Limit) -> Result<()> {
        (self.slice, self.rest) = (0, 0);
        Err(Error::Limit(limit).into())
    }

    fn late(&mut self) -> Option<Limit> {
        let time = self.limits.time?;
        let now = Instant::now();
        let deadline = *self.deadline.get_or_insert(now + time);
        (now >= deadline).then_some(Limit::Time(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(steps: u64) -> Limits {
        Limits { steps, ..Limits::default() }
    }

    #[test]
    fn as_many_steps_as_were_given() {
        for steps in [0, 1, SLICE - 1, SLICE, SLICE + 1, 10 * SLICE + 7] {
            let mut budget = Budget::default();
            budget.begin(&limits(steps));
            assert!((0..steps).all(|step| budget.spent() == step && budget.spend(1).is_ok()));
            assert_eq!(budget.spend(1), Err(Error::Limit(Limit::Steps(steps)).into()));
            assert!(budget.spend(1).is_err(), "what is over stays over");
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
}
