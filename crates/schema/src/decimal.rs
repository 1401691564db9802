//! Numerals of JSON ↔ exact decimals, with the arithmetic that bounds and multiples need.
//!
//! A bound of 0.1 means one tenth, so no number becomes a double. Exponents stay numbers: `1e2000` is two integers,
//! and a numeral that would spell more digits than that is refused before any power of ten is computed.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::num::IntErrorKind;

/// Larger exponents are read as this one, as their size alone refuses them: no text has enough digits to make up for it.
const LARGEST_EXPONENT: i64 = 1 << 60;

/// Digits that a number may have before its point, and behind it. The longest exact value of a double has 1,074.
pub const DIGITS: u32 = 2_000;

/// A number with finitely many digits: coefficient × 10^exponent.
///
/// Equal numbers are equal as data: the coefficient never ends in a zero, and zero has the exponent 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    coefficient: BigInt,
    exponent: i64,
}

/// Why a text is no decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotDecimal {
    /// The text is no numeral.
    Syntax,
    /// The number has more than [`DIGITS`] digits before or behind its point.
    Digits,
}

impl Decimal {
    /// `coefficient` × 10^`exponent`.
    pub fn new(mut coefficient: BigInt, mut exponent: i64) -> Self {
        if coefficient.is_zero() {
            return Decimal { coefficient, exponent: 0 };
        }
        let ten = BigInt::from(10);
        // An odd number ends in no zero: half of all numbers need no division.
        while coefficient.is_even() {
            let (quotient, rest) = coefficient.div_rem(&ten);
            if !rest.is_zero() {
                break;
            }
            (coefficient, exponent) = (quotient, exponent + 1);
        }
        Decimal { coefficient, exponent }
    }

    /// Zero.
    pub fn zero() -> Self {
        Decimal { coefficient: BigInt::zero(), exponent: 0 }
    }

    /// One.
    pub fn one() -> Self {
        Decimal { coefficient: BigInt::one(), exponent: 0 }
    }

    /// The value of a numeral of JSON. Other texts of digits, as `01` and `.5`, are read, too: trees hold none.
    ///
    /// ```
    /// use frisket_schema::decimal::Decimal;
    /// assert_eq!(Decimal::parse("1.50e1"), Ok(Decimal::from(15)));
    /// assert!(Decimal::parse("1e999999999").is_err() && Decimal::parse("1x").is_err());
    /// ```
    ///
    /// Errors: the text is no numeral, or the number has too many digits.
    pub fn parse(text: &str) -> Result<Self, NotDecimal> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotDecimal::Syntax);
        }
        let exponent = match exponent.parse::<i64>().map_err(|error| *error.kind()) {
            Ok(exponent) => exponent.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT),
            Err(IntErrorKind::PosOverflow) => LARGEST_EXPONENT,
            Err(IntErrorKind::NegOverflow) => -LARGEST_EXPONENT,
            Err(_) => return Err(NotDecimal::Syntax),
        };
        let kept = digits.trim_end_matches('0');
        let exponent = exponent + (digits.len() - kept.len()) as i64 - fraction.len() as i64;
        let kept = kept.trim_start_matches('0');
        if kept.is_empty() {
            return Ok(Self::zero());
        }
        if exponent + kept.len() as i64 > i64::from(DIGITS) || exponent < -i64::from(DIGITS) {
            return Err(NotDecimal::Digits);
        }
        let magnitude = BigInt::parse_bytes(kept.as_bytes(), 10).ok_or(NotDecimal::Syntax)?;
        Ok(Decimal { coefficient: if negative { -magnitude } else { magnitude }, exponent })
    }

    /// Whether the number is 0.
    pub fn is_zero(&self) -> bool {
        self.coefficient.is_zero()
    }

    /// Whether the number is below 0.
    pub fn is_negative(&self) -> bool {
        self.coefficient.is_negative()
    }

    /// Whether the number is whole.
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// How many digits the number needs behind its point.
    pub fn fraction_length(&self) -> u32 {
        (-self.exponent).max(0) as u32
    }

    /// How many zeros a whole number ends in; 0 for zero and for fractions.
    pub fn trailing_zeros(&self) -> u32 {
        self.exponent.max(0) as u32
    }

    /// The digits behind the point of the absolute value, without zeros at the end.
    pub fn fraction_digits(&self) -> String {
        let length = self.fraction_length() as usize;
        let digits = self.coefficient.magnitude().to_string();
        let digits = &digits[digits.len().saturating_sub(length)..];
        if length == 0 {
            String::new()
        } else {
            format!("{digits:0>length$}")
        }
    }

    /// The exponent of the absolute value written with one digit before the point; None for zero.
    pub fn magnitude(&self) -> Option<i64> {
        let digits = || self.coefficient.magnitude().to_string().len() as i64;
        (!self.is_zero()).then(|| self.exponent + digits() - 1)
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        Decimal { coefficient: self.coefficient.abs(), exponent: self.exponent }
    }

    /// The number times 10^`places`.
    pub fn shifted(&self, places: i64) -> Self {
        let exponent = if self.is_zero() { 0 } else { self.exponent + places };
        Decimal { coefficient: self.coefficient.clone(), exponent }
    }

    /// The number times an integer.
    pub fn times(&self, factor: &BigInt) -> Self {
        Self::new(&self.coefficient * factor, self.exponent)
    }

    /// The largest integer that is not above the number.
    pub fn floor(&self) -> BigInt {
        if self.exponent >= 0 {
            return self.scaled(0);
        }
        self.coefficient.div_floor(&power(-self.exponent))
    }

    /// The smallest integer that is not below the number.
    pub fn ceil(&self) -> BigInt {
        -(-self).floor()
    }

    /// The largest integer n so that n × `step` is not above the number; `step` is positive.
    pub fn floor_div(&self, step: &Self) -> BigInt {
        let exponent = self.exponent.min(step.exponent);
        self.scaled(exponent).div_floor(&step.scaled(exponent))
    }

    /// Whether the number is a multiple of `step`, which is not zero.
    pub fn is_multiple_of(&self, step: &Self) -> bool {
        let exponent = self.exponent.min(step.exponent);
        self.scaled(exponent).is_multiple_of(&step.scaled(exponent))
    }

    /// The least positive number that is a multiple of both, which are not zero.
    pub fn common_multiple(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        Self::new(self.scaled(exponent).lcm(&other.scaled(exponent)).abs(), exponent)
    }

    /// The number divided by 10^`exponent`, which must divide it.
    pub fn scaled(&self, exponent: i64) -> BigInt {
        debug_assert!(exponent <= self.exponent || self.is_zero());
        &self.coefficient * power((self.exponent - exponent).max(0))
    }
}

