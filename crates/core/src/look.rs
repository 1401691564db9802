//! The state of an object → what tokens see of it: whether it may be closed, and how a key may begin.
//!
//! No more, if no token goes on behind a key and its colon. So states that differ in the members that came, and even
//! objects that differ in their names, look the same more often than not.

use crate::byteset::ByteSet;
use crate::error::Result;
use crate::keyset::NO_KEYS;
use crate::object::Hidden;
use crate::openings::{Openings, BEFORE, BEHIND};
use crate::term::{Arena, Hasher128, Term, TermId, EMPTY, EPSILON};
use rustc_hash::FxHashMap;

/// What tokens see of a state.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub closes: bool,
    /// Whether another member may come.
    pub goes_on: bool,
    /// A name for how keys may begin.
    pub keys: u128,
}

/// What all states of an object have in common.
pub(crate) struct Outline {
    /// Whether nothing but the order and `required` says which property may come, and every other text may.
    plain: bool,
    /// Places among the sorted spellings that begin as tokens go on.
    seen: Vec<u32>,
    /// (next property, whether a key is hidden) → what that looks like, where `plain`.
    plainly: FxHashMap<(u32, bool), Look>,
}

impl Arena {
    /// None if tokens see more of the object than a look says.
    pub(crate) fn outline(&mut self, object: u32, openings: &Openings) -> Result<Option<Outline>> {
        let spec = self.objects[object as usize].clone();
        self.budget.spend(1 + spec.sorted.len() as u64 / 8)?;
        let extras = || spec.extras.iter().filter(|extra| !extra.values.is_empty());
        let told_apart = extras().any(|extra| self.is_cofinite(extra.keys) && self.excludes(extra.keys, openings));
        if openings.crosses || told_apart || !self.is_usual(object) {
            return Ok(None);
        }
        let plain = spec.plain() && extras().all(|extra| extra.few.is_none() && self.is_cofinite(extra.keys));
        let begins = |spelling: &[u8]| spelling.get(1).is_none_or(|&byte| openings.bytes.contains(byte));
        let places = 0..spec.sorted.len() as u32;
        let seen: Vec<u32> = places.filter(|&place| begins(&spec.sorted[place as usize].0)).collect();
        self.budget.grow(size_of::<Outline>() + 4 * seen.len());
        Ok(Some(Outline { plain, seen, plainly: FxHashMap::default() }))
    }

    /// What a state looks like; None if tokens see more of it.
    pub(crate) fn look(
        &mut self,
        object: u32,
        state_id: u32,
        outline: &mut Outline,
        openings: &Openings,
    ) -> Result<Option<Look>> {
        let (spec, state) = (self.objects[object as usize].clone(), self.states[state_id as usize].clone());
        let hidden = state.hidden != Hidden::Nothing;
        let came = |key: &Vec<u8>| self.keys.contains(state.keys, key);
        if state.hidden == Hidden::Choice || state.keys != NO_KEYS && openings.whole.iter().any(came) {
            return Ok(None);
        }
        let place = (state.next, hidden);
        if let Some(&known) = outline.plainly.get(&place) {
            return Ok(Some(known));
        }
        let mut keys = Hasher128::new(u64::from(hidden));
        let named = |keys: &mut Hasher128, may_come: &dyn Fn(u32) -> bool| {
            let seen = outline.seen.iter().map(|&place| &spec.sorted[place as usize]);
            seen.filter(|(_, property)| may_come(*property)).for_each(|(spelling, _)| keys.bytes(spelling));
        };
        if outline.plain {
            let rest = &spec.properties[(state.next as usize).min(spec.properties.len())..];
            self.budget.spend(1 + rest.len() as u64 / 8)?;
            let barrier = rest.iter().position(|property| property.required);
            let open = &rest[..barrier.map_or(rest.len(), |barrier| barrier + 1)];
            let valued = spec.extras.iter().any(|extra| !extra.values.is_empty());
            let any = (barrier.is_none() || !spec.extras_last) && valued;
            keys.word(u64::from(any));
            if !any {
                let open = state.next..state.next + open.len() as u32;
                named(&mut keys, &|property| {
                    open.contains(&property) && !spec.properties[property as usize].values.is_empty()
                });
            }
            let goes_on = any || open.iter().any(|property| !property.values.is_empty());
            let look = Look { closes: barrier.is_none(), goes_on, keys: keys.finish() };
            self.budget.grow(56);
            outline.plainly.insert(place, look);
            return Ok(Some(look));
        }
        let choices = self.choices(object, state_id)?;
        // All texts but a few that no token reads to their end: whatever else begins is among them.
        let any = choices.extras.iter().any(|&(extra, _)| self.is_cofinite(spec.extras[extra as usize].keys));
        keys.word(u64::from(any));
        if !any {
            named(&mut keys, &|property| choices.allows(property));
            let mut others: Vec<u128> = choices.extras.iter().map(|&(_, keys)| self.info(keys).hash).collect();
            others.sort_unstable();
            others.into_iter().for_each(|hash| keys.wide(hash));
        }
        let goes_on = !choices.named.is_empty() || !choices.extras.is_empty();
        Ok(Some(Look { closes: spec.can_close(&state), goes_on, keys: keys.finish() }))
    }

    /// Whether a key that some token reads to its end is one of the few that a language of nearly all texts lacks.
    fn excludes(&self, id: TermId, openings: &Openings) -> bool {
        match *self.term(id) {
            Term::And(ref parts) => parts.iter().any(|&part| self.excludes(part, openings)),
            Term::Not(EMPTY) => false,
            Term::Not(inner) => match *self.term(inner) {
                Term::Words { set, low, high, depth: 0 } => {
                    let words = &self.word_sets[set as usize].words[low as usize..high as usize];
                    openings.hold_one_of(words.iter().map(|word| &**word))
                }
                Term::Literal { literal, position: 0 } => openings.hold_one_of([&*self.literals[literal as usize]]),
                Term::Keys(set) => openings.whole.iter().any(|key| self.keys.contains(set, key)),
                _ => true,
            },
            _ => false,
        }
    }

    /// Whether what comes before a key ends with one of `BEFORE`, and what comes behind it is of `BEHIND`.
    fn is_usual(&mut self, object: u32) -> bool {
        let spec = self.objects[object as usize].clone();
        let is_of = |bytes: ByteSet, few: &[u8]| (0..=255u8).all(|byte| !bytes.contains(byte) || few.contains(&byte));
        let ends = |id| !self.info(id).nullable && self.last_bytes(id).is_some_and(|bytes| is_of(bytes, BEFORE));
        let before = !spec.free && ends(spec.open) && ends(spec.comma);
        before && !self.info(spec.colon).nullable && is_of(self.may(spec.colon), BEHIND)
    }

    /// The bytes with which texts end, of what separators are made of.
    fn last_bytes(&self, id: TermId) -> Option<ByteSet> {
        match *self.term(id) {
            Term::Class(bytes) => Some(bytes),
            Term::Literal { literal, .. } => {
                self.literals[literal as usize].last().map(|&last| ByteSet::range(last, last))
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
