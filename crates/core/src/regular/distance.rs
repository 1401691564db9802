//! Term → the length of its shortest text in bytes: a bound from below, and an estimate that orders searches.
//!
//! The bound is exact for literals, classes, concatenation, choice and repetition, and too low where parts restrict each
//! other: intersections, complements, keys. Only numeric escapes are overestimated, on purpose. `automaton/distance` goes
//! on with rules, objects and arrays.

use crate::regular::term::{Parts, Spelling, Term, TermId};
use crate::regular::terms::Terms;

/// Bytes added to the length of a numeric escape. A raw character is as good, and thousands of escapes would flood the
/// search.
pub(crate) const ESCAPE_PENALTY: u32 = 16;

/// The length of a shortest text.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Distance {
    /// No text has fewer bytes.
    pub least: u32,
    /// The lengths of all operands of an intersection together, for the search for emptiness: every step that advances
    /// one operand counts as progress.
    pub summed: u32,
}

impl Distance {
    fn of(bytes: u32) -> Self {
        Distance { least: bytes, summed: bytes }
    }

    fn map(self, change: impl Fn(u32) -> u32) -> Self {
        Distance { least: change(self.least), summed: change(self.summed) }
    }

    fn plus(self, other: Self) -> Self {
        let (least, summed) = (self.least.saturating_add(other.least), self.summed.saturating_add(other.summed));
        Distance { least, summed }
    }

    fn or(self, other: Self) -> Self {
        Distance { least: self.least.min(other.least), summed: self.summed.min(other.summed) }
    }
}

impl Terms {
    /// The length of a shortest text of a regular term.
    pub(crate) fn distance(&mut self, id: TermId) -> Distance {
        if let Some(&distance) = self.emptiness.distances.get(&id) {
            return distance;
        }
        let distance = match *self.term(id) {
            _ if self.info(id).nullable => Distance::default(),
            Term::Literal { literal, position } => Distance::of(self.literals[literal.index()].len() as u32 - position),
            Term::Words { set, low, high, depth } => {
                let words = &self.word_sets[set.index()].words[low as usize..high as usize];
                Distance::of(words.iter().map(|word| word.len() as u32 - depth).min().unwrap_or(0))
            }
            Term::Cat(..) => {
                // Searches ask for every suffix of the concatenation, so each is memoised.
                let (mut chain, mut rest) = (Vec::new(), id);
                while let Term::Cat(left, right) = *self.term(rest) {
                    if self.emptiness.distances.get(&rest).is_some() {
                        break;
                    }
                    chain.push((rest, left));
                    rest = right;
                }
                let mut all = self.distance(rest);
                for (end, left) in chain.into_iter().rev() {
                    all = self.distance(left).plus(all);
                    if end != id {
                        all = self.memoise_distance(end, all);
                    }
                }
                all
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().map(|&part| self.distance(part)).reduce(Distance::or).unwrap_or_default()
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().map(|&part| self.distance(part)).fold(Distance::default(), |all, part| Distance {
                    least: all.least.max(part.least),
                    ..all.plus(part)
                })
            }
            Term::Repeat { body, min, .. } => self.distance(body).map(|bytes| bytes.saturating_mul(min)),
            Term::Bounded { body, .. } => self.distance(body),
            Term::Quoted { text, state, .. } => {
                // Every spelling of a character has at least one byte per character.
                let chars = self.info(text).min_chars;
                let (open, spelled) = match state {
                    Spelling::Start => (1, 0),
                    Spelling::Body => (0, 0),
                    Spelling::Escape => (1, 1),
                    Spelling::Hex { digits, .. } => (4 - u32::from(digits) + ESCAPE_PENALTY, 3),
                    Spelling::LowEscape { .. } => (6, 4),
                    Spelling::LowU { .. } => (5, 4),
                    Spelling::Low { digits, .. } => (4 - u32::from(digits), 4),
                };
                // An open escape counts as one character.
                let chars = chars.saturating_sub(u32::from(spelled > 0));
                let rest = self.distance(text).map(|bytes| bytes.saturating_sub(spelled).max(chars));
                rest.map(|bytes| bytes.saturating_add(open + 1))
            }
            _ => Distance::of(1),
        };
        self.memoise_distance(id, distance)
    }

