//! Conditions on a number's value → one interval with its exceptions.
//!
//! A set of numbers is a set of values: `1.0` is the integer 1, unless the conditions ask for its spelling.

use crate::condition::{NumberCondition, Types};
use crate::decimal::Decimal;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bounded multiples are listed if there are fewer than this; otherwise they are described by their digits.
pub const LISTED: u32 = 2_000;
/// Most multiples that are tried to find out whether an interval is empty.
const TRIED: u32 = 64;

/// One end of an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Where the interval ends.
    pub value: Decimal,
    /// Whether the end itself is outside.
    pub is_open: bool,
}

/// A conjunction of conditions on numbers, in one normal form.
#[derive(Debug, Clone, Default)]
pub struct Interval {
    /// Whether whole numbers are inside.
    pub integers: bool,
    /// Whether other numbers are inside.
    pub fractions: bool,
    /// The lower end.
    pub low: Option<Bound>,
    /// The upper end.
    pub high: Option<Bound>,
    /// The step of which all values are multiples.
    pub multiple: Option<Decimal>,
    /// Steps of which no value is a multiple.
    pub without: Vec<Decimal>,
    /// The only values, if some condition lists them.
    pub values: Option<Arc<BTreeSet<Decimal>>>,
    /// Values that are outside.
    pub excluded: BTreeSet<Decimal>,
    /// Integers that the schema wrote with a point.
    pub pointed: BTreeSet<Decimal>,
    /// Whether numbers are spelled as digits only.
    pub is_plain: bool,
    /// Whether numbers are spelled with a point or an exponent.
    pub is_marked: bool,
}

impl Interval {
    /// The values of some types that meet all conditions.
    pub fn new(types: Types, conditions: &[NumberCondition]) -> Self {
        let mut found =
            Interval { integers: types.has(Types::INTEGER), fractions: types.has(Types::FRACTION), ..Self::default() };
        for condition in conditions {
            found.add(condition);
        }
        if found.is_plain {
            found.fractions = false;
        }
        if !found.fractions && found.integers {
            let one = Decimal::one();
            found.multiple = Some(found.multiple.map_or(one.clone(), |step| step.common_multiple(&one)));
        } else if found.fractions && !found.integers {
            found.without.push(Decimal::one());
        }
        found
    }

    fn add(&mut self, condition: &NumberCondition) {
        match condition {
            NumberCondition::AtLeast { bound, strict } => {
                if self.low.as_ref().is_none_or(|low| (bound, *strict) > (&low.value, low.is_open)) {
                    self.low = Some(Bound { value: bound.clone(), is_open: *strict });
                }
            }
            NumberCondition::AtMost { bound, strict } => {
                if self.high.as_ref().is_none_or(|high| (&high.value, *strict) > (bound, high.is_open)) {
                    self.high = Some(Bound { value: bound.clone(), is_open: *strict });
                }
            }
            NumberCondition::Multiple { of, positive: true } => {
                self.multiple =
                    Some(self.multiple.as_ref().map_or_else(|| of.clone(), |step| step.common_multiple(of)));
            }
            NumberCondition::Multiple { of, positive: false } => self.without.push(of.clone()),
            NumberCondition::Among { values, pointed, positive: true } => {
                self.pointed.extend(pointed.iter().cloned());
                self.values = Some(match &self.values {
                    None => values.clone(),
                    Some(before) => Arc::new(before.intersection(values).cloned().collect()),
                });
            }
            NumberCondition::Among { values, positive: false, .. } => self.excluded.extend(values.iter().cloned()),
            NumberCondition::Plain { positive: true } => self.is_plain = true,
            NumberCondition::Plain { positive: false } => self.is_marked = true,
        }
    }

    /// The bounds and steps times 10^`places`, without lists of values: for the mantissa of numerals with an exponent.
    pub fn shifted(&self, places: i64) -> Self {
        let shifted = |bound: &Bound| Bound { value: bound.value.shifted(places), is_open: bound.is_open };
        Interval {
            low: self.low.as_ref().map(shifted),
            high: self.high.as_ref().map(shifted),
            multiple: self.multiple.as_ref().map(|step| step.shifted(places)),
            without: self.without.iter().map(|step| step.shifted(places)).collect(),
            ..Self::default()
        }
    }

    /// Whether all values are integers.
    pub fn is_integer(&self) -> bool {
        self.integers && !self.fractions
    }

    /// Whether a value meets all conditions. Types count only as far as `multiple` and `without` express them.
    pub fn holds(&self, value: &Decimal) -> bool {
        self.low.as_ref().is_none_or(|low| *value > low.value || (*value == low.value && !low.is_open))
            && self.high.as_ref().is_none_or(|high| *value < high.value || (*value == high.value && !high.is_open))
            && self.multiple.as_ref().is_none_or(|step| value.is_multiple_of(step))
            && !self.without.iter().any(|step| value.is_multiple_of(step))
            && !self.excluded.contains(value)
            && self.values.as_ref().is_none_or(|values| values.contains(value))
    }

    /// All values, ascending, or None if there are `most` or more, or infinitely many.
    pub fn listed(&self, most: u32) -> Option<Vec<Decimal>> {
        if let Some(values) = &self.values {
            return Some(values.iter().filter(|value| self.holds(value)).cloned().collect());
        }
        let (Some(low), Some(high), Some(step)) = (&self.low, &self.high, &self.multiple) else {
            return match (&self.low, &self.high) {
                (Some(low), Some(high)) if low.value == high.value => {
                    Some(Some(low.value.clone()).filter(|value| self.holds(value)).into_iter().collect())
                }
                _ => self.is_crossed().then(Vec::new),
            };
        };
        let (first, last) = (-(-&low.value).floor_div(step), high.value.floor_div(step));
        if &last - &first >= BigInt::from(most) {
            return None;
        }
        let count = (&last - &first + BigInt::one()).to_u32().unwrap_or(0);
        let value = |place: u32| step.times(&(&first + BigInt::from(place)));
        Some((0..count).map(value).filter(|value| self.holds(value)).collect())
    }

