//! Sets of bytes and sets of characters: the alphabet of all automata.
//!
//! Leaf modules without dependencies of their own, below vocabulary and regular, because both classify bytes.

pub mod byteset;
pub(crate) mod char_class;
pub(crate) mod utf8;
