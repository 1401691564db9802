//! Data structures that know nothing about grammars: layers, chunks, interning, a bounded cache.
//!
//! Grammars are built by the thousand and share most of what they hold; these structures make sharing cheap.

pub mod cache;
pub(crate) mod chunked;
pub mod exclusive;
pub(crate) mod hash;
pub(crate) mod intern;
pub(crate) mod layered;
pub(crate) mod visited;
