//! Freed bytes → the system, at once where they are many; and the allocator.

use crate::ahead;
use frisket_core::grammar::grammar::Grammar;
use frisket_core::matcher::matcher::CompiledGrammar;
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_int, c_long};
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// A schema's automaton is many small allocations that live and die together: the system's allocator takes a fifth of
/// the time of a cold mask, and gives the pages back only to fault them in again for the next schema.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// mimalloc, watched: where it grows, the next pages are made ready.
struct Allocator;

/// mimalloc gives what is as large as this, or larger, so aligned, without a look at what is asked for
/// (`MI_MAX_ALIGN_SIZE`).
const ALIGNED: usize = 16;

// SAFETY: every call is mimalloc's.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let given = match layout.align() <= ALIGNED && layout.size() >= layout.align() {
            true => mi_malloc(layout.size()),
            false => MiMalloc.alloc(layout),
        };
        ahead::allocated(given as usize, layout.size());
        given
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let given = MiMalloc.alloc_zeroed(layout);
        ahead::allocated(given as usize, layout.size());
        given
    }

    #[inline]
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let given = MiMalloc.realloc(old, layout, size);
        ahead::allocated(given as usize, size);
        given
    }

    #[inline]
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        MiMalloc.dealloc(old, layout);
    }
}

extern "C" {
    fn mi_malloc(bytes: usize) -> *mut u8;

    /// mimalloc's own: free pages go back to the system at once, not when it next thinks of them.
    fn mi_collect(force: bool);

    /// Unless the environment says otherwise (MIMALLOC_PURGE_DELAY).
    fn mi_option_set_default(option: c_int, value: c_long);
}

/// mimalloc's `mi_option_purge_delay`, in milliseconds; ten times as long for what is nearly all of the memory. The
/// number is that of `mi_option_e` in the headers of both versions that the crate can build, 2 and 3.
const PURGE_DELAY: c_int = 15;

/// Pages of one schema are kept for the next for minutes, not for a tenth of a second: between requests they would all
/// be given back, and faulting them in again is a fifth of the time of cold masks. Many at once go back anyway (`dropped`).
pub fn keep_pages() {
    // SAFETY: an option may be set at any time.
    unsafe { mi_option_set_default(PURGE_DELAY, 10_000) };
    ahead::begin();
}

/// What the next schemas will take again is not worth giving back.
const LARGE: usize = 16 << 20;
const MANY: usize = 96 << 20;

/// To be called when so many bytes have been freed.
pub fn dropped(bytes: usize) {
    static SINCE: AtomicUsize = AtomicUsize::new(0);
    let since = SINCE.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
    if bytes >= LARGE || since >= MANY {
        SINCE.store(0, Ordering::Relaxed);
        give_back();
    }
}

/// What is free goes back to the system: a tenth of a millisecond.
pub fn give_back() {
    // SAFETY: it may be called at any time, by any thread.
    unsafe { mi_collect(true) };
}

pub trait Weighs {
    fn memory_bytes(&self) -> usize;
}

impl Weighs for Grammar {
    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

impl Weighs for CompiledGrammar {
    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

/// A share in something that may be large; its last owner gives the memory back.
pub struct Held<T: Weighs>(ManuallyDrop<Arc<T>>);

impl<T: Weighs> Held<T> {
    pub fn new(shared: Arc<T>) -> Self {
        Held(ManuallyDrop::new(shared))
    }
}

impl<T: Weighs> Deref for Held<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T: Weighs> Drop for Held<T> {
    fn drop(&mut self) {
        // SAFETY: taken once, here.
        if let Some(last) = Arc::into_inner(unsafe { ManuallyDrop::take(&mut self.0) }) {
            let bytes = last.memory_bytes();
            drop(last);
            dropped(bytes);
        }
    }
}
