//! The name of a terminal in Lark's library `common` → its pattern, as llguidance has it: each one a regular language.
//!
//! Source: lark-parser.readthedocs.io, grammar reference, `%import common`.

/// Digits with a point or an exponent.
const FLOAT: &str = r"(?:[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)";

/// The pattern of a terminal in the dialect of Rust's crate `regex`; nothing for a name that the library does not have.
pub fn pattern(name: &str) -> Option<String> {
    let number = || format!("(?:{FLOAT}|[0-9]+)");
    Some(match name {
        "DIGIT" => "[0-9]".into(),
        "HEXDIGIT" => "[0-9A-Fa-f]".into(),
        "INT" => "[0-9]+".into(),
        "SIGNED_INT" => "[+-]?[0-9]+".into(),
        "DECIMAL" => r"(?:[0-9]+\.[0-9]*|\.[0-9]+)".into(),
        "_EXP" => "[eE][+-]?[0-9]+".into(),
        "FLOAT" => FLOAT.into(),
        "SIGNED_FLOAT" => format!("[+-]?{FLOAT}"),
        "NUMBER" => number(),
        "SIGNED_NUMBER" => format!("[+-]?{}", number()),
        "ESCAPED_STRING" => r#""(?:[^"\\]|\\[^\n])*""#.into(),
        "LCASE_LETTER" => "[a-z]".into(),
        "UCASE_LETTER" => "[A-Z]".into(),
        "LETTER" => "[A-Za-z]".into(),
        "WORD" => "[A-Za-z]+".into(),
        "CNAME" => "[A-Za-z_][A-Za-z_0-9]*".into(),
        "WS_INLINE" => r"[ \t]+".into(),
        "WS" => r"[ \t\f\r\n]+".into(),
        "CR" => r"\r".into(),
        "LF" => r"\n".into(),
        "NEWLINE" => r"(?:\r?\n)+".into(),
        "SH_COMMENT" => r"#[^\n]*".into(),
        "CPP_COMMENT" => r"//[^\n]*".into(),
        "C_COMMENT" => r"/\*(?:[^*]|\*+[^*/])*\*+/".into(),
        "SQL_COMMENT" => r"--[^\n]*".into(),
        _ => return None,
    })
}
