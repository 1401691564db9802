//! A backslash and what follows it → a character, a set of characters or an assertion.

use super::Parser;
use crate::char_set::{CharSet, LAST};
use crate::error::Result;
use crate::quote::quoted;
use crate::syntax::Dialect;
use crate::tree::{Node, Side};
use crate::unicode::class::{self, python_class, rust_class};
use crate::unicode::fold;
use crate::unicode::name::Spelling;
use crate::unicode::property::property_set;

impl Parser<'_> {
    pub(super) fn escape(&mut self) -> Result<Node> {
        let at = self.at;
        let Some(char) = self.peek_at(at + 1) else { return self.fail("a backslash at the end", at, None) };
        let is_ecma = self.is_ecma();
        match char {
            'b' | 'B' => {
                self.at += 2;
                return Ok(Node::Boundary { sides: self.boundary(char == 'B'), at });
            }
            'A' | 'Z' | 'z' if !is_ecma => {
                self.at += 2;
                let (ranges, edge) = (CharSet::none(), true);
                return Ok(if char == 'A' {
                    Node::Before { ranges, edge, at }
                } else {
                    Node::After { ranges, edge, at }
                });
            }
            // In Python, three octal digits are a character and no reference to a group.
            '1'..='7' if !is_ecma && (2..4).all(|by| matches!(self.peek_at(at + by), Some('0'..='7'))) => {
                let point = self.octal(at)?;
                return Ok(self.char(point));
            }
            '1'..='9' => return self.reference(),
            'k' if is_ecma => return self.reference(),
            _ => {}
        }
        if let Some(set) = self.class_escape()? {
            return Ok(Node::Chars(set));
        }
        let point = self.character_escape(false)?;
        Ok(self.char(point))
    }

    /// The pairs of neighbours between which `\b` holds, or `\B` if `negative`.
    fn boundary(&self, negative: bool) -> Vec<[Side; 2]> {
        let word = self.word();
        let (inside, outside) = ((word.clone(), false), (word.complement(), true));
        if !negative {
            return vec![[outside.clone(), inside.clone()], [inside, outside]];
        }
        let within = [inside.clone(), inside];
        if self.is_ecma() || self.has_rust_classes() || self.syntax.is_python_3_14() {
            return vec![within, [outside.clone(), outside]];
        }
        // In Python before 3.14, `\B` does not hold in the empty text.
        let (edge, char) = ((CharSet::none(), true), (word.complement(), false));
        vec![within, [char.clone(), outside], [edge, char]]
    }

    fn word(&self) -> CharSet {
        let ascii = || CharSet::of(class::WORD);
        match self.syntax.dialect {
            _ if self.has_rust_classes() => rust_class('w'),
            Dialect::Ecma if self.flags.has('i') => fold::simple(&ascii()),
            Dialect::Ecma => ascii(),
            _ if self.flags.has('a') => ascii(),
            _ => python_class('w', self.syntax.unicode()),
        }
    }

    pub(super) fn has_rust_classes(&self) -> bool {
        self.syntax.dialect == Dialect::Rust || self.flags.has('r')
    }

    /// The set of `\d`, `\p{…}` and the like; None, with nothing read, if no such escape begins here.
    pub(super) fn class_escape(&mut self) -> Result<Option<CharSet>> {
        let at = self.at;
        let Some(char @ ('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'p' | 'P')) = self.peek_at(at + 1) else {
            return Ok(None);
        };
        self.at += 2;
        let is_ecma = self.is_ecma();
        let is_ascii = is_ecma || self.flags.has('a');
        let set = match char.to_ascii_lowercase() {
            'p' => self.unicode_property(at)?,
            letter if self.has_rust_classes() => rust_class(letter),
            'w' => self.word(),
            's' if is_ecma => CharSet::of(class::ECMA_SPACE),
            's' if is_ascii => CharSet::of(class::ASCII_SPACE),
            'd' if is_ascii => CharSet::of(class::DIGIT),
            letter => python_class(letter, self.syntax.unicode()),
        };
        Ok(Some(if char.is_ascii_uppercase() { set.complement() } else { set }))
    }

    fn unicode_property(&mut self, at: usize) -> Result<CharSet> {
        let close = self.find('}').filter(|_| self.starts_with("{"));
        let body = match (close, self.peek()) {
            (Some(close), _) => {
                let body = self.text(self.at + 1, close);
                self.at = close + 1;
                body
            }
            (None, Some(letter)) if !self.syntax.is_strict => {
                self.at += 1;
                letter.to_string()
            }
            _ => String::new(),
        };
        if body.starts_with('^') {
            return self.fail("a negated property", at, "write \\P{…}");
        }
        let spelling = if self.syntax.is_strict { Spelling::Exact } else { Spelling::Loose };
        let (name, value) = body.split_once('=').map_or((body.as_str(), None), |(name, value)| (name, Some(value)));
        // Unless read strictly, an empty value is none: `Greek=` is `Greek`.
        let value = value.filter(|value| !value.is_empty() || self.syntax.is_strict);
        match property_set(name, value, spelling, self.syntax.unicode()) {
            Some(set) => Ok(self.folded(set)),
            None => {
                let message = format!("no exact data for the property {}", quoted(body.chars()));
                self.fail(&message, at, "general categories and common scripts are known")
            }
        }
    }

    pub(super) fn character_escape(&mut self, in_class: bool) -> Result<u32> {
        let at = self.at;
        let is_ecma = self.is_ecma();
        let Some(char) = self.peek_at(at + 1) else { return self.fail("a backslash at the end", at, None) };
        self.at += 2;
        Ok(match char {
            'n' => 10,
            'r' => 13,
            't' => 9,
            'f' => 12,
            'v' => 11,
            'a' if !is_ecma => 7,
            'b' if in_class => 8,
            '0' if !is_ecma => return self.octal(at),
            '0' if self.peek().is_some_and(|next| next.is_ascii_digit()) => {
                return self.fail("an octal escape", at, "write \\x.. or \\u....");
            }
            '0' => 0,
            'x' | 'u' | 'U' if self.syntax.dialect == Dialect::Rust && self.starts_with("{") => return self.code(at),
            'x' => return self.hexadecimal(2, at),
            'u' => return self.unicode_escape(at),
            'U' if !is_ecma => {
                let point = self.hexadecimal(8, at)?;
                return if point > LAST { self.fail("beyond the last code point", at, None) } else { Ok(point) };
            }
            'N' if !is_ecma && self.take("{") => {
                let close = self.find('}');
                let name = self.text(self.at, close.unwrap_or(self.at));
                self.at = close.map_or(self.at, |close| close + 1);
                match (self.syntax.named)(&name) {
                    Some(named) => named as u32,
                    None => {
                        return self.fail(&format!("no character is named {}", quoted(name.chars())), at, None);
                    }
                }
            }
            'c' if is_ecma => match self.peek().filter(char::is_ascii_alphabetic) {
                Some(letter) => {
                    self.at += 1;
                    letter as u32 & 31
                }
                None => return self.fail("\\c takes a letter", at, None),
            },
            _ if char.is_ascii_alphanumeric() => {
                let hint = matches!(char, 'A' | 'Z' | 'z').then_some("anchors of this dialect are ^ and $");
                return self.fail(&format!("unknown escape \\{char}"), at, hint);
            }
            _ if self.syntax.is_strict && !("^$\\.*+?()[]{}|/".contains(char) || (in_class && char == '-')) => {
                return self.fail(&format!("unknown escape \\{char}"), at, None);
            }
            _ => char as u32,
        })
    }

    /// Up to three octal digits behind a backslash.
    pub(super) fn octal(&mut self, at: usize) -> Result<u32> {
        let digits = (at + 1..self.end.min(at + 4)).take_while(|&at| matches!(self.pattern[at], '0'..='7'));
        let (mut point, mut end) = (0, at + 1);
        for at in digits {
            point = point * 8 + (self.pattern[at] as u32 - '0' as u32);
            end = at + 1;
        }
        self.at = end;
        if point > 0o377 {
            return self.fail("an octal escape beyond \\377", at, None);
        }
        Ok(point)
    }

    fn hexadecimal(&mut self, length: usize, at: usize) -> Result<u32> {
        let digits = (0..length).try_fold(0u32, |number, index| {
            Some(number.wrapping_mul(16) + self.peek_at(self.at + index)?.to_digit(16)?)
        });
        let Some(point) = digits else {
            return self.fail(&format!("{length} hexadecimal digits are expected"), at, None);
        };
        self.at += length;
        Ok(point)
    }

    /// The code point in `{…}`, as Rust writes it.
    fn code(&mut self, at: usize) -> Result<u32> {
        let close = self.find('}').unwrap_or(self.at);
        let digits = self.text(self.at + 1, close.max(self.at + 1));
        match u32::from_str_radix(&digits, 16) {
            Ok(point) if digits.len() <= 8 && !digits.starts_with('+') => {
                if point > LAST {
                    let hint = "the last code point of Unicode is U+10FFFF";
                    return self.fail("there is no such character", at, hint);
                }
                self.at = close + 1;
                Ok(point)
            }
            _ => self.fail("a code point in hexadecimal is expected between the braces", at, None),
        }
    }

    fn unicode_escape(&mut self, at: usize) -> Result<u32> {
        let is_ecma = self.is_ecma();
        if is_ecma && self.take("{") {
            let close = self.find('}').unwrap_or(self.at);
            let digits = self.text(self.at, close);
            let is_hexadecimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let point = u32::from_str_radix(digits.trim_start_matches('0'), 16);
            let point = point.ok().or_else(|| digits.bytes().all(|byte| byte == b'0').then_some(0));
            return match point.filter(|point| is_hexadecimal && *point <= LAST) {
                Some(point) => {
                    self.at = close + 1;
                    Ok(point)
                }
                None => self.fail("\\u{…} takes a code point in hexadecimal", at, None),
            };
        }
        let point = self.hexadecimal(4, at)?;
        if is_ecma && (0xd800..=0xdbff).contains(&point) && self.take("\\u") {
            let low = self.hexadecimal(4, at)?;
            if (0xdc00..=0xdfff).contains(&low) {
                return Ok(0x1_0000 + (point - 0xd800) * 0x400 + low - 0xdc00);
            }
            self.at -= 6;
        }
        Ok(point)
    }
}
