//! Sets of bytes, and characters by the bytes of their UTF-8.

pub mod byteset;
pub(crate) mod char_class;
pub(crate) mod utf8;
