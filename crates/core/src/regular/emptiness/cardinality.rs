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
