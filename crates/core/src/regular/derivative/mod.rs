//! Term × byte → the term that is still to read, its derivative (Brzozowski 1964), cached edge by edge.
//!
//! This is the transition function of the lazy automaton; everything else about states is derived from it.

pub(crate) mod byte_transitions;
pub(crate) mod first_bytes;
pub(crate) mod memo;

use crate::bytes::utf8::{is_lead, is_unescaped};
use crate::error::Result;
use crate::regular::derivative::memo::Edge;
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Parts, Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::terms::{Terms, DERIVATION};
use smallvec::smallvec;

/// The cached edge whose interval holds `byte`; edges are sorted and disjoint.
#[inline]
fn edge_at(edges: &[Edge], byte: u8) -> Option<Edge> {
    let place = edges.partition_point(|&(_, high, _)| high < byte);
    edges.get(place).copied().filter(|&(low, _, _)| low <= byte)
}

/// Terms visited to compare two bytes: less work than a derivative takes. Chosen without measurement.
const EQUIVALENCE_STEPS: u32 = 16;

impl Terms {
    /// The rest of the texts that begin with `byte`; `EMPTY` if there are none. Errors if the budget ends.
    pub fn derive(&mut self, id: TermId, byte: u8) -> Result<TermId> {
        match self.known_derivative(id, byte) {
            Some(target) => Ok(target),
            None => self.new_derivative(id, byte),
        }
    }

    /// The derivative, if it is cached.
    #[inline]
    pub(crate) fn known_derivative(&self, id: TermId, byte: u8) -> Option<TermId> {
        self.derivatives.edges.get(id.index()).and_then(|edges| edge_at(edges, byte)).map(|edge| edge.2)
    }

    /// The derivative of a term that no rule, object or array is part of, if it is not cached.
    pub(crate) fn new_derivative(&mut self, id: TermId, byte: u8) -> Result<TermId> {
        let edge = self.new_edge(id, byte)?;
        Ok(self.keep_edge(id, byte, edge))
    }

    /// Caches an edge that holds the byte; returns its target.
    pub(crate) fn keep_edge(&mut self, id: TermId, byte: u8, edge: Edge) -> TermId {
        let edges = self.derivatives.edges.get_mut(id.index(), &mut self.budget);
        let capacity = edges.capacity();
        let place = edges.partition_point(|&(_, high, _)| high < byte);
        edges.insert(place, edge);
        if edges.capacity() > capacity {
            let more = edges.capacity() - if capacity > edges.inline_size() { capacity } else { 0 };
            self.budget.grow(more * size_of::<Edge>());
        }
        edge.2
    }

    /// The derivative by a byte, with the interval of bytes that share it.
    fn new_edge(&mut self, id: TermId, byte: u8) -> Result<Edge> {
        self.spend(DERIVATION)?;
        let target = match self.target_of_equivalent_byte(id, byte) {
            Some(target) => target,
            None => self.derive_uncached(id, byte, true)?,
        };
        let (low, high) = match *self.term(id) {
            // Each byte of a literal leads to its own term, so the edge holds for one byte only.
            Term::Literal { .. } if target != EMPTY => (byte, byte),
            _ => self.boundaries(id).interval(byte),
        };
        Ok((low, high, target))
    }

    /// The cached target of a byte that a JSON string provably treats like `byte`.
    ///
    /// Most bytes of a string lead to one target; this finds it without a derivative.
    fn target_of_equivalent_byte(&self, id: TermId, byte: u8) -> Option<TermId> {
        let Term::Quoted { text, state: Spelling::Body, escapes } = *self.term(id) else { return None };
        let edges = self
            .derivatives
            .edges
            .get(id.index())?
            .iter()
            .filter(|&&(low, _, target)| target != EMPTY && is_unescaped(low));
        let &(low, _, target) = edges.max_by_key(|&&(low, high, _)| high - low)?;
        let are_equal = |id| self.has_equal_derivatives(id, low, byte, &mut { EQUIVALENCE_STEPS });
        (is_unescaped(byte) && are_equal(text) && are_equal(escapes.escaped)).then_some(target)
    }

