//! GBNF → rules, as `notations/gbnf.py` reads it.

use super::{Cursor, Failure, Fault};
use frisket_core::builder::Builder;
use frisket_core::production::{BodyNode, Productions};
use frisket_core::regular::term::TermId;
use frisket_regex::{CharSet, Range, LAST};

/// The node of a rule of a grammar in GBNF.
pub fn lower(builder: &mut Builder, text: &str, root: &str) -> Result<TermId, Failure> {
    let mut reader = Reader { cursor: Cursor { text, at: 0 }, rules: Rules::default(), fault: None };
    match reader.read() {
        Some(()) => reader.rules.lower(builder, root),
        None => {
            let at = reader.cursor.at.min(text.len());
            Err(Failure::Unread(reader.fault.unwrap_or_else(|| Fault::new("this is no GBNF", at, None))))
        }
    }
}

/// Rules while their text is read.
#[derive(Default)]
struct Rules {
    productions: Productions,
    /// The groups that are open, the body itself first.
    levels: Vec<Level>,
}

/// An open group, and what was read of it: complete alternatives, and items of the alternative under way.
#[derive(Default)]
struct Level {
    alternatives: u32,
    items: u32,
}

impl Rules {
    /// The node of the root.
    fn lower(self, builder: &mut Builder, root: &str) -> Result<TermId, Failure> {
        let hint = "name the rule to begin with";
        let no_root = || Failure::Unread(Fault::new(format!("there is no rule {root}"), None, hint));
        let reached = self.productions.check(root)?.ok_or_else(no_root)?;
        Ok(self.productions.lower(builder, &reached)?)
    }

    fn level(&mut self) -> Option<&mut Level> {
        self.levels.last_mut()
    }

    fn leaf(&mut self, node: BodyNode) {
        self.productions.add(node, 0);
    }

    /// The node that was added last is an item.
    fn item(&mut self) -> Option<()> {
        self.level()?.items += 1;
        Some(())
    }

    fn repeat(&mut self, low: u32, high: Option<u32>) -> Option<()> {
        self.productions.add(BodyNode::Repeat(low, high), 1);
        (self.level()?.items > 0).then_some(())
    }

    fn open(&mut self) {
        self.levels.push(Level::default());
    }

    fn end_alternative(&mut self) -> Option<()> {
        let level = self.level()?;
        level.alternatives += 1;
        let items = std::mem::take(&mut level.items);
        self.join(BodyNode::Seq, items);
        Some(())
    }

    /// Ends the innermost group, which is now one node.
    fn close(&mut self) -> Option<()> {
        self.end_alternative()?;
        let level = self.levels.pop()?;
        self.join(BodyNode::Alt, level.alternatives);
        Some(())
    }

    /// The last nodes as one; a single one stays as it is.
    fn join(&mut self, node: BodyNode, count: u32) {
        if count != 1 {
            self.productions.add(node, count);
        }
    }
}

/// Nothing is the answer of all its methods to what is wrong, with the fault set where there is more to say.
struct Reader<'a> {
    cursor: Cursor<'a>,
    rules: Rules,
    fault: Option<Fault>,
}

impl<'a> Reader<'a> {
    fn fail<T>(&mut self, message: impl Into<String>, at: usize, hint: impl Into<Option<&'static str>>) -> Option<T> {
        self.fault.get_or_insert_with(|| Fault::new(message, at, hint));
        None
    }

    fn read(&mut self) -> Option<()> {
        self.space(true);
        while self.cursor.peek().is_some() {
            let at = self.cursor.at;
            let name = self.name();
            if name.is_empty() {
                let hint =
                    "a name has letters, digits, - and _; a body that goes on in the next line stands in parentheses";
                return self.fail("expected the name of a rule", at, hint);
            }
            self.space(false);
            if !self.cursor.take("::=") {
                return self.fail(format!("expected ::= after the name {name}"), self.cursor.at, None);
            }
            self.rules.open();
            self.body()?;
            if !self.rules.productions.define(name, name) {
                return self.fail(format!("the rule {name} is defined twice"), at, "join the bodies with |");
            }
            self.space(true);
        }
        Some(())
    }

    fn name(&mut self) -> &'a str {
        self.cursor.take_while(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_'))
    }

    fn space(&mut self, lines: bool) {
        loop {
            self.cursor.take_while(|char| matches!(char, ' ' | '\t') || (lines && matches!(char, '\r' | '\n')));
            if self.cursor.peek() != Some('#') {
                return;
            }
            self.cursor.skip_line();
        }
    }

