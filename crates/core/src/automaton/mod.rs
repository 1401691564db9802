//! Grammar × bytes → positions: sets of (head, frame), stepped byte by byte or text by text.

pub(crate) mod abstraction;
pub(crate) mod advance;
pub(crate) mod closure;
pub(crate) mod completion;
mod copies;
pub(crate) mod describe;
pub(crate) mod distance;
#[cfg(test)]
pub(crate) mod fixture;
pub mod follow_bytes;
pub mod frame;
pub mod machine;
pub(crate) mod migration;
pub mod position;
pub mod recognizer;
pub(crate) mod shortest_path;
pub mod unique;
