//! Term → a lower bound of the number of different values its texts have.
//!
//! The bound needs no list of values that came. If the bound exceeds the number of excluded values, no search is
//! needed.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::unique::COUNT_CAP;
use crate::error::Result;
use crate::json::partial_value::is_numeral;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use rustc_hash::FxHashMap;

/// Bytes that `min_texts` and `min_digit_strings` look ahead. Chosen without measurement.
const LOOKAHEAD_BYTES: u32 = 6;

impl Machine {
    /// A lower bound of the values that may come in a frame; `COUNT_CAP` if no item is open.
    pub(super) fn frame_min_values(&mut self, frame: FrameId) -> Result<u32> {
        if !self.item_summary(frame).is_open {
            return Ok(COUNT_CAP);
        }
        if let Some(&known) = self.unique.frame_min_values.get(&frame) {
            return Ok(known);
        }
        for frame in self.open_frames(frame) {
            if self.unique.frame_min_values.contains_key(&frame) {
                continue;
            }
            let mut most = 1;
            for (term, parent) in self.members(frame).to_vec() {
                if matches!(self.arena.term(term), Term::UniqueEnd { .. }) {
                    continue;
                }
                let above = if self.item_summary(parent).is_open {
                    self.unique.frame_min_values.get(&parent).copied().unwrap_or(1)
                } else {
                    COUNT_CAP
                };
                most = most.max(above).max(self.min_values(term)?);
            }
            self.unique.frame_min_values.insert(frame, most);
        }
        Ok(self.unique.frame_min_values.get(&frame).copied().unwrap_or(1))
    }

    /// A lower bound of the number of values of a term, at least 1.
    pub(super) fn min_values(&mut self, term: TermId) -> Result<u32> {
        self.min_values_within(term, 0)
    }

