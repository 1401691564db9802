//! Nodes → Grammar: rules over bytes, built by front ends, immutable once built, independent of any tokenizer.

pub mod builder;
pub(crate) mod dump;
pub(crate) mod fingerprint;
#[cfg(test)]
pub(crate) mod fixture;
pub mod grammar;
pub mod rules;
