//! Intersection with a `Multiple` → whether it is empty, by modular arithmetic instead of a search.
//!
//! A search would visit every remainder; counting digits decides the common cases at once. Of a large divisor few
//! multiples have as many digits as are left, and these can be tried.

use crate::bytes::byteset::ByteSet;
use crate::regular::term::{Parts, Term, TermId, MANY};
use crate::regular::terms::Terms;
use smallvec::SmallVec;

/// The ASCII digits.
const DIGITS: ByteSet = ByteSet([0x3ff << b'0', 0, 0, 0]);

/// The least divisor whose multiples are tried: a search through the remainders of a smaller one is as cheap.
const TRIED_FROM: u32 = 1_000;
/// The most multiples of one number of digits that are tried.
const MOST_TRIED: usize = 16;

/// What must be added to `shift` times the remainder `rest` to make a multiple of `of`.
fn missing(of: u32, rest: u32, shift: u64) -> u64 {
    let shifted = u128::from(shift) * u128::from(rest) % u128::from(of);
    (u64::from(of) - shifted as u64) % u64::from(of)
}

/// Whether `digits` more digits after the remainder `rest` can make a multiple of `of`: the missing remainder must be
/// below 10^`digits`.
fn has_completion(of: u32, rest: u32, digits: u32) -> bool {
    10u64.checked_pow(digits).is_none_or(|shift| missing(of, rest, shift) < shift)
}

impl Terms {
    /// Whether an intersection that holds a `Multiple` is nonempty, or `None` if digit counts do not decide.
    ///
    /// Among all texts of n digits there is one for each remainder below 10^n.
    pub(super) fn decide_multiple(&mut self, parts: &[TermId]) -> Option<bool> {
        let of = parts.iter().find_map(|&part| self.divisor(part))?;
        let shortest = parts.iter().map(|&part| self.info(part).min_chars).max().unwrap_or(0);
        let mut remainders = SmallVec::<[(u32, u32); 2]>::new();
        for digits in shortest..=shortest.saturating_add(of.ilog10() + 1) {
            remainders.clear();
            if parts.iter().all(|&part| self.has_all_digit_texts(part, digits, &mut remainders))
                // Two different divisors need the Chinese remainder theorem; a search decides them.
                && remainders.windows(2).all(|pair| pair[0] == pair[1])
                && remainders.first().is_none_or(|&(of, rest)| has_completion(of, rest, digits))
            {
                return Some(true);
            }
        }
        if of >= TRIED_FROM {
            if let Some(nonempty) = self.try_multiples(parts, shortest) {
                return Some(nonempty);
            }
        }
        // Without a number of digits that some multiple has, the intersection is empty.
        let (mut least, mut most, mut wanted) = (0u32, MANY, None);
        for &part in parts {
            self.collect_digit_counts(part, &mut least, &mut most, &mut wanted)?;
        }
        let (of, rest) = wanted?;
        let last = most.min(least.saturating_add(of.ilog10() + 1));
        (!(least..=last).any(|digits| has_completion(of, rest, digits))).then_some(false)
    }

    /// Whether a text of digits is in the intersection, or `None` if there are too many to try all.
    ///
    /// Errors of the budget are left to the search that follows.
    fn try_multiples(&mut self, parts: &[TermId], shortest: u32) -> Option<bool> {
        // Every text of such an operand is digits.
        let (of, rest) = parts.iter().find_map(|&part| match *self.term(part) {
            Term::Multiple { of, rest, point: false } => Some((of, rest)),
            _ => None,
        })?;
        let longest = parts.iter().map(|&part| self.info(part).max_chars).min().unwrap_or(MANY);
        let last = longest.min(shortest.saturating_add(of.ilog10() + 1));
        let mut tried_all = last == longest;
        for digits in shortest..=last {
            let shift = 10u64.checked_pow(digits)?;
            let mut values = (missing(of, rest, shift)..shift).step_by(of as usize);
            for value in values.by_ref().take(MOST_TRIED) {
                let text = format!("{value:0width$}", width = digits as usize);
                let mut is_in = digits > 0 || value == 0;
                for &part in parts {
                    is_in = is_in && self.matches(part, text.as_bytes()).ok()?;
                }
                if is_in {
                    return Some(true);
                }
            }
            tried_all &= values.next().is_none();
        }
        tried_all.then_some(false)
    }

    /// Narrows `least..=most` to the number of digits that the term begins with, and stores its (divisor, remainder).
    ///
    /// Returns `None` if the term does not begin with a plain run of digits.
    fn collect_digit_counts(
        &mut self,
        id: TermId,
        least: &mut u32,
        most: &mut u32,
        wanted: &mut Option<(u32, u32)>,
    ) -> Option<()> {
        match *self.term(id) {
            Term::Multiple { of, rest, point: false } if wanted.is_none() => *wanted = Some((of, rest)),
            Term::Repeat { body, min, max } if *self.class_of(body)? == DIGITS => {
                (*least, *most) = ((*least).max(min), (*most).min(max));
            }
            Term::And(ref parts) => {
                for part in Parts::from_slice(parts) {
                    self.collect_digit_counts(part, least, most, wanted)?;
                }
            }
            Term::Cat(left, right) => {
                let goes_on = self.first_bytes(right).has_any_in(b'0', b'9');
                (!goes_on).then(|| self.collect_digit_counts(left, least, most, wanted))??;
            }
            _ => return None,
        }
        Some(())
    }