    fn min_values_within(&mut self, term: TermId, depth: u32) -> Result<u32> {
        if depth > 48 {
            self.unique.cut_count += 1;
            return Ok(1);
        }
        if let Some(&known) = self.unique.min_values.get(&(term, 0)) {
            return Ok(known);
        }
        self.arena.spend(16)?;
        let (calls, cuts) = (self.unique.open_calls.len(), self.unique.cut_count);
        let found = match *self.arena.term(term) {
            Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } => {
                self.min_texts(text, LOOKAHEAD_BYTES)?
            }
            Term::Quoted { .. } => {
                // The text goes on after the escape, whatever character it encodes.
                let mut most = 1;
                for (_, _, target) in self.arena.byte_transitions(term)? {
                    most = most.max(self.min_values_within(target, depth + 1)?);
                    if most >= COUNT_CAP {
                        break;
                    }
                }
                most
            }
            Term::Cat(left, right) | Term::Seq(left, right) => {
                let own = self.min_values_within(left, depth + 1)?;
                // The exponents of a zero are one value.
                match self.has_exponent(left) {
                    true => own,
                    false => own.max(self.min_values_within(right, depth + 1)?),
                }
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
                } else if max == MANY && self.is_never_blank(body) {
                    COUNT_CAP
                } else {
                    self.min_values_within(body, depth + 1)?
                }
            }
            Term::Call(rule) if self.unique.open_calls.contains(&rule) => {
                self.unique.cut_count += 1;
                return Ok(1);
            }
            Term::Call(rule) => {
                self.unique.open_calls.push(rule);
                let found = match self.body(rule) {
                    Some(body) => self.min_values_within(body, depth + 1),
                    None => Ok(1),
                };
                self.unique.open_calls.truncate(calls);
                found?
            }
            Term::KeyExtra { inner, .. } => self.min_values_within(inner, depth + 1)?,
            Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } => {
                let (keys, values) = self.arena.further_members(term);
                let mut most = 1;
                for key in keys {
                    // This many keys remain enough after the few that came.
                    if self.min_texts(key, LOOKAHEAD_BYTES)? >= COUNT_CAP {
                        most = COUNT_CAP;
                    }
                }
                for value in values {
                    most = most.max(self.min_values_within(value, depth + 1)?);
                }
                most
            }
            Term::Words { .. } => match self.is_one_to_one(term)? {
                true => self.text_count(term)?.map_or(1, |count| count.max(1)),
                false => 1,
            },
            _ => match self.is_numeral_head(term) {
                true => self.min_numerals(term)?,
                false => 1,
            },
        };
        // A recursion that was cut counted as one value. Such a result holds in this context only and is not cached.
        if self.unique.cut_count == cuts || calls == 0 && depth == 0 || found >= COUNT_CAP {
            self.unique.min_values.insert((term, 0), found);
        }
        Ok(found)
    }

    /// Whether a text of the term may open the exponent of a numeral; perhaps true where the term does not show it.
    fn has_exponent(&self, term: TermId) -> bool {
        // Not the letter of `true`, `false` and names.
        let opens = |word: &[u8]| {
            let is_at = |at: usize| at == 0 || matches!(word[at - 1], b'0'..=b'9' | b'.');
            (0..word.len()).any(|at| matches!(word[at], b'e' | b'E') && is_at(at))
        };
        match *self.arena.term(term) {
            Term::Epsilon | Term::Quoted { .. } | Term::Multiple { .. } => false,
            Term::Class(set) => set.contains(b'e') || set.contains(b'E'),
            Term::Literal { literal, position } => {
                opens(&self.arena.terms.literals[literal.index()][position as usize..])
            }
            Term::Words { set, low, high, depth } => {
                let words = &self.arena.terms.word_sets[set.index()].words[low as usize..high as usize];
                words.iter().any(|word| opens(&word[depth as usize..]))
            }
            Term::Cat(left, right) | Term::Seq(left, right) => self.has_exponent(left) || self.has_exponent(right),
            Term::Alt(ref parts) => parts.iter().any(|&part| self.has_exponent(part)),
            Term::Repeat { body, .. } => self.has_exponent(body),
            Term::And(_) | Term::Not(_) | Term::Bounded { .. } => true,
            _ => false,
        }
    }

    /// Whether some text matches the term.
    pub(super) fn matches_something(&self, node: TermId) -> bool {
        self.rules().matches_something(&self.arena, node)
    }

    /// Whether every text of the term has a byte other than white space. If so, the number of repetitions is part of
    /// the value.
    fn is_never_blank(&self, term: TermId) -> bool {
        let white = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match *self.arena.term(term) {
            Term::Quoted { .. } => true,
            Term::Class(set) => set.iter().all(|byte| !white(byte)),
            Term::Literal { literal, position } => {
                self.arena.terms.literals[literal.index()][position as usize..].iter().any(|&byte| !white(byte))
            }
            Term::Cat(left, right) | Term::Seq(left, right) => self.is_never_blank(left) || self.is_never_blank(right),
            _ => false,
        }
    }

    /// A lower bound of the number of texts, from the first `ahead` bytes.
    pub(super) fn min_texts(&mut self, text: TermId, ahead: u32) -> Result<u32> {
        if ahead == 0 || text == EPSILON || text == EMPTY {
            return Ok(1);
        }
        if let Some(&known) = self.unique.min_values.get(&(text, ahead)) {
            return Ok(known);
        }
        let moves = self.arena.byte_transitions(text)?;
        let mut found = u32::from(self.arena.info(text).nullable);
        for (low, high, target) in moves {
            let each = self.min_texts(target, ahead - 1)?;
            found = found.saturating_add(each.saturating_mul(u32::from(high - low) + 1)).min(COUNT_CAP);
        }
        let found = found.max(1);
        self.unique.min_values.insert((text, ahead), found);
        Ok(found)
    }

    /// A lower bound of the numerals of one length that a head reads. These differ in value unless they are exponents
    /// of zero.
    pub(super) fn min_numerals(&mut self, head: TermId) -> Result<u32> {
        let point = self.arena.derive(head, b'.')?;
        Ok(self.min_digit_strings(head)?.max(self.min_digit_strings(point)?))
    }

    /// Whether a head reads nothing but bytes of numerals.
    pub(super) fn is_numeral_head(&mut self, head: TermId) -> bool {
        !self.arena.info(head).structural && self.arena.first_bytes(head).iter().all(is_numeral)
    }

    /// A lower bound of the digit strings of one length that a head reads.
    fn min_digit_strings(&mut self, head: TermId) -> Result<u32> {
        if let Some(&known) = self.unique.digit_strings.get(&head) {
            return Ok(known);
        }
        let mut most = 1;
        let mut layer: Vec<(TermId, u32)> = vec![(head, 1)];
        for _ in 0..LOOKAHEAD_BYTES {
            let mut next: FxHashMap<TermId, u32> = FxHashMap::default();
            for (state, count) in layer {
                for (low, high, target) in self.arena.byte_transitions(state)? {
                    let (low, high) = (low.max(b'0'), high.min(b'9'));
                    if low <= high {
                        if target == state && low < high {
                            // A loop over two or more digits has unlimited strings.
                            most = COUNT_CAP;
                        }
                        let more = count.saturating_mul(u32::from(high - low) + 1).min(COUNT_CAP);
                        let slot = next.entry(target).or_insert(0);
                        *slot = slot.saturating_add(more).min(COUNT_CAP);
                    }
                }
            }
            most = next.values().copied().fold(most, u32::max);
            if most >= COUNT_CAP {
                break;
            }
            layer = next.into_iter().collect();
            layer.sort_unstable();
        }
        self.unique.digit_strings.insert(head, most);
        Ok(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{alt, bytes, rule, seq, unique_machine};

    use crate::builder::Builder;

    fn min_values(make: impl FnOnce(&mut Builder) -> TermId) -> u32 {
        let (mut machine, item) = unique_machine(make);
        let found = machine.min_values(item).unwrap();
        assert_eq!(machine.min_values(item).unwrap(), found, "from the cache");
        found
    }

    fn quoted(builder: &mut Builder, low: u8, high: u8, min: u32, max: Option<u32>) -> TermId {
        let text = bytes(builder, low, high, min, max);
        builder.quoted(text.number(), true).unwrap()
    }

    #[test]
    fn a_rule_that_calls_itself_has_at_least_the_values_of_its_other_parts() {
        let nested = |builder: &mut Builder| {
            let [open, close] = [b"[", b"]"].map(|text| builder.literal(text).unwrap());
            let item = quoted(builder, b'a', b'd', 1, Some(1));
            rule(builder, "nested", |builder, nested| {
                let deeper = seq(builder, &[open, nested, close]);
                alt(builder, &[deeper, item])
            })
        };
        assert_eq!(min_values(nested), 4);
        // The parts inside are asked for later: the recursion, which was cut, must not have left a bound of 1 for them.
        let (mut machine, item) = unique_machine(nested);
        machine.min_values(item).unwrap();
        let Term::Call(rule) = *machine.arena.term(item) else { panic!() };
        let Term::Alt(ref cases) = *machine.arena.term(machine.body(rule).unwrap()) else { panic!() };
        for case in cases.clone() {
            assert_eq!(machine.min_values(case).unwrap(), 4, "{:?}", machine.arena.term(case));
        }
    }

    #[test]
    fn what_lies_very_deep_counts_as_one_value() {
        let deep = |count: usize| {
            move |builder: &mut Builder| {
                let x = builder.literal(b"x").unwrap();
                let x = rule(builder, "x", |_, _| x);
                let mut parts = vec![x; count];
                parts.push(quoted(builder, b'a', b'e', 1, Some(1)));
                seq(builder, &parts)
            }
        };
        assert_eq!([40, 60].map(|count| min_values(deep(count))), [5, 1]);
    }
}
