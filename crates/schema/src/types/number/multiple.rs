//! A step → the numerals of its multiples.
//!
//! step = c · 2^a · 5^b / 10^k with c prime to ten. Whether 2^a · 5^b divides depends on the last max(a, b) digits up
//! to place k behind the point. Whether c divides depends on all digits but not on the point, as ten is invertible
//! modulo c. If both matter and k is 0, or the endings are too many, one remainder of all digits decides both.

use super::numerals::Numerals;
use super::{NumberError, Result};
use crate::decimal::{power, Decimal};
use frisket_core::regular::term::TermId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// Largest divisor of the digits before the point if no condition on the last digits is intersected with it: arithmetic
/// then decides which digits may end a text.
const REMAINDERS: u32 = u32::MAX;
/// Largest divisor if the last digits have a condition, too: a search then decides which digits may end a text, and
/// visits as many states at worst.
const BESIDE_ENDINGS: u32 = 100_000;
/// Largest divisor if a point may come between the digits.
const POINTED: u32 = 5_000;
/// Largest divisor if there are many exponents, each with a condition of its own on the last digits.
const FAR: u32 = 100;
/// Most endings that are listed one by one.
const ENDINGS: u32 = 5_000;

/// A step whose remainders need too many states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooManyRemainders {
    /// The divisor.
    pub divisor: BigInt,
    /// The largest divisor that is described.
    pub most: u32,
}

impl Numerals<'_, '_> {
    /// Unsigned numerals of multiples of a step; with a fractional part if `point`, otherwise integers as digits.
    pub(super) fn multiples(&self, step: &Decimal, point: bool) -> Result<TermId> {
        // An integer is a multiple of p/q, in lowest terms, if it is one of p.
        let step = if point { step.clone() } else { step.common_multiple(&Decimal::one()) };
        let places = step.fraction_length();
        let scaled = step.scaled(-i64::from(places));
        let factors = Factors::of(&scaled);
        let Factors { rest, watched, ending } = &factors;
        let endings = power(i64::from(*watched)) / ending;
        let by_one = !rest.is_one() && places == 0 && scaled <= BigInt::from(REMAINDERS);
        if endings > BigInt::from(ENDINGS) || by_one {
            return self.by_remainder(&scaled, &factors, places, point);
        }
        let node = self.by_ending(ending, *watched, places, point)?;
        if rest.is_one() {
            return Ok(node);
        }
        let most = if point { POINTED } else { BESIDE_ENDINGS };
        Ok(self.terms.and(&[node, self.remainder(rest, point, most)?])?)
    }

    /// Digits whose number is a multiple of the divisor; if `point`, a point may stand among them and is ignored.
    /// Errors: the divisor is larger than `most`.
    fn remainder(&self, divisor: &BigInt, point: bool, most: u32) -> Result<TermId> {
        match divisor.to_u32().filter(|&divisor| divisor <= most) {
            Some(divisor) => Ok(self.terms.multiple(divisor, point)?),
            None => Err(NumberError::TooManyRemainders(TooManyRemainders { divisor: divisor.clone(), most })),
        }
    }

    /// Multiples by the number j of their digits behind the point, without zeros at the end.
    ///
    /// The digits, read as one number, times 10^(places - j) are a multiple of `scaled`. If places - j is at least
    /// `watched`, that power of ten has all twos and fives, and only the rest of the divisor matters.
    fn by_remainder(&self, scaled: &BigInt, factors: &Factors, places: u32, point: bool) -> Result<TermId> {
        let terms = self.terms;
        let divisor = |left: u32| scaled / scaled.gcd(&power(i64::from(left)));
        let free = places.saturating_sub(factors.watched);
        let short = if free == 0 {
            let whole = terms.and(&[self.any_whole()?, self.remainder(&divisor(places), false, REMAINDERS)?])?;
            if point {
                terms.cat(&[whole, self.zero_part()?])?
            } else {
                whole
            }
        } else {
            let digits = terms.cat(&[self.any_whole()?, self.padded_part(i64::from(free))?])?;
            terms.and(&[digits, self.remainder(&factors.rest, true, POINTED)?])?
        };
        let mut nodes = vec![short];
        for count in free + 1..=places {
            let part = terms.repeat(self.digit, count, count)?;
            let digits = terms.cat(&[self.any_whole()?, terms.literal(".")?, part])?;
            let digits = terms.and(&[digits, self.remainder(&divisor(places - count), true, POINTED)?])?;
            nodes.push(terms.cat(&[digits, self.zeros(0, self.part)?])?);
        }
        Ok(terms.alt(&nodes)?)
    }

    /// Multiples of `step`, a product of twos and fives, by their last digits: the `watched` ones up to the last place.
    fn by_ending(&self, step: &BigInt, watched: u32, places: u32, point: bool) -> Result<TermId> {
        let terms = self.terms;
        if step.is_one() {
            return Ok(match (point, places) {
                (false, _) => self.any_whole()?,
                (true, 0) => terms.cat(&[self.any_whole()?, self.zero_part()?])?,
                (true, _) => {
                    let digits = terms.repeat(self.digit, 1, places)?;
                    let part = self.part_of(terms.cat(&[digits, self.zeros(0, self.part)?])?)?;
                    terms.cat(&[self.any_whole()?, part])?
                }
            });
        }
        let length = watched.max(places);
        let padding = power(i64::from(length - watched));
        if !padding.is_one() && power(i64::from(watched)) / step * padding > BigInt::from(ENDINGS) {
            return self.by_long_ending(step, watched, places);
        }
        // The last digits of the whole part → the fractional parts that may follow them.
        let mut endings: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (mut ending, all) = (BigInt::zero(), power(i64::from(length)));
        while ending < all {
            let text = padded(&ending, length);
            let (head, part) = text.split_at((length - places) as usize);
            endings.entry(head.into()).or_default().push(part.trim_end_matches('0').into());
            ending += step;
        }
        let mut groups: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
        for (head, mut parts) in endings {
            parts.sort_unstable();
            parts.dedup();
            groups.entry(parts).or_default().push(head);
        }
        let mut nodes = Vec::new();
        for (parts, heads) in groups {
            let mut tails = Vec::new();
            if parts.iter().any(|part| !part.is_empty()) {
                let words = terms.words(parts.iter().filter(|part| !part.is_empty()))?;
                tails.push(terms.cat(&[terms.literal(".")?, words, self.zeros(0, self.part)?])?);
            }
            if parts.iter().any(|part| part.is_empty()) {
                tails.push(if point { self.zero_part()? } else { terms.epsilon() });
            }
            nodes.push(terms.cat(&[self.whole_ending(&heads)?, terms.alt(&tails)?])?);
        }
        Ok(terms.alt(&nodes)?)
    }

