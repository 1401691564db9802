//! Errors of the core, of patterns and of schemas → one error: code, message, place, hint.
//!
//! Advice on each limit is written here once, for every binding.

use crate::notation::{Failure, Fault};
use frisket_core::error::{Error as CoreError, Limit};
use frisket_schema::error::Kind;
use std::borrow::Cow;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// The kind of an error. Its number and its name stay as they are from version to version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Code {
    /// The schema is no JSON, or no schema.
    SchemaInvalid = 1,
    /// The schema has places that cannot be enforced exactly.
    SchemaUnsupported = 2,
    /// No value is valid under the schema.
    SchemaUnsatisfiable = 3,
    /// The grammar is put together wrongly.
    Grammar = 4,
    /// The text is not in its notation.
    GrammarSyntax = 5,
    /// The grammar has no text.
    GrammarEmpty = 6,
    /// The vocabulary is broken, or cannot spell what the grammar asks for.
    Vocabulary = 7,
    /// A limit was reached.
    Limit = 8,
    /// The call was cancelled.
    Cancelled = 9,
    /// The tokens that are left do not finish the text.
    Budget = 10,
    /// The token or text may not come next.
    TokenRejected = 11,
    /// An argument is wrong, such as a mask that is too short.
    Misuse = 12,
    /// Another thread was in a call of the object when its process forked this one.
    Forked = 13,
    /// A bug in the library.
    Bug = 14,
    /// An environment variable has a value that means nothing.
    Environment = 15,
}

impl Code {
    /// The name, as the Python package has it.
    pub fn name(self) -> &'static str {
        match self {
            Code::SchemaInvalid => "schema-invalid",
            Code::SchemaUnsupported => "schema-unsupported",
            Code::SchemaUnsatisfiable => "schema-unsatisfiable",
            Code::Grammar => "grammar",
            Code::GrammarSyntax => "grammar-syntax",
            Code::GrammarEmpty => "grammar-empty",
            Code::Vocabulary => "vocabulary",
            Code::Limit => "limit",
            Code::Cancelled => "cancelled",
            Code::Budget => "budget",
            Code::TokenRejected => "token-rejected",
            Code::Misuse => "misuse",
            Code::Forked => "forked",
            Code::Bug => "bug",
            Code::Environment => "environment",
        }
    }
}

/// The failure of a call; the object is as it was before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    code: Code,
    message: String,
    place: Option<String>,
    hint: Option<String>,
    places: Vec<(String, String)>,
    least: Option<u32>,
}

