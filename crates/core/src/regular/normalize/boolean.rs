//! Terms → their union, intersection or complement, in normal form.
//!
//! Operands are flattened, sorted and merged, and redundant ones dropped, so that derivatives produce few distinct states.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::regular::term::{Parts, Term, TermId, EMPTY, EPSILON, MANY, TOP};
use crate::regular::terms::Terms;
use smallvec::SmallVec;

/// Factors of an alternative that are compared with another one. Chosen without measurement.
const MAX_FACTORS: usize = 8;

/// Steps of the budget per operand of a union: sorting, hashing and comparisons with others take about 0.2 µs each.
const STEPS_PER_ALTERNATIVE: u64 = 4;
/// Steps of the budget per operand of an intersection, which is also looked at by the search for emptiness: about 0.5 µs.
const STEPS_PER_OPERAND: u64 = 12;

impl Terms {
    /// The union. Errors if the budget ends or terms nest too deeply.
    pub fn alt(&mut self, parts: impl Into<Parts>) -> Result<TermId> {
        self.union(parts.into())
    }

    fn union(&mut self, mut stack: Parts) -> Result<TermId> {
        let mut flat = Parts::new();
        let mut bytes = ByteSet::EMPTY;
        while let Some(part) = stack.pop() {
            match self.term(part) {
                Term::Empty => {}
                Term::Alt(inner) => stack.extend(inner.iter().copied()),
                Term::Class(set) => bytes = bytes.union(set),
                _ if part == TOP => return Ok(TOP),
                _ => flat.push(part),
            }
        }
        if !bytes.is_empty() {
            flat.push(self.class(bytes)?);
        }
        let count = flat.len() as u64;
        self.spend(STEPS_PER_ALTERNATIVE * count)?;
        flat.sort_unstable();
        flat.dedup();
        if flat.len() > 1 {
            if let Some(any) = self.any_text.filter(|any| flat.binary_search(any).is_ok()) {
                flat.retain(|&mut part| part == any || !self.info(part).utf8 || self.info(part).structural);
            }
            if flat.contains(&EPSILON) && flat.iter().any(|&part| part != EPSILON && self.info(part).nullable) {
                flat.retain(|&mut part| part != EPSILON);
            }
        }
        self.drop_covered(&mut flat);
        self.merge_words(&mut flat)?;
        self.merge_counts(&mut flat)?;
        match flat[..] {
            [] => return Ok(EMPTY),
            [one] => return Ok(one),
            _ => {}
        }
        self.intern_alt(&flat)
    }

    /// Drops the alternatives that another one provably contains: `[a-z]{1,3}[a-z./]*` beside `[a-z./]*`.
    ///
    /// Without this rule each value of such a counter would be a state.
    fn drop_covered(&self, flat: &mut Parts) {
        for place in (0..flat.len()).rev() {
            let Some(&all) = flat.get(place).filter(|_| flat.len() > 1) else { continue };
            let (first, rest) = match *self.term(all) {
                Term::Cat(first, rest) => (first, rest),
                _ => (all, EPSILON),
            };
            let Term::Repeat { body, min: 0, max: MANY } = *self.term(first) else { continue };
            let Term::Class(class) = *self.term(body) else { continue };
            if !self.info(all).structural {
                flat.retain(|&mut part| part == all || !self.is_covered(part, class, all, rest));
            }
        }
    }

    /// Whether the term is a run of bytes of `class` followed by `all` or by `rest`.
    fn is_covered(&self, mut part: TermId, class: ByteSet, all: TermId, rest: TermId) -> bool {
        for _ in 0..MAX_FACTORS {
            if part == all || part == rest {
                return true;
            }
            let (first, after) = match *self.term(part) {
                Term::Cat(first, after) => (first, after),
                _ => (part, EPSILON),
            };
            let within = match *self.term(first) {
                Term::Repeat { body, .. } => self.term(body),
                ref first => first,
            };
            match within {
                Term::Class(set) if set.difference(&class).is_empty() => part = after,
                _ => return false,
            }
        }
        false
    }

    /// Replaces four or more literals by one sorted set of words.
    fn merge_words(&mut self, flat: &mut Parts) -> Result<()> {
        let is_literal = |terms: &Self, id: TermId| matches!(terms.term(id), Term::Literal { .. });
        if flat.iter().filter(|&&part| is_literal(self, part)).count() < 4 {
            return Ok(());
        }
        let mut words = Vec::new();
        for &part in flat.iter() {
            if let Term::Literal { literal, position } = *self.term(part) {
                words.push(self.literals[literal.index()][position as usize..].into());
            }
        }
        flat.retain(|&mut part| !is_literal(self, part));
        flat.push(self.words(words)?);
        flat.sort_unstable();
        Ok(())
    }

