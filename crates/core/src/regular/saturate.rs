//! Counts → those that a token can use up: `{0,10000}` has the masks of `*` as long as its end is out of reach.

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{Parts, Term, TermId, EPSILON, MANY};
use smallvec::SmallVec;

/// Longer concatenations and unions are left as they are: they would be taken apart at every step.
const MOST_PARTS: usize = 64;

/// Bytes within which an intersection must be able to end, wherever it has come to, for its counts to be clipped.
const DETOUR: u32 = 16;

/// Of an intersection with more states it is not found out.
const FEW_STATES: usize = 64;

impl Arena {
    /// A head with fewer states that treats every token of at most `reach` code points alike.
    pub(crate) fn saturated(&mut self, head: TermId, horizon: u32) -> Result<TermId> {
        let Term::Quoted { text, state, free } = *self.term(head) else { return self.saturated_counts(head, horizon) };
        let near = self.saturated_text(text, horizon)?;
        if near == text {
            Ok(head)
        } else {
            self.quoted_state(near, state, free)
        }
    }

    /// Intersections that are alternatives, parts or numbers are left as they are: it takes longer than it saves.
    fn saturated_text(&mut self, text: TermId, horizon: u32) -> Result<TermId> {
        match *self.term(text) {
            Term::And(ref parts) if parts.len() <= MOST_PARTS => {
                let parts = Parts::from_slice(parts);
                self.saturated_and(text, &parts, horizon)
            }
            _ => self.saturated_counts(text, horizon),
        }
    }

    fn saturated_and(&mut self, text: TermId, parts: &[TermId], horizon: u32) -> Result<TermId> {
        if let Some(&clipped) = self.terms.saturations.get(&(text, horizon)) {
            return Ok(clipped);
        }
        let mut clipped = Parts::from_slice(parts);
        // An intersection may be empty because of counts that are far away. Up to this length each operand has the texts
        // that it had, and longer ones are only added: what can end by then in all of them could before.
        for part in &mut clipped {
            *part = self.saturated_counts(*part, horizon.saturating_add(DETOUR))?;
        }
        let mut near = text;
        if clipped[..] != *parts {
            near = self.and(clipped)?;
            if !self.ends_soon(near)? {
                near = text;
            }
        }
        self.terms.saturations.insert((text, horizon), near, &mut self.budget);
        Ok(near)
    }

    fn saturated_bounds(&mut self, text: TermId, body: TermId, min: u32, max: u32, horizon: u32) -> Result<TermId> {
        if self.info(body).searched {
            return Ok(text);
        }
        // The end is out of reach if, wherever a token stops, the shortest way on is still open.
        let far = max == MANY || max >= horizon.saturating_add(self.need(body));
        if min == 0 {
            if !far {
                return Ok(text);
            }
            return self.saturated_counts(body, horizon);
        }
        // Of the lengths between both bounds some may be impossible, unless every text goes on as long as one likes.
        if !self.goes_on(body) {
            return Ok(text);
        }
        let body = if far { self.saturated_counts(body, horizon)? } else { body };
        self.bounded(body, min.min(horizon + 1), if far { MANY } else { max })
    }

    /// Whether every text of the language is one still with any number of further characters at its end.
    pub(crate) fn goes_on(&self, text: TermId) -> bool {
        match *self.term(text) {
            Term::Repeat { body, max: MANY, .. } => (self.info(body).min_chars, self.info(body).max_chars) == (1, 1),
            Term::Cat(_, last) => self.goes_on(last),
            Term::Bounded { body, max: MANY, .. } => self.goes_on(body),
            // Not an intersection: each of its operands may go on with other characters.
            Term::Alt(ref parts) => parts.iter().all(|&part| self.goes_on(part)),
            _ => false,
        }
    }

    /// What follows a count is the same from state to state: parts of concatenations and unions are remembered.
    fn saturated_counts(&mut self, text: TermId, horizon: u32) -> Result<TermId> {
        if !self.info(text).counts {
            return Ok(text);
        }
        if !matches!(self.term(text), Term::Cat(..) | Term::Alt(_)) {
            return self.saturated_now(text, horizon);
        }
        if let Some(&clipped) = self.terms.saturations.get(&(text, horizon)) {
            return Ok(clipped);
        }
        let clipped = self.saturated_now(text, horizon)?;
        self.terms.saturations.insert((text, horizon), clipped, &mut self.budget);
        Ok(clipped)
    }

