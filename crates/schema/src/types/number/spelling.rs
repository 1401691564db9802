//! Single values → all their spellings, and sets of numerals without them.

use super::digits::closed;
use super::interval::Interval;
use super::numerals::Numerals;
use super::Result;
use crate::condition::Types;
use crate::decimal::Decimal;
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::TermId;

/// The exponents of floats that Python's `repr` writes without an exponent.
const POSITIONAL: std::ops::Range<i64> = -4..16;

impl Numerals<'_, '_> {
    /// The spellings of listed values.
    pub(super) fn listed(&mut self, values: &[Decimal], interval: &Interval) -> Result<TermId> {
        let terms = self.terms;
        if self.notation.free {
            let nodes = values.iter().map(|value| self.every_spelling(value)).collect::<Result<Vec<_>>>()?;
            return Ok(terms.alt(&nodes)?);
        }
        let (mut words, mut pointed) = (Vec::new(), Vec::new());
        for (place, value) in values.iter().enumerate() {
            terms.look(place)?;
            let text = value.to_string();
            if !value.is_integer() {
                pointed.push(text.clone());
                words.extend(self.shortened(value));
            } else if may_have_point(value, interval) {
                pointed.push(format!("{text}.0"));
                pointed.extend(value.is_zero().then(|| "-0.0".into()));
                words.extend(self.shortened(value));
            }
            words.extend(value.is_zero().then(|| "-0".into()));
            words.push(text);
        }
        if pointed.is_empty() || interval.values.is_some() {
            words.extend(pointed);
            return Ok(terms.words(words)?);
        }
        // The schema does not list these values, so zeros may follow a fractional part, as everywhere.
        let pointed = terms.cat(&[terms.words(pointed)?, self.zeros(0, self.part)?])?;
        Ok(terms.alt(&[terms.words(words)?, pointed])?)
    }

    /// The spellings with an exponent, as Python, JavaScript and Rust have them, of a value that `json.dumps` writes
    /// with one: `1e-07` and `1e-7`, `1e+22` and `1e22`.
    fn shortened(&self, value: &Decimal) -> Vec<String> {
        let (first, last) = self.notation.exponents();
        let exponent = value.magnitude().unwrap_or(0);
        if POSITIONAL.contains(&exponent) || !(first..=last).contains(&exponent) {
            return Vec::new();
        }
        let mantissa = value.shifted(-exponent);
        let exponents = [format!("{exponent:+03}"), format!("{exponent:+}"), format!("{exponent}")];
        exponents.map(|exponent| format!("{mantissa}e{exponent}")).into()
    }

    /// Takes out the values that the interval excludes. `any_shape`: exponents go with any number of digits before the
    /// point.
    pub(super) fn subtract(
        &mut self,
        node: Option<TermId>,
        interval: &Interval,
        any_shape: bool,
    ) -> Result<Option<TermId>> {
        let Some(node) = node else { return Ok(None) };
        let mut spellings = Vec::new();
        for value in &interval.excluded {
            if !value.is_integer() && !interval.fractions {
                continue;
            }
            spellings.push(self.every_spelling(value)?);
            if any_shape && !value.is_zero() {
                spellings.push(self.shifted(value)?);
            }
        }
        if spellings.is_empty() {
            return Ok(Some(node));
        }
        // One complement for all values: intersecting with a complement of each takes far longer.
        let excluded = self.terms.alt(&spellings)?;
        Ok(Some(self.terms.and(&[node, self.terms.not(excluded)?])?))
    }

    /// All decimals and numerals with a small exponent of a value, and all numerals with one digit before the point.
    fn every_spelling(&mut self, value: &Decimal) -> Result<TermId> {
        let point = Interval {
            low: Some(closed(value.clone())),
            high: Some(closed(value.clone())),
            ..Interval::new(Types::NUMBER, &[])
        };
        let mut nodes: Vec<TermId> = self.decimals(&point, 0)?.into_iter().collect();
        nodes.extend(self.small_exponents(&point)?);
        nodes.extend(self.scientific(&point, -1)?);
        if value.is_zero() {
            nodes.push(self.zero()?);
        }
        Ok(self.terms.alt(&nodes)?)
    }

    /// All numerals of a value, which is not zero, that have an exponent of any size beside a mantissa of any shape.
    fn shifted(&mut self, value: &Decimal) -> Result<TermId> {
        let terms = self.terms;
        let widest = if self.notation.is_double() { 99 } else { self.notation.exponents().1 };
        let top = value.magnitude().unwrap_or(0);
        // The place of the last digit that is not zero.
        let bottom = i64::from(value.trailing_zeros()) - i64::from(value.fraction_length());
        let first = (top - i64::from(self.whole) + 1).max(-widest);
        let last = (bottom + i64::from(self.part)).min(widest);
        let mut nodes = Vec::new();
        for exponent in first..=last {
            let mantissa = value.shifted(-exponent);
            let zeros = if mantissa.is_integer() { self.zero_part()? } else { self.zeros(0, self.part)? };
            let exponent = self.exponent(exponent, exponent)?;
            nodes.push(terms.cat(&[terms.literal(mantissa.to_string())?, zeros, exponent])?);
        }
        Ok(terms.alt(&nodes)?)
    }

    /// Every spelling of zero.
    pub(super) fn zero(&self) -> EngineResult<TermId> {
        self.signed(self.terms.cat(&[self.terms.literal("0")?, self.zero_part()?, self.any_exponent()?])?)
    }
}

/// Whether a whole value may be written as `1.0`.
fn may_have_point(value: &Decimal, interval: &Interval) -> bool {
    (interval.fractions || interval.is_marked || interval.pointed.contains(value)) && !interval.is_plain
}