    /// Whether two bytes provably have equal derivatives, within a bounded number of steps.
    fn has_equal_derivatives(&self, id: TermId, one: u8, other: u8, steps: &mut u32) -> bool {
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        let mut both = |id| self.has_equal_derivatives(id, one, other, steps);
        match *self.term(id) {
            Term::Empty | Term::Epsilon => true,
            Term::Class(set) => set.contains(one) == set.contains(other),
            Term::Literal { literal, position } => {
                let first = self.literals[literal.index()][position as usize];
                first != one && first != other
            }
            Term::Words { set, low, high, depth } => {
                let words = &self.word_sets[set.index()].words;
                let none = |byte| {
                    let (low, high) = narrow(words, low, high, depth, byte);
                    low == high
                };
                none(one) && none(other)
            }
            Term::Keys(set) => [one, other].iter().all(|&byte| self.keys.child(set, byte) == NO_KEYS),
            Term::Cat(left, right) => both(left) && (!self.info(left).nullable || both(right)),
            Term::Alt(ref parts) | Term::And(ref parts) => parts.iter().all(|&part| both(part)),
            Term::Not(inner) => both(inner),
            Term::Repeat { body, .. } => both(body),
            Term::Bounded { body, .. } => is_lead(one) == is_lead(other) && both(body),
            _ => false,
        }
    }

    /// The derivative, without reading or writing the cached edges of `id`.
    ///
    /// `check` replaces an empty intersection, complement or bounded term by `EMPTY`, which may take a search.
    pub(crate) fn derive_uncached(&mut self, id: TermId, byte: u8, check: bool) -> Result<TermId> {
        let made = match *self.term(id) {
            Term::Empty | Term::Epsilon => EMPTY,
            Term::Class(set) => {
                if set.contains(byte) {
                    EPSILON
                } else {
                    EMPTY
                }
            }
            Term::Literal { literal, position } => {
                if self.literals[literal.index()][position as usize] == byte {
                    self.literal_rest(literal, position + 1)?
                } else {
                    EMPTY
                }
            }
            Term::Words { set, low, high, depth } => {
                let words = self.word_sets[set.index()].words.clone();
                let (low, high) = narrow(&words, low, high, depth, byte);
                self.words_rest(set, low, high, depth + 1)?
            }
            Term::Keys(set) => self.key_set(self.keys.child(set, byte))?,
            Term::Multiple { of, rest, point } => match byte {
                b'0'..=b'9' => {
                    let rest = (u64::from(rest) * 10 + u64::from(byte - b'0')) % u64::from(of);
                    self.multiple_rest(of, rest as u32, point)?
                }
                b'.' if point => id,
                _ => EMPTY,
            },
            Term::Cat(left, right) => {
                let next = self.derive_part(left, byte)?;
                let through = self.cat(next, right)?;
                if self.info(left).nullable {
                    let skipped = self.derive_part(right, byte)?;
                    match (through, skipped) {
                        (EMPTY, only) | (only, EMPTY) => only,
                        _ => self.alt(smallvec![through, skipped])?,
                    }
                } else {
                    through
                }
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                let mut next = Parts::new();
                for part in parts {
                    match self.derive_part(part, byte)? {
                        EMPTY => {}
                        derived => next.push(derived),
                    }
                }
                match next[..] {
                    [] => EMPTY,
                    [only] => only,
                    _ => self.alt(next)?,
                }
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                // One operand that refuses the byte decides, before any derivative.
                for &part in &parts {
                    if !self.first_bytes(part).contains(byte) {
                        return Ok(EMPTY);
                    }
                }
                let mut next = Parts::new();
                for part in parts {
                    let derived = self.derive(part, byte)?;
                    if derived == EMPTY {
                        return Ok(EMPTY);
                    }
                    next.push(derived);
                }
                let id = self.and_unchecked(next)?;
                return if check { self.normalize_empty(id) } else { Ok(id) };
            }
            Term::Not(inner) => {
                let derived = self.derive(inner, byte)?;
                let id = self.not_unchecked(derived)?;
                return if check { self.normalize_empty(id) } else { Ok(id) };
            }
            Term::Repeat { body, min, max } => {
                let next = self.derive_part(body, byte)?;
                if next == EMPTY {
                    return Ok(EMPTY);
                }
                let rest = self.repeat(body, min.saturating_sub(1), if max == MANY { MANY } else { max - 1 })?;
                self.cat(next, rest)?
            }
            Term::Bounded { body, min, max } => {
                let next = self.derive(body, byte)?;
                let id = if is_lead(byte) {
                    if max == 0 {
                        return Ok(EMPTY);
                    }
                    let max = if max == MANY { MANY } else { max - 1 };
                    self.bounded_unchecked(next, min.saturating_sub(1), max)?
                } else {
                    self.bounded_unchecked(next, min, max)?
                };
                return if check { self.normalize_empty(id) } else { Ok(id) };
            }
            Term::Quoted { text, state, escapes } => self.derive_quoted(text, state, escapes, byte)?,
            ref term => unreachable!("a structural term has no derivative here: {term:?}"),
        };
        Ok(made)
    }

