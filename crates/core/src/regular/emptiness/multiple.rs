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
