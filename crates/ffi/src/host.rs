//! The host of a WebAssembly instance → memory for arguments; its clock and its report of a panic → the library.

use std::alloc::{alloc, dealloc, Layout};
use std::time::Duration;

#[link(wasm_import_module = "host")]
extern "C" {
    /// Milliseconds since some moment.
    fn milliseconds() -> f64;
    /// Takes the text of a panic. The instance then traps, and no call of it can be trusted any more.
    fn panicked(text: *const u8, length: usize);
}

/// Alignment of allocations, in bytes.
const ALIGNMENT: usize = 8;

/// Prepares the library; to be called once, before all other functions.
#[no_mangle]
pub extern "C" fn frisket_host_begin() {
    // SAFETY: the host gives a function of this type.
    frisket::set_clock(|| Duration::try_from_secs_f64(unsafe { milliseconds() } / 1e3).unwrap_or_default());
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: as above; the text lives until the call returns.
        unsafe { panicked(text.as_ptr(), text.len()) }
    }));
}

/// Memory for so many bytes, aligned to 8; NULL if there is none.
#[no_mangle]
pub extern "C" fn frisket_host_allocate(bytes: usize) -> *mut u8 {
    match Layout::from_size_align(bytes.max(1), ALIGNMENT) {
        // SAFETY: the size is not 0.
        Ok(layout) => unsafe { alloc(layout) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Frees memory of `frisket_host_allocate`, once.
///
/// # Safety
/// `memory` was allocated there with the same number of bytes and is not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_host_release(memory: *mut u8, bytes: usize) {
    if let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) {
        // SAFETY: promised by the caller.
        unsafe { dealloc(memory, layout) }
    }
}
