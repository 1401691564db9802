//! State of an object → what tokens can observe of it: whether it may close, and how its next key may begin.
//!
//! If no token goes on behind a key and its colon, tokens observe nothing else. Most states of an object, which differ in
//! the members that came, therefore have one summary; so do many objects that differ in their names.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::id::{KeySetId, ObjectId, ObjectStateId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::registers::{Hidden, ObjectSpec};
use crate::regular::term::{Term, TermId, EMPTY, EPSILON};
use crate::storage::hash::Hasher128;
use crate::vocabulary::key_prefixes::{KeyPrefixes, BEFORE, BEHIND};
use smallvec::SmallVec;

/// A summary of the state of an object, equal for states that no token tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, packed(8))]
pub(crate) struct ObjectSummary {
    /// A hash of how keys may begin.
    pub keys: u128,
    /// Whether the object may close.
    pub closes: bool,
    /// Whether another member may come.
    pub goes_on: bool,
}

/// The part that the summaries of all states of an object share.
pub(crate) struct ObjectProfile {
    /// Whether only an order of properties and `required` restrict which property may come.
    unrestricted: bool,
    /// Whether the unnamed keys, where any may come, are all texts but finitely many.
    any: bool,
    /// Indices of the sorted keys whose first byte some token has behind a quote.
    observed: Vec<u32>,
}

impl ObjectProfile {
    fn observed_in<'a>(
        &'a self,
        spec: &'a ObjectSpec,
        may_come: impl Fn(u32) -> bool + 'a,
    ) -> impl Iterator<Item = &'a [u8]> + 'a {
        let observed = self.observed.iter().map(|&place| &spec.sorted[place as usize]);
        observed.filter(move |(_, property)| may_come(*property)).map(|(spelling, _)| &**spelling)
    }
}

fn with_hidden(hidden: u64, keys: u128) -> u128 {
    keys.wrapping_mul(2).wrapping_add(hidden.into())
}

impl Arena {
    /// The profile of an object; None if tokens can observe more of the object than a summary says.
    pub(crate) fn object_profile(
        &mut self,
        object: ObjectId,
        key_prefixes: &KeyPrefixes,
    ) -> Result<Option<ObjectProfile>> {
        let spec = self.registers.objects[object.index()].clone();
        self.budget.spend(1 + spec.sorted.len() as u64 / 8)?;
        let extras = || spec.extras.iter().filter(|extra| !extra.values.is_empty());
        let is_observed = extras().any(|extra| self.is_cofinite(extra.keys) && self.excludes(extra.keys, key_prefixes));
        if key_prefixes.crosses || is_observed || !self.has_usual_separators(object) {
            return Ok(None);
        }
        let first = |(spelling, _): &(Box<[u8]>, u32)| spelling.get(1).copied();
        let (mut observed, mut place) = (Vec::new(), 0);
        // Keys with a common first byte are neighbours, so whole groups are skipped.
        while let Some(key) = spec.sorted.get(place) {
            let byte = first(key);
            let end = place + spec.sorted[place..].partition_point(|key| first(key) == byte);
            if byte.is_none_or(|byte| key_prefixes.bytes.contains(byte)) {
                observed.extend(place as u32..end as u32);
            }
            place = end;
        }
        let profile = ObjectProfile {
            unrestricted: spec.is_unrestricted(),
            any: extras().any(|extra| extra.few.is_none() && self.is_cofinite(extra.keys)),
            observed,
        };
        self.budget.grow(size_of::<ObjectProfile>() + 4 * profile.observed.len());
        Ok(Some(profile))
    }

