//! Grammar × Vocabulary → CompiledGrammar → Matcher: what a user holds, lazily computed, shared across threads.

pub(crate) mod checkpoint;
pub(crate) mod lazy;
pub mod matcher;
