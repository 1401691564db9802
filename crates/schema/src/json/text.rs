//! String of JSON → Unicode text, or its code points if half of a surrogate pair stands alone.
//!
//! JSON can spell `"\ud800"`, which UTF-8 cannot. No generated document holds such a string, so few places of a schema
//! may have one. Each reader decides whether it is an error.

use std::fmt;

/// A string; equal strings have one form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Text<'a> {
    /// Unicode text.
    Unicode(&'a str),
    /// Code points, at least one of which is a surrogate.
    Surrogates(&'a [u32]),
}

impl<'a> Text<'a> {
    /// The text, unless it has a lone surrogate.
    pub fn as_str(self) -> Option<&'a str> {
        match self {
            Text::Unicode(text) => Some(text),
            Text::Surrogates(_) => None,
        }
    }

    /// An owned copy.
    pub fn to_owned(self) -> OwnedText {
        match self {
            Text::Unicode(text) => OwnedText::Unicode(text.into()),
            Text::Surrogates(points) => OwnedText::Surrogates(points.into()),
        }
    }
}

/// The text as UTF-8 can write it: a lone surrogate appears as its escape.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Unicode(text) => f.write_str(text),
            Text::Surrogates(points) => points.iter().try_for_each(|&point| match char::from_u32(point) {
                Some(char) => write!(f, "{char}"),
                None => write!(f, "\\u{point:04x}"),
            }),
        }
    }
}

/// An owned string.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OwnedText {
    /// Unicode text.
    Unicode(Box<str>),
    /// Code points, at least one of which is a surrogate.
    Surrogates(Box<[u32]>),
}

impl OwnedText {
    /// The text of code points.
    pub fn from_code_points(points: &[u32]) -> Self {
        match points.iter().map(|&point| char::from_u32(point)).collect::<Option<String>>() {
            Some(text) => OwnedText::Unicode(text.into()),
            None => OwnedText::Surrogates(points.into()),
        }
    }

    /// The text as a reference.
    pub fn as_text(&self) -> Text<'_> {
        match self {
            OwnedText::Unicode(text) => Text::Unicode(text),
            OwnedText::Surrogates(points) => Text::Surrogates(points),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lone_surrogate_keeps_a_string_from_being_unicode() {
        assert_eq!(OwnedText::from_code_points(&[0x61, 0x1f600]).as_text(), Text::Unicode("a😀"));
        let lone = OwnedText::from_code_points(&[0x61, 0xd83d]);
        assert_eq!(lone.as_text().as_str(), None);
        assert_eq!(lone.as_text().to_string(), "a\\ud83d");
        assert_ne!(lone, OwnedText::from_code_points(&[0x61, 0xde00]));
    }
}
