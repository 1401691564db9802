//! regex (ECMA-262, Unicode mode): parentheses nest, so its language is context-free and not regular.
//!
//! The grammar leaves out back-references, named groups, and ranges and counts whose two sides would have to be
//! compared digit by digit: they are not context-free. Each of its texts is a regular expression of ECMA-262.

use super::format::{KnownFormat, Language, NestedTexts, Vocabulary};
use super::spelling::{hexadecimal_ranges, Spelling, LAST};
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use frisket_regex::is_ecma_regex;

pub(super) const FORMATS: &[KnownFormat] = &[KnownFormat {
    name: "regex",
    vocabulary: Vocabulary::JsonSchema,
    left_out: Some("back-references, named groups and ranges of escapes that only differ late are left out"),
    language: Language::Nested(NestedTexts { build, check: |text| is_ecma_regex(text).unwrap_or(false) }),
}];

const SYNTAX: &str = "^$\\.*+?()[]{}|/";
const CATEGORIES: [&str; 36] = [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi",
    "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn",
];
const ALPHANUMERIC: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The regular expressions as JSON strings, quotes included.
fn build(terms: &Terms<'_>, free: bool, nonempty: bool) -> Result<TermId> {
    let pieces = Pieces { terms, spelling: Spelling::new(terms, free) };
    let text = |text: &str| pieces.spelling.text(text);
    let seq = |nodes: &[TermId]| {
        terms.with(|builder| builder.seq(&nodes.iter().map(|node| node.number()).collect::<Vec<_>>()))
    };
    let quantifier = pieces.quantifier()?;
    let term = pieces.term(quantifier)?;
    let run = terms.repeat(term, 0, None)?;
    let body = terms.with(|builder| builder.rule("regular expression"))?;
    let opening = terms.alt(&[text("(")?, text("(?:")?])?;
    let closing = text(")")?;
    let group = seq(&[opening, body, terms.cat(&[closing, quantifier])?])?;
    let marks: Result<Vec<_>> = ["(?=", "(?!", "(?<=", "(?<!"].into_iter().map(text).collect();
    let look = seq(&[terms.alt(&marks?)?, body, closing])?;
    let further = seq(&[terms.alt(&[group, look])?, run])?;
    let all_further = terms.repeat(further, 0, None)?;
    let texts = seq(&[run, all_further])?;
    terms.with(|builder| builder.define(body.number(), texts.number()))?;
    let whole = match nonempty {
        true => {
            let begun = seq(&[terms.repeat(term, 1, None)?, all_further])?;
            terms.alt(&[begun, terms.repeat(further, 1, None)?])?
        }
        false => body,
    };
    let quote = terms.literal("\"")?;
    seq(&[quote, whole, quote])
}

/// The regular parts of the grammar. Errors of all methods: limits.
struct Pieces<'t, 'b> {
    terms: &'t Terms<'b>,
    spelling: Spelling<'t, 'b>,
}

impl Pieces<'_, '_> {
    /// One character, class, escape or assertion with its quantifier, or `|`.
    fn term(&self, quantifier: TermId) -> Result<TermId> {
        let (b, s) = (self.terms, &self.spelling);
        let plain = s.chars(&all_but(&SYNTAX.replace('/', "")))?;
        let backslash = s.text("\\")?;
        let escape = b.cat(&[backslash, self.escape(SYNTAX)?])?;
        let atom = b.alt(&[plain, s.text(".")?, escape, self.char_class()?])?;
        let boundary = b.cat(&[backslash, s.any_of("bB")?])?;
        b.alt(&[b.cat(&[atom, quantifier])?, s.any_of("|^$")?, boundary])
    }

    /// Nothing, or a quantifier, greedy or lazy.
    fn quantifier(&self) -> Result<TermId> {
        let (b, s) = (self.terms, &self.spelling);
        let number = b.cat(&[self.digits(1, 9)?, b.repeat(self.digits(0, 9)?, 0, 3)?])?;
        let number = b.alt(&[s.text("0")?, number])?;
        let counts = b.alt(&[number, b.cat(&[number, s.text(",")?])?, self.rising_counts()?])?;
        let kinds = b.alt(&[s.any_of("*+?")?, b.cat(&[s.text("{")?, counts, s.text("}")?])?])?;
        b.repeat(b.cat(&[kinds, b.repeat(s.text("?")?, 0, 1)?])?, 0, 1)
    }

