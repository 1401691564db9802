//! An interval with its exceptions → the numerals of its values.

use super::digits::{closed, length};
use super::interval::{Bound, Interval, LISTED};
use super::{Notation, NumberError, NumeralParts, Result};
use crate::decimal::Decimal;
use crate::types::Terms;
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::TermId;

/// Integers in a row are listed if there are fewer than this.
const RUN: u32 = 64;
/// The largest exponent that a free numeral may have with any mantissa; with a larger one, it has one digit before the
/// point.
pub(super) const SMALL_EXPONENT: i64 = 4;

/// Builds the numerals of one interval.
pub(super) struct Numerals<'t, 'b> {
    pub terms: &'t Terms<'b>,
    pub notation: Notation,
    pub parts: &'t mut NumeralParts,
    /// The most digits before the point.
    pub whole: u32,
    /// The most digits behind the point.
    pub part: u32,
    /// Any digit.
    pub digit: TermId,
}

impl<'t, 'b> Numerals<'t, 'b> {
    pub fn new(terms: &'t Terms<'b>, notation: Notation, parts: &'t mut NumeralParts) -> Result<Self> {
        let digit = terms.byte_range(b'0', b'9')?;
        Ok(Numerals { terms, notation, parts, whole: notation.whole, part: notation.fraction, digit })
    }

    /// The numerals of an interval, or None if clearly there are none.
    pub fn lower(&mut self, interval: &Interval) -> Result<Option<TermId>> {
        let digits_only = interval.is_integer() && !(self.notation.free || interval.is_marked);
        let is_run = digits_only
            && interval.multiple == Some(Decimal::one())
            && interval.excluded.is_empty()
            && interval.without.is_empty();
        if let Some(values) = interval.listed(if is_run { RUN } else { LISTED }) {
            return if values.is_empty() { Ok(None) } else { self.listed(&values, interval).map(Some) };
        }
        self.make_room(interval);
        if digits_only {
            let node = self.plain_integers(interval)?;
            return self.subtract(node, interval, false);
        }
        if interval.is_unbounded() && interval.multiple.is_none() {
            let node = self.any_unsigned()?;
            let node = self.signed(node)?;
            return self.subtract(Some(node), interval, true);
        }
        let mut nodes: Vec<TermId> = self.decimals(interval, 0)?.into_iter().collect();
        if self.notation.exponent > 0 {
            let mut beyond = -1;
            if self.notation.free {
                beyond = SMALL_EXPONENT;
                nodes.extend(described(self.small_exponents(interval))?.unwrap_or_default());
                if interval.holds(&Decimal::zero()) {
                    nodes.push(self.zero()?);
                }
            }
            nodes.extend(described(self.scientific(interval, beyond))?.flatten());
        }
        let node = if nodes.is_empty() { None } else { Some(self.terms.alt(&nodes)?) };
        self.subtract(node, interval, false)
    }

    /// Integers as digits only.
    fn plain_integers(&mut self, interval: &Interval) -> Result<Option<TermId>> {
        let Some(node) = self.integers(interval.low.as_ref(), interval.high.as_ref())? else { return Ok(None) };
        let mut nodes = vec![node];
        if let Some(step) = interval.multiple.as_ref().filter(|step| **step != Decimal::one()) {
            nodes.push(self.signed(self.multiples(step, false)?)?);
        }
        for step in &interval.without {
            nodes.push(self.no_multiples(step, interval, false)?);
        }
        Ok(Some(self.terms.and(&nodes)?))
    }

    /// All texts but the multiples of a step, which may have as many digits as the numbers of the interval: one more than
    /// a bound.
    fn no_multiples(&mut self, step: &Decimal, interval: &Interval, free: bool) -> Result<TermId> {
        let limits = (self.whole, self.part);
        self.make_room(interval);
        self.whole += u32::from(interval.low.is_some() || interval.high.is_some());
        let multiples = self.multiples(step, free)?;
        (self.whole, self.part) = limits;
        Ok(self.terms.not(self.signed(multiples)?)?)
    }

