//! Text in a notation → productions: GBNF and Lark's, which engines hand over as text.

pub mod gbnf;
pub mod lark;

use frisket_core::error::Error;
use frisket_core::production::Flaw;
use std::borrow::Cow;

/// The reason why a text has no node.
#[derive(Debug)]
pub enum Failure {
    /// The builder failed: a limit, or a cancellation.
    Engine(Box<Error>),
    /// The text is no grammar in the notation.
    Unread(Fault),
    /// A part of the text is beyond a limit of its reader.
    Limit(Fault),
    /// The rules have no text.
    Empty(Fault),
    /// A schema in the text has no node.
    Schema(Box<frisket_schema::error::Error>),
}

/// A fault of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The fault, in words.
    pub message: String,
    /// The byte of the text; None for the whole text.
    pub at: Option<usize>,
    /// Advice on what to write instead.
    pub hint: Option<Cow<'static, str>>,
}

impl Fault {
    fn new(message: impl Into<String>, at: impl Into<Option<usize>>, hint: impl Into<Option<&'static str>>) -> Self {
        Fault { message: message.into(), at: at.into(), hint: hint.into().map(Cow::Borrowed) }
    }
}

impl From<Box<Error>> for Failure {
    fn from(error: Box<Error>) -> Self {
        Failure::Engine(error)
    }
}

impl From<Box<frisket_schema::error::Error>> for Failure {
    fn from(error: Box<frisket_schema::error::Error>) -> Self {
        Failure::Schema(error)
    }
}

impl From<Flaw> for Failure {
    fn from(flaw: Flaw) -> Self {
        let matches_nothing = |name: String| format!("the rule {name} matches nothing");
        let at = |at: u32| Some(at as usize).filter(|&at| at > 0);
        match flaw {
            Flaw::Engine(error) => Failure::Engine(error),
            Flaw::Undefined(name, place) => Failure::Unread(Fault::new(
                format!("there is no rule {name}"),
                at(place),
                "define it, or correct its name",
            )),
            Flaw::Textless(name, in_cycle, is_root) => {
                let (why, hint) = match in_cycle {
                    true => (": each of its texts would hold another one", "give it an alternative that ends"),
                    false => ("", "leave it out"),
                };
                let fault = Fault::new(matches_nothing(name) + why, None, hint);
                if is_root {
                    Failure::Empty(fault)
                } else {
                    Failure::Unread(fault)
                }
            }
            Flaw::Excluded(name) => Failure::Empty(Fault::new(
                matches_nothing(name),
                None,
                "what is asked of its texts excludes all of them",
            )),
            Flaw::Irregular(place) | Flaw::IrregularException(place) => {
                let message = "this is exact only of regular parts, and here a rule calls itself or names a token";
                Failure::Unread(Fault::new(message, at(place), None))
            }
            Flaw::EmptyException(place) => {
                Failure::Unread(Fault::new("the exception leaves nothing", at(place), "exclude less"))
            }
        }
    }
}

/// A place in a text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn take(&mut self, wanted: &str) -> bool {
        let taken = self.rest().starts_with(wanted);
        self.at += if taken { wanted.len() } else { 0 };
        taken
    }

    /// The text up to the first character that is not wanted, which may be empty.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|char| !wanted(char)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips the rest of a line.
    fn skip_line(&mut self) {
        self.take_while(|char| !matches!(char, '\r' | '\n'));
    }

    /// The number of some decimal digits.
    fn number(&mut self) -> Option<u32> {
        self.take_while(|char| char.is_ascii_digit()).parse().ok()
    }

    /// The character of `length` hexadecimal digits.
    fn hexadecimal(&mut self, length: usize) -> Option<char> {
        let digits =
            self.rest().get(..length).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        self.at += length;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }
}
