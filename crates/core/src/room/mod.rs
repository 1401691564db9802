//! Position × tokens left → the tokens after which the text can still be finished.
//!
//! `closing` gives every position one text that ends it, and counts the fewest tokens of that text. `cost` sorts the
//! tokens of a mask by the count after each, by a walk of the trie whose positions have their tables in `rows`. `open_key`
//! shares these counts among all texts of a key, and `alike` among the tokens of a string that must not be repeated. `masks`
//! keeps what was found. The tokens left are an argument of each question and no part of any state, so forks and rollbacks
//! need nothing more.

pub(crate) mod alike;
pub(crate) mod closing;
pub(crate) mod cost;
#[cfg(test)]
pub(crate) mod fixture;
pub mod masks;
pub(crate) mod open_key;
pub(crate) mod rows;
