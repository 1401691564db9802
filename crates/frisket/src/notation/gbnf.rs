//! GBNF, the notation of llama.cpp → rules.
//!
//! The dialect is that of llama.cpp's parser, extended where the text has only one possible meaning: rules may be
//! left-recursive, a body may be empty, counts have no limit, and a line that begins with `|` continues its rule. Repeated
//! definitions, empty classes and ranges in reverse order are errors here, though llama.cpp accepts them.
//!
//! Source: github.com/ggml-org/llama.cpp, grammars/README.md and src/llama-grammar.cpp.

use super::rules::Rules;
use super::source::{self, character, fail, is_space, ClassHints, Read, Source};
use super::xgrammar;
use frisket_core::builder::Builder;
use frisket_core::production::BodyNode;
use frisket_regex::{Syntax, LAST};

const CLASS: ClassHints = ClassHints {
    close: r"close it with ]; in a class ] is written \]",
    hyphen: r"the hyphen itself is written \-",
    empty: r#"any character is . and the empty text """#,
};

/// A reader of a list of rules: of GBNF, or of xgrammar's EBNF, which is GBNF with options of rules, and macros.
pub(super) struct Reader<'t, 'b> {
    pub source: Source<'t>,
    pub rules: Rules,
    /// Counts the steps of what grows beyond its text.
    pub builder: &'b mut Builder,
    pub python: &'b Syntax,
    pub is_xgrammar: bool,
}

impl<'t> Reader<'t, '_> {
    pub fn read(mut self) -> Read<Rules> {
        self.space(true);
        while !self.source.is_at_end() {
            self.rule()?;
            self.space(true);
        }
        Ok(self.rules)
    }

    /// Skips white space and comments.
    pub fn space(&mut self, lines: bool) {
        loop {
            self.source.take_while(|char| matches!(char, ' ' | '\t') || (lines && matches!(char, '\r' | '\n')));
            if self.source.peek() != Some('#') {
                return;
            }
            self.source.skip_line();
        }
    }

    fn rule(&mut self) -> Read<()> {
        let at = self.source.at;
        let name = self.name();
        if name.is_empty() {
            let hint =
                "a name has letters, digits, - and _; a body that goes on in the next line stands in parentheses";
            return fail(format!("expected the name of a rule, found {}", self.source.found()), at, hint);
        }
        let options = if self.is_xgrammar { self.options()? } else { Vec::new() };
        self.space(false);
        self.source.expect("::=", &format!("after the name {name}"), "")?;
        self.rules.check_new(&self.source, name, at)?;
        self.body()?;
        self.restrict(&options);
        self.rules.define(name, name, at);
        Ok(())
    }

    /// A name; empty if none comes next.
    pub fn name(&mut self) -> &'t str {
        let is_xgrammar = self.is_xgrammar;
        self.source.take_while(|char| is_in_name(char, is_xgrammar))
    }

    /// Whether the sign of a definition comes next, behind a name.
    fn is_defined(&self) -> bool {
        let mut rest = self.source.rest();
        if self.is_xgrammar && rest.starts_with('[') {
            let options = rest.find([']', '\r', '\n']).filter(|&end| rest[end..].starts_with(']'));
            rest = options.map_or(rest, |end| &rest[end + 1..]);
        }
        rest.trim_start_matches([' ', '\t']).starts_with("::=")
    }

    /// Reads the body of a rule up to its end.
    fn body(&mut self) -> Read<()> {
        self.rules.begin();
        self.space(true);
        let mut repeated = None;
        while let Some(char) = self.source.peek() {
            let at = self.source.at;
            let is_nested = self.rules.opened().is_some();
            match char {
                '|' => {
                    self.source.next();
                    self.rules.end_alternative();
                    self.space(true);
                }
                '(' => {
                    self.source.next();
                    self.rules.open('(', at);
                    self.space(true);
                }
                ')' if is_nested => {
                    self.source.next();
                    self.rules.close();
                    self.rules.end_item();
                    self.space(self.rules.opened().is_some());
                }
                '*' | '+' | '?' | '{' => {
                    let (low, high) = self.counts()?;
                    if !self.rules.has_items() {
                        let hint = format!("the character is written \"{char}\"");
                        return fail(format!("there is nothing to repeat before {char}"), at, hint);
                    }
                    if self.is_xgrammar && repeated == Some(at) {
                        return fail("an item is repeated by one sign", at, "put it in parentheses");
                    }
                    self.rules.repeat(low, high);
                    self.space(is_nested);
                    repeated = Some(self.source.at);
                }
                '\r' | '\n' => {
                    self.space(true);
                    if !self.goes_on() {
                        break;
                    }
                }
                _ if is_in_name(char, self.is_xgrammar) => {
                    let name = self.name();
                    if self.is_defined() {
                        if !is_nested && self.rules.has_items() {
                            return fail("a rule begins in a line of its own", at, "break the line before its name");
                        }
                        self.source.at = at;
                        break;
                    }
                    if self.is_xgrammar {
                        self.named(name, at)?;
                    } else {
                        self.rules.call(name, at);
                    }
                    self.space(is_nested);
                }
                _ => {
                    let node = self.terminal(char)?;
                    self.rules.item(node);
                    self.space(is_nested);
                }
            }
        }
        self.rules.check_closed("")?;
        self.rules.close();
        Ok(())
    }

    /// Whether the line that comes next continues the rule.
    fn goes_on(&mut self) -> bool {
        if !self.is_xgrammar {
            return self.source.peek() == Some('|');
        }
        let at = self.source.at;
        let is_rule = !self.name().is_empty() && self.is_defined();
        self.source.at = at;
        !self.source.is_at_end() && !is_rule
    }

    fn terminal(&mut self, char: char) -> Read<BodyNode> {
        let at = self.source.at;
        match char {
            '"' => Ok(match self.literal()? {
                text if text.is_empty() => BodyNode::Seq,
                text => BodyNode::Text(text.into()),
            }),
            '<' | '!' if self.is_xgrammar => {
                let hint = "any character is [^]; the dialect with . and <…> is GBNF";
                fail(format!("unexpected {}", self.source.found()), at, hint)
            }
            '[' if self.is_xgrammar && self.source.take("[^]") => Ok(BodyNode::Chars([(0, LAST)].into())),
            '[' => {
                let is_xgrammar = self.is_xgrammar;
                self.source.class(&CLASS, |source| code_point(source, is_xgrammar))
            }
            '.' => {
                self.source.next();
                Ok(BodyNode::Chars([(0, LAST)].into()))
            }
            '<' => self.token(),
            '!' => {
                let message = "a token that is any but one cannot be told exactly: a grammar knows no vocabulary";
                let hint = "no special token matches text: .* is any text, up to a special token that comes after it";
                fail(message, at, hint)
            }
            ')' => fail("there is no group to close", at, "the character is written \")\""),
            _ => fail(format!("unexpected {}", self.source.found()), at, instead_of(char)),
        }
    }

    /// The text between quotes.
    pub fn literal(&mut self) -> Read<String> {
        let begin = self.source.at;
        self.source.next();
        let mut text = String::new();
        while !self.source.take("\"") {
            if self.source.is_at_end() {
                return fail("the literal is not closed", begin, "close it with \"");
            }
            let at = self.source.at;
            match self.source.take_while(|char| !matches!(char, '"' | '\\')) {
                "" => text.push(character(code_point(&mut self.source, self.is_xgrammar)?, at)?),
                plain => text.push_str(plain),
            }
        }
        Ok(text)
    }

    fn counts(&mut self) -> Read<(u32, Option<u32>)> {
        const HINT: &str = "counts are {m}, {m,} and {m,n}";
        let begin = self.source.at;
        match self.source.next() {
            Some('*') => return Ok((0, None)),
            Some('+') => return Ok((1, None)),
            Some('?') => return Ok((0, Some(1))),
            _ => {}
        }
        self.space(false);
        let low = self.source.count(HINT)?;
        let mut high = Some(low);
        self.space(false);
        if self.source.take(",") {
            self.space(false);
            high = if self.source.peek() == Some('}') { None } else { Some(self.source.count(HINT)?) };
            self.space(false);
        }
        self.source.expect("}", "after the counts", "")?;
        source::counts(low, high, begin)
    }

    fn token(&mut self) -> Read<BodyNode> {
        let at = self.source.at;
        let rest = self.source.rest();
        let Some(name) = rest.find(['>', '\r', '\n']).filter(|&end| rest[end..].starts_with('>')) else {
            return fail("the token is not closed", at, "close it with >; the character is written \"<\"");
        };
        let name = &rest[..=name];
        if name == "<>" || !source::is_token_name(name) {
            let hint = "a special token is named by its text or number: <|eot_id|>, <[128009]>";
            return fail(format!("{name} names no token"), at, hint);
        }
        self.source.at += name.len();
        Ok(BodyNode::Token(name.into()))
    }
}

