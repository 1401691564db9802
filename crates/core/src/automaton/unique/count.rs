//! Regular language → its exact number of texts, and whether different texts are different values.
//!
//! Where both are known, comparing the number with the excluded values decides without a search whether an item can
//! still differ.

use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::json::partial_value::{PartialValues, NOTHING_READ};
use crate::json::value::NUMERAL_END;
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId};
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON};

/// Bytes of the longest texts that are counted. Chosen without measurement.
const COUNT_DEPTH: u32 = 64;

/// Languages of more texts than this count as infinite.
const MAX_TEXTS: u32 = 1 << 20;

/// Sets of more words than this are not compared value by value.
const MAX_WORDS: usize = 1 << 14;

impl Machine {
    /// Whether an item can end as a value outside `set`, whose members all begin like the item; None if counts cannot
    /// decide.
    pub(super) fn can_avoid(
        &mut self,
        array: ArrayId,
        state: ArrayStateId,
        step: u32,
        head: TermId,
        set: KeySetId,
    ) -> Result<Option<bool>> {
        let excluded = self.arena.terms.keys.count(set) as u32;
        let item = self.arena.registers.item_of_step(array, state, step);
        let spec = self.arena.registers.uniques[array.index()].clone();
        if self.arena.info(head).structural || !self.is_one_to_one(item)? {
            return Ok(None);
        }
        Ok(match self.text_count(head)? {
            // One spare value, because -0 and 0 are two texts of one value.
            Some(texts) if texts > excluded + 1 => Some(true),
            // Every value that came is a text of this head, because the array has one kind of item.
            Some(texts) if texts <= excluded && spec.only_item().is_some() => Some(false),
            Some(_) => None,
            None => None,
        })
    }