    /// The bytes of a class term.
    fn class_of(&self, id: TermId) -> Option<&ByteSet> {
        match self.term(id) {
            Term::Class(set) => Some(set),
            _ => None,
        }
    }

    /// The divisor of the first `Multiple` that the term begins with.
    fn divisor(&self, id: TermId) -> Option<u32> {
        match *self.term(id) {
            Term::Multiple { of, .. } => Some(of),
            Term::Cat(left, _) => self.divisor(left),
            Term::And(ref parts) | Term::Alt(ref parts) => parts.iter().find_map(|&part| self.divisor(part)),
            _ => None,
        }
    }

    /// Whether the term holds all texts of `digits` digits that leave the collected (divisor, remainder) pairs.
    fn has_all_digit_texts(&self, id: TermId, digits: u32, remainders: &mut SmallVec<[(u32, u32); 2]>) -> bool {
        match *self.term(id) {
            Term::Multiple { of, rest, .. } => {
                remainders.push((of, rest));
                true
            }
            Term::Repeat { body, min, max } => {
                (min..=max).contains(&digits)
                    && self.class_of(body).is_some_and(|set| DIGITS.difference(set).is_empty())
            }
            Term::Cat(left, right) => self.info(right).nullable && self.has_all_digit_texts(left, digits, remainders),
            Term::And(ref parts) => parts.iter().all(|&part| self.has_all_digit_texts(part, digits, remainders)),
            Term::Alt(ref parts) => parts.iter().any(|&part| {
                let before = remainders.len();
                let spells = self.has_all_digit_texts(part, digits, remainders);
                if !spells {
                    remainders.truncate(before);
                }
                spells
            }),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;

    /// Whether some number of `digits` digits behind the remainder makes a multiple, by trying all.
    fn can_complete(of: u32, rest: u32, digits: u32) -> bool {
        (0..10u32.pow(digits)).any(|value| (rest * 10u32.pow(digits) + value).is_multiple_of(of))
    }

    #[test]
    fn a_remainder_is_completed_if_the_missing_value_has_so_many_digits() {
        for of in 1..=120 {
            for rest in 0..of {
                for digits in 0..=3 {
                    assert_eq!(
                        has_completion(of, rest, digits),
                        can_complete(of, rest, digits),
                        "{of} {rest} {digits}"
                    );
                }
            }
        }
        assert!(has_completion(u32::MAX, 1, 20), "more digits than 64 bits hold complete everything");
        assert!(!has_completion(u32::MAX, 1, 9) && has_completion(u32::MAX, 1, 10));
    }

    #[test]
    fn a_multiple_of_so_many_digits_is_decided_without_a_search() {
        let mut terms = Terms::new();
        for of in [1, 2, 7, 10, 11, 99, 100, 101] {
            for rest in [0, 1, of / 2, of - 1] {
                let multiple = terms.multiple_rest(of, rest % of, false).unwrap();
                for (min, max) in [(0, 1), (0, 2), (1, 2), (2, 2), (2, 3), (3, 3)] {
                    let digits = regex(&mut terms, &format!("[0-9]{{{min},{max}}}"));
                    let expected = (min..=max).any(|digits| can_complete(of, rest % of, digits));
                    let decided = terms.decide_multiple(&[multiple, digits]);
                    assert_eq!(decided, Some(expected), "{of} {rest} {min} {max}");
                }
            }
        }
    }

    #[test]
    fn few_multiples_of_a_large_divisor_are_tried() {
        let mut terms = Terms::new();
        let of = 1_000_003;
        let [two, short, long, open] =
            ["[0-9]{2}", "[0-2][0-9]{0,5}", "[0-2][0-9]{6}", "[0-2][0-9]*"].map(|pattern| regex(&mut terms, pattern));
        let twice = terms.multiple(2 * of, false).unwrap();
        let but_twice = terms.not_unchecked(twice).unwrap();
        for (rest, other, expected) in [
            (of - 7, two, Some(false)),   // 700 has too many digits
            (of - 7, short, Some(false)), // of six digits only 999979, and 9 may not be the first
            (of - 1, long, Some(true)),   // 0999973
            (0, short, Some(true)),
            (3, but_twice, Some(true)),
            (1, open, Some(true)),
        ] {
            let multiple = terms.multiple_rest(of, rest, false).unwrap();
            assert_eq!(terms.try_multiples(&[multiple, other], 1), expected, "{rest}");
        }
        let (multiple, ends) = (terms.multiple_rest(of, 1, false).unwrap(), regex(&mut terms, "[0-9]*[02468]77777"));
        assert_eq!(terms.try_multiples(&[multiple, ends], 6), None, "more digits may come than were tried");
        let pointed = terms.multiple_rest(of, of - 7, true).unwrap();
        assert_eq!(terms.try_multiples(&[pointed, short], 1), None, "a point may come between the digits");
    }
}