    fn saturated_now(&mut self, text: TermId, horizon: u32) -> Result<TermId> {
        match *self.term(text) {
            Term::Bounded { body, min, max } => self.saturated_bounds(text, body, min, max, horizon),
            Term::Repeat { body, min, max } if self.info(body).min_chars > 0 && !self.info(body).searched => {
                // One more than any token can begin, so that the far side stays out of reach.
                let begun = horizon.div_ceil(self.info(body).min_chars);
                let body = self.saturated_counts(body, horizon)?;
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
                if parts.len() > MOST_PARTS {
                    return Ok(text);
                }
                let before = parts.clone();
                for part in &mut parts {
                    *part = self.saturated_counts(*part, horizon)?;
                }
                if parts == before {
                    return Ok(text);
                }
                parts.into_iter().rev().try_fold(EPSILON, |rest, part| self.cat(part, rest))
            }
            Term::Alt(ref parts) if parts.len() <= MOST_PARTS => {
                let before = Parts::from_slice(parts);
                let mut clipped = before.clone();
                for part in &mut clipped {
                    *part = self.saturated_counts(*part, horizon)?;
                }
                if clipped[..] == before[..] {
                    return Ok(text);
                }
                self.alt(clipped)
            }
            // An intersection may be empty because of counts that are far away.
            _ => Ok(text),
        }
    }

    /// Whether an end is at most `DETOUR` bytes away wherever a text leads; no is said of many states, too.
    fn ends_soon(&mut self, start: TermId) -> Result<bool> {
        if let Some(&known) = self.terms.ends_soon.get(&start) {
            return Ok(known);
        }
        let mut states = vec![start];
        let mut steps: Vec<SmallVec<[usize; 8]>> = Vec::new();
        while let Some(&state) = states.get(steps.len()).filter(|_| states.len() <= FEW_STATES) {
            let mut next = SmallVec::new();
            for (_, _, target) in self.byte_transitions(state)? {
                let place = states.iter().position(|&other| other == target).unwrap_or(states.len());
                if place == states.len() {
                    states.push(target);
                }
                next.push(place);
            }
            steps.push(next);
        }
        let mut near: Vec<bool> = states.iter().map(|&state| self.info(state).nullable).collect();
        for _ in 0..DETOUR {
            let nearer = |next: &SmallVec<[usize; 8]>| next.iter().any(|&place| near[place]);
            near = (0..states.len()).map(|place| near[place] || steps.get(place).is_some_and(nearer)).collect();
        }
        // What holds for all of them holds for what each leads to.
        let soon = states.len() <= FEW_STATES && near.iter().all(|&near| near);
        for state in states {
            self.terms.ends_soon.insert(state, soon, &mut self.budget);
        }
        Ok(soon)
    }

