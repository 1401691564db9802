//! The crates below → their parts with which a front end in another language builds grammars.
//!
//! Objects of a running sequence (vocabularies, compiled grammars, matchers, limits, errors) have no other way in than the
//! crate's own types.

pub use frisket_core::automaton::recognizer::Allowance;
pub use frisket_core::builder::{Builder, ObjectRules, Punctuation};
pub use frisket_core::error::{Error, Limit};
pub use frisket_core::limits::{Limits, Watch};
pub use frisket_core::mask::feasible;
pub use frisket_core::production;
pub use frisket_core::regular::term::{TermId, EMPTY, EPSILON};
pub use frisket_core::storage::cache::Cache;
pub use frisket_core::storage::lock::{generation, Lock};
pub use frisket_core::storage::once::Once;
pub use frisket_regex as regex;
pub use frisket_schema as schema;
