//! Rules over bytes: a grammar, immutable once built, independent of any tokenizer.

pub(crate) mod dump;
pub(crate) mod fingerprint;
#[cfg(test)]
pub(crate) mod fixture;
pub mod grammar;
pub mod rules;
