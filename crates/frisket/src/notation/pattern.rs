//! A pattern between slashes × the dialect of its engine → what it says.
//!
//! llguidance reads patterns as Rust's crate `regex` does, Lark as Python. xgrammar reads ECMAScript with classes of ASCII,
//! which are written in Python's dialect here.
//!
//! Source: docs.rs/regex, section Syntax; ECMA-262, section 22.2.

use super::lark::Dialect;
use frisket_regex::{Dialect as RegexDialect, Flags, Flaw, Node, Pattern, Syntax};
use std::fmt::Write;

/// A pattern in the dialect of its engine.
pub struct Regex {
    /// The pattern in a dialect of the crate that reads it, and that dialect.
    pub pattern: String,
    pub flags: String,
    pub dialect: RegexDialect,
    /// Whether only the shortest of its texts count.
    pub is_shortest: bool,
    /// Whether it is the library's inside of a string: a terminal that holds it keeps only its shortest texts.
    pub is_inside: bool,
    /// The pattern, read; why it is refused where it is lowered.
    pub read: frisket_regex::Result<Pattern>,
}

impl Regex {
    /// A pattern with flags of `imsux`. `python` is how the running Python reads patterns. Errors: what is refused even
    /// where no rule uses it, with its place in bytes.
    pub fn new(pattern: &str, flags: &str, dialect: Dialect, python: &Syntax) -> Result<Self, Flaw> {
        let kept: String = "imsx".chars().filter(|flag| flags.contains(*flag)).collect();
        match dialect {
            Dialect::Llguidance => Ok(Self::read(pattern.to_owned(), kept, RegexDialect::Rust, python)),
            Dialect::XGrammar => Self::of_xgrammar(pattern, kept, python),
            Dialect::Lark => {
                let mut regex = Self::read(pattern.replace("\\/", "/"), kept, RegexDialect::Python, python);
                regex.is_shortest = pattern.contains('?') && regex.ends_lazily(python)?;
                Ok(regex)
            }
        }
    }

    /// A pattern of xgrammar, with flags of `imsx`.
    pub fn of_xgrammar(pattern: &str, flags: String, python: &Syntax) -> Result<Self, Flaw> {
        Ok(Self::read(of_xgrammar(pattern)?, flags + "a", RegexDialect::Python, python))
    }

    /// The pattern of a text in any case, as the dialect folds it.
    pub fn any_case(text: &str, dialect: Dialect, python: &Syntax) -> Self {
        let mut pattern = String::with_capacity(2 * text.len());
        for char in text.chars() {
            if char.is_ascii_punctuation() {
                pattern.push('\\');
            }
            pattern.push(char);
        }
        let (flags, dialect) = match dialect {
            Dialect::Llguidance => ("i", RegexDialect::Rust),
            Dialect::XGrammar => ("ia", RegexDialect::Python),
            Dialect::Lark => ("i", RegexDialect::Python),
        };
        Self::read(pattern, flags.into(), dialect, python)
    }

    /// A pattern of the library, in the dialect of an engine.
    pub fn of_library(pattern: &str, is_inside: bool, dialect: Dialect, python: &Syntax) -> Self {
        let dialect = if dialect == Dialect::Llguidance { RegexDialect::Rust } else { RegexDialect::Python };
        Regex { is_inside, ..Self::read(pattern.to_owned(), String::new(), dialect, python) }
    }

    fn read(pattern: String, flags: String, dialect: RegexDialect, python: &Syntax) -> Self {
        let read = syntax(&flags, dialect, python).and_then(|syntax| Pattern::read(&pattern, &syntax));
        Regex { pattern, flags, dialect, is_shortest: false, is_inside: false, read }
    }

    /// Whether the empty text may match. A pattern that is refused has no text.
    pub fn may_be_empty(&self) -> bool {
        self.read.as_ref().is_ok_and(|pattern| pattern.tree().may_be_empty())
    }

    /// Whether a lazy quantifier makes Lark's terminal end as soon as it can.
    ///
    /// Where only its rounds vary in number and in length, fewer rounds are a shorter text, and Python's engine finds the
    /// shortest. Otherwise it finds the first in an order of its own, which depends on the text behind the terminal.
    fn ends_lazily(&self, python: &Syntax) -> Result<bool, Flaw> {
        let syntax = syntax(&self.flags, self.dialect, python);
        let Ok(tree) = syntax.and_then(|syntax| frisket_regex::parse(&self.pattern, &syntax)) else { return Ok(false) };
        let mut varying = Vec::new();
        collect_varying(&tree, &mut varying);
        let lazy = varying.iter().find_map(|node| match node {
            Node::Repeat { is_lazy: true, at, .. } => Some(*at),
            _ => None,
        });
        let Some(at) = lazy else { return Ok(false) };
        if varying.len() == 1 {
            return Ok(true);
        }
        let chars: Vec<char> = self.pattern.chars().collect();
        let end = chars.iter().skip(at + 1).position(|&char| char == '?').map_or(chars.len(), |end| at + 2 + end);
        let spelled: String = chars[at..end].iter().collect();
        Err(Flaw {
            message: format!(
                "the lazy quantifier {spelled} ends a terminal at a place that other parts of the pattern decide"
            ),
            at: Some(chars[..at].iter().map(|char| char.len_utf8()).sum()),
            hint: Some(r#"write what may stand inside, such as "[^"]*" for ".*?""#.into()),
        })
    }
}

/// How a pattern is read.
fn syntax(flags: &str, dialect: RegexDialect, python: &Syntax) -> frisket_regex::Result<Syntax> {
    Ok(Syntax { dialect, flags: Flags::new(flags)?, ..*python })
}

/// The loops and alternatives whose texts differ in length, without what they hold.
fn collect_varying<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
    match node {
        Node::Seq(items) => items.iter().for_each(|item| collect_varying(item, found)),
        Node::Alt(items) => {
            let before = found.len();
            items.iter().for_each(|item| collect_varying(item, found));
            let has_inner = found.len() > before;
            if has_inner || items.iter().any(|item| length(item) != length(&items[0])) {
                found.push(node);
            }
        }
        Node::Repeat { item, low, high, .. } => {
            collect_varying(item, found);
            if Some(*low) != *high {
                found.push(node);
            }
        }
        _ => {}
    }
}