    /// The summary of a state; None if tokens can observe more of the state.
    pub(crate) fn object_summary(
        &mut self,
        object: ObjectId,
        state_id: ObjectStateId,
        profile: &ObjectProfile,
        key_prefixes: &KeyPrefixes,
    ) -> Result<Option<ObjectSummary>> {
        let (spec, state) =
            (self.registers.objects[object.index()].clone(), self.registers.states[state_id.index()].clone());
        if state.hidden == Hidden::Choice || self.is_observed(state.keys, key_prefixes) {
            return Ok(None);
        }
        let hidden = u64::from(state.hidden == Hidden::Key);
        // Stands for all texts but finitely many, none of which a token reads to its end.
        const ANY: u128 = 1;
        if profile.unrestricted {
            self.budget.spend(1 + spec.valued.len() as u64 / 8)?;
            let left = |set: &[u64]| (0..set.len()).any(|word| set[word] & !spec.past_word(&state, word) != 0);
            let closes = !left(&spec.required);
            let any = profile.any && (closes || spec.any_order || !spec.extras_last);
            if any || profile.observed.is_empty() && spec.extras.is_empty() {
                let keys = with_hidden(hidden, if any { ANY } else { 0 });
                return Ok(Some(ObjectSummary { closes, goes_on: any || left(&spec.valued), keys }));
            }
        }
        if spec.is_sequential() && spec.extras.is_empty() {
            self.budget.spend(1 + profile.observed.len() as u64 / 8)?;
            let span = spec.in_turn(&state);
            let may_come = |property: u32| span.contains(&(property as usize)) && spec.has_values(property);
            let keys = self.keys_hash(profile.observed_in(&spec, may_come), &[]);
            let closes = spec.can_close(&state);
            let goes_on = span.clone().any(|property| may_come(property as u32));
            return Ok(Some(ObjectSummary { closes, goes_on, keys: with_hidden(hidden, keys) }));
        }
        let choices = self.choices(object, state_id)?;
        let any = choices.extras.iter().any(|&(extra, _)| self.is_cofinite(spec.extras[extra as usize].keys));
        let keys = if any {
            ANY
        } else {
            let others: Vec<TermId> = choices.extras.iter().map(|&(_, keys)| keys).collect();
            self.keys_hash(profile.observed_in(&spec, |property| choices.allows(property)), &others)
        };
        let goes_on = !choices.named.is_empty() || !choices.extras.is_empty();
        Ok(Some(ObjectSummary { closes: spec.can_close(&state), goes_on, keys: with_hidden(hidden, keys) }))
    }

    /// A hash of the keys that are one of some texts, or in one of some languages; 0 if there are none.
    fn keys_hash<'a>(&self, spellings: impl Iterator<Item = &'a [u8]>, others: &[TermId]) -> u128 {
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

    /// Whether some token reads a key of a set to its end.
    fn is_observed(&self, keys: KeySetId, key_prefixes: &KeyPrefixes) -> bool {
        let begins = || self.registers.keys.children(keys).any(|(first, _)| key_prefixes.firsts.contains(first));
        keys != NO_KEYS
            && (self.registers.keys.has_empty(keys) || begins())
            && key_prefixes.whole.iter().any(|key| self.registers.keys.contains(keys, key))
    }

    /// Whether some token reads a key to its end that a cofinite language excludes.
    fn excludes(&self, id: TermId, key_prefixes: &KeyPrefixes) -> bool {
        match *self.term(id) {
            Term::And(ref parts) => parts.iter().any(|&part| self.excludes(part, key_prefixes)),
            Term::Not(EMPTY) => false,
            Term::Not(inner) => match *self.term(inner) {
                Term::Words { set, low, high, depth: 0 } => {
                    let words = &self.terms.word_sets[set.index()].words[low as usize..high as usize];
                    key_prefixes.has_any(words.iter().map(|word| &**word))
                }
                Term::Literal { literal, position: 0 } => {
                    key_prefixes.has_any([&**self.terms.literals[literal.index()]])
                }
                Term::Keys(set) => key_prefixes.whole.iter().any(|key| self.registers.keys.contains(set, key)),
                _ => true,
            },
            _ => false,
        }
    }

    /// Whether the bytes before a key end with one of `BEFORE` and those behind a key begin with one of `BEHIND`.
    pub(crate) fn has_usual_separators(&mut self, object: ObjectId) -> bool {
        let ObjectSpec { open, comma, colon, free, .. } = *self.registers.objects[object.index()];
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

    /// The last bytes of the texts of a separator; None if the term is not one that separators are made of.
    fn last_bytes(&self, id: TermId) -> Option<ByteSet> {
        match *self.term(id) {
            Term::Class(bytes) => Some(bytes),
            Term::Literal { literal, .. } => {
                self.terms.literals[literal.index()].last().map(|&last| ByteSet::range(last, last))
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