    /// Multiples of a step with many places, few of them watched: free digits, a watched group, then zeros. Shorter
    /// fractional parts stand for the same with zeros.
    fn by_long_ending(&self, step: &BigInt, watched: u32, places: u32) -> Result<TermId> {
        let terms = self.terms;
        let (mut groups, mut group, all) = (Vec::new(), BigInt::zero(), power(i64::from(watched)));
        while group < all {
            groups.push(padded(&group, watched).trim_end_matches('0').to_owned());
            group += step;
        }
        let free = places - watched;
        let lead = terms.repeat(self.digit, free, free)?;
        let exact = terms.cat(&[lead, terms.words(groups)?, self.zeros(0, self.part)?])?;
        let short = terms.cat(&[terms.repeat(self.digit, 1, free)?, self.zeros(0, self.part)?])?;
        Ok(terms.cat(&[self.any_whole()?, self.part_of(terms.alt(&[exact, short])?)?])?)
    }

    /// Integers without leading zeros whose last digits, padded with zeros, are among these.
    fn whole_ending(&self, endings: &[String]) -> Result<TermId> {
        let terms = self.terms;
        let length = endings.first().map_or(0, |ending| ending.len() as u32);
        if length == 0 {
            return Ok(self.any_whole()?);
        }
        let short = endings.iter().map(|ending| match ending.trim_start_matches('0') {
            "" => "0",
            ending => ending,
        });
        let lead = terms.repeat(self.digit, 0, self.whole.saturating_sub(length + 1))?;
        let long = terms.cat(&[self.figures(1, 9)?, lead, terms.words(endings)?])?;
        Ok(terms.alt(&[terms.words(short)?, long])?)
    }

    /// Numerals d.ddde±x of multiples of the step, where |x| > `beyond` and the digit d is not zero.
    pub(super) fn far_multiples(&mut self, step: &Decimal, beyond: i64) -> Result<TermId> {
        let terms = self.terms;
        let places = i64::from(step.fraction_length());
        let Factors { rest, watched, .. } = Factors::of(&step.scaled(-places));
        let by_rest = self.remainder(&rest, true, FAR)?;
        let one_digit = terms.cat(&[self.figures(1, 9)?, self.any_part()?])?;
        let (first, last) = self.notation.exponents();
        // With smaller exponents, the first digit lies behind the step's last place; from `above` on, all digits lie
        // before the watched ones.
        let first = first.max(-places);
        let above = (i64::from(self.part) + i64::from(watched) - places).max(beyond + 1);
        let mut nodes = Vec::new();
        for exponent in (first..-beyond).chain(beyond + 1..above.min(last + 1)) {
            let mantissa = terms.and(&[one_digit, self.multiples(&step.shifted(-exponent), true)?])?;
            nodes.push(terms.cat(&[mantissa, self.exponent(exponent, exponent)?])?);
        }
        if above <= last {
            let mantissa = terms.and(&[one_digit, by_rest])?;
            nodes.push(terms.cat(&[mantissa, self.exponent(above, last)?])?);
        }
        Ok(self.signed(terms.alt(&nodes)?)?)
    }
}

/// A positive integer, split into its twos and fives and the rest.
struct Factors {
    /// The part that is prime to ten.
    rest: BigInt,
    /// The number of last digits that decide about the twos and fives.
    watched: u32,
    /// The product of the twos and fives.
    ending: BigInt,
}

impl Factors {
    fn of(value: &BigInt) -> Self {
        let (rest, twos) = strip(value, 2);
        let (rest, fives) = strip(&rest, 5);
        Factors { ending: value / &rest, rest, watched: twos.max(fives) }
    }
}

/// A positive integer without its factors of one prime, and their number.
fn strip(value: &BigInt, prime: u8) -> (BigInt, u32) {
    let (mut value, prime, mut count) = (value.clone(), BigInt::from(prime), 0);
    loop {
        let (quotient, rest) = value.div_rem(&prime);
        if !rest.is_zero() {
            return (value, count);
        }
        (value, count) = (quotient, count + 1);
    }
}

/// The digits of a number, with zeros before them.
fn padded(value: &BigInt, length: u32) -> String {
    format!("{:0>1$}", value.to_string(), length as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twos_and_fives_are_what_the_last_digits_say() {
        for (value, rest, watched, ending) in [(1, 1, 0, 1), (12, 3, 2, 4), (250, 1, 3, 250), (7, 7, 0, 1)] {
            let factors = Factors::of(&BigInt::from(value));
            assert_eq!(
                (factors.rest, factors.watched, factors.ending),
                (BigInt::from(rest), watched, BigInt::from(ending)),
                "{value}"
            );
        }
        assert_eq!(padded(&BigInt::from(7), 3), "007");
    }
}
