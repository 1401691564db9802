//! Ranges → numerals with an exponent.

use super::digits::closed;
use super::interval::{Bound, Interval};
use super::numerals::Numerals;
use super::Result;
use crate::decimal::Decimal;
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::TermId;
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// The largest double is this times 10^292.
const LARGEST_COEFFICIENT: i64 = 17_976_931_348_623_157;

/// The largest double, as it is written.
fn largest() -> Decimal {
    Decimal::from(LARGEST_COEFFICIENT).shifted(292)
}

/// The smallest double that is not zero, as it is written.
fn smallest() -> Decimal {
    Decimal::from(5).shifted(-324)
}

/// The magnitude of zero, below all exponents.
const BELOW_ALL: i64 = -1_000_000_000;

impl Numerals<'_, '_> {
    /// Every unsigned number; one with a single digit before the point may have a longer exponent.
    ///
    /// The alternatives differ in the whole part, so that only one of them remains after it.
    pub(super) fn any_unsigned(&mut self) -> Result<TermId> {
        let terms = self.terms;
        if !self.notation.is_double() {
            return Ok(terms.cat(&[self.any_whole()?, self.any_part()?, self.any_exponent()?])?);
        }
        let several = terms.cat(&[self.figures(1, 9)?, terms.repeat(self.digit, 1, self.whole - 1)?])?;
        let head = terms.alt(&[terms.literal("0")?, several])?;
        let short = terms.cat(&[head, self.any_part()?, self.any_exponent()?])?;
        let (first, last) = self.notation.exponents();
        let exponent = self.exponent(first, last - 1)?;
        let one = terms.cat(&[self.figures(1, 9)?, self.any_part()?, terms.optional(exponent)?])?;
        Ok(terms.alt(&[short, one, self.top()?])?)
    }

    /// The numerals with the exponent of the largest double, up to that double; made once.
    fn top(&mut self) -> Result<TermId> {
        if let Some(&node) = self.parts.tops.get(&self.part) {
            return Ok(node);
        }
        let last = self.notation.exponents().1;
        let mantissa = self.unsigned(&closed(Decimal::one()), Some(&closed(largest().shifted(-last))))?;
        let mut nodes: Vec<TermId> = mantissa.into_iter().collect();
        nodes.push(self.exponent(last, last)?);
        let node = self.terms.cat(&nodes)?;
        self.parts.tops.insert(self.part, node);
        Ok(node)
    }

    /// Every exponent, or none.
    pub(super) fn any_exponent(&self) -> EngineResult<TermId> {
        let terms = self.terms;
        if self.notation.exponent == 0 {
            return Ok(terms.epsilon());
        }
        let sign = terms.optional(terms.bytes(b"+-")?)?;
        let most = if self.notation.is_double() { 2 } else { self.notation.exponent };
        terms.optional(terms.cat(&[terms.bytes(b"eE")?, sign, terms.repeat(self.digit, 1, most)?])?)
    }

    /// The exponents first..=last, with leading zeros.
    pub(super) fn exponent(&mut self, first: i64, last: i64) -> EngineResult<TermId> {
        if let Some(&node) = self.parts.exponents.get(&(first, last)) {
            return Ok(node);
        }
        let terms = self.terms;
        let most = if self.notation.is_double() { 1 } else { self.notation.exponent.saturating_sub(1).max(1) };
        let zeros = self.zeros(0, most)?;
        let range = |first: i64, last: i64| self.whole_range(&BigInt::from(first), Some(&BigInt::from(last)));
        let mut nodes = Vec::new();
        if last >= 0 {
            if let Some(node) = range(first.max(0), last)? {
                nodes.push(terms.cat(&[terms.optional(terms.literal("+")?)?, zeros, node])?);
            }
        }
        if first <= 0 {
            if let Some(node) = range((-last).max(0), -first)? {
                nodes.push(terms.cat(&[terms.literal("-")?, zeros, node])?);
            }
        }
        let node = terms.cat(&[terms.bytes(b"eE")?, terms.alt(&nodes)?])?;
        self.parts.exponents.insert((first, last), node);
        Ok(node)
    }

    /// Numerals d.ddde±x of values of the interval, where |x| > `beyond` and the digit d is not zero. If the notation
    /// is not free (`beyond` < 0), an interval with a step has none, and one that excludes an integer step only those
    /// with a negative exponent.
    pub(super) fn scientific(&mut self, interval: &Interval, beyond: i64) -> Result<Option<TermId>> {
        let is_free = beyond >= 0;
        if !is_free && (interval.multiple.is_some() || interval.without.iter().any(|step| !step.is_integer())) {
            return Ok(None);
        }
        let only_small = !is_free && !interval.without.is_empty();
        let node = self.both_signs(interval.low.as_ref(), interval.high.as_ref(), |numerals, floor, ceiling| {
            numerals.unsigned_scientific(floor, ceiling, beyond, only_small)
        })?;
        let Some(node) = node else { return Ok(None) };
        let mut nodes = vec![node];
        if let Some(step) = &interval.multiple {
            nodes.push(self.far_multiples(step, beyond)?);
        }
        for step in interval.without.iter().filter(|_| is_free) {
            let multiples = self.far_multiples(step, beyond)?;
            nodes.push(self.terms.not(multiples)?);
        }
        Ok(Some(self.terms.and(&nodes)?))
    }

