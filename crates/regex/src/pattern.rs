//! A pattern that was read, ready to be lowered.

use crate::error::{Error, Result};
use crate::lower;
use crate::parser::{parse, parse_watched};
use crate::syntax::{Dialect, Syntax};
use crate::tree::Node;
use frisket_core::builder::Builder;
use frisket_core::limits::Watch;
use frisket_core::regular::term::TermId;

/// A pattern that was read.
#[derive(Clone, Debug)]
pub struct Pattern {
    tree: Node,
}

impl Pattern {
    /// The pattern of a text. Errors: what the dialect does not allow, and what is no regular language.
    pub fn read(pattern: &str, syntax: &Syntax) -> Result<Self> {
        Self::read_watched(pattern, syntax, &Watch::default())
    }

    /// As `read`; a flag or the clock may end it. Errors: those of `read`, cancellation, time.
    pub fn read_watched(pattern: &str, syntax: &Syntax, watch: &Watch) -> Result<Self> {
        Ok(Pattern { tree: parse_watched(pattern, syntax, watch)? })
    }

    /// The tree of the pattern.
    pub fn tree(&self) -> &Node {
        &self.tree
    }

    /// The regular node of the texts that match as a whole, or somewhere inside if `search`. Errors: assertions that no
    /// regular language of bearable size expresses; limits and cancellation of the builder.
    pub fn lower(&self, builder: &mut Builder, search: bool) -> Result<TermId> {
        lower::lower(builder, &self.tree, search)
    }

    /// The regular node of the texts that match as a whole, where more text may stand on both sides. Errors: as for
    /// `lower`, and an assertion that looks at the text outside.
    pub fn lower_part(&self, builder: &mut Builder) -> Result<TermId> {
        lower::lower_part(builder, &self.tree)
    }
}

/// Whether the pattern is valid ECMA-262 with the flag `u`. Back-references are allowed here.
///
/// ```
/// use frisket_regex::is_ecma_regex;
/// assert!(is_ecma_regex(r"(?<n>a)\k<n>").unwrap());
/// assert!(!is_ecma_regex("^(abc]").unwrap() && !is_ecma_regex(r"\p{l}").unwrap());
/// ```
///
/// Errors: a pattern beyond the reader's limits.
pub fn is_ecma_regex(pattern: &str) -> Result<bool> {
    match parse(pattern, &Syntax { is_strict: true, ..Syntax::new(Dialect::Ecma) }) {
        Ok(_) => Ok(true),
        Err(Error::Syntax(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
