//! Limits and cancellations of C → those of the crate.

use crate::pointer::{answered, free, handle};
use frisket::{Cancellation, Error, Limits, Result};
use std::time::Duration;

/// Ends calls from another thread, for good.
pub struct FrisketCancellation(pub(crate) Cancellation);

/// The limits of one call.
#[repr(C)]
pub struct FrisketLimits {
    /// Bytes of a grammar; 0 for 256 MiB.
    pub memory_bytes: u64,
    /// Elementary steps, 40 nanoseconds each at most; 0 for 50 million. They are the same on every machine.
    pub steps: u64,
    /// Seconds; 0 for any time.
    pub seconds: f64,
    /// The cancellation that may end the call, or NULL. It may be freed once the call has returned.
    pub cancellation: *const FrisketCancellation,
}

/// The limits of a call; the default ones for null.
///
/// # Safety
/// `limits` is null or valid, and so is its cancellation.
pub unsafe fn limits_of(limits: *const FrisketLimits) -> Result<Limits> {
    let mut made = Limits::default();
    // SAFETY: promised by the caller.
    let Some(given) = (unsafe { limits.as_ref() }) else { return Ok(made) };
    if given.memory_bytes > 0 {
        made = made.memory_bytes(usize::try_from(given.memory_bytes).unwrap_or(usize::MAX));
    }
    if given.steps > 0 {
        made = made.steps(given.steps);
    }
    if given.seconds > 0.0 {
        // A time that a Duration cannot hold is as good as none.
        if let Ok(time) = Duration::try_from_secs_f64(given.seconds) {
            made = made.time(time);
        }
    } else if given.seconds != 0.0 {
        return Err(Error::misuse(format!("seconds is {}", given.seconds), "give 0 for any time"));
    }
    // SAFETY: promised by the caller.
    if let Some(flag) = unsafe { given.cancellation.as_ref() } {
        made = made.cancellation(&flag.0);
    }
    Ok(made)
}

/// A cancellation that was not used yet.
#[no_mangle]
pub extern "C" fn frisket_cancellation_new() -> *mut FrisketCancellation {
    handle(FrisketCancellation(Cancellation::default()))
}

/// Ends every call that was given it, under way or to come: it returns FRISKET_CODE_CANCELLED, with its object as it was.
///
/// # Safety
/// `cancellation` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_cancellation_cancel(cancellation: *const FrisketCancellation) {
    // SAFETY: promised by the caller.
    answered((), || unsafe { cancellation.as_ref() }.map(|flag| flag.0.cancel()));
}

/// Frees a cancellation, once; calls that were given it can then be cancelled no more.
///
/// # Safety
/// `cancellation` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_cancellation_free(cancellation: *mut FrisketCancellation) {
    // SAFETY: promised by the caller.
    unsafe { free(cancellation) }
}
