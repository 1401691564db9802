//! The state of an object → what tokens see of it: whether it may be closed, and how a key may begin.
//!
//! No more, if no token goes on behind a key and its colon. So states that differ in the members that came, and even
//! objects that differ in their names, look the same more often than not.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::key_set::NO_KEYS;
use crate::regular::registers::{Hidden, ObjectSpec};
use crate::regular::term::{Term, TermId, EMPTY, EPSILON};
use crate::storage::hash::Hasher128;
use crate::vocabulary::key_prefixes::{KeyPrefixes, BEFORE, BEHIND};
use smallvec::SmallVec;

/// What tokens see of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, packed(8))]
pub(crate) struct ObjectSummary {
    /// A name for how keys may begin.
    pub keys: u128,
    pub closes: bool,
    /// Whether another member may come.
    pub goes_on: bool,
}

/// What all states of an object have in common.
pub(crate) struct ObjectProfile {
    /// Whether only an order and `required` say which property may come.
    unrestricted: bool,
    /// Whether besides the named ones every other key may come, if any may.
    any: bool,
    /// Places among the sorted spellings that begin as tokens go on.
    seen: Vec<u32>,
}

impl ObjectProfile {
    fn seen_in<'a>(
        &'a self,
        spec: &'a ObjectSpec,
        may_come: impl Fn(u32) -> bool + 'a,
    ) -> impl Iterator<Item = &'a [u8]> + 'a {
        let seen = self.seen.iter().map(|&place| &spec.sorted[place as usize]);
        seen.filter(move |(_, property)| may_come(*property)).map(|(spelling, _)| &**spelling)
    }
}

fn hidden_as(hidden: u64, keys: u128) -> u128 {
    keys.wrapping_mul(2).wrapping_add(hidden.into())
}

impl Arena {
    /// None if tokens see more of the object than a look says.
    pub(crate) fn outline(&mut self, object: u32, key_prefixes: &KeyPrefixes) -> Result<Option<ObjectProfile>> {
        let spec = self.registers.objects[object as usize].clone();
        self.budget.spend(1 + spec.sorted.len() as u64 / 8)?;
        let extras = || spec.extras.iter().filter(|extra| !extra.values.is_empty());
        let told_apart = extras().any(|extra| self.is_cofinite(extra.keys) && self.excludes(extra.keys, key_prefixes));
        if key_prefixes.crosses || told_apart || !self.is_usual(object) {
            return Ok(None);
        }
        let first = |(spelling, _): &(Box<[u8]>, u32)| spelling.get(1).copied();
        let (mut seen, mut place) = (Vec::new(), 0);
        // Keys that begin alike stand together: of thousands few are looked at.
        while let Some(key) = spec.sorted.get(place) {
            let byte = first(key);
            let end = place + spec.sorted[place..].partition_point(|key| first(key) == byte);
            if byte.is_none_or(|byte| key_prefixes.bytes.contains(byte)) {
                seen.extend(place as u32..end as u32);
            }
            place = end;
        }
        let outline = ObjectProfile {
            unrestricted: spec.unrestricted(),
            any: extras().any(|extra| extra.few.is_none() && self.is_cofinite(extra.keys)),
            seen,
        };
        self.budget.grow(size_of::<ObjectProfile>() + 4 * outline.seen.len());
        Ok(Some(outline))
    }

    /// What a state looks like; None if tokens see more of it.
    pub(crate) fn object_summary(
        &mut self,
        object: u32,
        state_id: u32,
        outline: &ObjectProfile,
        key_prefixes: &KeyPrefixes,
    ) -> Result<Option<ObjectSummary>> {
        let (spec, state) =
            (self.registers.objects[object as usize].clone(), self.registers.states[state_id as usize].clone());
        if state.hidden == Hidden::Choice || self.told_apart(state.keys, key_prefixes) {
            return Ok(None);
        }
        let hidden = u64::from(state.hidden == Hidden::Key);
        // All texts but a few that no token reads to their end: whatever else begins is among them.
        const ANY: u128 = 1;
        if outline.unrestricted {
            self.budget.spend(1 + spec.valued.len() as u64 / 8)?;
            let left = |set: &[u64]| (0..set.len()).any(|word| set[word] & !spec.came(&state, word) != 0);
            let closes = !left(&spec.required);
            let any = outline.any && (closes || spec.any_order || !spec.extras_last);
            if any || outline.seen.is_empty() && spec.extras.is_empty() {
                let keys = hidden_as(hidden, if any { ANY } else { 0 });
                return Ok(Some(ObjectSummary { closes, goes_on: any || left(&spec.valued), keys }));
            }
        }
        if spec.plain() && spec.extras.is_empty() {
            self.budget.spend(1 + outline.seen.len() as u64 / 8)?;
            let span = spec.in_turn(&state);
            let may_come = |property: u32| span.contains(&(property as usize)) && spec.may_ever_come(property);
            let keys = self.named_as(outline.seen_in(&spec, may_come), &[]);
            let closes = spec.can_close(&state);
            let goes_on = span.clone().any(|property| may_come(property as u32));
            return Ok(Some(ObjectSummary { closes, goes_on, keys: hidden_as(hidden, keys) }));
        }
        let choices = self.choices(object, state_id)?;
        let any = choices.extras.iter().any(|&(extra, _)| self.is_cofinite(spec.extras[extra as usize].keys));
        let keys = if any {
            ANY
        } else {
            let others: Vec<TermId> = choices.extras.iter().map(|&(_, keys)| keys).collect();
            self.named_as(outline.seen_in(&spec, |property| choices.allows(property)), &others)
        };
        let goes_on = !choices.named.is_empty() || !choices.extras.is_empty();
        Ok(Some(ObjectSummary { closes: spec.can_close(&state), goes_on, keys: hidden_as(hidden, keys) }))
    }

