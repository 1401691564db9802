//! Regular languages of bytes: hash-consed terms, their derivatives, and whether they are empty.
//!
//! A state of the automaton is a term, and a step is its derivative by a byte. This folder knows neither tokens nor rules.

pub(crate) mod closed_region;
pub(crate) mod derivative;
pub(crate) mod distance;
pub(crate) mod emptiness;
pub(crate) mod enumerate;
#[cfg(test)]
pub(crate) mod fixture;
pub mod id;
pub(crate) mod json_string;
pub(crate) mod key_filter;
pub(crate) mod key_set;
pub(crate) mod literal;
pub(crate) mod memo;
pub(crate) mod minterms;
pub(crate) mod normalize;
pub(crate) mod saturate;
pub(crate) mod string_body;
pub mod term;
pub mod terms;
pub mod transfer;
pub(crate) mod transitions;
