//! A step → the numerals of its multiples.
//!
//! Whether twos and fives divide a number depends on its last digits. The rest of a divisor is prime to ten, so it divides
//! a number or not wherever the point stands. A remainder of digits decides each, in an automaton.

use super::numerals::Numerals;
use super::{NumberError, Result};
use crate::decimal::{power, Decimal};
use frisket_core::regular::term::TermId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// Largest divisor of digits without a point: arithmetic then decides which digits may end a text.
const REMAINDERS: u32 = u32::MAX;
/// Largest divisor of twos and fives if a point may come between the digits.
const POINTED_ENDINGS: u32 = 100_000;
/// Largest other divisor if a point may come between the digits: a search then decides which digits may end a text, and
/// visits as many states at worst.
const POINTED: u32 = 5_000;
/// Largest divisor if there are many exponents, each with a condition of its own on the last digits.
const FAR: u32 = 100;

/// A step whose remainders need too many states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooManyRemainders {
    /// The divisor.
    pub divisor: BigInt,
    /// The largest divisor that is described.
    pub most: u32,
}

impl Numerals<'_, '_> {
    /// Unsigned numerals of multiples of a step, of any length; with a fractional part if `point`, otherwise integers as
    /// digits.
    pub(super) fn multiples(&self, step: &Decimal, point: bool) -> Result<TermId> {
        let terms = self.terms;
        // An integer is a multiple of p/q, in lowest terms, if it is one of p.
        let whole = self.whole_multiples(&step.common_multiple(&Decimal::one()))?;
        if !point {
            return Ok(whole);
        }
        let places = step.fraction_length();
        let whole = terms.cat(&[whole, self.part_of(self.zeros(1, None)?)?])?;
        if places == 0 {
            return Ok(whole);
        }
        let Factors { rest, watched, ending } = Factors::of(&step.scaled(-i64::from(places)));
        let by_rest = self.remainder(&rest, true, POINTED)?;
        // Of a number with fewer digits behind the point: zeros that are left out have twos and fives, too.
        let ending = |count: u32| &ending / ending.gcd(&power(i64::from(places - count)));
        let zeros = self.zeros(0, None)?;
        if watched <= places {
            let free = places - watched;
            let mut parts = Vec::new();
            if free > 0 {
                parts.push(terms.cat(&[terms.repeat(self.digit, 1, free)?, zeros])?);
            }
            for count in free + 1..=places {
                let part = terms.repeat(self.digit, count, count)?;
                let part = self.both(part, self.remainder(&ending(count), false, REMAINDERS)?)?;
                parts.push(terms.cat(&[part, zeros])?);
            }
            let part = self.part_of(terms.alt(&parts)?)?;
            return self.both(terms.cat(&[self.digits_of_integer()?, part])?, by_rest);
        }
        let mut nodes = vec![whole];
        for count in 1..=places {
            let part = terms.repeat(self.digit, count, count)?;
            let digits = terms.cat(&[self.digits_of_integer()?, terms.literal(".")?, part])?;
            let digits = self.both(digits, self.remainder(&ending(count), true, POINTED_ENDINGS)?)?;
            nodes.push(terms.cat(&[self.both(digits, by_rest)?, zeros])?);
        }
        Ok(terms.alt(&nodes)?)
    }

    /// Integers, as digits, that are multiples of one: digits that are multiples of it without the zeros at its end, and
    /// these zeros.
    fn whole_multiples(&self, step: &Decimal) -> Result<TermId> {
        let terms = self.terms;
        let zeros = step.trailing_zeros();
        let mut node = self.remainder(&step.scaled(i64::from(zeros)), false, REMAINDERS)?;
        if zeros > 0 {
            node = terms.alt(&[terms.literal("0")?, terms.cat(&[node, self.zeros(zeros, zeros)?])?])?;
        }
        self.both(self.digits_of_integer()?, node)
    }

    /// The digits of any integer that is not negative.
    fn digits_of_integer(&self) -> Result<TermId> {
        let terms = self.terms;
        let several = terms.cat(&[self.figures(1, 9)?, terms.repeat(self.digit, 0, None)?])?;
        Ok(terms.alt(&[terms.literal("0")?, several])?)
    }

    /// The texts in both nodes.
    fn both(&self, left: TermId, right: TermId) -> Result<TermId> {
        Ok(self.terms.and(&[left, right])?)
    }

    /// Digits whose number is a multiple of the divisor; if `point`, a point may stand among them and is ignored. For the
    /// divisor 1, any text. Errors: the divisor is larger than `most`.
    fn remainder(&self, divisor: &BigInt, point: bool, most: u32) -> Result<TermId> {
        if divisor.is_one() {
            return Ok(self.terms.not(self.terms.empty())?);
        }
        match divisor.to_u32().filter(|&divisor| divisor <= most) {
            Some(divisor) => Ok(self.terms.multiple(divisor, point)?),
            None => Err(NumberError::TooManyRemainders(TooManyRemainders { divisor: divisor.clone(), most })),
        }
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
    }
}
