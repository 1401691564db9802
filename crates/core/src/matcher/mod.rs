//! Grammar × Vocabulary → CompiledGrammar → Matcher: what a user holds, lazily computed, shared across threads.
//!
//! `compiled` pairs a grammar with a vocabulary, `matcher` follows one sequence through it, and `forced` says what must
//! come next, `likely` what comes next with usual white space. `room` asks what a number of tokens can finish. `lazy` is the automaton that all matchers share. `epoch` and `checkpoint` bound its memory.

pub(crate) mod checkpoint;
pub(crate) mod compiled;
pub(crate) mod epoch;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod forced;
pub(crate) mod lazy;
pub(crate) mod likely;
pub(crate) mod matcher;
pub(crate) mod next_bytes;
pub(crate) mod room;

pub use compiled::CompiledGrammar;
pub use likely::Likely;
pub use matcher::Matcher;
pub use room::NearMask;