/// The length of a node's texts, which must all be equally long.
fn length(node: &Node) -> u64 {
    match node {
        Node::Text(text) => text.chars().count() as u64,
        Node::Chars(_) => 1,
        Node::Seq(items) => items.iter().map(length).fold(0, u64::saturating_add),
        Node::Alt(items) => items.first().map_or(0, length),
        Node::Repeat { item, low, .. } => length(item).saturating_mul((*low).into()),
        _ => 0,
    }
}

/// A pattern of ECMAScript with classes of ASCII → the same in Python's dialect. `^` at its begin and `$` at its end say
/// nothing: a terminal matches as a whole. Errors: what is no character, with its place in bytes.
fn of_xgrammar(pattern: &str) -> Result<String, Flaw> {
    let slashes = pattern.bytes().rev().skip(1).take_while(|&byte| byte == b'\\').count();
    let end = pattern.len() - usize::from(pattern.ends_with('$') && slashes % 2 == 0);
    let begin = usize::from(pattern.starts_with('^')).min(end);
    let (mut made, mut in_class, mut at) = (String::new(), false, begin);
    while let Some(char) = pattern[at..end].chars().next() {
        let rest = &pattern[at..];
        if char == '\\' {
            at += escape(rest, in_class, at, &mut made)?;
            continue;
        }
        at += char.len_utf8();
        if in_class {
            in_class = char != ']';
            made.push_str(if char == '[' { "\\[" } else { rest.get(..char.len_utf8()).unwrap_or_default() });
        } else if char == '[' {
            in_class = true;
            made.push('[');
            if rest[1..].starts_with('^') {
                made.push('^');
                at += 1;
            }
        } else if rest.starts_with("(?<") && !rest.starts_with("(?<=") && !rest.starts_with("(?<!") {
            made.push_str("(?P<");
            at += 2;
        } else {
            made.push(char);
        }
    }
    Ok(made)
}

/// Writes the escape at the begin of a text; its length.
fn escape(rest: &str, in_class: bool, at: usize, made: &mut String) -> Result<usize, Flaw> {
    if let Some((digits, length)) = code(rest) {
        let point = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
        if point > frisket_regex::LAST {
            return Err(Flaw {
                message: "there is no such character".into(),
                at: Some(at),
                hint: Some("the last code point of Unicode is U+10FFFF".into()),
            });
        }
        push_code(point, made);
        return Ok(length);
    }
    let Some(letter) = rest[1..].chars().next() else {
        made.push('\\');
        return Ok(1);
    };
    let length = 1 + letter.len_utf8();
    match (letter, rest[length..].chars().next()) {
        ('/', _) => made.push('/'),
        ('d' | 'w' | 's' | 'D' | 'W' | 'S', _) => {
            let class = frisket_regex::Pattern::read(&rest[..2], &Syntax::new(RegexDialect::Ecma));
            let ranges = match class.as_ref().map(Pattern::tree) {
                Ok(Node::Chars(set)) => set.ranges(),
                _ => &[],
            };
            made.push_str(if in_class { "" } else { "[" });
            for &(low, high) in ranges {
                push_code(low, made);
                made.push('-');
                push_code(high, made);
            }
            made.push_str(if in_class { "" } else { "]" });
        }
        ('c', Some(control)) if control.is_ascii_alphabetic() => {
            // Writing into a String cannot fail.
            let _ = write!(made, "\\x{:02x}", control as u32 & 31);
            return Ok(length + 1);
        }
        _ => made.extend(['\\', letter]),
    }
    Ok(length)
}

fn push_code(point: u32, made: &mut String) {
    // Writing into a String cannot fail.
    let _ = write!(made, "\\U{point:08x}");
}

/// The digits of `\x{…}`, `\u{…}` or `\U{…}`, and the length of the escape.
fn code(rest: &str) -> Option<(&str, usize)> {
    let inner = ["\\x{", "\\u{", "\\U{"].iter().find_map(|begin| rest.strip_prefix(begin))?;
    let digits = &inner[..inner.find('}')?];
    let are_digits = (1..=8).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    are_digits.then_some((digits, digits.len() + 4))
}
