//! Term → how many different values its texts have: a lower bound, and for some terms the number.
//!
//! If more values may come than are excluded, no search is needed. Texts are counted where different texts are different
//! values: strings, words and integers.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::unique::analysis::{TextCount, WordValues};
use crate::automaton::unique::COUNT_CAP;
use crate::error::Result;
use crate::json::partial_value::{is_numeral, PartialValues, NOTHING_READ};
use crate::json::value::NUMERAL_END;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, MANY};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Bytes of texts that are counted at first: enough for most languages without a bound.
const SHORT_TEXT: u32 = 6;

/// Bytes of the longest texts that are counted. Chosen without measurement.
const LONG_TEXT: u32 = 64;

/// Digits of the longest numerals that are counted: a loop over ten digits reaches `COUNT_CAP`.
const MAX_DIGITS: u32 = COUNT_CAP.ilog10() + 1;

/// Sets of more words than this are not compared value by value.
const MAX_WORDS: u32 = 1 << 14;

impl Machine {
    /// A lower bound of the values that may come in a frame; `COUNT_CAP` if no item is open.
    pub(super) fn frame_min_values(&mut self, frame: FrameId) -> Result<u32> {
        if !self.item_summary(frame).is_open {
            return Ok(COUNT_CAP);
        }
        if let Some(&known) = self.unique.frame_min_values.get(&frame) {
            return Ok(known);
        }
        let (mut most, mut seen, mut work) = (1, FxHashSet::default(), vec![frame]);
        while let (Some(at), true) = (work.pop(), most < COUNT_CAP) {
            if !self.item_summary(at).is_open {
                most = COUNT_CAP;
            } else if let Some(&known) = self.unique.frame_min_values.get(&at) {
                most = most.max(known);
            } else if seen.insert(at) {
                for (term, parent) in self.members(at).to_vec() {
                    if !matches!(self.arena.term(term), Term::UniqueEnd { .. }) {
                        most = most.max(self.min_values(term)?);
                        work.push(parent);
                    }
                }
            }
        }
        self.arena.budget.grow(16);
        self.unique.frame_min_values.insert(frame, most);
        Ok(most)
    }

    /// A lower bound of the number of values of a term, at least 1: the largest bound of a part that can vary alone.
    pub(super) fn min_values(&mut self, term: TermId) -> Result<u32> {
        let (mut most, mut seen, mut work) = (1, FxHashSet::default(), vec![term]);
        while let (Some(part), true) = (work.pop(), most < COUNT_CAP) {
            if let Some(&known) = self.unique.min_values.get(&part) {
                most = most.max(known);
            } else if seen.insert(part) && self.matches_something(part) {
                self.arena.spend(16)?;
                most = most.max(self.own_min_values(part, &mut work)?);
            }
        }
        self.arena.budget.grow(16);
        self.unique.min_values.insert(term, most);
        Ok(most)
    }