    /// Whether there are no bounds, and no excluded step.
    pub fn is_unbounded(&self) -> bool {
        self.low.is_none() && self.high.is_none() && self.without.is_empty()
    }

    /// Whether no number lies between the bounds.
    pub fn is_crossed(&self) -> bool {
        let (Some(low), Some(high)) = (&self.low, &self.high) else { return false };
        low.value > high.value || (low.value == high.value && (low.is_open || high.is_open))
    }

    /// Whether certainly no value is inside.
    pub fn is_empty(&self) -> bool {
        if self.is_crossed() || (self.is_plain && self.is_marked) {
            return true;
        }
        if !(self.integers || self.fractions) {
            return true;
        }
        let excluded = |step: &Decimal| self.without.iter().any(|without| step.is_multiple_of(without));
        if let Some(values) = &self.values {
            return !values.iter().any(|value| self.holds(value));
        }
        self.multiple.as_ref().is_some_and(excluded) || self.listed(TRIED).is_some_and(|values| values.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn least(bound: &str, strict: bool) -> NumberCondition {
        NumberCondition::AtLeast { bound: decimal(bound), strict }
    }

    fn most(bound: &str, strict: bool) -> NumberCondition {
        NumberCondition::AtMost { bound: decimal(bound), strict }
    }

    fn multiple(of: &str, positive: bool) -> NumberCondition {
        NumberCondition::Multiple { of: decimal(of), positive }
    }

    fn among(values: &[&str], positive: bool) -> NumberCondition {
        let values = values.iter().map(|value| decimal(value)).collect();
        NumberCondition::Among { values: Arc::new(values), pointed: Arc::default(), positive }
    }

    #[test]
    fn the_narrower_bound_stays() {
        for (conditions, low, high) in [
            (vec![least("1", false), least("1", true)], Some(("1", true)), None),
            (vec![least("2", false), least("1", true)], Some(("2", false)), None),
            (vec![most("1", true), most("1", false)], None, Some(("1", true))),
            (vec![most("1", false), most("2", true)], None, Some(("1", false))),
            (vec![most("2", true), most("1", false)], None, Some(("1", false))),
        ] {
            let interval = Interval::new(Types::NUMBER, &conditions);
            let bound =
                |bound: Option<(&str, bool)>| bound.map(|(text, is_open)| Bound { value: decimal(text), is_open });
            assert_eq!((interval.low, interval.high), (bound(low), bound(high)), "{conditions:?}");
        }
    }

    #[test]
    fn few_values_are_listed() {
        for (types, conditions, values) in [
            (Types::INTEGER, vec![least("0.5", false), most("3", true)], Some("1 2")),
            (Types::NUMBER, vec![least("0", false), most("1", false), multiple("0.4", true)], Some("0 0.4 0.8")),
            (Types::INTEGER, vec![least("0", false), most("12", false), multiple("1.5", true)], Some("0 3 6 9 12")),
            (Types::NUMBER, vec![least("2", false), most("2", false)], Some("2")),
            (Types::FRACTION, vec![least("2", false), most("2", false)], Some("")),
            (Types::NUMBER, vec![least("2", false), most("1", false)], Some("")),
            (Types::NUMBER, vec![least("1", false), most("2", false)], None),
            (Types::INTEGER, vec![least("0", false)], None),
            (Types::INTEGER, vec![among(&["1", "1.5", "-7"], true)], Some("-7 1")),
            (Types::NUMBER, vec![among(&["1", "2"], true), among(&["2", "3"], true)], Some("2")),
            (Types::INTEGER, vec![least("0", false), most("4", false), among(&["2"], false)], Some("0 1 3 4")),
            (Types::INTEGER, vec![least("0", false), most("4", false), multiple("2", false)], Some("1 3")),
            (Types::INTEGER, vec![least("0", false), most("1999", false)], None),
        ] {
            let texts = Interval::new(types, &conditions)
                .listed(1_999)
                .map(|values| values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" "));
            assert_eq!(texts.as_deref(), values, "{types:?} {conditions:?}");
        }
    }

    #[test]
    fn contradictions_are_found() {
        let plain = |positive| NumberCondition::Plain { positive };
        for (types, conditions, expected) in [
            (Types::NUMBER, vec![least("1", true), most("1", false)], true),
            (Types::INTEGER, vec![least("1", true), most("2", true)], true),
            (Types::NUMBER, vec![least("1", true), most("2", true)], false),
            (Types::NUMBER, vec![multiple("4", true), multiple("2", false)], true),
            (Types::NUMBER, vec![multiple("2", true), multiple("4", false)], false),
            (Types::INTEGER, vec![multiple("0.5", false)], true),
            (Types::FRACTION, vec![multiple("1", true)], true),
            (Types::NUMBER, vec![among(&["1"], true), among(&["1"], false)], true),
            (Types::INTEGER, vec![plain(true), plain(false)], true),
            (Types::INTEGER, vec![plain(false)], false),
            (Types::NUMBER, vec![], false),
        ] {
            assert_eq!(Interval::new(types, &conditions).is_empty(), expected, "{types:?} {conditions:?}");
        }
    }
}
