//! The name of a terminal in Lark's library `common` → its pattern: each one a single regular language.
//!
//! Lark writes strings and comments of C with lazy quantifiers, so that they end as soon as they can. The patterns here say
//! the same without: an end that may come earlier is no part of the text.
//!
//! Source: lark-parser.readthedocs.io, grammar reference, `%import common`.

use super::Dialect;

/// Insides of strings, which match lazily: a terminal that contains one keeps only its shortest texts.
pub(super) const LAZY: [(&str, &str); 2] =
    [("_STRING_INNER", r"[^\n]*"), ("_STRING_ESC_INNER", r"(?:[^\\\n]|\\[^\n])*")];

/// llguidance's strings may contain line ends, except behind a backslash.
const STRING_OF_LLGUIDANCE: &str = r#""(?:[^"\\]|\\[^\n])*""#;

/// Digits with an exponent, a point or both.
macro_rules! float {
    () => {
        r"(?:[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    };
}

/// All terminals, in the order of Lark's documentation.
const PATTERNS: [(&str, &str); 27] = [
    ("DIGIT", "[0-9]"),
    ("HEXDIGIT", "[0-9A-Fa-f]"),
    ("INT", "[0-9]+"),
    ("SIGNED_INT", "[+-]?[0-9]+"),
    ("DECIMAL", r"(?:[0-9]+\.[0-9]*|\.[0-9]+)"),
    ("_EXP", "[eE][+-]?[0-9]+"),
    ("FLOAT", float!()),
    ("SIGNED_FLOAT", concat!("[+-]?", float!())),
    ("NUMBER", concat!("(?:", float!(), "|[0-9]+)")),
    ("SIGNED_NUMBER", concat!("[+-]?(?:", float!(), "|[0-9]+)")),
    LAZY[0],
    LAZY[1],
    ("ESCAPED_STRING", r#""(?:[^"\\\n]|\\[^\n])*""#),
    ("LCASE_LETTER", "[a-z]"),
    ("UCASE_LETTER", "[A-Z]"),
    ("LETTER", "[A-Za-z]"),
    ("WORD", "[A-Za-z]+"),
    ("CNAME", "[A-Za-z_][A-Za-z_0-9]*"),
    ("WS_INLINE", r"[ \t]+"),
    ("WS", r"[ \t\f\r\n]+"),
    ("CR", r"\r"),
    ("LF", r"\n"),
    ("NEWLINE", r"(?:\r?\n)+"),
    ("SH_COMMENT", r"#[^\n]*"),
    ("CPP_COMMENT", r"//[^\n]*"),
    ("C_COMMENT", r"/\*(?:[^*]|\*+[^*/])*\*+/"),
    ("SQL_COMMENT", r"--[^\n]*"),
];

/// The pattern of a terminal, which Python and Rust read alike; nothing for a name that the library does not have.
pub(super) fn pattern(name: &str, dialect: Dialect) -> Option<&'static str> {
    if name == "ESCAPED_STRING" && dialect == Dialect::Llguidance {
        return Some(STRING_OF_LLGUIDANCE);
    }
    PATTERNS.iter().find(|(known, _)| *known == name).map(|(_, pattern)| *pattern)
}

/// The names of all terminals.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|(name, _)| *name)
}
