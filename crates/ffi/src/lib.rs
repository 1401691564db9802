//! The crate `frisket` → `libfrisket`: functions of C, described in `include/frisket.h`, which is made from this crate.
//!
//! ```text
//! guard       a call of C → its result, or code and JSON; nothing unwinds into C
//! pointer     pointers of C → references, slices and texts
//! limits      limits and cancellations
//! vocabulary  tokens
//! grammar     grammars and compiled grammars
//! matcher     sequences and batches
//! host        in WebAssembly: memory for arguments, the clock, the text of a panic
//! ```

#![deny(missing_docs)]

mod grammar;
mod guard;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host;
mod limits;
mod matcher;
mod pointer;
mod vocabulary;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The version of the interface. It grows where a function or a struct changes; functions that are added leave it.
pub const FRISKET_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has; compare it with FRISKET_ABI_VERSION of this header.
#[no_mangle]
pub extern "C" fn frisket_abi_version() -> u32 {
    FRISKET_ABI_VERSION
}

/// The version of the library, as text that lives as long as the library.
#[no_mangle]
pub extern "C" fn frisket_version() -> *const std::ffi::c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Tells the library that this process is the child of a fork; to be called there before any thread begins.
#[no_mangle]
pub extern "C" fn frisket_enter_child() {
    frisket::enter_child();
}