    /// `n,m` with n ≤ m: m has more digits, up to four, or as many with a larger first one.
    fn rising_counts(&self) -> Result<TermId> {
        let b = self.terms;
        let (comma, digit) = (self.spelling.text(",")?, self.digits(0, 9)?);
        let longer = |length: u32| b.cat(&[self.digits(1, 9)?, b.repeat(digit, length - 1, 3)?]);
        let mut nodes = vec![b.cat(&[digit, comma, longer(2)?])?];
        for length in [2, 3] {
            let rest = b.repeat(digit, length - 1, length - 1)?;
            nodes.push(b.cat(&[self.digits(1, 9)?, rest, comma, longer(length + 1)?])?);
        }
        for value in 0..10 {
            nodes.push(b.cat(&[self.digits(value, value)?, comma, self.digits(value, 9)?])?);
        }
        for length in [1, 2, 3] {
            let rest = b.repeat(digit, length, length)?;
            for value in 1..9 {
                nodes.push(b.cat(&[self.digits(value, value)?, rest, comma, self.digits(value + 1, 9)?, rest])?);
            }
        }
        b.alt(&nodes)
    }

    /// Characters that may follow a backslash in an atom and in a class.
    fn escape(&self, identity: &str) -> Result<TermId> {
        let (b, s) = (self.terms, &self.spelling);
        let unit = self.hexadecimal(0, 15)?;
        let names: Result<Vec<_>> = CATEGORIES.iter().map(|name| s.text(name)).collect();
        let zeros = b.repeat(s.text("0")?, 0, 2)?;
        let points =
            b.alt(&[b.cat(&[zeros, b.repeat(unit, 1, 5)?])?, b.cat(&[s.text("10")?, b.repeat(unit, 4, 4)?])?])?;
        b.alt(&[
            s.any_of(&format!("dDwWsSfnrtv{identity}"))?,
            b.cat(&[s.any_of("pP")?, s.text("{")?, b.alt(&names?)?, s.text("}")?])?,
            b.cat(&[s.text("c")?, s.chars(&[(0x41, 0x5A), (0x61, 0x7A)])?])?,
            b.cat(&[s.text("x")?, b.repeat(unit, 2, 2)?])?,
            b.cat(&[s.text("u")?, b.repeat(unit, 4, 4)?])?,
            b.cat(&[s.text("u{")?, points, s.text("}")?])?,
        ])
    }

    /// `[…]`; a hyphen that is no range stands first or last, or is escaped.
    fn char_class(&self) -> Result<TermId> {
        let (b, s) = (self.terms, &self.spelling);
        let escape = b.cat(&[s.text("\\")?, self.escape(&format!("{SYNTAX}-b"))?])?;
        let hyphen = s.text("-")?;
        let mut members = vec![b.alt(&[s.chars(&all_but("\\]-"))?, escape])?];
        for (at, low) in ALPHANUMERIC.char_indices() {
            members.push(b.cat(&[s.text(&low.to_string())?, hyphen, s.any_of(&ALPHANUMERIC[at..])?])?);
        }
        let unit = self.hexadecimal(0, 15)?;
        // Ranges of \xhh, \uhhhh and \u00hh whose first digits already differ.
        for (lead, length) in [("\\x", 2), ("\\u", 4), ("\\u00", 2)] {
            let (mark, rest) = (s.text(lead)?, b.repeat(unit, length - 1, length - 1)?);
            for value in 0..15 {
                let (low, high) = (self.hexadecimal(value, value)?, self.hexadecimal(value + 1, 15)?);
                members.push(b.cat(&[mark, low, rest, hyphen, mark, high, rest])?);
            }
        }
        let optional = b.repeat(hyphen, 0, 1)?;
        let members = b.repeat(b.alt(&members)?, 0, None)?;
        let negation = b.repeat(s.text("^")?, 0, 1)?;
        b.cat(&[s.text("[")?, negation, optional, members, optional, s.text("]")?])
    }

    fn digits(&self, low: u32, high: u32) -> Result<TermId> {
        self.spelling.chars(&[(0x30 + low, 0x30 + high)])
    }

    fn hexadecimal(&self, low: u32, high: u32) -> Result<TermId> {
        self.spelling.chars(&hexadecimal_ranges(low, high))
    }
}

/// All characters but these.
fn all_but(chars: &str) -> Vec<(u32, u32)> {
    let mut points: Vec<u32> = chars.chars().map(u32::from).collect();
    points.sort_unstable();
    let (mut found, mut start) = (Vec::new(), 0);
    for point in points {
        if start < point {
            found.push((start, point - 1));
        }
        start = point + 1;
    }
    found.extend([(start, 0xD7FF), (0xE000, LAST)]);
    found
}