    /// A name for keys that are spelled in one of these ways, or in one of others.
    fn named_as<'a>(&self, spellings: impl Iterator<Item = &'a [u8]>, others: &[TermId]) -> u128 {
        let (mut keys, mut named) = (Hasher128::new(0), 0);
        for spelling in spellings {
            keys.bytes(spelling);
            named += 1;
        }
        let mut others: SmallVec<[u128; 4]> = others.iter().map(|&keys| self.info(keys).hash).collect();
        others.sort_unstable();
        others.iter().for_each(|&hash| keys.wide(hash));
        match named + others.len() {
            0 => 0,
            _ => keys.finish(),
        }
    }

    /// Whether a key that some token reads to its end is one of a set.
    fn told_apart(&self, keys: u32, key_prefixes: &KeyPrefixes) -> bool {
        let begins = || self.registers.keys.children(keys).any(|(first, _)| key_prefixes.firsts.contains(first));
        keys != NO_KEYS
            && (self.registers.keys.has_empty(keys) || begins())
            && key_prefixes.whole.iter().any(|key| self.registers.keys.contains(keys, key))
    }

    /// Whether a key that some token reads to its end is one of the few that a language of nearly all texts lacks.
    fn excludes(&self, id: TermId, key_prefixes: &KeyPrefixes) -> bool {
        match *self.term(id) {
            Term::And(ref parts) => parts.iter().any(|&part| self.excludes(part, key_prefixes)),
            Term::Not(EMPTY) => false,
            Term::Not(inner) => match *self.term(inner) {
                Term::Words { set, low, high, depth: 0 } => {
                    let words = &self.terms.word_sets[set as usize].words[low as usize..high as usize];
                    key_prefixes.has_any(words.iter().map(|word| &**word))
                }
                Term::Literal { literal, position: 0 } => {
                    key_prefixes.has_any([&**self.terms.literals[literal as usize]])
                }
                Term::Keys(set) => key_prefixes.whole.iter().any(|key| self.registers.keys.contains(set, key)),
                _ => true,
            },
            _ => false,
        }
    }

    /// Whether what comes before a key ends with one of `BEFORE`, and what comes behind it is of `BEHIND`.
    pub(crate) fn is_usual(&mut self, object: u32) -> bool {
        let ObjectSpec { open, comma, colon, free, .. } = *self.registers.objects[object as usize];
        if free {
            return false;
        }
        if let Some(&known) = self.registers.standard_punctuation.get(&[open, comma, colon]) {
            return known;
        }
        let is_of = |bytes: ByteSet, few: &[u8]| {
            let few = ByteSet::from_bytes(few.iter().copied());
            bytes.union(&few) == few
        };
        let ends = |id| !self.info(id).nullable && self.last_bytes(id).is_some_and(|bytes| is_of(bytes, BEFORE));
        let before = ends(open) && ends(comma);
        let usual = before && !self.info(colon).nullable && is_of(self.first_bytes(colon), BEHIND);
        self.registers.standard_punctuation.insert([open, comma, colon], usual, &mut self.budget);
        usual
    }

    /// The bytes with which texts end, of what separators are made of.
    fn last_bytes(&self, id: TermId) -> Option<ByteSet> {
        match *self.term(id) {
            Term::Class(bytes) => Some(bytes),
            Term::Literal { literal, .. } => {
                self.terms.literals[literal as usize].last().map(|&last| ByteSet::range(last, last))
            }
            Term::Repeat { body, .. } => self.last_bytes(body),
            Term::Cat(left, right) | Term::Seq(left, right) => match self.info(right).nullable {
                true => Some(self.last_bytes(left)?.union(&self.last_bytes(right)?)),
                false => self.last_bytes(right),
            },
            Term::Alt(ref parts) => {
                let mut all = ByteSet::EMPTY;
                for &part in parts.iter().filter(|&&part| part != EPSILON) {
                    all = all.union(&self.last_bytes(part)?);
                }
                Some(all)
            }
            _ => None,
        }
    }
}
