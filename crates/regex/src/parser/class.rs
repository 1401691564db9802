//! Class in brackets → a set of characters.

use super::Parser;
use crate::char_set::{CharSet, Range};
use crate::error::Result;
use crate::syntax::Dialect;
use crate::tree::Node;

/// Classes of POSIX, which Rust has inside brackets.
const POSIX: &[(&str, &[Range])] = &[
    ("alnum", &[(0x30, 0x39), (0x41, 0x5a), (0x61, 0x7a)]),
    ("alpha", &[(0x41, 0x5a), (0x61, 0x7a)]),
    ("ascii", &[(0, 0x7f)]),
    ("blank", &[(0x09, 0x09), (0x20, 0x20)]),
    ("cntrl", &[(0, 0x1f), (0x7f, 0x7f)]),
    ("digit", &[(0x30, 0x39)]),
    ("graph", &[(0x21, 0x7e)]),
    ("lower", &[(0x61, 0x7a)]),
    ("print", &[(0x20, 0x7e)]),
    ("punct", &[(0x21, 0x2f), (0x3a, 0x40), (0x5b, 0x60), (0x7b, 0x7e)]),
    ("space", &[(0x09, 0x0d), (0x20, 0x20)]),
    ("upper", &[(0x41, 0x5a)]),
    ("word", &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)]),
    ("xdigit", &[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
];

const NESTED: &str = "list the characters, or escape the sign with \\";

/// One member of a class: an end of a range, or a set.
enum Member {
    Char(u32),
    Set(CharSet),
}

impl Member {
    fn add(self, chars: &mut Vec<Range>, sets: &mut Vec<Range>) {
        match self {
            Member::Char(point) => chars.push((point, point)),
            Member::Set(set) => sets.extend(set.ranges()),
        }
    }
}

impl Parser<'_> {
    /// The class whose bracket was just taken.
    pub(super) fn char_class(&mut self) -> Result<Node> {
        let start = self.at - 1;
        let negative = self.take("^");
        let mut parts: Vec<Range> = Vec::new();
        // In Python, case is ignored for single characters and ranges, and not for sets such as `\w`.
        let mut sets: Vec<Range> = Vec::new();
        let mut is_first = true;
        loop {
            let Some(char) = self.peek() else { return self.fail("this class is never closed", start, None) };
            // ECMA-262 has the empty class.
            if char == ']' && (!is_first || self.is_ecma()) {
                self.at += 1;
                break;
            }
            is_first = false;
            let at = self.at;
            let low = self.member(char)?;
            let next = self.peek_at(self.at + 1).filter(|next| self.peek() == Some('-') && *next != ']');
            let Some(next) = next else {
                low.add(&mut parts, &mut sets);
                continue;
            };
            self.at += 1;
            if self.syntax.dialect == Dialect::Rust && next == '-' {
                return self.fail("a class of classes is not supported", at, NESTED);
            }
            match (low, self.member(next)?) {
                (Member::Char(low), Member::Char(high)) if high < low => {
                    return self.fail("this range is the wrong way round", at, None);
                }
                (Member::Char(low), Member::Char(high)) => parts.push((low, high)),
                _ if self.syntax.is_strict || !self.is_ecma() => {
                    return self.fail("a range between sets", at, "put the - last");
                }
                (low, high) => {
                    low.add(&mut parts, &mut sets);
                    parts.push(('-' as u32, '-' as u32));
                    high.add(&mut parts, &mut sets);
                }
            }
        }
        let set = if self.syntax.dialect == Dialect::Python && !sets.is_empty() {
            self.folded(CharSet::new(parts)).union(&CharSet::new(sets))
        } else {
            parts.extend(sets);
            self.folded(CharSet::new(parts))
        };
        Ok(Node::Chars(if negative { set.complement() } else { set }))
    }

    fn member(&mut self, char: char) -> Result<Member> {
        let at = self.at;
        if char == '\\' {
            match self.peek_at(at + 1) {
                None => return self.fail("a backslash at the end", at, None),
                Some('0'..='7') if !self.is_ecma() => return self.octal(at).map(Member::Char),
                Some('1'..='9') => return self.fail("an octal escape", at, "write \\x.. or \\u...."),
                Some(_) => {}
            }
            return match self.class_escape()? {
                Some(set) => Ok(Member::Set(set)),
                None => self.character_escape(true).map(Member::Char),
            };
        }
        if self.syntax.dialect == Dialect::Rust {
            if let Some(set) = self.posix_class() {
                return Ok(Member::Set(set));
            }
            if char == '[' || (matches!(char, '&' | '-' | '~') && self.peek_at(at + 1) == Some(char)) {
                return self.fail("a class of classes is not supported", at, NESTED);
            }
        } else if !self.syntax.is_strict && self.starts_with("[:") {
            return self.fail("a POSIX class is not part of this dialect", at, "write \\p{…}");
        }
        self.at += 1;
        Ok(Member::Char(char as u32))
    }

    fn posix_class(&mut self) -> Option<CharSet> {
        if !self.starts_with("[:") {
            return None;
        }
        let (name, ranges) = POSIX.iter().find(|(name, _)| {
            let end = self.at + 2 + name.len();
            name.chars().enumerate().all(|(index, char)| self.peek_at(self.at + 2 + index) == Some(char))
                && self.peek_at(end) == Some(':')
                && self.peek_at(end + 1) == Some(']')
        })?;
        self.at += name.len() + 4;
        Some(CharSet::of(ranges))
    }
}