    /// Keeps a distance, which is at least the number of characters.
    fn memoise_distance(&mut self, id: TermId, distance: Distance) -> Distance {
        let chars = self.info(id).min_chars;
        let distance = distance.map(|bytes| bytes.max(chars));
        self.emptiness.distances.insert(id, distance, &mut self.budget);
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{bytes, machine, string, words};
    use crate::builder::Builder;
    use crate::regular::fixture::regex;
    use crate::regular::term::EMPTY;

    /// The fewest bytes of a term after each of these texts.
    fn check(make: impl FnOnce(&mut Builder) -> TermId, cases: &[(&str, u32)]) {
        let mut root = EMPTY;
        let mut machine = machine(|builder| {
            root = make(builder);
            root
        });
        for &(text, expected) in cases {
            let term = text.bytes().fold(root, |term, byte| machine.arena.derive(term, byte).unwrap());
            assert_ne!(term, EMPTY, "after {text}");
            assert_eq!(machine.arena.terms.distance(term), Distance::of(expected), "after {text}");
        }
    }

    #[test]
    fn a_text_is_as_far_as_its_bytes() {
        check(|builder| builder.literal(b"abc").unwrap(), &[("", 3), ("a", 2), ("abc", 0)]);
        check(|builder| words(builder, &["abc", "abde", "x"]), &[("", 1), ("a", 2), ("abd", 1)]);
        check(|builder| bytes(builder, b'a', b'z', 1, Some(1)), &[("", 1), ("q", 0)]);
    }

    #[test]
    fn parts_are_added_and_the_shortest_alternative_counts() {
        let make = |builder: &mut Builder| {
            let pair = builder.literal(b"ab").unwrap();
            let pairs = builder.repeat(pair.number(), 3, Some(5)).unwrap();
            let digits = bytes(builder, b'0', b'9', 2, None);
            let long = builder.cat(&[pairs.number(), digits.number()]).unwrap();
            let other = bytes(builder, b'x', b'z', 9, None);
            builder.alt(&[long.number(), other.number()]).unwrap()
        };
        check(make, &[("", 8), ("a", 7), ("ababab", 2), ("ababab1", 1), ("ababab12", 0), ("x", 8)]);
        check(|builder| bytes(builder, b'0', b'9', 0, Some(3)), &[("", 0)]);
    }

    #[test]
    fn a_string_needs_its_quotes_and_a_byte_per_character() {
        check(|builder| string(builder, 2, Some(5)), &[("", 4), ("\"", 3), ("\"a", 2), ("\"ab", 1), ("\"ab\"", 0)]);
        let known = |builder: &mut Builder| {
            let text = builder.literal("é!".as_bytes()).unwrap();
            builder.quoted(text.number(), true).unwrap()
        };
        check(known, &[("", 5), ("\"", 4), ("\"é", 2)]);
    }

    #[test]
    fn an_open_escape_counts_the_digits_that_it_lacks() {
        let strings = |builder: &mut Builder| string(builder, 0, None);
        let cases = [
            ("\"\\", 2),
            ("\"\\u", 5 + ESCAPE_PENALTY),
            ("\"\\u00", 3 + ESCAPE_PENALTY),
            ("\"\\ud83d", 7),
            ("\"\\ud83d\\", 6),
            ("\"\\ud83d\\u", 5),
            ("\"\\ud83d\\ude", 3),
            ("\"\\ud83d\\ude00", 1),
        ];
        check(strings, &cases);
        let two = |builder: &mut Builder| string(builder, 2, None);
        check(two, &[("\"\\", 3), ("\"\\u0", 5 + ESCAPE_PENALTY), ("\"\\ud83d\\u", 6)]);
    }

    #[test]
    fn an_intersection_is_as_far_as_its_farthest_operand_and_the_sum_counts_all() {
        let mut terms = Terms::new();
        let parts = ["[a-z]*abc[a-z]*", "[a-z]*bcde[a-z]*", "[a-z]{6}"].map(|pattern| regex(&mut terms, pattern));
        let all = terms.and_unchecked(parts.to_vec()).unwrap();
        assert_eq!(terms.distance(all), Distance { least: 6, summed: 13 });
    }
}
