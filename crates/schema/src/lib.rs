//! JSON Schema → the grammar of the valid documents, and a report on each keyword.
//!
//! ```
//! use frisket_core::limits::Limits;
//! use frisket_schema::compile::{compile, Options, Prelude};
//! use frisket_schema::json::parse;
//! use std::sync::Arc;
//!
//! # fn main() -> frisket_schema::error::Result<()> {
//! let prelude = Prelude::new(Options::default(), None)?; // once for each set of options
//! let schema = parse(r#"{"type": "integer", "minimum": 3, "unheardOf": 1}"#)?;
//! let compiled = compile(Arc::new(schema), None, &prelude, Limits::default(), None)?;
//! assert!(compiled.omissions.is_empty(), "every keyword of JSON Schema is enforced");
//! # Ok(())
//! # }
//! ```
//!
//! Each module imports only modules above it in this list. One exception: `subschema` asks `read` which names are
//! keywords.
//!
//! ```text
//! error        errors of a schema: message, place, hint
//! json         text or pushes → an owned tree: order, content hashes
//! message      messages that several modules share
//! similar      a word → the known word that may be meant
//! order        properties → the order that they state, or that a tool sorted them
//! draft        `$schema` → the draft whose rules hold
//! resolve      documents and references → schemas
//! decimal      numerals ↔ exact decimals
//! condition    conditions on one value, type by type, and their conjunction
//! subschema    documents → subschemas by number, conjunctions of them
//! read         subschemas → their keywords, parsed
//! types        conditions on one type → the node of the texts that meet them
//! formats      patterns and formats → conditions on texts and numbers
//! algebra      conjunctions of subschemas → unions of conjuncts
//! options      the caller's options
//! advice       a refused keyword → what to write instead
//! envelope     a schema inside an API's envelope → an error that says where it is
//! lower        conjunctions → nodes and rules
//! prelude      options → the nodes that all their schemas share
//! note         a schema that was read → facts about its language as a whole
//! compile      schema → grammar
//! member       schema of an object → the values of its members, one by one
//! report       schema → the outcome for each keyword
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod advice;
pub mod algebra;
pub mod compile;
pub mod condition;
pub mod decimal;
pub mod draft;
mod envelope;
pub mod error;
pub mod formats;
pub mod json;
pub mod lower;
pub mod member;
mod message;
pub mod note;
pub mod options;
pub mod order;
pub mod prelude;
pub mod read;
pub mod report;
pub mod resolve;
pub mod similar;
pub mod subschema;
pub mod types;
