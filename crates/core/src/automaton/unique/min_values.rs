//! What may still come → how many values that is at least, whatever came before.

use crate::automaton::machine::{FrameId, Machine};
use crate::automaton::unique::PLENTY;
use crate::error::Result;
use crate::json::partial_value::is_numeral;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use rustc_hash::FxHashMap;

/// How many steps ahead `variety` counts.
pub(super) const AHEAD: u32 = 6;

impl Machine {
    pub(super) fn frame_min_values(&mut self, frame: FrameId) -> Result<u32> {
        if !self.openness(frame).open {
            return Ok(PLENTY);
        }
        if let Some(&known) = self.known.frames.get(&frame) {
            return Ok(known);
        }
        for frame in self.open_frames(frame) {
            if self.known.frames.contains_key(&frame) {
                continue;
            }
            let mut most = 1;
            for (term, parent) in self.members(frame).to_vec() {
                if matches!(self.arena.term(term), Term::UniqueEnd { .. }) {
                    continue;
                }
                let above = if self.openness(parent).open {
                    self.known.frames.get(&parent).copied().unwrap_or(1)
                } else {
                    PLENTY
                };
                most = most.max(above).max(self.min_values(term)?);
            }
            self.known.frames.insert(frame, most);
        }
        Ok(self.known.frames.get(&frame).copied().unwrap_or(1))
    }

    /// How many values a term surely has; at least 1.
    pub(super) fn min_values(&mut self, term: TermId) -> Result<u32> {
        self.min_values_within(term, 0)
    }

