//! Work on large input → its result, or at once the limit that ends it: the work is then left behind in its thread.
//!
//! Work checks its limits every few tens of microseconds, but growing or freeing a table of 200,000 entries takes ten
//! milliseconds and more, without a check.

use crate::error::Result;
use crate::limits::Limits;
use frisket_core::limits::{Cancellation, Watch};
use std::panic::resume_unwind;
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Bytes of input from which some part of the work may take a millisecond. A thread costs some 50 µs.
const LARGE: usize = 64 << 10;

/// Time between two checks of the limits.
const LOOK: Duration = Duration::from_micros(250);

/// The thread that waits for the work and makes calls for it; None if the work itself runs there.
pub struct Caller(Option<Sender<Call>>);

type Call = Box<dyn FnOnce() + Send>;

impl Caller {
    /// The result of a call in that thread; None if the thread waits no longer.
    pub fn run<T: Send + 'static>(&self, call: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let Some(calls) = &self.0 else { return Some(call()) };
        let (sender, made) = channel();
        calls.send(Box::new(move || drop(sender.send(call())))).ok()?;
        made.recv().ok()
    }
}

/// The result of `work` on this many `bytes` of input, under limits with the flag that ends it.
///
/// Errors: cancellation, time. Errors of `work` are part of its result.
pub fn in_time<T: Send + 'static>(
    limits: &Limits,
    bytes: usize,
    work: impl FnOnce(Caller, Limits) -> T + Send + 'static,
) -> Result<T> {
    let (inner, cancellation) = limits.parts();
    let is_watched = cancellation.is_some() || inner.time.is_some();
    if bytes < LARGE || !is_watched || cfg!(target_family = "wasm") {
        return Ok(work(Caller(None), limits.clone()));
    }
    let watch = Watch::new(&inner, cancellation);
    let (caller, calls) = channel();
    let flag = Cancellation::default();
    let own = limits.clone().cancellation(&flag);
    let worker = thread::spawn(move || work(Caller(Some(caller)), own));
    loop {
        match calls.recv_timeout(LOOK) {
            Ok(call) => call(),
            Err(RecvTimeoutError::Timeout) => {}
            // The work is done, or has panicked.
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
            }
        }
        let limit = watch.check();
        if limit.is_err() || limits.between().is_some_and(|pause| !pause()) {
            flag.cancel();
        }
        limit?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn a_call_on_large_input_ends_before_its_work_does() {
        let flag = Cancellation::default();
        let limits = Limits::default().cancellation(&flag);
        let (end, ended) = channel::<()>();
        let done = in_time(&limits, LARGE, move |caller, limits| {
            assert!(caller.run(move || flag.cancel()).is_some());
            let own = limits.parts().1.unwrap();
            while !own.is_cancelled() {
                thread::yield_now();
            }
            drop(end);
        });
        assert_eq!(done.unwrap_err().code(), Code::Cancelled);
        assert!(ended.recv().is_err(), "the work was told, and has ended");
        assert_eq!(in_time(&Limits::default(), LARGE, |caller, _| caller.run(|| 7)), Ok(Some(7)));
    }
}
