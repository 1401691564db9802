//! Patterns and names of formats → conditions on texts and numbers, as [`Languages`](crate::read::Languages) defines.
//!
//! ```text
//! options     the caller's options for formats
//! format      one format: its language, and how exact its nodes are
//! date_time … uuid, openapi, network    the formats, one file for each family
//! content     base64 and JSON inside of strings
//! shared      nodes that are made once for the process
//! table       a name → its format
//! known       patterns and formats that were asked for, made once for each builder
//! ```

mod content;
mod date_time;
mod duration;
mod email;
mod format;
mod hostname;
mod ip;
mod known;
mod network;
mod openapi;
mod options;
mod pointer;
mod regex;
mod shared;
mod table;
mod uri;
mod uuid;

pub use format::{KnownFormat, Vocabulary};
pub use known::{KnownLanguages, OnBuilder};
pub use options::{FormatOptions, Mode};
pub use table::{all, find, named};
