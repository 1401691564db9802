//! Text of a pattern in a grammar → what it says, where it asserts nothing.

use frisket_core::error::{Error, Result};
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;
use frisket_regex::{Dialect, Flags, Syntax};

/// A pattern that asserts nothing.
pub struct Pattern(frisket_regex::Pattern);

impl Pattern {
    /// The pattern between slashes, with flags of `is`, as Rust's crate `regex` reads it; nothing for
    /// one that asserts something, or is wrong.
    pub fn rust(pattern: &str, flags: &str) -> Option<Self> {
        if flags.contains(|flag| !matches!(flag, 'i' | 's')) {
            return None;
        }
        Pattern::read(pattern, &Syntax { flags: Flags::new(flags).ok()?, ..Syntax::new(Dialect::Rust) })
    }

    /// A text in any case, as Rust's crate `regex` folds it; nothing for
    /// one that asserts something, or is wrong.
    pub fn any_case(text: &str) -> Option<Self> {
        let mut pattern = String::with_capacity(2 * text.len());
        for char in text.chars() {
            if char.is_ascii_punctuation() {
                pattern.push('\\');
            }
            pattern.push(char);
        }
        Pattern::rust(&pattern, "i")
    }

    fn read(pattern: &str, syntax: &Syntax) -> Option<Self> {
        let read = frisket_regex::Pattern::read(pattern, syntax).ok()?;
        (!read.tree().asserts()).then_some(Pattern(read))
    }

    /// The node of the texts that match as a whole.
    pub fn lower(&self, builder: &mut Builder) -> Result<TermId> {
        self.0.lower_part(builder).map_err(|error| match error {
            frisket_regex::Error::Engine(error) => error,
            error => Error::Misuse(error.to_string()).into(),
        })
    }

    /// Whether the empty text matches.
    pub fn may_be_empty(&self) -> bool {
        self.0.tree().may_be_empty()
    }

    /// Whether a text may end with any number of characters that names are made of.
    pub fn ends_in_name(&self) -> bool {
        self.0.tree().ends_in_name()
    }
}
