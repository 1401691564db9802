//! Subschemas → their keywords, parsed, with one file for the keywords about each type.
//!
//! ```text
//! parsed     the keywords of a subschema, parsed
//! language   the interface to patterns and formats
//! reader     helpers for all keywords: counts, numbers, names, errors
//! keyword    name and draft → the reader of a keyword
//! ```

mod keyword;
mod language;
mod parsed;
mod reader;

pub(crate) use keyword::{find as find_keyword, is_metadata, names as keyword_names, METADATA};
pub use keyword::{has_keyword, is_keyword, meant_type};
pub use language::{Format, Inexactness, Languages, Pattern};
pub use parsed::{Applicator, Evaluated, ParsedSchema};
pub use reader::read;
