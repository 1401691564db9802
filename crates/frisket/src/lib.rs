//! A JSON Schema, a regular expression or a grammar → masks of the tokens that may come next, valid by construction.
//!
//! A [`Grammar`] is made from text once. [`Grammar::compile`] composes it with a [`Vocabulary`], which takes microseconds,
//! and each sequence has a [`Matcher`]: a mask before each token, [`Matcher::advance`] with the token that was drawn.
//!
//! ```
//! use frisket::{Grammar, Limits, SchemaOptions, Vocabulary};
//!
//! # fn main() -> frisket::Result<()> {
//! // Of a real model: Vocabulary::from_tokenizer_json(&text, None, None).
//! let texts = ["{", "}", "\"age\"", ":", " ", "1", "7", "\"", "\n"];
//! let vocabulary = Vocabulary::from_bytes(texts.iter().copied().chain([""]), [("<end>", 9)], &[9])?;
//!
//! let schema = r#"{"type": "object", "properties": {"age": {"type": "integer", "minimum": 18}},
//!                  "required": ["age"], "additionalProperties": false}"#;
//! let grammar = Grammar::from_json_schema(schema, &SchemaOptions::default(), &Limits::default())?;
//! let compiled = grammar.compile(&vocabulary, &Limits::default())?;
//!
//! let mut matcher = compiled.matcher();
//! let mut mask = vec![0; vocabulary.mask_words()];
//! for token in [0, 2, 3, 6, 6, 1, 9] {
//!     matcher.fill_mask(&mut mask)?; // bit t: token t may come next; a model chooses among them
//!     assert!(mask[token as usize / 32] >> (token % 32) & 1 == 1);
//!     matcher.advance(token)?;
//! }
//! assert!(matcher.ended());
//! assert_eq!(matcher.text(), b"{\"age\":77}");
//! # Ok(())
//! # }
//! ```
//!
//! All types are `Send` and `Sync`. Threads share vocabularies, grammars and compiled grammars, and with them every mask
//! that one of them has composed; a matcher belongs to one sequence. No call panics: what would is an [`Error`] with the
//! code `bug`. Every call is bounded by [`Limits`], and a [`Cancellation`] ends calls from another thread.
//!
//! ```
//! use frisket::{fill_masks, Grammar, Limits, Vocabulary};
//!
//! # fn main() -> frisket::Result<()> {
//! let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
//! let texts = bytes.iter().map(|byte| &byte[..]).chain([&b""[..]]);
//! let vocabulary = Vocabulary::from_bytes(texts, [("<end>", 256)], &[256])?;
//! let words = vocabulary.mask_words();
//!
//! // A server's step: one row of a batch for each request, by as many threads as there are cores.
//! let digits = Grammar::from_regex("[0-9]+", &Limits::default())?.compile(&vocabulary, &Limits::default())?;
//! let letters = Grammar::from_regex("[a-z]+", &Limits::default())?.compile(&vocabulary, &Limits::default())?;
//! let mut matchers = [digits.matcher(), letters.matcher(), digits.matcher()];
//! let mut masks = vec![0; matchers.len() * words];
//! fill_masks(&mut matchers, &mut masks, 0)?;
//! assert!(masks[1] == 0x03ff_0000 && masks[1] == masks[2 * words + 1], "digits are the bits 48 to 57");
//!
//! // A pool of the caller's own: each matcher is one thread's for the duration of a call.
//! std::thread::scope(|scope| {
//!     for (matcher, row) in matchers.iter_mut().zip(masks.chunks_exact_mut(words)) {
//!         scope.spawn(move || matcher.fill_mask(row).unwrap());
//!     }
//! });
//! # Ok(())
//! # }
//! ```
//!
//! A report has the outcome for each keyword of a schema:
//!
//! ```
//! use frisket::{Grammar, Limits, SchemaOptions, Status};
//!
//! # fn main() -> frisket::Result<()> {
//! let schema = r#"{"type": "string", "maxLength": 3, "title": "A code", "maxlenght": 3}"#;
//! let grammar = Grammar::from_json_schema(schema, &SchemaOptions::default(), &Limits::default())?;
//! let report = grammar.report()?.expect("it was a schema");
//! let status = |keyword| report.entries.iter().find(|entry| entry.keyword == keyword).map(|entry| entry.status);
//! assert_eq!(status("maxLength"), Some(Status::Enforced));
//! assert_eq!(status("maxlenght"), Some(Status::Unknown));
//! # Ok(())
//! # }
//! ```
//!
//! An error says what is wrong, where, and what to do:
//!
//! ```
//! use frisket::{Code, Grammar, Limits};
//!
//! let error = Grammar::from_gbnf("root ::= [a-z", "root", &Limits::default()).err().unwrap();
//! assert_eq!((error.code(), error.place()), (Code::GrammarSyntax, Some("1:10")));
//! assert_eq!(error.hint(), Some(r"close it with ]; in a class ] is written \]"));
//! ```
//!
//! The notations that engines hand over as text are read here. All others (templates, tools) are the Python package's.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod batch;
mod compiled;
mod drafts;
mod environment;
mod error;
#[doc(hidden)]
pub mod front_end;
mod grammar;
mod in_time;
mod limits;
mod logits;
mod matcher;
#[doc(hidden)]
pub mod notation;
mod options;
mod report;
mod shared;
mod vocabulary;

pub use batch::{fill_masks, fill_rows, MaskRow};
pub use compiled::CompiledGrammar;
pub use drafts::{fill_drafts, Outcome, Request, Room, Row};
pub use environment::check_environment;
pub use error::{Code, Error, Result};
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use frisket_core::clock::set_clock;
pub use frisket_core::limits::Cancellation;
pub use frisket_core::mask::mask::Mask;
pub use grammar::Grammar;
#[doc(hidden)]
pub use in_time::{in_time, Caller};
pub use limits::Limits;
pub use logits::apply_mask;
#[doc(hidden)]
pub use logits::first_allowed;
#[doc(hidden)]
pub use matcher::write as write_mask;
pub use matcher::{Likely, Matcher};
pub use notation::{AbnfValues, EbnfDialect};
pub use options::SchemaOptions;
pub use report::{Entry, Note, Report, Status};
pub use shared::SharedMatcher;
pub use vocabulary::Vocabulary;

/// Tells the library that this process is the child of a fork; to be called there before any thread begins.
///
/// Objects that a thread of the parent used at the fork begin anew in the child; without this call they stay locked.
pub fn enter_child() {
    frisket_core::storage::lock::enter_child();
}

/// The page *From Rust*, whose programs run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/from-rust.md")]
struct FromRust;