    /// The bound of a term without its parts, which are added to `parts`.
    fn own_min_values(&mut self, term: TermId, parts: &mut Vec<TermId>) -> Result<u32> {
        match *self.arena.term(term) {
            Term::Quoted { state: Spelling::Start | Spelling::Body, .. } => return Ok(self.text_count(term)?.least),
            // The text goes on after the escape, whatever character it encodes.
            Term::Quoted { .. } => parts.extend(self.arena.byte_transitions(term)?.iter().map(|&(.., target)| target)),
            Term::Words { .. } => return Ok(self.word_values(term)?.map_or(1, |values| values.count)),
            Term::Repeat { body, max: MANY, .. } if self.arena.info(term).structural && self.is_never_blank(body) => {
                return Ok(if self.matches_something(body) { COUNT_CAP } else { 1 });
            }
            Term::Repeat { body, .. } if self.arena.info(term).structural => parts.push(body),
            Term::Cat(left, right) | Term::Seq(left, right) => {
                parts.push(left);
                // The exponents of a zero are one value.
                if !self.has_exponent(left) {
                    parts.push(right);
                }
            }
            Term::Alt(ref alternatives) => parts.extend(alternatives.iter()),
            Term::Call(rule) => parts.extend(self.body(rule)),
            Term::KeyExtra { inner, .. } => parts.push(inner),
            Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } => {
                let (keys, values) = self.arena.further_members(term);
                parts.extend(values);
                for key in keys {
                    // This many keys remain enough after the few that came.
                    if self.text_count(key)?.least >= COUNT_CAP {
                        return Ok(COUNT_CAP);
                    }
                }
            }
            _ => {}
        }
        match self.arena.info(term).structural {
            true => Ok(1),
            false => self.min_numerals(term),
        }
    }

    /// A lower bound of the values of digit strings, with a point before them or none. Those of one length differ in value
    /// whatever follows, unless they are exponents of zero.
    fn min_numerals(&mut self, term: TermId) -> Result<u32> {
        let mut most = 1;
        for start in [term, self.arena.derive(term, b'.')?] {
            let mut layer = BTreeMap::from([(start, 1u32)]);
            for _ in 0..MAX_DIGITS {
                let mut next = BTreeMap::new();
                for (state, count) in layer {
                    for (low, high, target) in self.arena.byte_transitions(state)? {
                        let digits = (low.max(b'0')..=high.min(b'9')).len() as u32;
                        if digits > 0 {
                            let all: &mut u32 = next.entry(target).or_default();
                            *all = all.saturating_add(count.saturating_mul(digits)).min(COUNT_CAP);
                        }
                    }
                }
                let ended = next.iter().filter(|&(&state, _)| self.arena.info(state).nullable);
                most = ended.map(|(_, &count)| count).fold(0, u32::saturating_add).clamp(most, COUNT_CAP);
                layer = next;
            }
        }
        Ok(most)
    }

    /// The number of texts that a regular head reads. Strings count by their decoded text.
    pub(super) fn text_count(&mut self, head: TermId) -> Result<TextCount> {
        let text = match *self.arena.term(head) {
            Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } => text,
            Term::Quoted { .. } => return Ok(TextCount { least: 1, is_exact: false }),
            _ => head,
        };
        let count = self.count_texts(text, SHORT_TEXT)?;
        if count.is_exact || count.least >= COUNT_CAP {
            return Ok(count);
        }
        self.count_texts(text, LONG_TEXT)
    }

    /// The number of texts, of which those longer than `length` count by their first bytes.
    fn count_texts(&mut self, term: TermId, length: u32) -> Result<TextCount> {
        match *self.arena.term(term) {
            Term::Empty => return Ok(TextCount { least: 0, is_exact: true }),
            Term::Words { low, high, .. } => return Ok(TextCount { least: high - low, is_exact: true }),
            Term::Literal { .. } | Term::Epsilon => return Ok(TextCount { least: 1, is_exact: true }),
            _ if length == 0 => return Ok(TextCount { least: 1, is_exact: false }),
            _ => {}
        }
        if let Some(&known) = self.unique.text_counts.get(&(term, length)) {
            return Ok(known);
        }
        let mut count = TextCount { least: u32::from(self.arena.info(term).nullable), is_exact: true };
        for (low, high, target) in self.arena.byte_transitions(term)? {
            let each = self.count_texts(target, length - 1)?;
            count.least = count.least.saturating_add(each.least.saturating_mul(u32::from(high - low) + 1));
            count.is_exact &= each.is_exact;
            if count.least >= COUNT_CAP {
                count = TextCount { least: COUNT_CAP, is_exact: false };
                break;
            }
        }
        self.arena.budget.grow(24);
        self.unique.text_counts.insert((term, length), count);
        Ok(count)
    }

    /// Whether different texts of an item are different values, except for -0.
    pub(super) fn is_one_to_one(&mut self, item: TermId) -> Result<bool> {
        match *self.arena.term(item) {
            Term::Words { low, high, .. } => {
                Ok(self.word_values(item)?.is_some_and(|values| values.count == high - low))
            }
            _ => self.is_canonical(item),
        }
    }

    /// Whether every text of an item spells numbers as canonical values do, except for -0: strings, words that are spelled
    /// so, and integers.
    pub(super) fn is_canonical(&mut self, item: TermId) -> Result<bool> {
        if let Some(&known) = self.unique.canonical.get(&item) {
            return Ok(known);
        }
        let found = match *self.arena.term(item) {
            Term::Quoted { state, .. } => state == Spelling::Start,
            Term::Words { .. } => self.word_values(item)?.is_some_and(|values| values.are_canonical),
            _ if self.arena.info(item).structural => false,
            _ => {
                self.arena.first_bytes(item).iter().all(is_numeral) && {
                    let others = self.noncanonical_integers()?;
                    self.arena.and(vec![item, others])? == EMPTY
                }
            }
        };
        self.arena.budget.grow(16);
        self.unique.canonical.insert(item, found);
        Ok(found)
    }

    /// All texts but integers without leading zeros.
    fn noncanonical_integers(&mut self) -> Result<TermId> {
        let arena = &mut self.arena;
        let (zero, minus) = (arena.literal(b"0")?, arena.literal(b"-")?);
        let digit = arena.char_class(&[(u32::from(b'0'), u32::from(b'9'))])?;
        let first = arena.char_class(&[(u32::from(b'1'), u32::from(b'9'))])?;
        let (digits, sign) = (arena.repeat(digit, 0, MANY)?, arena.repeat(minus, 0, 1)?);
        let positive = arena.cat(first, digits)?;
        let magnitude = arena.alt(vec![zero, positive])?;
        let integer = arena.cat(sign, magnitude)?;
        arena.not(integer)
    }

    /// The values of the whole words that a term reads or goes on with; None of too many words.
    fn word_values(&mut self, term: TermId) -> Result<Option<WordValues>> {
        let Term::Words { set, low, high, .. } = *self.arena.term(term) else { return Ok(None) };
        if high - low > MAX_WORDS {
            return Ok(None);
        }
        if let Some(&known) = self.unique.word_values.get(&(set, low, high)) {
            return Ok(Some(known));
        }
        let words = self.arena.terms.word_sets[set.index()].words.clone();
        let (mut values, mut are_canonical) = (FxHashSet::default(), true);
        for word in &words[low as usize..high as usize] {
            let read = |values: &mut PartialValues| word.iter().fold(NOTHING_READ, |at, &byte| values.next(at, byte));
            let partial = self.extend_partial_values(read);
            let value = self.value_text(false, NOTHING_READ, partial)?;
            let mut spelled = word.iter().peekable();
            are_canonical &= value.iter().all(|&byte| spelled.next_if_eq(&&byte).is_some() || byte == NUMERAL_END);
            are_canonical &= spelled.next().is_none();
            values.insert(value);
        }
        let found = WordValues { count: values.len() as u32, are_canonical };
        self.arena.budget.grow(24);
        self.unique.word_values.insert((set, low, high), found);
        Ok(Some(found))
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
    fn what_lies_very_deep_counts_too() {
        let deep = |count: usize| {
            move |builder: &mut Builder| {
                let x = builder.literal(b"x").unwrap();
                let x = rule(builder, "x", |_, _| x);
                let mut parts = vec![x; count];
                parts.push(quoted(builder, b'a', b'e', 1, Some(1)));
                seq(builder, &parts)
            }
        };
        assert_eq!([40, 60].map(|count| min_values(deep(count))), [5, 5]);
    }
}
