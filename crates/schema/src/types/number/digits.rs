//! Ranges → the digits that spell the numbers in them: before the point, and behind it.

use super::numerals::Numerals;
use crate::decimal::{power, Decimal};
use crate::types::number::interval::Bound;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// Digits beside those of a bound.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Greater ones.
    Above,
    /// Smaller ones.
    Below,
    /// Smaller ones, or none where digits of the bound are left: a shorter fractional part is smaller.
    BelowOrShort,
}

impl Numerals<'_, '_> {
    // -- whole numbers -----------------------------------------------------------------------------------------------
    /// Integers between two bounds, with their signs.
    pub(super) fn integers(&mut self, low: Option<&Bound>, high: Option<&Bound>) -> super::Result<Option<TermId>> {
        self.both_signs(low, high, |numerals, floor, ceiling| {
            let beside = |bound: &Bound| BigInt::from(u8::from(bound.is_open && bound.value.is_integer()));
            let first = floor.value.ceil() + beside(&floor);
            let last = ceiling.map(|ceiling| ceiling.value.floor() - beside(&ceiling));
            Ok(numerals.whole_range(&first, last.as_ref())?)
        })
    }

    /// The integers first..=last, which are not negative, without leading zeros.
    pub(super) fn whole_range(&self, first: &BigInt, last: Option<&BigInt>) -> Result<Option<TermId>> {
        let terms = self.terms;
        if last.is_some_and(|last| last < first) {
            return Ok(None);
        }
        if last == Some(first) {
            return terms.literal(first.to_string()).map(Some);
        }
        if last.is_none() && first.is_zero() {
            return self.any_whole().map(Some);
        }
        let longest = last.map_or_else(|| self.whole.max(length(first) + 1), length);
        let last = last.cloned().unwrap_or_else(|| power(i64::from(longest)) - 1);
        let mut nodes = Vec::new();
        let mut first = first.clone();
        if first.is_zero() {
            nodes.push(terms.literal("0")?);
            first = BigInt::one();
        }
        let mut full: Option<(u32, u32)> = None;
        for length in length(&first)..=longest {
            let (least, most) = (power(i64::from(length) - 1), power(i64::from(length)) - 1);
            if first <= least && most <= last {
                full = Some((full.map_or(length, |(shortest, _)| shortest), length));
            } else {
                let (floor, ceiling) = (first.clone().max(least), last.clone().min(most));
                nodes.push(self.same_length(&floor.to_string(), &ceiling.to_string())?);
            }
        }
        if let Some((shortest, longest)) = full {
            let tail = terms.repeat(self.digit, shortest - 1, longest - 1)?;
            nodes.push(terms.cat(&[self.figures(1, 9)?, tail])?);
        }
        terms.alt(&nodes).map(Some)
    }

    /// Digit strings from `low` to `high`, which have the same length.
    fn same_length(&self, low: &str, high: &str) -> Result<TermId> {
        let terms = self.terms;
        let shared = low.bytes().zip(high.bytes()).take_while(|(low, high)| low == high).count();
        let head = terms.literal(&low[..shared])?;
        if shared == low.len() {
            return Ok(head);
        }
        let rest = low.len() - shared - 1;
        let (low_tail, high_tail) = (&low[shared + 1..], &high[shared + 1..]);
        let (mut first, mut last) = (figure(low, shared), figure(high, shared));
        let mut nodes = Vec::new();
        if low_tail.bytes().any(|byte| byte != b'0') {
            nodes.push(terms.cat(&[self.figures(first, first)?, self.at_least(low_tail)?])?);
            first += 1;
        }
        if high_tail.bytes().any(|byte| byte != b'9') {
            nodes.push(terms.cat(&[self.figures(last, last)?, self.at_most(high_tail)?])?);
            last -= 1;
        }
        if first <= last {
            nodes.push(terms.cat(&[self.figures(first, last)?, self.any_digits(rest)?])?);
        }
        terms.cat(&[head, terms.alt(&nodes)?])
    }

    /// Digit strings as long as `low` and not below it.
    fn at_least(&self, low: &str) -> Result<TermId> {
        self.beside_digits(low, Side::Above, self.terms.epsilon(), |left| self.any_digits(left))
    }

    /// Digit strings as long as `high` and not above it.
    fn at_most(&self, high: &str) -> Result<TermId> {
        self.beside_digits(high, Side::Below, self.terms.epsilon(), |left| self.any_digits(left))
    }

    /// `digits` and `last`; or some of `digits`, one on that side of the next one, and what `rest` makes of the number of
    /// digits left; or, where parts may be short, some of `digits`.
    fn beside_digits(
        &self,
        digits: &str,
        side: Side,
        last: TermId,
        rest: impl Fn(usize) -> Result<TermId>,
    ) -> Result<TermId> {
        let terms = self.terms;
        let mut node = last;
        for place in (0..digits.len()).rev() {
            let digit = figure(digits, place);
            let others = if side == Side::Above { digit + 1..10 } else { 0..digit };
            let mut nodes = vec![terms.cat(&[self.figures(digit, digit)?, node])?];
            if !others.is_empty() {
                let other = self.figures(others.start, others.end - 1)?;
                nodes.push(terms.cat(&[other, rest(digits.len() - place - 1)?])?);
            }
            nodes.extend((side == Side::BelowOrShort && place > 0).then(|| terms.epsilon()));
            node = terms.alt(&nodes)?;
        }
        Ok(node)
    }

    /// Every whole number.
    pub(super) fn any_whole(&self) -> Result<TermId> {
        let terms = self.terms;
        let tail = terms.repeat(self.digit, 0, self.whole - 1)?;
        terms.alt(&[terms.literal("0")?, terms.cat(&[self.figures(1, 9)?, tail])?])
    }

