//! Term → whether its kind tells that it has finitely many texts, or all but finitely many.

use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::terms::Terms;

impl Terms {
    /// Whether the term is finite by its kind.
    pub(crate) fn is_finite(&self, id: TermId) -> bool {
        matches!(self.term(id), Term::Words { .. } | Term::Keys(_) | Term::Literal { .. } | Term::Class(_))
    }
}

impl Terms {
    /// Whether the term holds all texts but finitely many, by its kind.
    pub(crate) fn is_cofinite(&self, id: TermId) -> bool {
        match *self.term(id) {
            Term::Not(inner) => inner == EMPTY || self.is_finite(inner),
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
        let mut terms = Terms::new();
        let class = terms.class(ByteSet::from_bytes(b"ab".iter().copied())).unwrap();
        let all: Vec<&[u8]> = vec![b"a", b"aa", b"ab", b"b", b"ba", b"bb"];
        let kept = terms.repeat(class, 1, 2).unwrap();
        for subset in 0..1u32 << all.len() {
            let excluded = (0..all.len()).filter(|&at| subset >> at & 1 == 1).map(|at| all[at].into()).collect();
            let words = terms.words(excluded).unwrap();
            let others = terms.not(words).unwrap();
            let left = terms.and(vec![kept, others]).unwrap();
            assert_eq!(left == EMPTY, subset + 1 == 1 << all.len(), "{subset:b}");
        }
    }
}