    /// Reads the body of a rule up to its end.
    fn body(&mut self) -> Option<()> {
        self.space(true);
        while let Some(char) = self.cursor.peek() {
            let begin = self.cursor.at;
            let is_nested = self.rules.levels.len() > 1;
            match char {
                '|' => {
                    self.cursor.next();
                    self.rules.end_alternative()?;
                    self.space(true);
                }
                '(' => {
                    self.cursor.next();
                    self.rules.open();
                    self.space(true);
                }
                ')' if is_nested => {
                    self.cursor.next();
                    self.rules.close()?;
                    self.rules.item()?;
                    self.space(self.rules.levels.len() > 1);
                }
                '*' | '+' | '?' | '{' => {
                    let (low, high) = self.counts()?;
                    if self.rules.level()?.items == 0 {
                        return self.fail(
                            "there is nothing to repeat",
                            begin,
                            "the character itself is written in quotes",
                        );
                    }
                    self.rules.repeat(low, high)?;
                    self.space(is_nested);
                }
                '\r' | '\n' => {
                    self.space(true);
                    if self.cursor.peek() != Some('|') {
                        break;
                    }
                }
                'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => {
                    let name = self.name();
                    let end = self.cursor.at;
                    self.space(false);
                    if self.cursor.rest().starts_with("::=") {
                        if is_nested || self.rules.level()?.items > 0 {
                            return self.fail(
                                "a rule begins in a line of its own",
                                begin,
                                "break the line before its name",
                            );
                        }
                        self.cursor.at = begin;
                        break;
                    }
                    self.cursor.at = end;
                    self.rules.productions.call(name, begin as u32);
                    self.rules.item()?;
                    self.space(is_nested);
                }
                _ => {
                    let node = self.terminal(char)?;
                    self.rules.leaf(node);
                    self.rules.item()?;
                    self.space(is_nested);
                }
            }
        }
        if self.rules.levels.len() != 1 {
            return self.fail("a group is not closed", self.cursor.at, "close it with )");
        }
        self.rules.close()
    }

    fn terminal(&mut self, char: char) -> Option<BodyNode> {
        let at = self.cursor.at;
        self.cursor.next();
        match char {
            '"' => {
                let mut text = String::new();
                while !self.cursor.take("\"") {
                    if self.cursor.peek().is_none() {
                        return self.fail("the literal is not closed", at, "close it with \"");
                    }
                    text.push(self.character()?);
                }
                Some(if text.is_empty() { BodyNode::Seq } else { BodyNode::Text(text.into()) })
            }
            '[' => self.class(),
            '.' => Some(BodyNode::Chars([(0, LAST)].into())),
            '<' => {
                let rest = self.cursor.rest();
                let Some(name) = rest.find('>').map(|end| &rest[..end]).filter(|name| !name.contains(['\r', '\n']))
                else {
                    return self.fail("the token is not closed", at, "close it with >; the character is written \"<\"");
                };
                if name.is_empty() || (name.starts_with('[') && !is_number(name)) {
                    let hint = "a special token is named by its text or number: <|eot_id|>, <[128009]>";
                    return self.fail(format!("<{name}> names no token"), at, hint);
                }
                self.cursor.at += name.len() + 1;
                Some(BodyNode::Token(format!("<{name}>").into()))
            }
            _ => self.fail(format!("unexpected {char:?}"), at, instead_of(char)),
        }
    }

    /// The characters of a class, behind its bracket.
    fn class(&mut self) -> Option<BodyNode> {
        let is_negative = self.cursor.take("^");
        let mut ranges: Vec<Range> = Vec::new();
        let begin = self.cursor.at;
        while !self.cursor.take("]") {
            if self.cursor.peek().is_none() {
                return self.fail("the class is not closed", begin, "close it with ]; in a class ] is written \\]");
            }
            let low = self.character()? as u32;
            let mut high = low;
            if self.cursor.peek() == Some('-') && !self.cursor.rest().starts_with("-]") {
                self.cursor.next();
                high = self.character()? as u32;
            }
            if high < low {
                return self.fail("a range in reverse order", begin, "the smaller character comes first");
            }
            ranges.push((low, high));
        }
        if ranges.is_empty() {
            return self.fail("the class is empty", begin, "any character is . and the empty text \"\"");
        }
        let set = CharSet::new(ranges);
        let set = if is_negative { set.complement() } else { set };
        let ranges = set.ranges();
        let is_surrogates = |&(low, high): &Range| low >= 0xd800 && high <= 0xdfff;
        (!ranges.iter().all(is_surrogates)).then(|| BodyNode::Chars(ranges.into()))
    }

    /// The next character, which may be escaped.
    fn character(&mut self) -> Option<char> {
        let char = self.cursor.next()?;
        if char != '\\' {
            return Some(char);
        }
        let at = self.cursor.at - 1;
        match self.cursor.next()? {
            't' => Some('\t'),
            'r' => Some('\r'),
            'n' => Some('\n'),
            char @ ('\\' | '"' | '[' | ']' | '-') => Some(char),
            'x' => self.cursor.hexadecimal(2),
            'u' => self.cursor.hexadecimal(4),
            'U' => self.cursor.hexadecimal(8),
            letter => {
                let hint = r#"there are \n \r \t \\ \" \[ \] \- \x00 \u0000 \U00000000"#;
                self.fail(format!("GBNF has no escape \\{letter}"), at, hint)
            }
        }
    }

    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let begin = self.cursor.at;
        match self.cursor.next()? {
            '*' => Some((0, None)),
            '+' => Some((1, None)),
            '?' => Some((0, Some(1))),
            _ => {
                self.space(false);
                let low = self.cursor.number()?;
                self.space(false);
                let mut high = Some(low);
                if self.cursor.take(",") {
                    self.space(false);
                    high = if self.cursor.peek() == Some('}') { None } else { Some(self.cursor.number()?) };
                    self.space(false);
                }
                match self.cursor.take("}") && high.is_none_or(|high| low <= high) {
                    true => Some((low, high)),
                    false => self.fail("no count", begin, "counts are {m}, {m,} and {m,n}, the smaller one first"),
                }
            }
        }
    }
}

/// Whether the name of a token is a number in brackets.
fn is_number(name: &str) -> bool {
    let digits = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Advice on a sign of other notations.
fn instead_of(char: char) -> Option<&'static str> {
    Some(match char {
        '\'' => "GBNF has double quotes: \"…\"",
        '/' => "GBNF has no regular expressions, and comments begin with #",
        ';' => "a rule ends with its line, and comments begin with #",
        '~' => "write a class with ^, such as [^a-z]",
        '=' | ':' => "a rule is defined by ::=",
        ')' => "there is no group to close; the character is written \")\"",
        '!' => "a grammar knows no vocabulary, so a token that is any but one cannot be told",
        _ => return None,
    })
}
