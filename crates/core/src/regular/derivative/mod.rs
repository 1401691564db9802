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
    use crate::regular::fixture::{after, regex};

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