    /// The derivative of an operand. Bytes that it cannot begin with leave no edge in the cache.
    pub(crate) fn derive_part(&mut self, id: TermId, byte: u8) -> Result<TermId> {
        if self.first_bytes(id).contains(byte) {
            self.derive(id, byte)
        } else {
            Ok(EMPTY)
        }
    }
}

/// The subrange of the sorted words `low..high` whose byte at `depth` is `byte`.
pub(crate) fn narrow(words: &[Box<[u8]>], low: u32, high: u32, depth: u32, byte: u8) -> (u32, u32) {
    let slice = &words[low as usize..high as usize];
    let at = |word: &[u8]| word.get(depth as usize).copied();
    let from = slice.partition_point(|word| at(word) < Some(byte));
    let to = slice.partition_point(|word| at(word) <= Some(byte));
    (low + from as u32, low + to as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::{after, regex, texts, words};
    use crate::regular::term::TOP;

    #[test]
    fn a_derivative_is_the_rest_of_the_texts_that_begin_with_the_byte() {
        let mut terms = Terms::new();
        for (pattern, read, rest) in [
            ("abc", "a", "bc"),
            ("abc", "abc", ""),
            ("[ab]c", "b", "c"),
            ("a*b", "aaa", "a*b"),
            ("a*b", "b", ""),
            ("a?b", "b", ""),
            ("(ab){2,3}", "ab", "(ab){1,2}"),
            ("(ab){2,3}", "a", "b(ab){1,2}"),
            ("(ab){2,}", "ab", "(ab)+"),
            ("(ab){0,1}", "ab", ""),
            ("ax|by", "b", "y"),
        ] {
            let (whole, expected) = (regex(&mut terms, pattern), regex(&mut terms, rest));
            assert_eq!(after(&mut terms, whole, read.as_bytes()), expected, "{pattern} after {read}");
        }
        for (pattern, read) in
            [("abc", "b"), ("[ab]c", "c"), ("a*b", "c"), ("(ab){2}", "b"), ("(ab)?", "abx"), ("", "a")]
        {
            let whole = regex(&mut terms, pattern);
            assert_eq!(after(&mut terms, whole, read.as_bytes()), EMPTY, "{pattern} after {read}");
        }
    }

    #[test]
    fn a_set_of_words_narrows_to_those_that_go_on() {
        let mut terms = Terms::new();
        let set = words(&mut terms, &["a", "ab", "abc", "b", "ca"]);
        let rest = after(&mut terms, set, b"a");
        assert_eq!(texts(&mut terms, rest, "abc", 3), ["", "b", "bc"]);
        assert_eq!(after(&mut terms, set, b"b"), EPSILON);
        assert_eq!(after(&mut terms, set, b"d"), EMPTY);
        let sorted: Vec<Box<[u8]>> = [&b"a"[..], b"ab", b"abc", b"b"].map(Into::into).into();
        assert_eq!(narrow(&sorted, 0, 4, 0, b'a'), (0, 3));
        assert_eq!(narrow(&sorted, 0, 3, 1, b'b'), (1, 3), "a word that has ended is not among them");
        assert_eq!(narrow(&sorted, 1, 4, 0, b'b'), (3, 4));
        assert_eq!(narrow(&sorted, 0, 4, 0, b'c'), (4, 4));
    }

    #[test]
    fn every_operand_of_an_intersection_steps_and_a_complement_steps_inside() {
        let mut terms = Terms::new();
        let [left, right, ab, b] = ["a*b", "[ab]{2}", "ab", "b"].map(|pattern| regex(&mut terms, pattern));
        let both = terms.and_unchecked(vec![left, right]).unwrap();
        let rest = terms.derive(both, b'a').unwrap();
        assert_eq!(texts(&mut terms, rest, "ab", 3), ["b"]);
        assert_eq!(terms.derive(both, b'b').unwrap(), EMPTY, "one byte is left, and none may come");
        let unchecked = terms.derive_uncached(both, b'b', false).unwrap();
        assert_eq!(unchecked, EMPTY, "ε and one more byte: decided without a search");
        let (not_ab, not_b) = (terms.not(ab).unwrap(), terms.not(b).unwrap());
        assert_eq!(terms.derive(not_ab, b'a').unwrap(), not_b);
        assert_eq!(terms.derive(not_ab, b'b').unwrap(), TOP);
        let none_left = terms.not_unchecked(TOP).unwrap();
        assert_eq!(terms.derive(none_left, b'a').unwrap(), EMPTY);
    }

    #[test]
    fn only_a_checked_derivative_shows_that_nothing_is_left() {
        let mut terms = Terms::new();
        // The byte before the last two is an a, and a b.
        let [left, right] = ["[ab]*a[ab]{2}", "[ab]*b[ab]{2}"].map(|pattern| regex(&mut terms, pattern));
        let both = terms.and_unchecked(vec![left, right]).unwrap();
        assert_ne!(terms.derive_uncached(both, b'a', false).unwrap(), EMPTY);
        assert_eq!(terms.derive_uncached(both, b'a', true).unwrap(), EMPTY);
    }

    #[test]
    fn a_bound_counts_first_bytes_of_characters_only() {
        let mut terms = Terms::new();
        let body = regex(&mut terms, "(ab|é)*");
        let bounded = terms.bounded_unchecked(body, 1, 2).unwrap();
        let whole = after(&mut terms, bounded, "é".as_bytes());
        assert_eq!(whole, terms.bounded(body, 0, 1).unwrap());
        assert_eq!(after(&mut terms, whole, b"ab"), EMPTY);
        assert_eq!(after(&mut terms, whole, "é".as_bytes()), terms.bounded(body, 0, 0).unwrap());
        let full = terms.bounded_unchecked(body, 0, 0).unwrap();
        assert_eq!(terms.derive(full, b'a').unwrap(), EMPTY);
        let open = terms.bounded_unchecked(body, 2, MANY).unwrap();
        assert_eq!(after(&mut terms, open, b"ab"), body, "no bound is left");
    }

    #[test]
    fn a_multiple_keeps_the_remainder_of_the_digits() {
        let mut terms = Terms::new();
        let seven = terms.multiple(7, false).unwrap();
        let rest = |terms: &mut Terms, rest| terms.multiple_rest(7, rest, false).unwrap();
        assert_eq!(after(&mut terms, seven, b"1"), rest(&mut terms, 1));
        assert_eq!(after(&mut terms, seven, b"19"), rest(&mut terms, 5));
        assert_eq!(after(&mut terms, seven, b"98"), seven);
        assert_eq!(after(&mut terms, seven, b"."), EMPTY);
        assert_eq!(after(&mut terms, seven, b"a"), EMPTY);
        let pointed = terms.multiple(7, true).unwrap();
        assert_eq!(after(&mut terms, pointed, b"9.8"), pointed);
        let large = terms.multiple_rest(4_000_000_000, 3_999_999_999, false).unwrap();
        // Ten times the remainder exceeds 32 bits: 39,999,999,995 = 9 · 4,000,000,000 + 3,999,999,995.
        assert_eq!(after(&mut terms, large, b"5"), terms.multiple_rest(4_000_000_000, 3_999_999_995, false).unwrap());
    }

    #[test]
    fn an_edge_is_cached_for_all_bytes_that_share_the_derivative() {
        let mut terms = Terms::new();
        let id = regex(&mut terms, "[a-f]x|[p-q]y");
        for byte in [b'q', b'c', b'z', b'0'] {
            terms.derive(id, byte).unwrap();
        }
        let [x, y] = ["x", "y"].map(|pattern| regex(&mut terms, pattern));
        let edges = [(0, b'`', EMPTY), (b'a', b'f', x), (b'p', b'q', y), (b'r', 255, EMPTY)];
        assert_eq!(terms.derivatives.edges.get(id.index()).unwrap()[..], edges);
        let spent = terms.budget.spent();
        terms.derive(id, b'f').unwrap();
        assert_eq!(terms.budget.spent(), spent, "a cached edge costs nothing");
        terms.derive(id, b'g').unwrap();
        assert!(terms.budget.spent() >= spent + DERIVATION);
        // A byte of a literal leads to its own suffix; the bytes that it refuses share an edge.
        let literal = terms.literal(b"mn").unwrap();
        let (n, _) = (terms.derive(literal, b'm').unwrap(), terms.derive(literal, b'a').unwrap());
        assert_eq!(terms.derivatives.edges.get(literal.index()).unwrap()[..], [(0, b'l', EMPTY), (b'm', b'm', n)]);
    }

    #[test]
    fn an_edge_is_found_by_any_byte_of_its_interval() {
        let edges = [(10, 20, EPSILON), (30, 40, TOP)];
        for (byte, target) in [(9, None), (10, Some(EPSILON)), (20, Some(EPSILON)), (21, None), (29, None)] {
            assert_eq!(edge_at(&edges, byte).map(|edge| edge.2), target, "{byte}");
        }
        for (byte, target) in [(30, Some(TOP)), (40, Some(TOP)), (41, None)] {
            assert_eq!(edge_at(&edges, byte).map(|edge| edge.2), target, "{byte}");
        }
    }

    #[test]
    fn bytes_are_alike_only_where_every_part_treats_them_so() {
        let mut terms = Terms::new();
        let alike =
            |terms: &Terms, id, one, other| terms.has_equal_derivatives(id, one, other, &mut { EQUIVALENCE_STEPS });
        for (pattern, one, other, expected) in [
            ("[x-z]", 'x', 'z', true),
            ("[x-z]", 'a', 'b', true),
            ("[x-z]", 'a', 'x', false),
            ("abc", 'b', 'c', true),
            ("abc", 'a', 'b', false),
            ("abc", 'b', 'a', false),
            ("[xy]a", 'a', 'b', true),
            ("[xy]*a", 'a', 'b', false),
            ("[xy]*a", 'x', 'y', true),
            ("([xy]a){2,3}", 'x', 'y', true),
            ("([xy]a){2,3}", 'x', 'a', false),
            ("[xy]a|[xyz]b", 'x', 'y', true),
            ("[xy]a|[xyz]b", 'x', 'z', false),
        ] {
            let id = regex(&mut terms, pattern);
            assert_eq!(alike(&terms, id, one as u8, other as u8), expected, "{pattern} {one} {other}");
        }
        let set = words(&mut terms, &["a", "b", "bc", "cd"]);
        assert!(alike(&terms, set, b'x', b'y') && !alike(&terms, set, b'x', b'a') && !alike(&terms, set, b'a', b'x'));
        let inside = regex(&mut terms, "[xy]a");
        let outside = terms.not(inside).unwrap();
        assert!(alike(&terms, outside, b'x', b'y') && !alike(&terms, outside, b'x', b'a'));
        let any = regex(&mut terms, "[a-\\xff]*");
        let bounded = terms.bounded(any, 0, 3).unwrap();
        assert!(
            alike(&terms, bounded, b'a', 0xc3) && !alike(&terms, bounded, b'a', 0x80),
            "a character begins or goes on"
        );
        assert!(alike(&terms, EMPTY, b'a', b'b') && alike(&terms, EPSILON, b'a', b'b'));
        assert!(!terms.has_equal_derivatives(EMPTY, b'a', b'b', &mut 0), "without steps nothing is proved");
        let keys = [&b"a"[..], b"bc"].iter().fold(NO_KEYS, |set, key| terms.keys.with(set, key, &mut terms.budget));
        let keys = terms.key_set(keys).unwrap();
        assert!(
            alike(&terms, keys, b'x', b'y') && !alike(&terms, keys, b'x', b'a') && !alike(&terms, keys, b'a', b'x')
        );
    }

    #[test]
    fn a_byte_of_a_string_takes_the_target_of_one_that_is_treated_alike() {
        let mut terms = Terms::new();
        let text = regex(&mut terms, "[a-z]*0");
        let quoted = terms.quoted(text, false).unwrap();
        let inside = terms.derive(quoted, b'"').unwrap();
        assert_eq!(terms.target_of_equivalent_byte(inside, b'c'), None, "no edge is known");
        let target = terms.derive(inside, b'b').unwrap();
        assert_eq!(terms.target_of_equivalent_byte(inside, b'c'), Some(target));
        assert_eq!(terms.target_of_equivalent_byte(inside, b'0'), None);
        assert_eq!(terms.target_of_equivalent_byte(inside, b'"'), None);
        assert_eq!(terms.target_of_equivalent_byte(quoted, b'c'), None);
        // A backslash leads to an escape, whatever the text says about the byte.
        let ascii = regex(&mut terms, "[\\x20-\\x7f]*");
        let inside = terms.quoted_state(ascii, Spelling::Body, true).unwrap();
        terms.derive(inside, b'\\').unwrap();
        assert_eq!(terms.target_of_equivalent_byte(inside, b'c'), None);
    }

    #[test]
    fn edges_beyond_the_first_four_are_memory_of_the_arena() {
        let mut terms = Terms::new();
        let parts = b"acegikmoq".map(|byte| {
            let part = regex(&mut terms, &format!("[{}]{}", char::from(byte), byte % 10));
            terms.derive(part, byte).unwrap();
            part
        });
        let id = terms.alt(parts.to_vec()).unwrap();
        terms.derive(id, b'a').unwrap();
        let held = terms.budget.held();
        let mut grown = |bytes: &[u8]| {
            bytes.iter().try_for_each(|&byte| terms.derive(id, byte).map(drop)).unwrap();
            (
                terms.budget.held() - held,
                terms.derivatives.edges.get(id.index()).unwrap().capacity() * size_of::<Edge>(),
            )
        };
        assert_eq!(grown(b"ceg").0, 0, "four edges stand in the table itself");
        let (five, room) = grown(b"i");
        assert_eq!(five, room);
        let (nine, room) = grown(b"kmoq");
        assert_eq!(nine, room);
    }
}
