//! Patterns and names of formats → conditions on texts and numbers: what the reader asks of [`Languages`](crate::read::Languages).
//!
//! ```text
//! options     what the caller says of formats
//! known       patterns and formats that were asked for, by text and by name
//! ```

mod known;
mod options;

pub use known::{KnownLanguages, OnBuilder};
pub use options::{FormatOptions, Mode};
