//! Language → how many texts it has, exactly, and whether each is a value of its own: where both are known, and how many
//! values to be avoided begin like an item, no search has to find out whether it can end as another one.

use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::json::partial_value::NOTHING_READ;
use crate::json::value::NUMERAL_END;
use crate::regular::json_string::encode;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};

/// Texts are counted so far ahead.
const FAR: u32 = 64;

/// Languages with more texts are not counted.
const MOST_TEXTS: u32 = 1 << 20;

/// Words whose values are looked at one by one.
const MOST_WORDS: usize = 1 << 14;

impl Machine {
    /// Whether an item can end as another value than those of a set, all of which begin like it; None if counts do not
    /// tell.
    pub(super) fn leaves(&mut self, array: u32, state: u32, step: u32, head: TermId, set: u32) -> Result<Option<bool>> {
        let excluded = self.arena.registers.keys.count(set) as u32;
        let at = self.arena.registers.unique_states[state as usize].at;
        let spec = self.arena.registers.uniques[array as usize].clone();
        let item = spec.steps[at as usize][step as usize].0;
        if self.arena.info(head).structural || !self.is_one_to_one(item)? {
            return Ok(None);
        }
        Ok(match self.reads(head)? {
            // 0 may be spelled -0.
            Some(texts) if texts > excluded + 1 => Some(true),
            // All that came are texts of this head, for there is no other item.
            Some(texts) if texts <= excluded && spec.only_item().is_some() => Some(false),
            Some(_) => None,
            None => None,
        })
    }

    /// How many texts a head reads, if they are not too many. Strings are counted by what they say.
    pub(super) fn reads(&mut self, head: TermId) -> Result<Option<u32>> {
        match *self.arena.term(head) {
            Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } => self.count(text, FAR),
            Term::Quoted { .. } => Ok(None),
            _ => self.count(head, FAR),
        }
    }

    fn count(&mut self, term: TermId, ahead: u32) -> Result<Option<u32>> {
        match *self.arena.term(term) {
            Term::Words { low, high, .. } => return Ok(Some(high - low)),
            Term::Literal { .. } | Term::Epsilon => return Ok(Some(1)),
            Term::Empty => return Ok(Some(0)),
            _ => {}
        }
        if ahead == 0 || self.arena.info(term).structural || self.arena.is_cofinite(term) {
            return Ok(None);
        }
        if let Some(&known) = self.known.counts.get(&term) {
            return Ok(known);
        }
        // A language that contains itself has no end.
        self.known.counts.insert(term, None);
        let mut all = Some(u32::from(self.arena.info(term).nullable));
        for (low, high, target) in self.arena.byte_transitions(term)? {
            let each = self.count(target, ahead - 1)?;
            all = all.zip(each).and_then(|(all, each)| all.checked_add(each.checked_mul(u32::from(high - low) + 1)?));
            all = all.filter(|&all| all < MOST_TEXTS);
            if all.is_none() {
                break;
            }
        }
        self.arena.budget.grow(16);
        self.known.counts.insert(term, all);
        Ok(all)
    }

    /// Whether each text of an item is a value of its own, but for -0: strings are, and integers, and words if they are.
    pub(super) fn is_one_to_one(&mut self, item: TermId) -> Result<bool> {
        if let Some(&known) = self.known.one_to_one.get(&item) {
            return Ok(known);
        }
        let found = match *self.arena.term(item) {
            Term::Quoted { state: Spelling::Start, .. } => true,
            Term::Words { set, low, high, depth } if depth > 0 => {
                // Two rests may be one value, as those of 1 and 1.0 after the 1 are: whole words tell.
                let whole = self.arena.words_rest(set, low, high, 0)?;
                self.is_one_to_one(whole)?
            }
            Term::Words { low, high, .. } => {
                // Two orders of an object's members are one value.
                let texts = self.listed(item, MOST_WORDS, false)?;
                texts.is_some_and(|mut texts| {
                    texts.sort_unstable();
                    texts.dedup();
                    texts.len() == (high - low) as usize
                })
            }
            _ => self.is_plain(item)?,
        };
        self.arena.budget.grow(16);
        self.known.one_to_one.insert(item, found);
        Ok(found)
    }

    /// Whether words are spelled as their values are in a set: 1.0 is not, even where no other word says 1.
    pub(super) fn is_spelled_plainly(&mut self, item: TermId) -> Result<bool> {
        if let Some(&known) = self.known.plainly.get(&item) {
            return Ok(known);
        }
        let Term::Words { set, low, high, depth: 0 } = *self.arena.term(item) else { return Ok(false) };
        let words = self.arena.terms.word_sets[set as usize].words.clone();
        let words = &words[low as usize..high as usize];
        let texts = self.listed(item, MOST_WORDS, true)?;
        let plainly = texts.is_some_and(|texts| {
            let said = |text: &Vec<u8>| text.iter().copied().filter(|&byte| byte != NUMERAL_END).collect::<Vec<u8>>();
            texts.iter().zip(words).all(|(text, word)| said(text) == **word)
        });
        self.arena.budget.grow(16);
        self.known.plainly.insert(item, plainly);
        Ok(plainly)
    }

    /// Whether all that an item reads are integers as most write them: digits without zeros before them.
    fn is_plain(&mut self, item: TermId) -> Result<bool> {
        if self.is_odd(item)? {
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

    /// Whether a head may read something else than digits behind a sign, which numbers have other spellings with.
    pub(super) fn is_odd(&mut self, head: TermId) -> Result<bool> {
        if let Some(&known) = self.known.numerals.get(&head) {
            return Ok(known);
        }
        let (mut seen, mut work, mut odd) = (vec![head], vec![head], self.arena.info(head).structural);
        while let (Some(state), false) = (work.pop(), odd) {
            let may = self.arena.first_bytes(state);
            odd = seen.len() > FAR as usize || may.iter().any(|byte| byte != b'-' && !byte.is_ascii_digit());
            if odd {
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
        self.known.numerals.insert(head, odd);
        Ok(odd)
    }

    /// The texts of all values of a regular item, if it has at most so many spellings.
    pub(super) fn listed(&mut self, item: TermId, most: usize, ordered: bool) -> Result<Option<Vec<Vec<u8>>>> {
        if self.arena.info(item).structural {
            return Ok(None);
        }
        let spelled = match *self.arena.term(item) {
            Term::Words { set, low, high, depth: 0 } => {
                let words = self.arena.terms.word_sets[set as usize].clone();
                ((high - low) as usize <= most)
                    .then(|| words.words[low as usize..high as usize].iter().map(|word| word.to_vec()).collect())
            }
            Term::Quoted { text, state: Spelling::Start, .. } => {
                let texts = self.arena.enumerate(text, most)?;
                texts.map(|texts| texts.iter().map(|text| encode(text)).collect::<Vec<_>>())
            }
            _ if self.arena.info(item).max_chars == MANY => None,
            _ => self.arena.enumerate(item, most)?,
        };
        let Some(spelled) = spelled else { return Ok(None) };
        let mut texts = Vec::with_capacity(spelled.len());
        for text in spelled {
            self.arena.spend(text.len() as u64)?;
            let before = self.known.partial_values.len();
            let reading = text.iter().fold(NOTHING_READ, |at, &byte| self.known.partial_values.next(at, byte));
            self.arena.budget.grow(crate::automaton::unique::PER_READING * (self.known.partial_values.len() - before));
            texts.push(self.value_text(ordered, NOTHING_READ, reading)?);
        }
        Ok(Some(texts))
    }
}
