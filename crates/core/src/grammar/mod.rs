//! Nodes → Grammar: rules over bytes, built by the front ends, immutable once built.

pub mod builder;
pub(crate) mod dump;
pub(crate) mod fingerprint;
pub mod grammar;
pub mod rules;
