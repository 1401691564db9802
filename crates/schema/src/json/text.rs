//! String of JSON → its text, apart from strings in which half of a surrogate pair stands alone.
//!
//! JSON can spell `"\ud800"`, which UTF-8 cannot. No generated document holds such a string, so few places of a schema
//! may have one. Each reader decides whether it is an error.

use std::fmt;

/// A string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Text<'a> {
    /// Unicode text.
    Unicode(&'a str),
    /// A text with lone surrogates, each written as its escape.
    Surrogates(&'a str),
}

impl<'a> Text<'a> {
    /// The text, unless it has a lone surrogate.
    pub fn as_str(self) -> Option<&'a str> {
        match self {
            Text::Unicode(text) => Some(text),
            Text::Surrogates(_) => None,
        }
    }
}

/// The text as UTF-8 can write it: a lone surrogate appears as its escape.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Text::Unicode(text) | Text::Surrogates(text)) = self;
        f.write_str(text)
    }
}
