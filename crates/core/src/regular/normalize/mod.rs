//! Operands → terms in normal form (Owens, Reppy, Turon: *Regular-expression derivatives re-examined*, 2009).
//!
//! Similar terms become equal where this costs little, so that the lazy automaton has few states.

pub(crate) mod boolean;
pub(crate) mod intern;
pub(crate) mod leaf;

use crate::error::Result;
use crate::regular::id::{RuleId, SpecialId};
use crate::regular::term::{Escapes, Info, Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::terms::Terms;
use crate::storage::hash::Hasher128;

impl Terms {
    /// The concatenation. Errors if the budget ends or terms nest too deeply.
    pub fn cat(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        let parts = |term: &Term| if let Term::Cat(a, b) = *term { Some((a, b)) } else { None };
        if let Some(id) = self.associate_right(left, right, parts, Terms::cat)? {
            return Ok(id);
        }
        self.intern_cat(left, right)
    }

    /// `min` to `max` copies of a body; `MANY` copies are unbounded. Errors as `cat` does.
    pub fn repeat(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        if max == 0 || body == EPSILON {
            return Ok(EPSILON);
        }
        if body == EMPTY {
            return Ok(if min == 0 { EPSILON } else { EMPTY });
        }
        let min = if self.info(body).nullable { 0 } else { min };
        if (min, max) == (1, 1) {
            return Ok(body);
        }
        if let Term::Repeat { body: inner, min: low, max: high } = *self.term(body) {
            if (low, high) == (0, MANY) {
                return Ok(body);
            }
            // k copies of low to high make k·low to k·high. If these ranges touch for all k, one counter suffices.
            let copies = min.max(1);
            let touching = (u64::from(copies) + 1) * u64::from(low) <= u64::from(copies) * u64::from(high) + 1;
            if min == max || touching && (min > 0 || low <= 1) {
                // A product beyond 32 bits counts as unbounded.
                return self.repeat(inner, low.saturating_mul(min), high.saturating_mul(max));
            }
        }
        self.intern_repeat(body, min, max)
    }

    /// The texts of `body` with `min..=max` code points, `EMPTY` if there are none. Errors as `cat` does.
    pub fn bounded(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        let id = self.bounded_unchecked(body, min, max)?;
        self.normalize_empty(id)
    }

    /// As `bounded`, without the search for emptiness.
    pub(crate) fn bounded_unchecked(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        if let Term::Bounded { body, min: inner_min, max: inner_max } = *self.term(body) {
            return self.bounded_unchecked(body, min.max(inner_min), max.min(inner_max));
        }
        let info = self.info(body);
        if min > max || info.min_chars > max || info.max_chars < min || body == EMPTY {
            return Ok(EMPTY);
        }
        if info.min_chars >= min && info.max_chars <= max {
            return Ok(body);
        }
        // Bounds that the body implies are dropped.
        let max = if info.max_chars <= max { MANY } else { max };
        let min = if info.min_chars >= min { 0 } else { min };
        self.intern_bounded(body, min, max)
    }

    /// The JSON strings, quotes included, whose decoded text is in `text`; with any escapes if `true`, else canonical ones.
    pub fn quoted(&mut self, text: TermId, escapes: impl Into<Escapes>) -> Result<TermId> {
        let text = if self.info(text).utf8 {
            text
        } else {
            let any = self.any_text()?;
            self.and(vec![any, text])?
        };
        self.quoted_state(text, Spelling::Start, escapes)
    }

    /// The rest of such a string in a state of its spelling.
    pub(crate) fn quoted_state(
        &mut self,
        text: TermId,
        state: Spelling,
        escapes: impl Into<Escapes>,
    ) -> Result<TermId> {
        if text == EMPTY {
            return Ok(EMPTY);
        }
        self.intern_quoted(text, state, escapes.into())
    }

    /// Interns a structural term; `parts` are the hashes of its content, `kind` its kind for the hash.
    pub(crate) fn intern_structural(
        &mut self,
        term: Term,
        kind: u64,
        parts: &[u128],
        nullable: bool,
    ) -> Result<TermId> {
        let hash = Hasher128::of(kind, parts);
        let depth = match term {
            Term::Seq(left, right) => (self.info(left).depth + 1).max(self.info(right).depth),
            _ => 0,
        };
        self.intern(term, hash, |_| Info { nullable, structural: true, depth, max_chars: MANY, ..Info::default() })
    }

    /// The term that calls a rule.
    pub fn call(&mut self, rule: RuleId) -> Result<TermId> {
        self.intern_structural(Term::Call(rule), 27, &[u128::from(rule.number())], false)
    }

    /// The term of a special token.
    pub fn special(&mut self, special: SpecialId) -> Result<TermId> {
        self.intern_structural(Term::Special(special), 28, &[u128::from(special.number())], false)
    }

    /// The concatenation of structural terms. Errors if the budget ends or terms nest too deeply.
    pub fn seq(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        let parts = |term: &Term| if let Term::Seq(a, b) = *term { Some((a, b)) } else { None };
        if let Some(id) = self.associate_right(left, right, parts, Terms::seq)? {
            return Ok(id);
        }
        self.intern_seq(left, right)
    }

    /// The concatenation where an operand is neutral or zero, or where `left` is a chain; `None` for two plain operands.
    ///
    /// Chains associate to the right.
    fn associate_right(
        &mut self,
        left: TermId,
        right: TermId,
        parts: impl Fn(&Term) -> Option<(TermId, TermId)>,
        join: impl Fn(&mut Terms, TermId, TermId) -> Result<TermId>,
    ) -> Result<Option<TermId>> {
        if left == EMPTY || right == EMPTY {
            return Ok(Some(EMPTY));
        }
        if left == EPSILON {
            return Ok(Some(right));
        }
        if right == EPSILON {
            return Ok(Some(left));
        }
        // Iterative, because a chain can be longer than the stack is deep.
        let (mut chain, mut last) = (Vec::new(), left);
        while let Some((part, rest)) = parts(self.term(last)) {
            chain.push(part);
            last = rest;
        }
        if chain.is_empty() {
            return Ok(None);
        }
        self.spend(chain.len() as u64)?;
        let mut rest = join(self, last, right)?;
        for &part in chain.iter().rev() {
            rest = join(self, part, rest)?;
        }
        Ok(Some(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, Limit};
    use crate::regular::fixture::{regex, texts};

    /// (fewest, most) code points, whether every count between them occurs.
    fn chars(terms: &Terms, id: TermId) -> (u32, u32, bool) {
        let Info { min_chars, max_chars, exact, .. } = *terms.info(id);
        (min_chars, max_chars, exact)
    }

    #[test]
    fn concatenation_is_associative_and_has_a_unit_and_a_zero() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a*", "b*", "c*"].map(|pattern| regex(&mut terms, pattern));
        for join in [Terms::cat, Terms::seq] {
            let (left, right) = (join(&mut terms, a, b).unwrap(), join(&mut terms, b, c).unwrap());
            let whole = join(&mut terms, left, c).unwrap();
            assert_eq!(join(&mut terms, a, right), Ok(whole));
            assert_ne!(join(&mut terms, right, a), Ok(whole));
            assert_eq!((join(&mut terms, EPSILON, a), join(&mut terms, a, EPSILON)), (Ok(a), Ok(a)));
            assert_eq!((join(&mut terms, EMPTY, a), join(&mut terms, a, EMPTY)), (Ok(EMPTY), Ok(EMPTY)));
        }
        let (cat, seq) = (terms.cat(a, b).unwrap(), terms.seq(a, b).unwrap());
        assert!(!terms.info(cat).structural && terms.info(seq).structural);
    }

    #[test]
    fn repetitions_of_nothing_and_of_one_copy_are_no_repetitions() {
        let mut terms = Terms::new();
        let (ab, optional) = (regex(&mut terms, "ab"), regex(&mut terms, "(ab)?"));
        assert_eq!(terms.repeat(ab, 0, 0), Ok(EPSILON));
        assert_eq!(terms.repeat(ab, 1, 1), Ok(ab));
        assert_eq!(terms.repeat(EPSILON, 3, MANY), Ok(EPSILON));
        assert_eq!(terms.repeat(EMPTY, 0, 3), Ok(EPSILON));
        assert_eq!(terms.repeat(EMPTY, 1, 3), Ok(EMPTY));
        assert_eq!(terms.repeat(optional, 2, 5), terms.repeat(ab, 0, 5));
        let plus = terms.repeat(ab, 1, MANY).unwrap();
        let star = terms.repeat(ab, 0, MANY).unwrap();
        assert_eq!((terms.repeat(plus, 0, MANY), terms.repeat(star, 3, 7)), (Ok(star), Ok(star)));
    }

    #[test]
    fn counters_of_counters_are_one_where_their_ranges_touch() {
        let mut terms = Terms::new();
        let (ab, texts_of) = (regex(&mut terms, "ab"), |terms: &mut Terms, id| {
            (0..=40).filter(|&count| terms.matches(id, "ab".repeat(count).as_bytes()).unwrap()).collect::<Vec<_>>()
        });
        for (low, high, min, max, one) in [
            (2, 3, 2, 2, true),
            (2, 3, 1, 1, true),
            (2, 3, 1, 4, true),
            (2, 4, 1, 3, true),
            (3, 4, 1, 3, false),
            (3, 4, 2, 3, true),
            (3, 4, 2, 2, true),
            (2, 2, 3, 3, true),
            (2, 2, 3, 4, false),
            (0, 3, 0, 4, true),
            (1, 3, 0, 4, true),
            (2, 3, 0, 4, false),
        ] {
            let inner = terms.repeat(ab, low, high).unwrap();
            let outer = terms.repeat(inner, min, max).unwrap();
            let is_one = matches!(*terms.term(outer), Term::Repeat { body, .. } if body == ab);
            assert_eq!(is_one, one, "{low} to {high}, {min} to {max} times");
            let counts: Vec<usize> = (0..=40usize)
                .filter(|&count| (min..=max).any(|times| (low * times..=high * times).contains(&(count as u32))))
                .collect();
            assert_eq!(texts_of(&mut terms, outer), counts, "{low} to {high}, {min} to {max} times");
        }
        let wide = terms.repeat(ab, 2, 1 << 20).unwrap();
        assert_eq!(terms.repeat(wide, 1 << 13, 1 << 13), terms.repeat(ab, 1 << 14, MANY), "beyond 32 bits: unbounded");
    }

    #[test]
    fn bounds_that_the_body_implies_are_dropped() {
        let mut terms = Terms::new();
        let body = regex(&mut terms, "[ab]{2,4}");
        let term = |terms: &Terms, id| match *terms.term(id) {
            Term::Bounded { min, max, .. } => Some((min, max)),
            _ => None,
        };
        for (min, max, expected) in [
            (2, 3, Some((0, 3))),
            (3, 4, Some((3, MANY))),
            (3, 9, Some((3, MANY))),
            (4, 9, Some((4, MANY))),
            (0, 2, Some((0, 2))),
            (3, 3, Some((3, 3))),
        ] {
            let id = terms.bounded(body, min, max).unwrap();
            assert_eq!(term(&terms, id), expected, "{min} to {max}");
            let lengths: Vec<usize> = texts(&mut terms, id, "a", 5).iter().map(String::len).collect();
            assert_eq!(lengths, (min.max(2) as usize..=max.min(4) as usize).collect::<Vec<_>>());
        }
        assert_eq!((terms.bounded(body, 2, 4), terms.bounded(body, 0, MANY)), (Ok(body), Ok(body)));
        assert_eq!((terms.bounded(body, 5, 9), terms.bounded(body, 0, 1)), (Ok(EMPTY), Ok(EMPTY)));
        assert_eq!(terms.bounded(body, 4, 3), Ok(EMPTY));
        let (outer, inner) = (terms.bounded(body, 0, 3).unwrap(), terms.bounded(body, 3, 3).unwrap());
        assert_eq!(terms.bounded(outer, 3, MANY), Ok(inner), "two bounds are one");
        assert_eq!(chars(&terms, inner), (3, 3, true));
        let gap = regex(&mut terms, "(abc){0,2}");
        assert_eq!(terms.bounded(gap, 1, 2), Ok(EMPTY), "no text has one or two characters");
        let optional = terms.bounded(gap, 0, 4).unwrap();
        assert!(terms.info(optional).nullable && terms.info(optional).searched);
        assert_eq!(terms.info(optional).depth, terms.info(gap).depth + 1);
    }

    #[test]
    fn a_chain_may_be_longer_than_the_nesting_limit() {
        let mut terms = Terms::new();
        let part = regex(&mut terms, "[ab]x|y");
        let chain = (0..5_000).try_fold(EPSILON, |rest, _| terms.cat(part, rest)).unwrap();
        assert!(terms.cat(chain, part).is_ok());
        let nested = (0..5_000).try_fold(part, |inner, _| {
            let either = terms.cat(inner, part)?;
            terms.not_unchecked(either)
        });
        assert!(matches!(*nested.unwrap_err(), Error::Limit(Limit::Nesting(_))));
    }
}
