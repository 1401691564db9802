//! Language of texts → language of the JSON strings that decode to them (RFC 8259 section 7), by derivatives.
//!
//! An unescaped byte steps the language of texts. An escape collects its code unit, then steps by the character's UTF-8.
//! Strings therefore compare by decoded text, and patterns, lengths and formats need not know escapes.
//!
//! Escaped texts, such as the tags around a tool call, never stand in a string as they are. An unescaped character excludes
//! from the rest of the text what would complete one; its `\u00xx` asks for just that. So each text keeps one spelling.

use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::{is_unescaped, UNESCAPED_ASCII};
use crate::error::Result;
use crate::regular::term::{Escapes, Spelling, TermId, EMPTY, EPSILON, TOP};
use crate::regular::terms::Terms;
use regex_syntax::utf8::Utf8Sequences;

/// (letter, decoded byte) of the two-character escapes.
const SHORT_ESCAPES: [(u8, u8); 8] =
    [(b'"', b'"'), (b'\\', b'\\'), (b'/', b'/'), (b'b', 8), (b'f', 12), (b'n', 10), (b'r', 13), (b't', 9)];

/// Whether the canonical spelling of a code unit is `\u00xx`: control characters without a two-character escape.
fn needs_hex(unit: u32) -> bool {
    unit < 0x20 && !matches!(unit, 8 | 9 | 10 | 12 | 13)
}

/// The canonical escape of a byte, or `None` if it needs none.
#[inline]
pub(crate) fn escape(byte: u8) -> Option<String> {
    (!is_unescaped(byte)).then(|| canonical_escape(byte))
}

/// The canonical escape of a byte.
pub(crate) fn canonical_escape(byte: u8) -> String {
    match SHORT_ESCAPES.iter().find(|&&(letter, decoded)| decoded == byte && letter != b'/') {
        Some(&(letter, _)) => format!("\\{}", char::from(letter)),
        None => format!("\\u{byte:04x}"),
    }
}

/// The canonical JSON string of a text, quotes included.
pub(crate) fn encode(text: &[u8]) -> Vec<u8> {
    encode_escaping(text, &[])
}

/// `encode`, with an escape for the first character of each of the `escaped` texts that occurs.
fn encode_escaping(text: &[u8], escaped: &[Vec<u8>]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(text.len() + 2);
    encoded.push(b'"');
    for (place, &byte) in text.iter().enumerate() {
        match escape(byte) {
            Some(escape) => encoded.extend(escape.bytes()),
            None if escaped.iter().any(|one| text[place..].starts_with(one)) => encoded.extend(numbered(byte)),
            None => encoded.push(byte),
        }
    }
    encoded.push(b'"');
    encoded
}

/// The spelling of a byte by its number.
pub(crate) fn numbered(byte: u8) -> Vec<u8> {
    format!("\\u{byte:04x}").into_bytes()
}

/// The text of a complete, valid JSON string; a character that is cut off before the last quote stays as it is.
pub(crate) fn decode(encoded: &[u8]) -> Vec<u8> {
    let body = &encoded[1..encoded.len() - 1];
    let whole = body.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let text = serde_json::from_str::<String>(&format!("\"{whole}\"")).unwrap_or_default();
    [text.as_bytes(), &body[whole.len()..]].concat()
}