    fn unsigned_scientific(
        &mut self,
        mut low: Bound,
        mut high: Option<Bound>,
        beyond: i64,
        only_small: bool,
    ) -> Result<Option<TermId>> {
        let terms = self.terms;
        let (first_exponent, mut last_exponent) = self.notation.exponents();
        if self.notation.is_double() && low.value.is_zero() && low.is_open {
            // A smaller number, read as a double, is zero.
            low = closed(smallest());
        }
        let least = low.value.magnitude().map_or(first_exponent, |magnitude| magnitude.max(first_exponent));
        let mut nodes = Vec::new();
        if self.notation.is_double() && high.as_ref().is_none_or(|high| high.value > largest()) {
            high = Some(closed(largest()));
            if least < last_exponent && !only_small {
                nodes.push(self.top()?);
                last_exponent -= 1;
                high = None;
            }
        }
        let magnitude_of_high = high.as_ref().map(|high| high.value.magnitude().unwrap_or(BELOW_ALL));
        let mut most = magnitude_of_high.map_or(last_exponent, |magnitude| magnitude.min(last_exponent));
        if only_small {
            most = most.min(-1);
        }
        let mut tight = BTreeSet::new();
        if !low.value.is_zero() {
            tight.insert(least);
        }
        if magnitude_of_high == Some(most) {
            tight.insert(most);
        }
        let mut exponents = Vec::new();
        for (first, last) in split_range(least, most, &tight, beyond) {
            if first != last || !tight.contains(&first) {
                exponents.push(self.exponent(first, last)?);
                continue;
            }
            let (one, ten) = (Decimal::one(), Decimal::from(10));
            let value = low.value.shifted(-first);
            let floor = if value >= one { Bound { value, is_open: low.is_open } } else { closed(one) };
            let ceiling = high.as_ref().map(|high| Bound { value: high.value.shifted(-first), is_open: high.is_open });
            let ceiling = ceiling.filter(|ceiling| ceiling.value < ten).unwrap_or(Bound { value: ten, is_open: true });
            if let Some(mantissa) = self.unsigned(&floor, Some(&ceiling))? {
                nodes.push(terms.cat(&[mantissa, self.exponent(first, last)?])?);
            }
        }
        if !exponents.is_empty() {
            nodes.push(terms.cat(&[self.figures(1, 9)?, self.any_part()?, terms.alt(&exponents)?])?);
        }
        Ok(if nodes.is_empty() { None } else { Some(terms.alt(&nodes)?) })
    }
}

/// Splits first..=last at the single exponents and at zero, and leaves out exponents of magnitude up to `beyond`.
fn split_range(first: i64, last: i64, single: &BTreeSet<i64>, beyond: i64) -> Vec<(i64, i64)> {
    let mut cuts = BTreeSet::from([first, last + 1, 0, -beyond, beyond + 1]);
    cuts.extend(single.iter().flat_map(|&single| [single, single + 1]));
    let runs = cuts.iter().zip(cuts.iter().skip(1)).map(|(&start, &stop)| (start, stop - 1));
    let is_inside =
        |&(start, end): &(i64, i64)| start >= first && end <= last && start.abs() > beyond && end.abs() > beyond;
    runs.filter(is_inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_doubles_are_written_as_they_are() {
        assert_eq!(largest(), Decimal::parse("1.7976931348623157e308").unwrap());
        assert_eq!(smallest(), Decimal::parse("5e-324").unwrap());
        assert_eq!(largest().to_string().parse::<f64>(), Ok(f64::MAX));
        assert_eq!(smallest().to_string().parse::<f64>(), Ok(f64::from_bits(1)));
    }

    #[test]
    fn ranges_of_exponents_are_cut_where_mantissas_differ() {
        let cut =
            |first, last, single: &[i64], beyond| split_range(first, last, &single.iter().copied().collect(), beyond);
        assert_eq!(cut(-9, 9, &[-9, 5], -1), [(-9, -9), (-8, -1), (0, 0), (1, 4), (5, 5), (6, 9)]);
        assert_eq!(cut(-9, 9, &[], 4), [(-9, -5), (5, 9)]);
        assert_eq!(cut(-3, 3, &[], 4), []);
        assert_eq!(cut(0, BELOW_ALL, &[0], -1), []);
    }
}