/// 10^`exponent`; the exponent is not negative.
pub(crate) fn power(exponent: i64) -> BigInt {
    BigInt::from(10).pow(exponent as u32)
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self::new(BigInt::from(value), 0)
    }
}

impl From<BigInt> for Decimal {
    fn from(value: BigInt) -> Self {
        Self::new(value, 0)
    }
}

impl std::ops::Neg for &Decimal {
    type Output = Decimal;

    fn neg(self) -> Decimal {
        Decimal { coefficient: -&self.coefficient, exponent: self.exponent }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.exponent == other.exponent || self.coefficient.sign() != other.coefficient.sign() {
            return self.coefficient.cmp(&other.coefficient);
        }
        let exponent = self.exponent.min(other.exponent);
        self.scaled(exponent).cmp(&other.scaled(exponent))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// The plain spelling, without exponent and superfluous zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.coefficient.sign() == Sign::Minus {
            f.write_str("-")?;
        }
        let digits = self.coefficient.magnitude().to_string();
        if self.exponent >= 0 {
            return write!(f, "{digits}{:0<1$}", "", self.exponent as usize);
        }
        let whole = digits.len().saturating_sub(self.fraction_length() as usize);
        write!(f, "{}.{}", if whole == 0 { "0" } else { &digits[..whole] }, self.fraction_digits())
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn numerals_of_one_number_are_one_decimal() {
        for (numeral, plain) in [
            ("0", "0"),
            ("-0.000e99999999999999999999", "0"),
            ("10", "10"),
            ("1e1", "10"),
            ("100E-1", "10"),
            ("-1.50", "-1.5"),
            ("0.0012e+1", "0.012"),
            ("-12.3400e2", "-1234"),
            ("1e0000000000000000000002", "100"),
        ] {
            assert_eq!(decimal(numeral), decimal(plain), "{numeral}");
            assert_eq!(decimal(numeral).to_string(), plain, "{numeral}");
        }
    }