    /// Merges repetitions of one body before one remainder if their ranges touch.
    ///
    /// Nested counters would otherwise produce an alternative per position at which the inner one can end.
    fn merge_counts(&mut self, flat: &mut Parts) -> Result<()> {
        let counted = |terms: &Self, id: TermId| {
            let (first, rest) = match *terms.term(id) {
                Term::Cat(first, rest) => (first, rest),
                _ => (id, EPSILON),
            };
            match *terms.term(first) {
                Term::Repeat { body, min, max } if !terms.info(id).structural => Some((body, rest, min, max)),
                _ => None,
            }
        };
        let mut counts: SmallVec<[_; 8]> = flat.iter().filter_map(|&part| counted(self, part)).collect();
        if counts.len() < 2 {
            return Ok(());
        }
        counts.sort_unstable();
        let touch = |a: &(TermId, TermId, u32, u32), b: &(TermId, TermId, u32, u32)| {
            (a.0, a.1) == (b.0, b.1) && b.2 <= a.3.saturating_add(1)
        };
        if !counts.windows(2).any(|pair| touch(&pair[0], &pair[1])) {
            return Ok(());
        }
        flat.retain(|&mut part| counted(self, part).is_none());
        let mut open = counts[0];
        for next in counts.drain(1..).map(Some).chain([None]).collect::<SmallVec<[_; 8]>>() {
            match next {
                Some(next) if touch(&open, &next) => open.3 = open.3.max(next.3),
                _ => {
                    let (body, rest, min, max) = open;
                    let repeated = self.repeat(body, min, max)?;
                    flat.push(self.cat(repeated, rest)?);
                    open = next.unwrap_or(open);
                }
            }
        }
        flat.sort_unstable();
        flat.dedup();
        Ok(())
    }

    /// The intersection, `EMPTY` if no text is left. Errors if the budget ends or terms nest too deeply.
    pub fn and(&mut self, parts: impl Into<Parts>) -> Result<TermId> {
        let id = self.and_unchecked(parts)?;
        self.normalize_empty(id)
    }

    /// The intersection without the search for emptiness.
    pub(crate) fn and_unchecked(&mut self, parts: impl Into<Parts>) -> Result<TermId> {
        self.intersect(parts.into())
    }

    fn intersect(&mut self, mut stack: Parts) -> Result<TermId> {
        let mut flat = Parts::new();
        while let Some(part) = stack.pop() {
            match self.term(part) {
                Term::Empty => return Ok(EMPTY),
                Term::And(inner) => stack.extend(inner.iter().copied()),
                _ if part == TOP => {}
                _ => flat.push(part),
            }
        }
        let count = flat.len() as u64;
        self.spend(STEPS_PER_OPERAND * count)?;
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&EPSILON) {
            let nullable = flat.iter().all(|&part| self.info(part).nullable);
            return Ok(if nullable { EPSILON } else { EMPTY });
        }
        self.drop_redundant_complements(&mut flat);
        let is_text = flat.iter().any(|&part| Some(part) != self.any_text && self.info(part).utf8);
        if is_text && flat.len() > 1 {
            flat.retain(|&mut part| Some(part) != self.any_text);
        }
        match flat[..] {
            [] => return Ok(TOP),
            [one] => return Ok(one),
            _ => {}
        }
        let infos = || flat.iter().map(|&part| self.info(part));
        let min_chars = infos().map(|info| info.min_chars).max().unwrap_or(0);
        let max_chars = infos().map(|info| info.max_chars).min().unwrap_or(MANY);
        if min_chars > max_chars {
            return Ok(EMPTY);
        }
        let complements = flat.iter().filter_map(|&part| match *self.term(part) {
            Term::Not(inner) => Some(inner),
            _ => None,
        });
        // An operand and its complement have no common text; valid UTF-8 excludes the complement of `any_text` likewise.
        let excludes = |inner| flat.binary_search(&inner).is_ok() || is_text && Some(inner) == self.any_text;
        if complements.into_iter().any(excludes) {
            return Ok(EMPTY);
        }
        self.intern_and(&flat)
    }

    /// Drops complements of languages that are disjoint from another operand by their first bytes.
    fn drop_redundant_complements(&mut self, flat: &mut Parts) {
        for place in (0..flat.len()).rev() {
            let Term::Not(inner) = *self.term(flat[place]) else { continue };
            let disjoint = flat.iter().any(|&other| match self.term(other) {
                Term::Not(_) => false,
                _ if self.info(other).nullable && self.info(inner).nullable => false,
                _ => self.first_bytes(other).intersection(&self.first_bytes(inner)).is_empty(),
            });
            if disjoint {
                flat.remove(place);
            }
        }
    }

    /// The complement, `EMPTY` if no text is left. Errors if the budget ends or terms nest too deeply.
    pub fn not(&mut self, inner: TermId) -> Result<TermId> {
        let id = self.not_unchecked(inner)?;
        self.normalize_empty(id)
    }

    /// The complement without the search for emptiness.
    pub(crate) fn not_unchecked(&mut self, inner: TermId) -> Result<TermId> {
        if inner == EMPTY {
            return Ok(TOP);
        }
        if let Term::Not(original) = *self.term(inner) {
            return Ok(original);
        }
        self.intern_not(inner)
    }
}

#[cfg(test)]
mod tests;