/// The next character, which may be escaped.
fn code_point(source: &mut Source, is_xgrammar: bool) -> Read<u32> {
    let at = source.at;
    let char = source.next();
    if char != Some('\\') {
        return Ok(char.map_or(0, u32::from));
    }
    let letter = source.next();
    if let Some(char) = letter.and_then(|letter| escaped(letter, is_xgrammar)) {
        return Ok(char.into());
    }
    let hint = match letter {
        Some(letter @ ('x' | 'u' | 'U')) => return source.hexadecimal(letter, at),
        Some('d') => "a digit is [0-9]",
        Some('w') => "a word character is [0-9A-Za-z_]",
        Some('s') => r"white space is [ \t\r\n]",
        Some('\'' | '/') => "the character needs no escape",
        Some('.') => "a point is written \".\"",
        _ => r#"there are \n \r \t \\ \" \[ \] \- \x00 \u0000 \U00000000"#,
    };
    let letter: String = letter.filter(|&letter| !is_space(letter)).into_iter().collect();
    fail(format!("GBNF has no escape \\{letter}"), at, hint)
}

/// The character that a letter stands for behind a backslash.
pub(super) fn escaped(letter: char, is_xgrammar: bool) -> Option<char> {
    match letter {
        't' => Some('\t'),
        'r' => Some('\r'),
        'n' => Some('\n'),
        '\\' | '"' | '[' | ']' | '-' => Some(letter),
        _ if is_xgrammar => xgrammar::escaped(letter),
        _ => None,
    }
}

fn is_in_name(char: char, is_xgrammar: bool) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_') || (is_xgrammar && char == '.')
}

/// Advice on a sign of other notations.
fn instead_of(char: char) -> &'static str {
    match char {
        '\'' => "GBNF has double quotes: \"…\"",
        '/' => "GBNF has no regular expressions, and comments begin with #",
        ';' => "a rule ends with its line, and comments begin with #",
        '~' => "write a class with ^, such as [^a-z]",
        '=' | ':' => "a rule is defined by ::=",
        ']' => "a class begins with [",
        '}' => "a count begins with {",
        '>' => "a token begins with <",
        _ => "",
    }
}
