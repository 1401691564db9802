//! The crate `frisket` → `libfrisket_dropin`: the C functions through which programs call another library, by their names.
//!
//! A program that is built or started with this library in that library's place uses frisket. Names and layouts are facts
//! of the interfaces; all code is frisket's.
//!
//! ```text
//! pointer     pointers of C → references, slices and texts (of crates/ffi)
//! message     an error → a text of C; a panic → an error
//! llguidance  the 13 functions of llguidance that llama.cpp calls
//! ollama      the 10 functions that Ollama looks up in libollama_xgrammar
//! ```

#![deny(missing_docs)]

mod llguidance;
mod message;
mod ollama;
#[allow(dead_code, reason = "crates/ffi uses the others")]
#[path = "../../ffi/src/pointer.rs"]
mod pointer;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