    /// The number of texts that a head reads, at most `MAX_TEXTS`; None if more or unknown. Strings count by their
    /// decoded text.
    pub(super) fn text_count(&mut self, head: TermId) -> Result<Option<u32>> {
        match *self.arena.term(head) {
            Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } => self.count_texts(text, COUNT_DEPTH),
            Term::Quoted { .. } => Ok(None),
            _ => self.count_texts(head, COUNT_DEPTH),
        }
    }

    fn count_texts(&mut self, term: TermId, ahead: u32) -> Result<Option<u32>> {
        match *self.arena.term(term) {
            Term::Words { low, high, .. } => return Ok(Some(high - low)),
            Term::Literal { .. } | Term::Epsilon => return Ok(Some(1)),
            Term::Empty => return Ok(Some(0)),
            _ => {}
        }
        if ahead == 0 || self.arena.info(term).structural || self.arena.is_cofinite(term) {
            return Ok(None);
        }
        if let Some(&known) = self.unique.text_counts.get(&term) {
            return Ok(known);
        }
        // A language that reaches itself is infinite: the entry answers None during the recursion.
        self.unique.text_counts.insert(term, None);
        let mut all = Some(u32::from(self.arena.info(term).nullable));
        for (low, high, target) in self.arena.byte_transitions(term)? {
            let each = self.count_texts(target, ahead - 1)?;
            all = all.zip(each).and_then(|(all, each)| all.checked_add(each.checked_mul(u32::from(high - low) + 1)?));
            all = all.filter(|&all| all < MAX_TEXTS);
            if all.is_none() {
                break;
            }
        }
        self.arena.budget.grow(16);
        self.unique.text_counts.insert(term, all);
        Ok(all)
    }

    /// Whether different texts of an item are different values, except for -0: strings, integers, and words that pass a
    /// comparison.
    pub(super) fn is_one_to_one(&mut self, item: TermId) -> Result<bool> {
        if let Some(&known) = self.unique.one_to_one.get(&item) {
            return Ok(known);
        }
        let found = match *self.arena.term(item) {
            Term::Quoted { state: Spelling::Start, .. } => true,
            Term::Words { set, low, high, depth } if depth > 0 => {
                // Suffixes of words may coincide as values although the words differ: 1 and 1.0. Whole words decide.
                let whole = self.arena.words_rest(set, low, high, 0)?;
                self.is_one_to_one(whole)?
            }
            Term::Words { low, high, .. } => {
                // Two orders of an object's members are one value.
                let texts = self.word_values(item, false)?;
                texts.is_some_and(|mut texts| {
                    texts.sort_unstable();
                    texts.dedup();
                    texts.len() == (high - low) as usize
                })
            }
            _ => self.is_canonical_integer(item)?,
        };
        self.arena.budget.grow(16);
        self.unique.one_to_one.insert(item, found);
        Ok(found)
    }

    /// Whether every word is spelled as its canonical value is. The word 1.0 is not, even if no other word says 1.
    pub(super) fn is_spelled_canonically(&mut self, item: TermId) -> Result<bool> {
        if let Some(&known) = self.unique.canonical.get(&item) {
            return Ok(known);
        }
        let Term::Words { set, low, high, depth: 0 } = *self.arena.term(item) else { return Ok(false) };
        let words = self.arena.terms.word_sets[set.index()].words.clone();
        let words = &words[low as usize..high as usize];
        let texts = self.word_values(item, true)?;
        let canonical = texts.is_some_and(|texts| {
            let without_ends =
                |text: &Vec<u8>| text.iter().copied().filter(|&byte| byte != NUMERAL_END).collect::<Vec<u8>>();
            texts.iter().zip(words).all(|(text, word)| without_ends(text) == **word)
        });
        self.arena.budget.grow(16);
        self.unique.canonical.insert(item, canonical);
        Ok(canonical)
    }

    /// Whether an item reads only integers in canonical spelling: no leading zeros.
    fn is_canonical_integer(&mut self, item: TermId) -> Result<bool> {
        if self.can_read_noninteger(item)? {
            return Ok(false);
        }
        let minus = self.arena.derive(item, b'-')?;
        for start in [item, minus] {
            let zero = self.arena.derive(start, b'0')?;
            if zero != EMPTY && zero != EPSILON {
                return Ok(false);
            }
        }
        Ok(self.arena.derive(minus, b'-')? == EMPTY)
    }

    /// Whether a head may read anything but a sign and digits. Such numbers have several spellings.
    pub(super) fn can_read_noninteger(&mut self, head: TermId) -> Result<bool> {
        if let Some(&known) = self.unique.nonintegers.get(&head) {
            return Ok(known);
        }
        let (mut seen, mut work, mut noninteger) = (vec![head], vec![head], self.arena.info(head).structural);
        while let (Some(state), false) = (work.pop(), noninteger) {
            let may = self.arena.first_bytes(state);
            noninteger =
                seen.len() > COUNT_DEPTH as usize || may.iter().any(|byte| byte != b'-' && !byte.is_ascii_digit());
            if noninteger {
                break;
            }
            for (_, _, target) in self.arena.byte_transitions(state)? {
                if !seen.contains(&target) {
                    seen.push(target);
                    work.push(target);
                }
            }
        }
        self.arena.budget.grow(16);
        self.unique.nonintegers.insert(head, noninteger);
        Ok(noninteger)
    }

    /// The canonical texts of the values of whole words; None of other terms, and of too many words.
    fn word_values(&mut self, item: TermId, ordered: bool) -> Result<Option<Vec<Vec<u8>>>> {
        let Term::Words { set, low, high, depth: 0 } = *self.arena.term(item) else { return Ok(None) };
        if (high - low) as usize > MAX_WORDS {
            return Ok(None);
        }
        let words = self.arena.terms.word_sets[set.index()].words.clone();
        let spelled = &words[low as usize..high as usize];
        let mut texts = Vec::with_capacity(spelled.len());
        for text in spelled {
            self.arena.spend(text.len() as u64)?;
            let read = |values: &mut PartialValues| text.iter().fold(NOTHING_READ, |at, &byte| values.next(at, byte));
            let partial = self.extend_partial_values(read);
            texts.push(self.value_text(ordered, NOTHING_READ, partial)?);
        }
        Ok(Some(texts))
    }
}