/// The result of a call; the error is boxed, since most results are small.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl Error {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Error { code, message: message.into(), place: None, hint: None, places: Vec::new(), least: None })
    }

    /// An argument is wrong.
    #[doc(hidden)]
    pub fn misuse(message: impl Into<String>, hint: impl Into<String>) -> Box<Self> {
        Self::new(Code::Misuse, message).with_hint(hint)
    }

    /// A limit was reached.
    #[doc(hidden)]
    pub fn limit(message: impl Into<String>, hint: impl Into<String>) -> Box<Self> {
        Self::new(Code::Limit, message).with_hint(hint)
    }

    /// Another thread was in a call of the object at a fork.
    #[doc(hidden)]
    pub fn forked() -> Box<Self> {
        Box::new(CoreError::Forked).into()
    }

    /// No tokens finish the text.
    #[doc(hidden)]
    pub fn no_end() -> Box<Self> {
        Box::new(CoreError::Vocabulary("the vocabulary cannot spell a short end of the text".into())).into()
    }

    /// A call was left in the middle.
    pub(crate) fn broken(object: &str) -> Box<Self> {
        Self::bug(&format!("{object} was left in the middle of a call"))
    }

    fn bug(what: &str) -> Box<Self> {
        Self::new(Code::Bug, format!("a bug in frisket: {what}"))
            .with_hint("make the object anew, and report what you called")
    }

    pub(crate) fn vocabulary(message: impl Into<String>, hint: impl Into<String>) -> Box<Self> {
        Self::new(Code::Vocabulary, message).with_hint(hint)
    }

    pub(crate) fn with_hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn at(mut self: Box<Self>, place: Option<String>) -> Box<Self> {
        self.place = place;
        self
    }

    /// The error of a value that is no JSON, which was to be what `name` says.
    pub(crate) fn of_value(error: Box<frisket_schema::error::Error>, name: &str) -> Box<Self> {
        let mut made: Box<Self> = error.into();
        made.message = made.message.replacen("the schema", name, 1);
        made.code = if made.code == Code::SchemaInvalid { Code::GrammarSyntax } else { made.code };
        // Only a schema can name its parts.
        match &made.hint {
            Some(hint) if hint.contains("$defs") => made.with_hint("use fewer levels"),
            _ => made,
        }
    }

    /// The error of a schema, pattern or grammar that stands at a JSON pointer of another value.
    pub(crate) fn inside(mut self: Box<Self>, pointer: &str) -> Box<Self> {
        if matches!(self.code, Code::Limit | Code::Cancelled | Code::Forked | Code::Bug) {
            return self;
        }
        (self.code, self.places) = (Code::GrammarSyntax, Vec::new());
        let inner = self.place.take().unwrap_or_default();
        let is_pointer = inner.starts_with('/');
        if !is_pointer && !inner.is_empty() {
            self.message.push_str(&format!(" (at {inner})"));
        }
        self.place = Some(if is_pointer { format!("{pointer}{inner}") } else { pointer.to_owned() });
        self
    }

    /// The kind of the error.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The fault, in words.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// A JSON pointer into the schema, `line:column` in a text, or `offset N` in a pattern.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Advice on what to change.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// All places of a schema that cannot be enforced exactly, by JSON pointer, with what could slip through.
    pub fn places(&self) -> &[(String, String)] {
        &self.places
    }

    /// The tokens that would have sufficed, for the code `budget`.
    pub fn least(&self) -> Option<u32> {
        self.least
    }

    /// The error as a JSON object: `code`, `message`, `place`, `hint`, `places`.
    pub fn to_json(&self) -> String {
        let places: Vec<_> = self.places.iter().map(|(pointer, slips)| [pointer, slips]).collect();
        let Error { message, place, hint, .. } = self;
        let object = serde_json::json!({
            "code": self.code.name(), "message": message, "place": place, "hint": hint, "places": places,
        });
        object.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.place.iter().filter(|place| !place.is_empty()).try_for_each(|place| write!(f, " (at {place})"))?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for Error {}

impl From<Box<CoreError>> for Box<Error> {
    fn from(error: Box<CoreError>) -> Self {
        let message = error.to_string();
        let (code, hint) = match *error {
            CoreError::Limit(Limit::Cancelled) => (Code::Cancelled, relief(&Limit::Cancelled)),
            CoreError::Limit(limit @ Limit::Room { least, .. }) => {
                let mut made = Error::new(Code::Budget, message).with_hint(relief(&limit));
                made.least = least;
                return made;
            }
            CoreError::Limit(limit) => (Code::Limit, relief(&limit)),
            CoreError::Misuse(_) => (Code::Grammar, "see the builder's documentation for what may stand where"),
            CoreError::UndefinedRule(_) => (Code::Grammar, "define the rule, or correct its name"),
            CoreError::Empty => (Code::GrammarEmpty, "every rule needs a way to finish"),
            CoreError::Vocabulary(_) => {
                (Code::Vocabulary, "use a vocabulary with byte fallback, or allow other text here")
            }
            CoreError::NoSpecialToken(_, known) => {
                return Error::new(Code::Vocabulary, message).with_hint(special_tokens(&known))
            }
            CoreError::Rejected(_) => (Code::TokenRejected, "a mask has the tokens that may come next"),
            CoreError::Forked => (Code::Forked, "make another one in the child"),
            CoreError::Contradiction(text) => return Error::bug(&text),
            CoreError::Reentrant => (Code::Bug, "call it after the call that the handler interrupts"),
        };
        Error::new(code, message).with_hint(hint)
    }
}

impl From<frisket_regex::Error> for Box<Error> {
    fn from(error: frisket_regex::Error) -> Self {
        let (code, flaw) = match error {
            frisket_regex::Error::Engine(error) => return error.into(),
            frisket_regex::Error::Syntax(flaw) | frisket_regex::Error::Irregular(flaw) => (Code::GrammarSyntax, flaw),
            frisket_regex::Error::Limit(flaw) => (Code::Limit, flaw),
        };
        let mut made = Error::new(code, flaw.message).at(flaw.at.map(|at| format!("offset {at}")));
        made.hint = flaw.hint.map(|hint| hint.into_owned());
        made
    }
}

impl From<Box<frisket_schema::error::Error>> for Box<Error> {
    fn from(error: Box<frisket_schema::error::Error>) -> Self {
        let frisket_schema::error::Error { kind, message, place, hint } = *error;
        let code = match kind {
            Kind::Invalid => Code::SchemaInvalid,
            Kind::Unsupported(places) => {
                let mut made = Error::new(Code::SchemaUnsupported, message).at(place);
                (made.places, made.hint) = (places, hint);
                return made;
            }
            Kind::Unsatisfiable => Code::SchemaUnsatisfiable,
            Kind::TooManyAlternatives { .. } | Kind::Limit => Code::Limit,
            Kind::NeedsScopes | Kind::Circle => Code::Bug,
            Kind::Engine(engine) => {
                let mut made: Box<Error> = Box::new(engine).into();
                if made.code == Code::Limit && place.is_some() {
                    made = made.at(place);
                    made.message = message;
                    made.hint = match (hint, made.hint.take()) {
                        (Some(hint), Some(relief)) => Some(format!("{hint}; or {relief}")),
                        (one, other) => one.or(other),
                    };
                }
                return made;
            }
        };
        let mut made = Error::new(code, message).at(place);
        made.hint = hint;
        made
    }
}

impl Error {
    /// The error of a failure to read a text in a notation.
    pub(crate) fn of_notation(failure: Failure, text: &str) -> Box<Self> {
        let (code, Fault { message, at, hint }) = match failure {
            Failure::Engine(error) => return error.into(),
            Failure::Schema(error) => return error.into(),
            Failure::Unread(fault) => (Code::GrammarSyntax, fault),
            Failure::Limit(fault) => (Code::Limit, fault),
            Failure::Empty(fault) => (Code::GrammarEmpty, fault),
        };
        let mut made = Error::new(code, message).at(at.map(|at| line_and_column(text, at)));
        made.hint = hint.map(Cow::into_owned);
        made
    }
}

/// `line:column` of a byte of a text, both from 1; columns count characters. A line ends with `\r\n`, `\r` or `\n`.
pub(crate) fn line_and_column(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let behind = &text[before.len()..];
    let ends = before.bytes().enumerate().filter(|&(place, byte)| match byte {
        b'\r' => before[place + 1..].bytes().chain(behind.bytes()).next() != Some(b'\n'),
        byte => byte == b'\n',
    });
    let (lines, begin) = ends.fold((1, 0), |(lines, _), (place, _)| (lines + 1, place + 1));
    format!("{lines}:{}", before[begin..].chars().count() + 1)
}

/// The hint of a missing special token: some of those that there are.
fn special_tokens(known: &[String]) -> String {
    const SHOWN: usize = 8;
    if known.is_empty() {
        return "name the vocabulary's special tokens where it is made, or spell the token as text".to_owned();
    }
    let more = if known.len() > SHOWN { ", …" } else { "" };
    format!("its special tokens are {}{more}", known[..known.len().min(SHOWN)].join(", "))
}

/// The hint of an exceeded limit.
#[doc(hidden)]
pub fn relief(limit: &Limit) -> &'static str {
    match limit {
        Limit::Steps(_) => "simplify it (fewer nested counts and intersections), or give Limits more steps",
        Limit::Build(_) => {
            "say less (shorter lists, fewer alternatives, patterns that begin with ^), or give Limits more steps"
        }
        Limit::Memory(_) => "simplify it (fewer nested counts, smaller alternatives), or give Limits more memory_bytes",
        Limit::Time(_) => "try again when the machine is less busy, simplify it, or give Limits more seconds",
        Limit::Nesting(_) => "take some of the groups apart: make rules of the inner parts",
        Limit::LeftRecursion(_) => "let the rules begin with something of their own",
        Limit::DistinctItems(_) => "ask for fewer items, or for items of more values",
        Limit::UniqueDepth(_) => "let fewer levels nest in items that must be unique",
        Limit::Completion(_) => "ask again nearer to the end, or let fewer members and items be required",
        Limit::Room { .. } => "give it more tokens",
        Limit::Cancelled => "nothing was changed; the object can be used with another cancellation",
    }
}

