//! Subschemas → parsed schemas: what each keyword says, one file for each keyword or pair of keywords.
//!
//! ```text
//! parsed     what a subschema says
//! language   what patterns and formats say, asked of others
//! reader     what all keywords have in common: counts, numbers, names, errors
//! keyword    draft → the keywords that count, each with its reader
//! ```

mod keyword;
mod language;
mod parsed;
mod reader;

pub(crate) use keyword::{find as find_keyword, is_metadata, names as keyword_names, METADATA};
pub use keyword::{has_keyword, is_keyword};
pub use language::{Format, Inexactness, Languages, Pattern};
pub use parsed::{Applicator, Evaluated, ParsedSchema};
pub use reader::read;
