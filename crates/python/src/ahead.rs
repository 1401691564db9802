//! Memory that the heap is about to grow into → memory that is there, brought by another thread.
//!
//! A huge page is found and zeroed when it is first touched: a tenth of a millisecond where there is no hypervisor, two
//! where a host has to back it first. The heap grows while a vocabulary learns from its first few hundred schemas; left
//! alone, it would do so in the middle of masks and commits.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const HUGE: usize = 2 << 20;

/// Larger allocations are not placed among the others.
const NOTICED: usize = 8 << 20;

/// So many huge pages are made ready before the heap, once fewer than `FEW` are: what one large schema may take.
const READY: usize = 8;
const FEW: usize = 4;

/// A heap that has gone further at once has left pages behind that were given back, or are another's.
const STRIDE: usize = 48;

/// The first huge page behind those that are ready, and the last that was allocated in.
static UNTIL: AtomicUsize = AtomicUsize::new(0);
static REACHED: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The heap begins about here.
pub fn begin() {
    let here = vec![0u8; 4 << 10];
    let page = here.as_ptr() as usize / HUGE;
    UNTIL.store(page, Relaxed);
    REACHED.store(page, Relaxed);
}

/// To be called with each allocation.
#[inline]
pub fn allocated(address: usize, bytes: usize) {
    if bytes <= NOTICED && address / HUGE > REACHED.load(Relaxed) {
        REACHED.store(address / HUGE, Relaxed);
    }
}

/// To be called where the start of a thread, some fifty microseconds, does not matter; most of the time it is not needed.
pub fn make_ready() {
    let (reached, until) = (REACHED.load(Relaxed), UNTIL.load(Relaxed));
    if reached + FEW < until {
        return;
    }
    let to = reached + READY + 1;
    if UNTIL.compare_exchange(until, to, Relaxed, Relaxed).is_ok() {
        let holes = if to - until < STRIDE { until..reached + 1 } else { 0..0 };
        let pages = (reached + 1..to).chain(holes);
        // Without a thread they are touched when they are used, as everywhere.
        let _ = std::thread::Builder::new().spawn(move || pages.for_each(touch));
    }
}

/// One page a call: whoever maps memory waits for a call to end.
#[cfg(target_os = "linux")]
fn touch(page: usize) {
    extern "C" {
        fn madvise(address: usize, bytes: usize, advice: c_int) -> c_int;
    }
    /// Fault in, writable, and change nothing of what is there; Linux has it since 5.14 (madvise(2)).
    const MADV_POPULATE_WRITE: c_int = 23;
    // SAFETY: the content stays; memory that is not mapped, and an older kernel, are answered by an error.
    unsafe { madvise(page * HUGE, HUGE, MADV_POPULATE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
fn touch(_: usize) {}