impl Terms {
    /// The spelling of each text without free escapes.
    pub(crate) fn spellings<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t [u8]>,
        escapes: Escapes,
    ) -> Result<Vec<Vec<u8>>> {
        let escaped = self.enumerate(escapes.escaped, usize::MAX)?.unwrap_or_default();
        Ok(texts.map(|text| encode_escaping(text, &escaped)).collect())
    }

    /// The derivative of a `Quoted` term. With `free`, any escape is allowed; without, the canonical ones and those of
    /// escaped texts only.
    pub(crate) fn derive_quoted(
        &mut self,
        text: TermId,
        state: Spelling,
        escapes: Escapes,
        byte: u8,
    ) -> Result<TermId> {
        let free = escapes.free;
        match state {
            Spelling::Start if byte == b'"' => self.quoted_state(text, Spelling::Body, escapes),
            Spelling::Body => match byte {
                b'"' => Ok(if self.info(text).nullable { EPSILON } else { EMPTY }),
                b'\\' => {
                    if self.can_escape(text, escapes)? {
                        self.quoted_state(text, Spelling::Escape, escapes)
                    } else {
                        Ok(EMPTY)
                    }
                }
                0..=0x1f => Ok(EMPTY),
                _ => {
                    let next = self.derive(text, byte)?;
                    let next = self.outside_escaped(next, escapes, byte)?;
                    self.quoted_state(next, Spelling::Body, escapes)
                }
            },
            Spelling::Escape => {
                if byte == b'u' {
                    return self.hex_state(text, 0, 0, escapes);
                }
                match SHORT_ESCAPES.iter().find(|&&(letter, _)| letter == byte && (free || letter != b'/')) {
                    Some(&(_, decoded)) => {
                        let next = self.derive(text, decoded)?;
                        self.quoted_state(next, Spelling::Body, escapes)
                    }
                    None => Ok(EMPTY),
                }
            }
            Spelling::Hex { digits, value } => match hex(byte, free) {
                Some(digit) => self.hex_state(text, digits + 1, value << 4 | digit, escapes),
                None => Ok(EMPTY),
            },
            Spelling::LowEscape { high } if byte == b'\\' => self.quoted_state(text, Spelling::LowU { high }, escapes),
            Spelling::LowU { high } if byte == b'u' => {
                self.quoted_state(text, Spelling::Low { high, digits: 0, value: 0 }, escapes)
            }
            Spelling::Low { high, digits, value } => match hex(byte, free) {
                Some(digit) => self.low_state(text, high, digits + 1, value << 4 | digit, escapes),
                None => Ok(EMPTY),
            },
            _ => Ok(EMPTY),
        }
    }

    /// The rests of texts behind an unescaped byte, without those in which an escaped text begins with that byte.
    fn outside_escaped(&mut self, next: TermId, escapes: Escapes, byte: u8) -> Result<TermId> {
        if escapes.escaped == EMPTY || next == EMPTY {
            return Ok(next);
        }
        let rest = self.derive(escapes.escaped, byte)?;
        if rest == EMPTY {
            return Ok(next);
        }
        let begun = self.cat(rest, TOP)?;
        let others = self.not(begun)?;
        self.and(vec![next, others])
    }

    /// The texts after an ASCII character that is escaped because an escaped text begins with it.
    fn inside_escaped(&mut self, text: TermId, escapes: Escapes, byte: u8) -> Result<TermId> {
        let rest = self.derive(escapes.escaped, byte)?;
        let next = if rest == EMPTY { EMPTY } else { self.derive(text, byte)? };
        if next == EMPTY {
            return Ok(EMPTY);
        }
        let begun = self.cat(rest, TOP)?;
        self.and(vec![next, begun])
    }

    /// Whether some escape can come next.
    fn can_escape(&mut self, text: TermId, escapes: Escapes) -> Result<bool> {
        for (letter, decoded) in SHORT_ESCAPES {
            if (escapes.free || letter != b'/') && self.derive(text, decoded)? != EMPTY {
                return Ok(true);
            }
        }
        Ok(self.hex_state(text, 0, 0, escapes)? != EMPTY)
    }

    /// The state after `\u` and `digits` digits of the given value; `EMPTY` if no character can complete it.
    fn hex_state(&mut self, text: TermId, digits: u8, value: u16, escapes: Escapes) -> Result<TermId> {
        let free = escapes.free;
        let shift = 4 * (4 - u32::from(digits));
        let low = u32::from(value) << shift;
        let high = low + (1 << shift) - 1;
        if digits == 4 {
            return match low {
                0xd800..=0xdbff if free => {
                    let (from, to) = pair_span(value, 0xdc00, 0xdfff);
                    if self.has_char_between(text, from, to)? {
                        self.quoted_state(text, Spelling::LowEscape { high: value }, escapes)
                    } else {
                        Ok(EMPTY)
                    }
                }
                0xd800..=0xdfff => Ok(EMPTY),
                _ if free || needs_hex(low) => self.after_char(text, low, escapes),
                0..=0x7f => {
                    let next = self.inside_escaped(text, escapes, low as u8)?;
                    self.quoted_state(next, Spelling::Body, escapes)
                }
                _ => Ok(EMPTY),
            };
        }
        let nonempty = if free {
            let surrogates = low <= 0xdbff && high >= 0xd800;
            self.has_char_between(text, low, high)?
                || surrogates && {
                    let (from, _) = pair_span(low.max(0xd800) as u16, 0xdc00, 0xdfff);
                    let (_, to) = pair_span(high.min(0xdbff) as u16, 0xdc00, 0xdfff);
                    self.has_char_between(text, from, to)?
                }
        } else {
            let mut any = false;
            for unit in (low..=high.min(0x1f)).filter(|&unit| needs_hex(unit)) {
                any |= self.derive(text, unit as u8)? != EMPTY;
            }
            let escaped = if escapes.escaped == EMPTY { ByteSet::EMPTY } else { self.first_bytes(escapes.escaped) };
            for byte in escaped.intersection(&UNESCAPED_ASCII).iter() {
                let is_reached = (low..=high).contains(&u32::from(byte));
                any |= is_reached && self.inside_escaped(text, escapes, byte)? != EMPTY;
            }
            any
        };
        if nonempty {
            self.quoted_state(text, Spelling::Hex { digits, value }, escapes)
        } else {
            Ok(EMPTY)
        }
    }

    /// The state inside the low surrogate of a pair; `EMPTY` if no character can complete it.
    fn low_state(&mut self, text: TermId, high: u16, digits: u8, value: u16, escapes: Escapes) -> Result<TermId> {
        let shift = 4 * (4 - u32::from(digits));
        let low = (u32::from(value) << shift).max(0xdc00);
        let top = ((u32::from(value) << shift) + (1 << shift) - 1).min(0xdfff);
        if low > top {
            return Ok(EMPTY);
        }
        let (from, to) = pair_span(high, low, top);
        if digits == 4 {
            return self.after_char(text, from, escapes);
        }
        if self.has_char_between(text, from, to)? {
            self.quoted_state(text, Spelling::Low { high, digits, value }, escapes)
        } else {
            Ok(EMPTY)
        }
    }

    /// The state after one character that was spelled as an escape.
    fn after_char(&mut self, text: TermId, code: u32, escapes: Escapes) -> Result<TermId> {
        let Some(character) = char::from_u32(code) else { return Ok(EMPTY) };
        let mut next = text;
        for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
            next = self.derive(next, byte)?;
        }
        self.quoted_state(next, Spelling::Body, escapes)
    }

    /// Whether a character with a code point in `low..=high` can come next.
    fn has_char_between(&mut self, text: TermId, low: u32, high: u32) -> Result<bool> {
        for (low, high) in [(low, high.min(0xd7ff)), (low.max(0xe000), high)] {
            let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high)) else { continue };
            if low > high {
                continue;
            }
            for sequence in Utf8Sequences::new(low, high) {
                let pairs: Vec<_> = sequence.as_slice().iter().map(|range| (range.start, range.end)).collect();
                if self.has_byte_path(text, &pairs)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether bytes from these consecutive ranges lead to a nonempty state.
    fn has_byte_path(&mut self, id: TermId, pairs: &[(u8, u8)]) -> Result<bool> {
        let Some((&(low, high), rest)) = pairs.split_first() else { return Ok(id != EMPTY) };
        for (first, _) in self.boundaries(id).intervals(low, high) {
            let next = self.derive(id, first.max(low))?;
            if next != EMPTY && self.has_byte_path(next, rest)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The value of a hexadecimal digit; uppercase digits only if `upper`.
fn hex(byte: u8, upper: bool) -> Option<u16> {
    match byte {
        b'0'..=b'9' => Some(u16::from(byte - b'0')),
        b'a'..=b'f' => Some(u16::from(byte - b'a') + 10),
        b'A'..=b'F' if upper => Some(u16::from(byte - b'A') + 10),
        _ => None,
    }
}

/// The first and last code point of a high surrogate with the low surrogates `low..=top`.
fn pair_span(high: u16, low: u32, top: u32) -> (u32, u32) {
    let base = 0x1_0000 + ((u32::from(high) - 0xd800) << 10);
    (base + (low - 0xdc00), base + (top - 0xdc00))
}

#[cfg(test)]
mod tests;