    // -- fractional parts --------------------------------------------------------------------------------------------
    /// Unsigned numerals without exponent in a range.
    pub(super) fn unsigned(&self, low: &Bound, high: Option<&Bound>) -> Result<Option<TermId>> {
        let terms = self.terms;
        let Some(high) = high else {
            if low.value.is_zero() && !low.is_open {
                return terms.cat(&[self.any_whole()?, self.any_part()?]).map(Some);
            }
            return self.decimals_from(low, None).map(Some);
        };
        if high.value < low.value || (high.value == low.value && (low.is_open || high.is_open)) {
            return Ok(None);
        }
        let (floor, ceiling) = (low.value.floor(), high.value.floor());
        let upper = self.part_at_most(&high.value.fraction_digits(), high.is_open)?;
        if ceiling == floor {
            let Some(upper) = upper else { return Ok(None) };
            let part = terms.and(&[self.part_from(low)?, upper])?;
            return terms.cat(&[terms.literal(floor.to_string())?, part]).map(Some);
        }
        let mut nodes = vec![self.decimals_from(low, Some(&(&ceiling - 1)))?];
        if let Some(upper) = upper {
            nodes.push(terms.cat(&[terms.literal(ceiling.to_string())?, upper])?);
        }
        terms.alt(&nodes).map(Some)
    }

    /// Unsigned numerals without exponent from a bound on, with a whole part of at most `last`.
    fn decimals_from(&self, low: &Bound, last: Option<&BigInt>) -> Result<TermId> {
        let terms = self.terms;
        let floor = low.value.floor();
        let mut nodes = vec![terms.cat(&[terms.literal(floor.to_string())?, self.part_from(low)?])?];
        if let Some(above) = self.whole_range(&(floor + 1), last)? {
            nodes.push(terms.cat(&[above, self.any_part()?])?);
        }
        terms.alt(&nodes)
    }

    fn part_from(&self, low: &Bound) -> Result<TermId> {
        self.part_at_least(&low.value.fraction_digits(), low.is_open)
    }

    /// Fractional parts of at least 0.`figures`, the empty one too; `figures` end in no zero.
    fn part_at_least(&self, figures: &str, is_strict: bool) -> Result<TermId> {
        let terms = self.terms;
        if figures.is_empty() && !is_strict {
            return self.any_part();
        }
        let more = terms.repeat(self.digit, 0, self.part)?;
        let last = match is_strict {
            true => terms.cat(&[self.zeros(0, self.part)?, self.figures(1, 9)?, more])?,
            false => more,
        };
        terms.cat(&[terms.literal(".")?, self.beside_digits(figures, Side::Above, last, |_| Ok(more))?])
    }

    /// Fractional parts of at most 0.`figures`, the empty one too; `figures` end in no zero.
    fn part_at_most(&self, figures: &str, is_strict: bool) -> Result<Option<TermId>> {
        let terms = self.terms;
        if figures.is_empty() {
            return if is_strict { Ok(None) } else { self.zero_part().map(Some) };
        }
        let more = terms.repeat(self.digit, 0, self.part)?;
        let last = if is_strict { terms.empty() } else { self.zeros(0, self.part)? };
        let node = self.beside_digits(figures, Side::BelowOrShort, last, |_| Ok(more))?;
        self.part_of(node).map(Some)
    }

    /// Every fractional part, the empty one too.
    pub(super) fn any_part(&self) -> Result<TermId> {
        let digits = self.terms.repeat(self.digit, 1, self.part)?;
        self.part_of(digits)
    }

    /// The fractional parts of value zero: none, or a point and zeros.
    pub(super) fn zero_part(&self) -> Result<TermId> {
        self.part_of(self.zeros(1, self.part)?)
    }

    /// Fractional parts of at most `decimals` digits and zeros after them, the empty one too.
    pub(super) fn padded_part(&self, decimals: i64) -> Result<TermId> {
        if decimals >= i64::from(self.part) {
            return self.any_part();
        }
        let Some(decimals) = u32::try_from(decimals).ok().filter(|&decimals| decimals > 0) else {
            return self.zero_part();
        };
        let digits = self.terms.repeat(self.digit, 1, decimals)?;
        self.part_of(self.terms.cat(&[digits, self.zeros(0, self.part - decimals)?])?)
    }

    /// A point and these digits, or nothing.
    pub(super) fn part_of(&self, digits: TermId) -> Result<TermId> {
        self.terms.optional(self.terms.cat(&[self.terms.literal(".")?, digits])?)
    }

    // -- digits ------------------------------------------------------------------------------------------------------
    /// One digit from `first` to `last`.
    pub(super) fn figures(&self, first: u8, last: u8) -> Result<TermId> {
        self.terms.byte_range(b'0' + first, b'0' + last)
    }

    pub(super) fn zeros(&self, least: u32, most: u32) -> Result<TermId> {
        self.terms.repeat(self.terms.literal("0")?, least, most)
    }

    pub(super) fn any_digits(&self, count: usize) -> Result<TermId> {
        self.terms.repeat(self.digit, count as u32, count as u32)
    }
}

/// The number of digits of an integer that is not negative.
pub(super) fn length(value: &BigInt) -> u32 {
    value.to_string().len() as u32
}

fn figure(digits: &str, place: usize) -> u8 {
    digits.as_bytes()[place] - b'0'
}

/// The bound at a value that is itself inside.
pub(super) fn closed(value: Decimal) -> Bound {
    Bound { value, is_open: false }
}
