//! GBNF → rules (`notations/gbnf.py`).

use super::{Cursor, Rules};
use frisket_core::error::Error;
use frisket_core::grammar::builder::Builder;
use frisket_core::production::BodyNode;
use frisket_core::regular::term::TermId;
use frisket_regex::{CharSet, Range, LAST};

/// The node of a rule of a grammar in GBNF; nothing if Python should read the grammar.
pub fn lower(builder: &mut Builder, text: &str, root: &str) -> Result<Option<TermId>, Box<Error>> {
    let mut reader = Reader { cursor: Cursor { text, at: 0 }, rules: Rules::default() };
    match reader.read() {
        Some(()) => reader.rules.lower(builder, root),
        None => Ok(None),
    }
}

/// Nothing is the answer of all its methods to what Python should read.
struct Reader<'a> {
    cursor: Cursor<'a>,
    rules: Rules,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Option<()> {
        self.space(true);
        while self.cursor.peek().is_some() {
            let name = self.name();
            self.space(false);
            if name.is_empty() || !self.cursor.take("::=") {
                return None;
            }
            self.rules.open(' ');
            self.body()?;
            self.rules.productions.define(name, name).then_some(())?;
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

    /// All up to the end of the rule.
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
                    self.rules.open('(');
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
                        return None;
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
                            return None;
                        }
                        self.cursor.at = begin;
                        break;
                    }
                    self.cursor.at = end;
                    self.rules.productions.call(name, 0);
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
        (self.rules.levels.len() == 1).then_some(())?;
        self.rules.close()
    }

    fn terminal(&mut self, char: char) -> Option<BodyNode> {
        self.cursor.next();
        match char {
            '"' => {
                let mut text = String::new();
                while !self.cursor.take("\"") {
                    text.push(self.character()?);
                }
                Some(if text.is_empty() { BodyNode::Seq } else { BodyNode::Text(text.into()) })
            }
            '[' => self.class(),
            '.' => Some(BodyNode::Chars([(0, LAST)].into())),
            '<' => {
                let rest = self.cursor.rest();
                let name = &rest[..rest.find('>')?];
                if name.is_empty() || name.contains(['\r', '\n', '[']) {
                    return None;
                }
                self.cursor.at += name.len() + 1;
                Some(BodyNode::Token(format!("<{name}>").into()))
            }
            _ => None,
        }
    }

    /// The characters of a class, behind its bracket.
    fn class(&mut self) -> Option<BodyNode> {
        let is_negative = self.cursor.take("^");
        let mut ranges: Vec<Range> = Vec::new();
        while !self.cursor.take("]") {
            let low = self.character()? as u32;
            let mut high = low;
            if self.cursor.peek() == Some('-') && !self.cursor.rest().starts_with("-]") {
                self.cursor.next();
                high = self.character()? as u32;
            }
            if high < low {
                return None;
            }
            ranges.push((low, high));
        }
        if ranges.is_empty() {
            return None;
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
        match self.cursor.next()? {
            't' => Some('\t'),
            'r' => Some('\r'),
            'n' => Some('\n'),
            char @ ('\\' | '"' | '[' | ']' | '-') => Some(char),
            'x' => self.cursor.hexadecimal(2),
            'u' => self.cursor.hexadecimal(4),
            'U' => self.cursor.hexadecimal(8),
            _ => None,
        }
    }

    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
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
                (self.cursor.take("}") && high.is_none_or(|high| low <= high)).then_some((low, high))
            }
        }
    }
}