    #[test]
    fn what_is_no_numeral_is_refused() {
        for text in ["", "-", ".", "+1", "1e", "1e+", "1e1.0", "1.1.1", "1 ", "0x1", "1_0", "١", "1e1e1", "NaN", "--1"]
        {
            assert_eq!(Decimal::parse(text), Err(NotDecimal::Syntax), "{text:?}");
        }
    }

    #[test]
    fn digits_are_counted_before_any_power_of_ten_is_computed() {
        for (text, fits) in [
            ("1e1999", true),
            ("1e2000", false),
            ("1e-2000", true),
            ("1e-2001", false),
            ("0.1e-1999", true),
            ("1000e-2003", true),
            ("1e999999999999999999999999", false),
            ("-1e-999999999999999999999999", false),
        ] {
            assert_eq!(Decimal::parse(text).is_ok(), fits, "{text}");
        }
        let long = "9".repeat(2_000);
        assert_eq!(decimal(&long).to_string(), long);
        assert_eq!(Decimal::parse(&format!("{long}9")), Err(NotDecimal::Digits));
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let texts = ["-1e3", "-2.5", "-2.25", "-1e-9", "0", "1e-2000", "0.1", "0.11", "1", "9.99", "10", "1e1999"];
        for (i, left) in texts.iter().enumerate() {
            for (j, right) in texts.iter().enumerate() {
                assert_eq!(decimal(left).cmp(&decimal(right)), i.cmp(&j), "{left} {right}");
            }
        }
    }

    #[test]
    fn beside_64_bits_nothing_is_another() {
        let near = ["9223372036854775807", "9223372036854775808", "9223372036854775809", "9223372036854775810"];
        for (place, one) in near.iter().enumerate() {
            for (other_place, other) in near.iter().enumerate() {
                for shift in [-19, -18, -17, 0, 17, 18, 19] {
                    let other = decimal(other).shifted(shift);
                    let expected = if shift == 0 { place.cmp(&other_place) } else { 0.cmp(&shift) };
                    assert_eq!(decimal(one).cmp(&other), expected, "{one} {other}");
                    let exact = decimal(one).scaled(-40).is_multiple_of(&other.scaled(-40));
                    assert_eq!(decimal(one).is_multiple_of(&other), exact, "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn rounding_goes_down_and_up() {
        for (text, floor, ceil) in [("2.5", 2, 3), ("-2.5", -3, -2), ("7", 7, 7), ("0.001", 0, 1), ("1e2", 100, 100)] {
            assert_eq!(decimal(text).floor(), BigInt::from(floor), "{text}");
            assert_eq!(decimal(text).ceil(), BigInt::from(ceil), "{text}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (number, step, is_multiple) in [
            ("0.3", "0.1", true),
            ("1e1999", "7e1999", false),
            ("4.5", "1.5", true),
            ("1", "0.3", false),
            ("0", "5", true),
        ] {
            let (number, step) = (decimal(number), decimal(step));
            assert_eq!(number.is_multiple_of(&step), is_multiple, "{number} {step}");
        }
        assert_eq!(decimal("0.4").common_multiple(&decimal("0.6")), decimal("1.2"));
        assert_eq!(decimal("6").common_multiple(&decimal("0.25")), decimal("6"));
        assert_eq!(decimal("10").floor_div(&decimal("0.3")), BigInt::from(33));
        assert_eq!(decimal("-10").floor_div(&decimal("3")), BigInt::from(-4));
        assert_eq!(decimal("0.3").times(&BigInt::from(-20)), decimal("-6"));
    }

    #[test]
    fn digits_and_magnitudes_are_read_off() {
        for (text, fraction, zeros, magnitude) in
            [("0.012", "012", 0, Some(-2)), ("12.5", "5", 0, Some(1)), ("1200", "", 2, Some(3)), ("0", "", 0, None)]
        {
            let number = decimal(text);
            assert_eq!(number.fraction_digits(), fraction, "{text}");
            assert_eq!(number.fraction_length() as usize, fraction.len(), "{text}");
            assert_eq!((number.trailing_zeros(), number.magnitude()), (zeros, magnitude), "{text}");
        }
        assert_eq!(decimal("0").shifted(5), Decimal::zero());
        assert_eq!(decimal("-1.5").shifted(-1), decimal("-0.15"));
        assert_eq!((decimal("-1.5").abs(), -&decimal("0")), (decimal("1.5"), decimal("0")));
    }
}