    fn min_values_within(&mut self, term: TermId, depth: u32) -> Result<u32> {
        if depth > 48 {
            self.known.boundaries += 1;
            return Ok(1);
        }
        if let Some(&known) = self.known.min_values.get(&(term, 0)) {
            return Ok(known);
        }
        self.arena.spend(1)?;
        let (calls, boundaries) = (self.known.calls.len(), self.known.boundaries);
        let found = match *self.arena.term(term) {
            Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } => self.texts(text, AHEAD)?,
            Term::Quoted { .. } => {
                // In the middle of an escape: whatever it says, the text goes on.
                let mut most = 1;
                for (_, _, target) in self.arena.byte_transitions(term)? {
                    most = most.max(self.min_values_within(target, depth + 1)?);
                    if most >= PLENTY {
                        break;
                    }
                }
                most
            }
            Term::Cat(left, right) | Term::Seq(left, right) => {
                self.min_values_within(left, depth + 1)?.max(self.min_values_within(right, depth + 1)?)
            }
            Term::Alt(ref parts) => {
                let mut most = 1;
                for part in parts.clone().iter() {
                    if self.matches_something(*part) {
                        most = most.max(self.min_values_within(*part, depth + 1)?);
                    }
                }
                most
            }
            Term::Repeat { body, max, .. } if self.arena.info(term).structural => {
                if !self.matches_something(body) {
                    1
                } else if max == MANY && self.dark(body) {
                    PLENTY
                } else {
                    self.min_values_within(body, depth + 1)?
                }
            }
            Term::Call(rule) if self.known.calls.contains(&rule) => {
                self.known.boundaries += 1;
                return Ok(1);
            }
            Term::Call(rule) => {
                self.known.calls.push(rule);
                let found = match self.body(rule) {
                    Some(body) => self.min_values_within(body, depth + 1),
                    None => Ok(1),
                };
                self.known.calls.truncate(calls);
                found?
            }
            Term::KeyExtra { inner, .. } => self.min_values_within(inner, depth + 1)?,
            Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } => {
                let (keys, values) = self.arena.further_members(term);
                let mut most = 1;
                for key in keys {
                    // Of so many keys those that came leave enough.
                    if self.texts(key, AHEAD)? >= PLENTY {
                        most = PLENTY;
                    }
                }
                for value in values {
                    most = most.max(self.min_values_within(value, depth + 1)?);
                }
                most
            }
            Term::Words { .. } => match self.is_one_to_one(term)? {
                true => self.reads(term)?.map_or(1, |count| count.max(1)),
                false => 1,
            },
            _ => match self.is_numeral_head(term) {
                true => self.numerals(term)?,
                false => 1,
            },
        };
        // What was under way counted as nothing: that holds in this context only.
        if self.known.boundaries == boundaries || calls == 0 && depth == 0 || found >= PLENTY {
            self.known.min_values.insert((term, 0), found);
        }
        Ok(found)
    }

    /// Whether a language of texts has no end from wherever it has come to: a few texts less are no matter.
    pub(super) fn is_unending(&mut self, text: TermId) -> bool {
        if self.arena.has_all_longer_lengths(text) {
            return true;
        }
        let Term::And(ref parts) = *self.arena.term(text) else { return false };
        let mut unending = 0;
        for &part in &parts.clone() {
            match *self.arena.term(part) {
                Term::Not(inner) if inner == EPSILON || self.arena.is_finite(inner) => {}
                _ if self.arena.has_all_longer_lengths(part) => unending += 1,
                _ => return false,
            }
        }
        unending == 1
    }

    pub(super) fn matches_something(&self, node: TermId) -> bool {
        self.rules().matches_something(&self.arena, node)
    }

    /// Whether every text of the term says something: a count of such texts is part of the value.
    fn dark(&self, term: TermId) -> bool {
        let white = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match *self.arena.term(term) {
            Term::Quoted { .. } => true,
            Term::Class(set) => set.iter().all(|byte| !white(byte)),
            Term::Literal { literal, position } => {
                self.arena.terms.literals[literal as usize][position as usize..].iter().any(|&byte| !white(byte))
            }
            Term::Cat(left, right) | Term::Seq(left, right) => self.dark(left) || self.dark(right),
            _ => false,
        }
    }

    /// How many texts a language of texts surely has, looking so many bytes ahead where there is a choice.
    pub(super) fn texts(&mut self, text: TermId, ahead: u32) -> Result<u32> {
        if ahead == 0 || text == EPSILON || text == EMPTY {
            return Ok(1);
        }
        if let Some(&known) = self.known.min_values.get(&(text, ahead)) {
            return Ok(known);
        }
        let moves = self.arena.byte_transitions(text)?;
        let mut found = u32::from(self.arena.info(text).nullable);
        for (low, high, target) in moves {
            let each = self.texts(target, ahead - 1)?;
            found = found.saturating_add(each.saturating_mul(u32::from(high - low) + 1)).min(PLENTY);
        }
        let found = found.max(1);
        self.known.min_values.insert((text, ahead), found);
        Ok(found)
    }

    /// How many numerals of one length a head surely reads: they differ in value, unless they are exponents of zero.
    pub(super) fn numerals(&mut self, head: TermId) -> Result<u32> {
        let point = self.arena.derive(head, b'.')?;
        Ok(self.digits(head)?.max(self.digits(point)?))
    }

    /// Whether numerals are all that a head reads.
    pub(super) fn is_numeral_head(&mut self, head: TermId) -> bool {
        !self.arena.info(head).structural && self.arena.first_bytes(head).iter().all(is_numeral)
    }

    /// How many strings of digits of one length a head surely reads.
    fn digits(&mut self, head: TermId) -> Result<u32> {
        if let Some(&known) = self.known.digits.get(&head) {
            return Ok(known);
        }
        let mut most = 1;
        let mut layer: Vec<(TermId, u32)> = vec![(head, 1)];
        for _ in 0..AHEAD {
            let mut next: FxHashMap<TermId, u32> = FxHashMap::default();
            for (state, count) in layer {
                for (low, high, target) in self.arena.byte_transitions(state)? {
                    let (low, high) = (low.max(b'0'), high.min(b'9'));
                    if low <= high {
                        if target == state && low < high {
                            // Any number of digits, each one of two.
                            most = PLENTY;
                        }
                        let more = count.saturating_mul(u32::from(high - low) + 1).min(PLENTY);
                        let slot = next.entry(target).or_insert(0);
                        *slot = slot.saturating_add(more).min(PLENTY);
                    }
                }
            }
            most = next.values().copied().fold(most, u32::max);
            if most >= PLENTY {
                break;
            }
            layer = next.into_iter().collect();
            layer.sort_unstable();
        }
        self.known.digits.insert(head, most);
        Ok(most)
    }
}
