//! Characters of a decoded text → their spellings inside a JSON string.
//!
//! `Builder::quoted` makes JSON strings of a regular language only. The grammar of a context-free language is made of
//! pieces that are spelled already.

use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

/// Inclusive ranges of code points, without surrogates.
pub(super) type Ranges<'a> = &'a [(u32, u32)];

/// The last code point.
pub(super) const LAST: u32 = 0x10FFFF;

/// Makes the nodes of texts as JSON strings spell them. Errors of all methods: limits.
pub(super) struct Spelling<'t, 'b> {
    terms: &'t Terms<'b>,
    /// Whether every escape of RFC 8259 may be used.
    free: bool,
}

fn is_special(point: u32) -> bool {
    point < 0x20 || point == u32::from(b'"') || point == u32::from(b'\\')
}

/// The one spelling of a special character where escapes are not free.
fn escape(point: u32) -> String {
    match point {
        0x08 => r"\b".into(),
        0x09 => r"\t".into(),
        0x0A => r"\n".into(),
        0x0C => r"\f".into(),
        0x0D => r"\r".into(),
        0x22 => r#"\""#.into(),
        0x5C => r"\\".into(),
        other => format!(r"\u{other:04x}"),
    }
}

impl<'t, 'b> Spelling<'t, 'b> {
    pub fn new(terms: &'t Terms<'b>, free: bool) -> Self {
        Spelling { terms, free }
    }

    /// The spellings of one text.
    pub fn text(&self, text: &str) -> Result<TermId> {
        if self.free {
            let chars: Result<Vec<_>> = text.chars().map(|char| self.chars(&[(char.into(), char.into())])).collect();
            return self.terms.cat(&chars?);
        }
        let spelled = |char: char| if is_special(char.into()) { escape(char.into()) } else { char.into() };
        self.terms.literal(text.chars().map(spelled).collect::<String>())
    }

    /// The spellings of any of these characters.
    pub fn any_of(&self, chars: &str) -> Result<TermId> {
        self.chars(&chars.chars().map(|char| (char.into(), char.into())).collect::<Vec<_>>())
    }

    /// The spellings of one character in any of the ranges.
    pub fn chars(&self, ranges: Ranges<'_>) -> Result<TermId> {
        let (mut plain, mut nodes) = (Vec::new(), Vec::new());
        for &(first, last) in ranges {
            let mut start = first;
            for point in (first..=last.min(0x5C)).filter(|&point| is_special(point)) {
                if start < point {
                    plain.push((start, point - 1));
                }
                start = point + 1;
                nodes.push(self.terms.literal(escape(point))?);
            }
            if start <= last {
                plain.push((start, last));
            }
            if self.free {
                self.push_escaped(first, last, &mut nodes)?;
            }
        }
        if !plain.is_empty() {
            nodes.push(self.terms.with(|builder| builder.char_class(&plain))?);
        }
        self.terms.alt(&nodes)
    }

    /// The escapes with hexadecimal digits, in surrogate pairs where one escape does not suffice, and `\/`.
    fn push_escaped(&self, first: u32, last: u32, nodes: &mut Vec<TermId>) -> Result<()> {
        let terms = self.terms;
        if first <= 0xFFFF {
            nodes.push(terms.cat(&[terms.literal(r"\u")?, self.hexadecimal(first, last.min(0xFFFF), 4)?])?);
        }
        if (first..=last).contains(&0x2F) {
            nodes.push(terms.literal(r"\/")?);
        }
        let Some(end) = last.checked_sub(0x10000) else { return Ok(()) };
        let mut offset = first.saturating_sub(0x10000);
        while offset <= end {
            // One high surrogate with a range of low ones, or a run of high surrogates with all low ones.
            let (lead, trail) = (offset / 0x400, offset % 0x400);
            let leads_end = (end + 1) / 0x400;
            let (until, trails) = match trail == 0 && leads_end > lead {
                true => (leads_end - 1, (0, 0x3FF)),
                false => (lead, (trail, (end - lead * 0x400).min(0x3FF))),
            };
            let leading = self.hexadecimal(0xD800 + lead, 0xD800 + until, 4)?;
            let trailing = self.hexadecimal(0xDC00 + trails.0, 0xDC00 + trails.1, 4)?;
            nodes.push(terms.cat(&[terms.literal(r"\u")?, leading, terms.literal(r"\u")?, trailing])?);
            offset = (until + 1) * 0x400;
        }
        Ok(())
    }

    /// Numbers from `low` to `high` of `length` hexadecimal digits, in either case, not escaped again.
    fn hexadecimal(&self, low: u32, high: u32, length: u32) -> Result<TermId> {
        if length == 1 {
            return self.digits(low, high);
        }
        let terms = self.terms;
        let unit = 16u32.pow(length - 1);
        let (mut first, mut end) = (low / unit, high / unit + 1);
        if first + 1 == end {
            let rest = self.hexadecimal(low % unit, high % unit, length - 1)?;
            return terms.cat(&[self.digits(first, first)?, rest]);
        }
        let mut nodes = Vec::new();
        if !low.is_multiple_of(unit) {
            let rest = self.hexadecimal(low % unit, unit - 1, length - 1)?;
            nodes.push(terms.cat(&[self.digits(first, first)?, rest])?);
            first += 1;
        }
        if high % unit != unit - 1 {
            end -= 1;
            nodes.push(terms.cat(&[self.digits(end, end)?, self.hexadecimal(0, high % unit, length - 1)?])?);
        }
        if first < end {
            let rest = terms.repeat(self.digits(0, 15)?, length - 1, length - 1)?;
            nodes.push(terms.cat(&[self.digits(first, end - 1)?, rest])?);
        }
        terms.alt(&nodes)
    }

    fn digits(&self, low: u32, high: u32) -> Result<TermId> {
        let digits: Vec<u8> =
            hexadecimal_ranges(low, high).iter().flat_map(|&(low, high)| low as u8..=high as u8).collect();
        self.terms.bytes(&digits)
    }
}

/// The hexadecimal digits from one value to another, in either case.
pub(super) fn hexadecimal_ranges(low: u32, high: u32) -> Vec<(u32, u32)> {
    let mut ranges = Vec::new();
    if low <= 9 {
        ranges.push((0x30 + low, 0x30 + high.min(9)));
    }
    if high >= 10 {
        ranges.extend([0x41, 0x61].map(|base| (base + low.max(10) - 10, base + high - 10)));
    }
    ranges
}
