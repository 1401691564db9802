//! Head → a head with saturated counters: bounds that no token can reach become unbounded.
//!
//! `{0,10000}` has the masks of `*` until its end is within a token, so saturation lets thousands of states share a mask.

use crate::error::Result;
use crate::regular::term::{Parts, Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::terms::Terms;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Operands of a concatenation or union. Longer ones stay exact: they would be rebuilt at every step. Not measured.
const MAX_PARTS: usize = 64;

/// Bytes within which an intersection must be able to end from every state, for its counters to be saturated.
const DETOUR: u32 = 16;

/// States explored to answer that question; larger intersections stay exact. `\b` over Unicode takes some 300 states, and
/// without an answer each count has a head mask of its own, of 100 ms.
const MAX_STATES: usize = 1_024;

impl Terms {
    /// Whether each text, extended by any number of characters, has an extension of that length in the language.
    ///
    /// All lengths from the shortest text on then occur.
    pub(crate) fn has_all_longer_lengths(&self, text: TermId) -> bool {
        match *self.term(text) {
            Term::Repeat { body, max: MANY, .. } => (self.info(body).min_chars, self.info(body).max_chars) == (1, 1),
            Term::Cat(_, last) => self.has_all_longer_lengths(last),
            Term::Bounded { body, max: MANY, .. } => self.has_all_longer_lengths(body),
            // No arm for intersections: their operands may be extensible by different characters only.
            Term::Alt(ref parts) => parts.iter().all(|&part| self.has_all_longer_lengths(part)),
            _ => false,
        }
    }

    /// An upper bound on the code points that any prefix of a text still needs; `MANY` if unknown.
    fn max_needed_chars(&self, text: TermId) -> u32 {
        if (self.info(text).min_chars, self.info(text).max_chars) == (1, 1) {
            // One character needs one code point, however many alternatives it has.
            return 1;
        }
        let mut most = 0;
        let mut rest = text;
        loop {
            let (first, after) = match *self.term(rest) {
                Term::Cat(left, right) => (left, Some(right)),
                _ => (rest, None),
            };
            let max_needed_chars = match *self.term(first) {
                Term::Empty | Term::Epsilon => 0,
                Term::Class(_) | Term::Literal { .. } | Term::Words { .. } => self.info(first).max_chars,
                Term::Alt(ref parts) => parts.iter().map(|&part| self.max_needed_chars(part)).max().unwrap_or(0),
                Term::Repeat { body, min, .. } => {
                    let again = min.saturating_sub(1).saturating_mul(self.info(body).min_chars);
                    self.max_needed_chars(body).saturating_add(again)
                }
                _ => MANY,
            };
            let Some(after) = after else { return most.max(max_needed_chars) };
            most = most.max(max_needed_chars.saturating_add(self.info(after).min_chars));
            rest = after;
        }
    }
}

impl Terms {
    /// A head with fewer states that allows the same tokens of at most `horizon` code points. Errors if the budget ends.
    pub(crate) fn saturate(&mut self, head: TermId, horizon: u32) -> Result<TermId> {
        let Term::Quoted { text, state, escapes } = *self.term(head) else { return self.saturate_text(head, horizon) };
        // Behind an escape, the rest of an escaped text must fit, too.
        let horizon = match escapes.escaped {
            EMPTY => horizon,
            escaped => horizon.saturating_add(self.info(escaped).max_chars),
        };
        let saturated = self.saturate_text(text, horizon)?;
        if saturated == text {
            Ok(head)
        } else {
            self.quoted_state(saturated, state, escapes)
        }
    }

    /// Saturates the text of a string, or a head outside of strings. Nested intersections stay exact, because their
    /// saturation costs more than it saves.
    fn saturate_text(&mut self, text: TermId, horizon: u32) -> Result<TermId> {
        match *self.term(text) {
            Term::And(ref parts) if parts.len() <= MAX_PARTS => {
                let parts = Parts::from_slice(parts);
                self.saturate_intersection(text, &parts, horizon)
            }
            _ => self.saturate_counts(text, horizon),
        }
    }

    /// Saturates the operands of an intersection, unless that could change whether it is empty.
    fn saturate_intersection(&mut self, text: TermId, parts: &[TermId], horizon: u32) -> Result<TermId> {
        if let Some(&saturated) = self.saturation.terms.get(&(text, horizon)) {
            return Ok(saturated);
        }
        let mut operands = Parts::from_slice(parts);
        // Distant counters can make an intersection empty. Up to horizon + DETOUR each saturated operand has exactly its
        // former texts, and it gains longer ones only. An end within that length was therefore possible before.
        for part in &mut operands {
            *part = self.saturate_counts(*part, horizon.saturating_add(DETOUR))?;
        }
        let mut saturated = text;
        if operands[..] != *parts {
            saturated = self.and(operands)?;
            if !self.has_near_end_everywhere(saturated)? {
                saturated = text;
            }
        }
        self.saturation.terms.insert((text, horizon), saturated, &mut self.budget);
        Ok(saturated)
    }

    /// Saturates the length bounds of a `Bounded` term.
    fn saturate_bounds(&mut self, text: TermId, body: TermId, min: u32, max: u32, horizon: u32) -> Result<TermId> {
        if self.info(body).searched {
            return Ok(text);
        }
        // No token reaches the maximum if, wherever it stops, the shortest completion still fits.
        let is_beyond = max == MANY || max >= horizon.saturating_add(self.max_needed_chars(body));
        if min == 0 {
            if !is_beyond {
                return Ok(text);
            }
            return self.saturate_counts(body, horizon);
        }
        // Between both bounds some lengths could be impossible, unless all longer lengths occur.
        if !self.has_all_longer_lengths(body) {
            return Ok(text);
        }
        let body = if is_beyond { self.saturate_counts(body, horizon)? } else { body };
        self.bounded(body, min.min(horizon + 1), if is_beyond { MANY } else { max })
    }

    /// Saturates the counters of a term; memoised for concatenations and unions, whose tails recur from state to state.
    fn saturate_counts(&mut self, text: TermId, horizon: u32) -> Result<TermId> {
        if !self.info(text).counts {
            return Ok(text);
        }
        if !matches!(self.term(text), Term::Cat(..) | Term::Alt(_)) {
            return self.saturate_counts_uncached(text, horizon);
        }
        if let Some(&saturated) = self.saturation.terms.get(&(text, horizon)) {
            return Ok(saturated);
        }
        let saturated = self.saturate_counts_uncached(text, horizon)?;
        self.saturation.terms.insert((text, horizon), saturated, &mut self.budget);
        Ok(saturated)
    }

    /// Saturates the counters of a term, without a memo.
    fn saturate_counts_uncached(&mut self, text: TermId, horizon: u32) -> Result<TermId> {
        match *self.term(text) {
            Term::Bounded { body, min, max } => self.saturate_bounds(text, body, min, max, horizon),
            Term::Repeat { body, min, max } if self.info(body).min_chars > 0 && !self.info(body).searched => {
                // One repetition more than any token can begin, so that no token sees the saturated end.
                let begun = horizon.div_ceil(self.info(body).min_chars);
                let body = self.saturate_counts(body, horizon)?;
                self.repeat(body, min.min(begun + 1), if max > begun { MANY } else { max })
            }
            Term::Cat(..) => {
                let mut parts = Parts::new();
                let mut rest = text;
                while let Term::Cat(left, right) = *self.term(rest) {
                    parts.push(left);
                    rest = right;
                }
                parts.push(rest);
                if parts.len() > MAX_PARTS {
                    return Ok(text);
                }
                let before = parts.clone();
                for part in &mut parts {
                    *part = self.saturate_counts(*part, horizon)?;
                }
                if parts == before {
                    return Ok(text);
                }
                parts.into_iter().rev().try_fold(EPSILON, |rest, part| self.cat(part, rest))
            }
            Term::Alt(ref parts) if parts.len() <= MAX_PARTS => {
                let before = Parts::from_slice(parts);
                let mut saturated = before.clone();
                for part in &mut saturated {
                    *part = self.saturate_counts(*part, horizon)?;
                }
                if saturated[..] == before[..] {
                    return Ok(text);
                }
                self.alt(saturated)
            }
            // Saturation could make an empty intersection nonempty.
            _ => Ok(text),
        }
    }

    /// Whether every state reachable from `start` has a text of at most `DETOUR` bytes; false if there are many states.
    fn has_near_end_everywhere(&mut self, start: TermId) -> Result<bool> {
        if let Some(&known) = self.saturation.near_end_everywhere.get(&start) {
            return Ok(known);
        }
        let mut states = vec![start];
        let mut places: FxHashMap<TermId, usize> = [(start, 0)].into_iter().collect();
        let mut steps: Vec<SmallVec<[usize; 8]>> = Vec::new();
        while let Some(&state) = states.get(steps.len()).filter(|_| states.len() <= MAX_STATES) {
            let mut next = SmallVec::new();
            for (_, _, target) in self.byte_transitions(state)? {
                next.push(*places.entry(target).or_insert_with(|| {
                    states.push(target);
                    states.len() - 1
                }));
            }
            steps.push(next);
        }
        let mut saturated: Vec<bool> = states.iter().map(|&state| self.info(state).nullable).collect();
        for _ in 0..DETOUR {
            let reaches_end = |next: &SmallVec<[usize; 8]>| next.iter().any(|&place| saturated[place]);
            saturated =
                (0..states.len()).map(|place| saturated[place] || steps.get(place).is_some_and(reaches_end)).collect();
        }
        // The answer quantifies over all reachable states, so it holds for each of them as a start.
        let soon = states.len() <= MAX_STATES && saturated.iter().all(|&saturated| saturated);
        for state in states {
            self.saturation.near_end_everywhere.insert(state, soon, &mut self.budget);
        }
        Ok(soon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::{Spelling, EMPTY};

    /// Asserts that both states treat all texts of at most `letters` letters alike.
    fn assert_equivalent(terms: &mut Terms, one: TermId, other: TermId, letters: u32, text: &mut String) {
        assert_eq!(one == EMPTY, other == EMPTY, "{text:?}");
        assert_eq!(terms.info(one).nullable, terms.info(other).nullable, "{text:?}");
        assert_eq!(terms.derive(one, b'"').unwrap(), terms.derive(other, b'"').unwrap(), "{text:?}");
        if letters == 0 || one == other {
            return;
        }
        for letter in ['a', 'b', '.'] {
            let next = [one, other].map(|state| terms.derive(state, letter as u8).unwrap());
            text.push(letter);
            assert_equivalent(terms, next[0], next[1], letters - 1, text);
            text.pop();
        }
    }

    #[test]
    fn saturated_intersections_treat_short_tokens_alike() {
        const HORIZON: u32 = 4;
        let mut terms = Terms::new();
        let terms = &mut terms;
        let [a, b, dot, ab] =
            ["a", "b", ".", "ab"].map(|bytes| terms.class(ByteSet::from_bytes(bytes.bytes())).unwrap());
        let mut counts = Vec::new();
        for max in [3, 19, 20, 21, 24, 30, 60, MANY] {
            for min in [0, 2, 25] {
                for (body, end) in [(ab, EPSILON), (ab, b), (ab, dot), (a, dot)] {
                    let counted = terms.repeat(body, min, max.max(min)).unwrap();
                    counts.push(terms.cat(counted, end).unwrap());
                }
            }
            let (some, label) = (terms.repeat(ab, 1, max).unwrap(), terms.repeat(ab, 2, MANY).unwrap());
            let dotted = terms.cat(dot, label).unwrap();
            let more = terms.repeat(dotted, 0, MANY).unwrap();
            counts.push(terms.cat(some, more).unwrap());
            counts.push(terms.bounded(more, 0, max).unwrap());
        }
        // Each repetition of this body takes two characters, so a token begins half as many.
        let pair = terms.cat(ab, b).unwrap();
        for max in [1, 2, 3, 9, 10, 11, 12] {
            for (min, end) in [(0, EPSILON), (0, dot), (max, dot)] {
                let counted = terms.repeat(pair, min, max).unwrap();
                counts.push(terms.cat(counted, end).unwrap());
            }
        }
        // A term that can end at once or after 60 characters, but nowhere between.
        let (is_beyond, saturated) = (terms.repeat(a, 60, 60).unwrap(), terms.cat(b, dot).unwrap());
        let is_beyond = terms.cat(is_beyond, dot).unwrap();
        counts.push(terms.alt(vec![is_beyond, saturated]).unwrap());
        let mut changed = [0; 2];
        for &one in &counts {
            for &other in &counts {
                let both = terms.and(vec![one, other]).unwrap();
                for head in [terms.quoted_state(both, Spelling::Body, false).unwrap(), both] {
                    let saturated = terms.saturate(head, HORIZON).unwrap();
                    changed[usize::from(head == both)] +=
                        usize::from(saturated != head && matches!(terms.term(both), Term::And(_)));
                    assert_equivalent(terms, head, saturated, HORIZON, &mut String::new());
                }
            }
        }
        assert!(changed.iter().all(|&changed| changed > 100), "in strings and outside: {changed:?}");
    }
}
