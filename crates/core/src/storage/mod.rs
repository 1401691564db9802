//! Data structures for sharing: layers, chunks, hash-consing, a bounded cache, locks that survive a fork.
//!
//! Processes hold thousands of grammars with mostly equal content. This folder knows neither grammars nor tokens.

pub mod cache;
pub(crate) mod chunked;
pub mod exclusive;
pub mod hash;
pub(crate) mod id;
pub(crate) mod intern;
pub(crate) mod layered;
pub mod lock;
pub mod once;