    /// Numerals with a small exponent and a mantissa of any shape.
    pub(super) fn small_exponents(&mut self, interval: &Interval) -> Result<Vec<TermId>> {
        let mut nodes = Vec::new();
        for exponent in -SMALL_EXPONENT..=SMALL_EXPONENT {
            if let Some(mantissa) = self.decimals(interval, exponent)? {
                nodes.push(self.terms.cat(&[mantissa, self.exponent(exponent, exponent)?])?);
            }
        }
        Ok(nodes)
    }

    /// Numerals without exponent whose value times 10^exponent is in the interval.
    pub(super) fn decimals(&mut self, interval: &Interval, exponent: i64) -> Result<Option<TermId>> {
        let terms = self.terms;
        let interval = interval.shifted(-exponent);
        if interval.multiple.as_ref().is_some_and(Decimal::is_integer) {
            let Some(node) = self.plain_integers(&interval)? else { return Ok(None) };
            return Ok(Some(terms.cat(&[node, self.zero_part()?])?));
        }
        let node = self.both_signs(interval.low.as_ref(), interval.high.as_ref(), |numerals, floor, ceiling| {
            Ok(numerals.unsigned(&floor, ceiling.as_ref())?)
        })?;
        let Some(node) = node else { return Ok(None) };
        let mut nodes = vec![node];
        if let Some(step) = &interval.multiple {
            nodes.push(self.signed(self.multiples(step, true)?)?);
        }
        for step in &interval.without {
            nodes.push(self.no_multiples(step, &interval, true)?);
        }
        Ok(Some(terms.and(&nodes)?))
    }

    /// Raises the limits on digits to those of the bounds and the step.
    fn make_room(&mut self, interval: &Interval) {
        let bounds = [&interval.low, &interval.high].into_iter().flatten().map(|bound| &bound.value);
        for value in bounds.chain(&interval.multiple) {
            self.whole = self.whole.max(length(&value.abs().floor()));
            self.part = self.part.max(value.fraction_length());
        }
    }

    /// The numerals of a node that have a point or an exponent.
    pub fn marked(&self, node: TermId) -> Result<TermId> {
        let digits_only = self.signed(self.terms.repeat(self.digit, 1, None)?)?;
        Ok(self.terms.and(&[node, self.terms.not(digits_only)?])?)
    }

    // -- signs -------------------------------------------------------------------------------------------------------
    /// The signed numerals of a range; `unsigned` makes those of a range of absolute values.
    pub(super) fn both_signs(
        &mut self,
        low: Option<&Bound>,
        high: Option<&Bound>,
        unsigned: impl Fn(&mut Self, Bound, Option<Bound>) -> Result<Option<TermId>>,
    ) -> Result<Option<TermId>> {
        let mut nodes = Vec::new();
        for (is_negative, floor, ceiling) in signed_ranges(low, high) {
            if let Some(node) = unsigned(self, floor, ceiling)? {
                nodes.push(if is_negative { self.terms.cat(&[self.terms.literal("-")?, node])? } else { node });
            }
        }
        Ok(if nodes.is_empty() { None } else { Some(self.terms.alt(&nodes)?) })
    }

    /// The node, with or without a minus before it.
    pub(super) fn signed(&self, node: TermId) -> EngineResult<TermId> {
        self.terms.cat(&[self.terms.optional(self.terms.literal("-")?)?, node])
    }
}

/// The result, or None for a step with too many remainders: its multiples then have no such exponents.
fn described<T>(built: Result<T>) -> Result<Option<T>> {
    match built {
        Err(NumberError::TooManyRemainders(_)) => Ok(None),
        built => built.map(Some),
    }
}

/// (whether negative, least absolute value, greatest one) of the parts of a range above and below zero.
fn signed_ranges(low: Option<&Bound>, high: Option<&Bound>) -> Vec<(bool, Bound, Option<Bound>)> {
    let zero = Decimal::zero();
    let opposite = |bound: &Bound| Bound { value: -&bound.value, is_open: bound.is_open };
    let mut ranges = Vec::new();
    if high.is_none_or(|high| high.value >= zero) {
        let floor = low.filter(|low| low.value >= zero).cloned().unwrap_or_else(|| closed(zero.clone()));
        ranges.push((false, floor, high.cloned()));
    }
    if low.is_none_or(|low| low.value <= zero) {
        let floor = high.filter(|high| high.value <= zero).map_or_else(|| closed(zero), opposite);
        ranges.push((true, floor, low.map(opposite)));
    }
    ranges
}
