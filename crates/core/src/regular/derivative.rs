//! Term × byte → the term that is still to read, its derivative (Brzozowski 1964), cached edge by edge.
//!
//! This is the transition function of the lazy automaton; everything else about states is derived from it.

use crate::bytes::utf8::{is_lead, is_unescaped};
use crate::error::Result;
use crate::regular::arena::{Arena, Edge, DERIVATION};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Parts, Spelling, Term, TermId, Text, EMPTY, EPSILON, MANY};
use smallvec::smallvec;

/// The cached edge whose interval holds `byte`; edges are sorted and disjoint.
#[inline]
fn edge_at(edges: &[Edge], byte: u8) -> Option<Edge> {
    let place = edges.partition_point(|&(_, high, _)| high < byte);
    edges.get(place).copied().filter(|&(low, _, _)| low <= byte)
}

/// Terms visited to compare two bytes: less work than a derivative takes. Chosen without measurement.
const EQUIVALENCE_STEPS: u32 = 16;

impl Arena {
    /// The rest of the texts that begin with `byte`; `EMPTY` if there are none. Errors if the budget ends.
    pub fn derive(&mut self, id: TermId, byte: u8) -> Result<TermId> {
        if let Some(edge) = self.terms.edges.get(id.index()).and_then(|edges| edge_at(edges, byte)) {
            return Ok(edge.2);
        }
        let shared = self.terms.edges.lower(id.index()).find_map(|edges| edge_at(edges, byte));
        let (low, high, target) = match shared {
            Some(edge) => edge,
            None => self.new_edge(id, byte)?,
        };
        let edges = self.terms.edges.get_mut(id.index(), &mut self.budget);
        let capacity = edges.capacity();
        let place = edges.partition_point(|&(_, high, _)| high < byte);
        edges.insert(place, (low, high, target));
        if edges.capacity() > capacity {
            let more = edges.capacity() - if capacity > edges.inline_size() { capacity } else { 0 };
            self.budget.grow(more * size_of::<Edge>());
        }
        Ok(target)
    }

    /// The derivative by a byte, with the interval of bytes that share it.
    fn new_edge(&mut self, id: TermId, byte: u8) -> Result<Edge> {
        self.spend(DERIVATION)?;
        let target = match self.target_of_equivalent_byte(id, byte) {
            Some(target) => target,
            None => self.derive_uncached(id, byte, true)?,
        };
        let (low, high) = match *self.term(id) {
            // Each of these bytes leads to its own term, so the edge holds for one byte only.
            Term::KeyNamed { .. } | Term::Literal { .. } if target != EMPTY => (byte, byte),
            Term::KeyExtra { text: Text::Known(_), .. } => (byte, byte),
            _ => self.boundaries(id).interval(byte),
        };
        Ok((low, high, target))
    }

    /// The cached target of a byte that a JSON string provably treats like `byte`.
    ///
    /// Most bytes of a string lead to one target; this finds it without a derivative.
    fn target_of_equivalent_byte(&self, id: TermId, byte: u8) -> Option<TermId> {
        let Term::Quoted { text, state: Spelling::Body, .. } = *self.term(id) else { return None };
        let edges =
            self.terms.edges.get(id.index())?.iter().filter(|&&(low, _, target)| target != EMPTY && is_unescaped(low));
        let &(low, _, target) = edges.max_by_key(|&&(low, high, _)| high - low)?;
        (is_unescaped(byte) && self.has_equal_derivatives(text, low, byte, &mut { EQUIVALENCE_STEPS }))
            .then_some(target)
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
                let first = self.terms.literals[literal.index()][position as usize];
                first != one && first != other
            }
            Term::Words { set, low, high, depth } => {
                let words = &self.terms.word_sets[set.index()].words;
                let none = |byte| {
                    let (low, high) = narrow(words, low, high, depth, byte);
                    low == high
                };
                none(one) && none(other)
            }
            Term::Keys(set) => [one, other].iter().all(|&byte| self.registers.keys.child(set, byte) == NO_KEYS),
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
                if self.terms.literals[literal.index()][position as usize] == byte {
                    self.literal_rest(literal, position + 1)?
                } else {
                    EMPTY
                }
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set.index()].words.clone();
                let (low, high) = narrow(&words, low, high, depth, byte);
                self.words_rest(set, low, high, depth + 1)?
            }
            Term::Keys(set) => self.key_set(self.registers.keys.child(set, byte))?,
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
            Term::Quoted { text, state, free } => self.derive_quoted(text, state, free, byte)?,
            Term::KeyNamed { object, state, low, high, depth } => {
                self.derive_key(object, state, low, high, depth, byte)?
            }
            Term::KeyExtra { inner, text, .. } => {
                let next = self.derive(inner, byte)?;
                if next == EMPTY {
                    return Ok(EMPTY);
                }
                let text = match text {
                    Text::Known(text) => Text::Known(self.text_after(text, byte)),
                    Text::Unknown => Text::Unknown,
                };
                self.replace_open_key(id, next, text)?
            }
            Term::KeyDone { .. } => EMPTY,
            ref term => unreachable!("a structural term is never a head: {term:?}"),
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