    /// At most so many code points are still needed, wherever a text of the language has been left.
    fn need(&self, text: TermId) -> u32 {
        if (self.info(text).min_chars, self.info(text).max_chars) == (1, 1) {
            // Any character, say, which is an alternative of many.
            return 1;
        }
        let mut most = 0;
        let mut rest = text;
        loop {
            let (first, after) = match *self.term(rest) {
                Term::Cat(left, right) => (left, Some(right)),
                _ => (rest, None),
            };
            let need = match *self.term(first) {
                Term::Empty | Term::Epsilon => 0,
                Term::Class(_) | Term::Literal { .. } | Term::Words { .. } => self.info(first).max_chars,
                Term::Alt(ref parts) => parts.iter().map(|&part| self.need(part)).max().unwrap_or(0),
                Term::Repeat { body, min, .. } => {
                    let again = min.saturating_sub(1).saturating_mul(self.info(body).min_chars);
                    self.need(body).saturating_add(again)
                }
                _ => MANY,
            };
            let Some(after) = after else { return most.max(need) };
            most = most.max(need.saturating_add(self.info(after).min_chars));
            rest = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::{Spelling, EMPTY};

    /// Every text of so many letters means the same to both.
    fn assert_alike(arena: &mut Arena, one: TermId, other: TermId, letters: u32, text: &mut String) {
        assert_eq!(one == EMPTY, other == EMPTY, "{text:?}");
        assert_eq!(arena.derive(one, b'"').unwrap(), arena.derive(other, b'"').unwrap(), "{text:?}");
        if letters == 0 || one == other {
            return;
        }
        for letter in ['a', 'b', '.'] {
            let next = [one, other].map(|state| arena.derive(state, letter as u8).unwrap());
            text.push(letter);
            assert_alike(arena, next[0], next[1], letters - 1, text);
            text.pop();
        }
    }

    #[test]
    fn clipped_intersections_treat_short_tokens_alike() {
        const REACH: u32 = 4;
        let mut arena = Arena::new();
        let arena = &mut arena;
        let [a, b, dot, ab] =
            ["a", "b", ".", "ab"].map(|bytes| arena.class(ByteSet::from_bytes(bytes.bytes())).unwrap());
        let mut counts = Vec::new();
        for max in [3, 19, 20, 21, 24, 30, 60, MANY] {
            for min in [0, 2, 25] {
                for (body, end) in [(ab, EPSILON), (ab, b), (ab, dot), (a, dot)] {
                    let counted = arena.repeat(body, min, max.max(min)).unwrap();
                    counts.push(arena.cat(counted, end).unwrap());
                }
            }
            let (some, label) = (arena.repeat(ab, 1, max).unwrap(), arena.repeat(ab, 2, MANY).unwrap());
            let dotted = arena.cat(dot, label).unwrap();
            let more = arena.repeat(dotted, 0, MANY).unwrap();
            counts.push(arena.cat(some, more).unwrap());
            counts.push(arena.bounded(more, 0, max).unwrap());
        }
        // Of a body of two characters a token begins half as many.
        let pair = arena.cat(ab, b).unwrap();
        for max in [1, 2, 3, 9, 10, 11, 12] {
            for (min, end) in [(0, EPSILON), (0, dot), (max, dot)] {
                let counted = arena.repeat(pair, min, max).unwrap();
                counts.push(arena.cat(counted, end).unwrap());
            }
        }
        // What can end soon or far away, but nowhere between.
        let (far, near) = (arena.repeat(a, 60, 60).unwrap(), arena.cat(b, dot).unwrap());
        let far = arena.cat(far, dot).unwrap();
        counts.push(arena.alt(vec![far, near]).unwrap());
        let mut clipped = 0;
        for &one in &counts {
            for &other in &counts {
                let both = arena.and(vec![one, other]).unwrap();
                let head = arena.quoted_state(both, Spelling::Body, false).unwrap();
                let near = arena.saturated(head, REACH).unwrap();
                clipped += usize::from(near != head && matches!(arena.term(both), Term::And(_)));
                assert_alike(arena, head, near, REACH, &mut String::new());
            }
        }
        assert!(clipped > 100, "{clipped}");
    }

    #[test]
    fn a_count_whose_end_is_within_reach_stays_as_it_is() {
        const REACH: u32 = 4;
        let mut arena = Arena::new();
        let arena = &mut arena;
        let [a, b, dot] = ["a", "b", "."].map(|bytes| arena.class(ByteSet::from_bytes(bytes.bytes())).unwrap());
        let pair = arena.cat(a, b).unwrap();
        let three = arena.cat(pair, dot).unwrap();
        let bodies = [a, pair, three].map(|body| arena.repeat(body, 0, MANY).unwrap());
        for (body, needs) in bodies.into_iter().zip([1, 2, 3]) {
            for max in 1..REACH + needs + 4 {
                let count = arena.bounded(body, 0, max).unwrap();
                let head = arena.quoted_state(count, Spelling::Body, false).unwrap();
                let near = arena.saturated(head, REACH).unwrap();
                assert_eq!(near != head, count != body && max >= REACH + needs, "{needs} characters, {max} at most");
                assert_alike(arena, head, near, REACH, &mut String::new());
            }
        }
    }
}
