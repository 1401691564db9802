//! Intersection with a `Multiple` → whether it is empty, by modular arithmetic instead of a search.
//!
//! A search would visit every remainder; counting digits decides the common cases at once.

use crate::bytes::byteset::ByteSet;
use crate::regular::arena::Arena;
use crate::regular::term::{Parts, Term, TermId, MANY};
use smallvec::SmallVec;

/// The ASCII digits.
const DIGITS: ByteSet = ByteSet([0x3ff << b'0', 0, 0, 0]);

/// Whether `digits` more digits after the remainder `rest` can make a multiple of `of`: their value must be the missing
/// remainder, so it must be below 10^`digits`.
fn has_completion(of: u32, rest: u32, digits: u32) -> bool {
    let Some(shift) = 10u64.checked_pow(digits) else { return true };
    let shifted = u128::from(shift) * u128::from(rest) % u128::from(of);
    let missing = (u128::from(of) - shifted) % u128::from(of);
    missing < u128::from(shift)
}

impl Arena {
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
        // Without a number of digits that some multiple has, the intersection is empty.
        let (mut least, mut most, mut wanted) = (0u32, MANY, None);
        for &part in parts {
            self.collect_digit_counts(part, &mut least, &mut most, &mut wanted)?;
        }
        let (of, rest) = wanted?;
        let last = most.min(least.saturating_add(of.ilog10() + 1));
        (!(least..=last).any(|digits| has_completion(of, rest, digits))).then_some(false)
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
        let mut arena = Arena::new();
        for of in [1, 2, 7, 10, 11, 99, 100, 101] {
            for rest in [0, 1, of / 2, of - 1] {
                let multiple = arena.multiple_rest(of, rest % of, false).unwrap();
                for (min, max) in [(0, 1), (0, 2), (1, 2), (2, 2), (2, 3), (3, 3)] {
                    let digits = regex(&mut arena, &format!("[0-9]{{{min},{max}}}"));
                    let expected = (min..=max).any(|digits| can_complete(of, rest % of, digits));
                    let decided = arena.decide_multiple(&[multiple, digits]);
                    assert_eq!(decided, Some(expected), "{of} {rest} {min} {max}");
                }
            }
        }
    }

    #[test]
    fn what_follows_the_digits_does_not_matter_unless_it_is_digits() {
        let mut arena = Arena::new();
        let multiple = arena.multiple_rest(100, 1, false).unwrap();
        let [digit, two, unit, optional, digits] =
            ["[0-9]{0,1}", "[0-9]{2}", "m", "m?", "[0-9]*"].map(|pattern| regex(&mut arena, pattern));
        let mut followed = |left, right| arena.cat(left, right).unwrap();
        let (short, long, open) = (followed(digit, unit), followed(two, optional), followed(digit, digits));
        let (marked, maybe_marked) = (followed(multiple, unit), followed(multiple, optional));
        assert_eq!(arena.decide_multiple(&[marked, short]), Some(false), "1, 10 to 19 are no multiples of 100");
        assert_eq!(arena.decide_multiple(&[maybe_marked, long]), Some(true));
        assert_eq!(arena.decide_multiple(&[marked, long]), None, "the unit must come: only a search combines both");
        assert_eq!(arena.decide_multiple(&[multiple, open]), None, "the number of digits is open");
    }

    #[test]
    fn two_divisors_other_classes_and_points_are_left_to_a_search() {
        let mut arena = Arena::new();
        let (four, six) = (arena.multiple(4, false).unwrap(), arena.multiple(6, false).unwrap());
        let [two, odd, letters] = ["[0-9]{2}", "[13579]{2}", "[a-z]{2}"].map(|pattern| regex(&mut arena, pattern));
        assert_eq!(arena.decide_multiple(&[four, six, two]), None);
        assert_eq!(arena.decide_multiple(&[four, odd]), None);
        assert_eq!(arena.decide_multiple(&[two, letters]), None, "no operand is a multiple");
        let pointed = arena.multiple_rest(100, 1, true).unwrap();
        let digit = regex(&mut arena, "[0-9]{0,1}");
        assert_eq!(arena.decide_multiple(&[pointed, digit]), None);
        let more = regex(&mut arena, "[0-9a-f]{2}");
        assert_eq!(arena.decide_multiple(&[four, more]), Some(true), "more than the digits are digits, too");
    }

    #[test]
    fn operands_may_be_nested() {
        let mut arena = Arena::new();
        let seven = arena.multiple(7, false).unwrap();
        let three = arena.multiple_rest(7, 3, false).unwrap();
        let [two, wide, word] = ["[0-9]{2}", "[0-9]{0,5}", "none"].map(|pattern| regex(&mut arena, pattern));
        let both = arena.and_unchecked(vec![two, wide]).unwrap();
        assert_eq!(arena.decide_multiple(&[seven, both]), Some(true));
        let either = arena.alt(vec![word, seven]).unwrap();
        assert_eq!(arena.decide_multiple(&[either, two]), Some(true));
        // Of an alternative that does not apply, no remainder is kept.
        let other = arena.and_unchecked(vec![three, word]).unwrap();
        let either = arena.alt(vec![other, seven]).unwrap();
        assert_eq!(arena.decide_multiple(&[either, two]), Some(true));
        let hundred = arena.multiple_rest(100, 1, false).unwrap();
        let digit = regex(&mut arena, "[0-9]{0,1}");
        let both = arena.and_unchecked(vec![hundred, digit]).unwrap();
        assert_eq!(arena.decide_multiple(&[both]), Some(false));
    }
}
