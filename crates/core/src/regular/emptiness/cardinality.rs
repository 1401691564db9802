//! Term → how many texts it has, where its kind tells: a finite count_texts, or all but finitely many.
//!
//! Counting shows that an intersection with complements is not empty, without a search.

use crate::regular::arena::{Arena, Terms};
use crate::regular::term::{Term, TermId, EMPTY};

impl Terms {
    /// Whether the term is finite by its kind.
    pub(crate) fn is_finite(&self, id: TermId) -> bool {
        matches!(self.term(id), Term::Words { .. } | Term::Keys(_) | Term::Literal { .. } | Term::Class(_))
    }
}

impl Arena {
    /// Whether the one positive operand of an intersection provably has more texts than the complements exclude.
    ///
    /// It has infinitely many texts, or one for each of more lengths than there are excluded texts.
    pub(super) fn has_more_than_excluded(&self, parts: &[TermId]) -> bool {
        let (mut kept, mut excluded) = (None, 0);
        for &part in parts {
            let count = match *self.term(part) {
                Term::Not(inner) => self.count_texts(inner),
                _ => None,
            };
            match count {
                Some(count) => excluded += count,
                None if kept.is_none() => kept = Some(part),
                None => return false,
            }
        }
        kept.is_some_and(|kept| {
            let info = self.info(kept);
            let lengths = info.max_chars.saturating_sub(info.min_chars) as usize;
            self.terms.has_all_longer_lengths(kept) || info.exact && !info.searched && lengths >= excluded
        })
    }

    /// The number of texts of a term that is finite by its kind.
    fn count_texts(&self, id: TermId) -> Option<usize> {
        match *self.term(id) {
            Term::Epsilon | Term::Literal { .. } => Some(1),
            Term::Words { low, high, .. } => Some((high - low) as usize),
            Term::Keys(set) => Some(self.registers.keys.count(set)),
            Term::Class(set) => Some(set.len() as usize),
            _ => None,
        }
    }

    /// Whether the term holds all texts but finitely many, by its kind.
    pub(crate) fn is_cofinite(&self, id: TermId) -> bool {
        match *self.term(id) {
            Term::Not(inner) => inner == EMPTY || self.terms.is_finite(inner),
            Term::And(ref parts) => parts.iter().all(|&part| self.is_cofinite(part)),
            _ => Some(id) == self.any_text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::fixture::{regex, words};
    use crate::regular::key_set::NO_KEYS;
    use crate::regular::term::{EPSILON, TOP};

    #[test]
    fn few_words_keys_literals_and_bytes_are_counted() {
        let mut arena = Arena::new();
        let words = words(&mut arena, &["a", "bc", "bd", "be"]);
        let rest = arena.derive(words, b'b').unwrap();
        let keys =
            [&b"a"[..], b"b"].iter().fold(NO_KEYS, |set, key| arena.registers.keys.with(set, key, &mut arena.budget));
        let keys = arena.key_set(keys).unwrap();
        let [class, literal, many] = ["[a-c]", "ab", "a*"].map(|pattern| regex(&mut arena, pattern));
        for (id, count, is_finite) in [
            (words, Some(4), true),
            (rest, Some(3), true),
            (keys, Some(2), true),
            (class, Some(3), true),
            (literal, Some(1), true),
            (EPSILON, Some(1), false),
            (many, None, false),
        ] {
            assert_eq!((arena.count_texts(id), arena.terms.is_finite(id)), (count, is_finite), "{:?}", arena.term(id));
        }
    }

    #[test]
    fn a_term_is_cofinite_if_it_lacks_few_texts() {
        let mut arena = Arena::new();
        let any = arena.any_text().unwrap();
        let [few, other, many] = ["ab", "[cd]", "a*b"].map(|pattern| regex(&mut arena, pattern));
        let [but_few, but_other, but_many] = [few, other, many].map(|id| arena.not_unchecked(id).unwrap());
        let both = arena.and_unchecked(vec![but_few, but_other]).unwrap();
        let mixed = arena.and_unchecked(vec![but_few, but_many]).unwrap();
        let [yes, no] = [[any, TOP, but_few, both], [few, many, but_many, mixed]];
        assert!(yes.iter().all(|&id| arena.is_cofinite(id)) && !no.iter().any(|&id| arena.is_cofinite(id)));
    }

    #[test]
    fn more_lengths_than_excluded_texts_leave_some_text() {
        let mut arena = Arena::new();
        let [two, gaps, rest, word] =
            ["[ab]{1,2}", "(aaa){1,9}", "[ab]*c", "a"].map(|pattern| regex(&mut arena, pattern));
        let pair = words(&mut arena, &["a", "bb"]);
        let [not_word, not_pair, not_many] = [word, pair, rest].map(|id| arena.not_unchecked(id).unwrap());
        for (parts, expected) in [
            (&[two, not_word][..], true),
            (&[not_word, two], true),
            (&[two, not_pair], false),
            (&[two, not_word, not_pair], false),
            (&[gaps, not_word], false),
            (&[two, not_many], false),
            (&[not_word, not_pair], false),
            (&[two, gaps], false),
        ] {
            assert_eq!(arena.has_more_than_excluded(parts), expected, "{parts:?}");
        }
    }

    #[test]
    fn an_intersection_is_empty_only_if_all_texts_are_excluded() {
        let mut arena = Arena::new();
        let class = arena.class(ByteSet::from_bytes(b"ab".iter().copied())).unwrap();
        let all: Vec<&[u8]> = vec![b"a", b"aa", b"ab", b"b", b"ba", b"bb"];
        let kept = arena.repeat(class, 1, 2).unwrap();
        for subset in 0..1u32 << all.len() {
            let excluded = (0..all.len()).filter(|&at| subset >> at & 1 == 1).map(|at| all[at].into()).collect();
            let words = arena.words(excluded).unwrap();
            let others = arena.not(words).unwrap();
            let left = arena.and(vec![kept, others]).unwrap();
            assert_eq!(left == EMPTY, subset + 1 == 1 << all.len(), "{subset:b}");
        }
    }
}
