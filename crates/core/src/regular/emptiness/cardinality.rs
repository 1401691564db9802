//! Term → whether its kind tells that it has finitely many texts, or all but finitely many.

use crate::regular::arena::{Arena, Terms};
use crate::regular::term::{Term, TermId, EMPTY};

impl Terms {
    /// Whether the term is finite by its kind.
    pub(crate) fn is_finite(&self, id: TermId) -> bool {
        matches!(self.term(id), Term::Words { .. } | Term::Keys(_) | Term::Literal { .. } | Term::Class(_))
    }
}

impl Arena {
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
    fn few_words_keys_literals_and_bytes_are_finite() {
        let mut arena = Arena::new();
        let words = words(&mut arena, &["a", "bc", "bd", "be"]);
        let keys = arena.registers.keys.with(NO_KEYS, b"a", &mut arena.budget);
        let keys = arena.key_set(keys).unwrap();
        let [class, literal, many] = ["[a-c]", "ab", "a*"].map(|pattern| regex(&mut arena, pattern));
        for (id, is_finite) in
            [(words, true), (keys, true), (class, true), (literal, true), (EPSILON, false), (many, false)]
        {
            assert_eq!(arena.terms.is_finite(id), is_finite, "{:?}", arena.term(id));
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