/// The result of `act`; a panic in it is an error with the code `bug`.
pub(crate) fn guarded<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Error::bug(said.as_deref().unwrap_or("a panic")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let error = guarded(|| -> Result<()> { panic!("so {}", 7) }).unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::Bug, "a bug in frisket: so 7"));
        assert!(guarded(|| -> Result<()> { panic!("word") }).unwrap_err().message().ends_with("word"));
    }

    #[test]
    fn an_error_is_json() {
        let mut error = Error::new(Code::Vocabulary, "a \"b\"").at(Some("/x".into())).with_hint("c");
        error.places = vec![("/y".into(), "z".into())];
        let json: serde_json::Value = serde_json::from_str(&error.to_json()).unwrap();
        assert_eq!(json["code"], "vocabulary");
        assert_eq!((&json["message"], &json["place"], &json["hint"]), (&"a \"b\"".into(), &"/x".into(), &"c".into()));
        assert_eq!(json["places"][0][1], "z");
        assert_eq!(error.to_string(), "a \"b\" (at /x); c");
    }

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        assert_eq!(line_and_column("aé\nbö!", 7), "2:3");
        assert_eq!(line_and_column("", 9), "1:1");
        let places: Vec<String> = (0..7).map(|at| line_and_column("a\r\nb\rc", at)).collect();
        assert_eq!(places, ["1:1", "1:2", "1:3", "2:1", "2:2", "3:1", "3:2"]);
    }
}
