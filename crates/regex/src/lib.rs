//! Text of a regular expression → the node of the texts that match it, exactly, or an error with its place.
//!
//! ```
//! use frisket_core::builder::Builder;
//! use frisket_regex::{Dialect, Pattern, Syntax};
//!
//! let mut builder = Builder::default();
//! let pattern = Pattern::read(r"^[a-z]+(?!\d)", &Syntax::new(Dialect::Ecma)).unwrap();
//! let node = pattern.lower(&mut builder, true).unwrap();
//! assert!(builder.accepts(node.number(), b"abc!").unwrap());
//! assert!(!builder.accepts(node.number(), b"!").unwrap());
//!
//! let refused = Pattern::read("a(b", &Syntax::new(Dialect::Ecma)).unwrap_err();
//! assert_eq!(refused.to_string(), "this group is never closed in 'a(b' (offset 1)");
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod automaton;
mod char_set;
mod error;
mod lower;
mod measure;
mod parser;
mod pattern;
mod quote;
mod syntax;
mod tree;
mod unicode;

pub use char_set::{CharSet, Range, LAST};
pub use error::{Error, Flaw, Result};
pub use measure::Measure;
pub use parser::{parse, DEEPEST, LARGEST_COUNT};
pub use pattern::{is_ecma_regex, Pattern};
pub use quote::{ascii, is_printable, quoted};
pub use syntax::{Dialect, Flags, Syntax};
pub use tree::Node;
pub use unicode::class::{python_class, rust_class};
pub use unicode::name::Spelling;
pub use unicode::property::property_set;
pub use unicode::Version;
