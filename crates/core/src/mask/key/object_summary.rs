//! State of an object → what tokens can observe of it: whether it may close, and how its next key may begin.
//!
//! If no token goes on behind a key and its colon, tokens observe nothing else. Most states of an object, which differ in
//! the members that came, therefore have one summary; so do many objects that differ in their names.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::registers::{Hidden, ObjectSpec};
use crate::regular::id::{KeySetId, ObjectId, ObjectStateId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Term, TermId, EMPTY, EPSILON};
use crate::regular::terms::Terms;
use crate::storage::hash::Hasher128;
use crate::vocabulary::key_prefixes::{KeyPrefixes, BEFORE, BEHIND};
use smallvec::SmallVec;

/// A summary of the state of an object, equal for states that no token tells apart.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// The profile of an object; None if tokens can observe more of the object than a summary says.
    pub(crate) fn of(arena: &mut Arena, object: ObjectId, key_prefixes: &KeyPrefixes) -> Result<Option<Self>> {
        let spec = arena.registers.objects[object.index()].clone();
        arena.budget.spend(1 + spec.sorted.len() as u64 / 8)?;
        let extras = || spec.extras.iter().filter(|extra| !extra.values.is_empty());
        let is_observed =
            extras().any(|extra| arena.is_cofinite(extra.keys) && excludes(arena, extra.keys, key_prefixes));
        if key_prefixes.crosses || is_observed || !has_usual_separators(arena, object) {
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
            any: extras().any(|extra| extra.few.is_none() && arena.is_cofinite(extra.keys)),
            observed,
        };
        arena.budget.grow(size_of::<ObjectProfile>() + 4 * profile.observed.len());
        Ok(Some(profile))
    }

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

impl ObjectSummary {
    /// The summary of a state; None if tokens can observe more of the state.
    pub(crate) fn of(
        arena: &mut Arena,
        object: ObjectId,
        state_id: ObjectStateId,
        profile: &ObjectProfile,
        key_prefixes: &KeyPrefixes,
    ) -> Result<Option<Self>> {
        let (spec, state) =
            (arena.registers.objects[object.index()].clone(), arena.registers.states[state_id.index()].clone());
        if state.hidden == Hidden::Choice || is_observed(arena, state.keys, key_prefixes) {
            return Ok(None);
        }
        let hidden = u64::from(state.hidden == Hidden::Key);
        // Stands for all texts but finitely many, none of which a token reads to its end.
        const ANY: u128 = 1;
        if profile.unrestricted {
            arena.budget.spend(1 + spec.valued.len() as u64 / 8)?;
            let left = |set: &[u64]| (0..set.len()).any(|word| set[word] & !spec.past_word(&state, word) != 0);
            let closes = !left(&spec.required);
            let any = profile.any && (closes || spec.any_order || !spec.extras_last);
            if any || profile.observed.is_empty() && spec.extras.is_empty() {
                let keys = with_hidden(hidden, if any { ANY } else { 0 });
                return Ok(Some(ObjectSummary { closes, goes_on: any || left(&spec.valued), keys }));
            }
        }
        if spec.is_sequential() && spec.extras.is_empty() {
            arena.budget.spend(1 + profile.observed.len() as u64 / 8)?;
            let span = spec.in_turn(&state);
            let may_come = |property: u32| span.contains(&(property as usize)) && spec.has_values(property);
            let keys = keys_hash(arena, profile.observed_in(&spec, may_come), &[]);
            let closes = spec.can_close(&state);
            let goes_on = span.clone().any(|property| may_come(property as u32));
            return Ok(Some(ObjectSummary { closes, goes_on, keys: with_hidden(hidden, keys) }));
        }
        let choices = arena.choices(object, state_id)?;
        let any = choices.extras.iter().any(|&(extra, _)| arena.is_cofinite(spec.extras[extra as usize].keys));
        let keys = if any {
            ANY
        } else {
            let others: Vec<TermId> = choices.extras.iter().map(|&(_, keys)| keys).collect();
            keys_hash(arena, profile.observed_in(&spec, |property| choices.allows(property)), &others)
        };
        let goes_on = !choices.named.is_empty() || !choices.extras.is_empty();
        Ok(Some(ObjectSummary { closes: spec.can_close(&state), goes_on, keys: with_hidden(hidden, keys) }))
    }
}

/// A hash of the keys that are one of some texts, or in one of some languages; 0 if there are none.
fn keys_hash<'a>(terms: &Terms, spellings: impl Iterator<Item = &'a [u8]>, others: &[TermId]) -> u128 {
    let (mut keys, mut named) = (Hasher128::new(0), 0);
    for spelling in spellings {
        keys.bytes(spelling);
        named += 1;
    }
    let mut others: SmallVec<[u128; 4]> = others.iter().map(|&keys| terms.info(keys).hash).collect();
    others.sort_unstable();
    others.iter().for_each(|&hash| keys.wide(hash));
    match named + others.len() {
        0 => 0,
        _ => keys.finish(),
    }
}

/// Whether some token reads a key of a set to its end.
fn is_observed(terms: &Terms, keys: KeySetId, key_prefixes: &KeyPrefixes) -> bool {
    let begins = || terms.keys.children(keys).any(|(first, _)| key_prefixes.firsts.contains(first));
    keys != NO_KEYS
        && (terms.keys.has_empty(keys) || begins())
        && key_prefixes.whole.iter().any(|key| terms.keys.contains(keys, key))
}

/// Whether some token reads a key to its end that a cofinite language excludes.
fn excludes(terms: &Terms, id: TermId, key_prefixes: &KeyPrefixes) -> bool {
    match *terms.term(id) {
        Term::And(ref parts) => parts.iter().any(|&part| excludes(terms, part, key_prefixes)),
        Term::Not(EMPTY) => false,
        Term::Not(inner) => match *terms.term(inner) {
            Term::Words { set, low, high, depth: 0 } => {
                let words = &terms.word_sets[set.index()].words[low as usize..high as usize];
                key_prefixes.has_any(words.iter().map(|word| &**word))
            }
            Term::Literal { literal, position: 0 } => key_prefixes.has_any([&**terms.literals[literal.index()]]),
            // Names of one byte each.
            Term::Class(bytes) => bytes.iter().any(|byte| key_prefixes.has_any([&[byte][..]])),
            Term::Keys(set) => key_prefixes.whole.iter().any(|key| terms.keys.contains(set, key)),
            _ => true,
        },
        _ => false,
    }
}

/// Whether the bytes before a key end with one of `BEFORE` and those behind a key begin with one of `BEHIND`.
fn has_usual_separators(arena: &mut Arena, object: ObjectId) -> bool {
    let ObjectSpec { open, comma, colon, escapes, .. } = *arena.registers.objects[object.index()];
    if escapes.free {
        return false;
    }
    if let Some(&known) = arena.registers.standard_punctuation.get(&[open, comma, colon]) {
        return known;
    }
    let is_of = |bytes: ByteSet, few: &[u8]| {
        let few = ByteSet::from_bytes(few.iter().copied());
        bytes.union(&few) == few
    };
    let ends = |id| !arena.info(id).nullable && last_bytes(arena, id).is_some_and(|bytes| is_of(bytes, BEFORE));
    let before = ends(open) && ends(comma);
    let usual = before && !arena.info(colon).nullable && is_of(arena.first_bytes(colon), BEHIND);
    arena.registers.standard_punctuation.insert([open, comma, colon], usual, &mut arena.terms.budget);
    usual
}

/// The last bytes of the texts of a separator; None if the term is not one that separators are made of.
fn last_bytes(terms: &Terms, id: TermId) -> Option<ByteSet> {
    match *terms.term(id) {
        Term::Class(bytes) => Some(bytes),
        Term::Literal { literal, .. } => terms.literals[literal.index()].last().map(|&last| ByteSet::range(last, last)),
        Term::Words { set, low, high, depth } => {
            let words = &terms.word_sets[set.index()].words[low as usize..high as usize];
            Some(ByteSet::from_bytes(words.iter().filter_map(|word| word[depth as usize..].last().copied())))
        }
        Term::Repeat { body, .. } => last_bytes(terms, body),
        Term::Cat(left, right) | Term::Seq(left, right) => match terms.info(right).nullable {
            true => Some(last_bytes(terms, left)?.union(&last_bytes(terms, right)?)),
            false => last_bytes(terms, right),
        },
        Term::Alt(ref parts) => {
            let mut all = ByteSet::EMPTY;
            for &part in parts.iter().filter(|&&part| part != EPSILON) {
                all = all.union(&last_bytes(terms, part)?);
            }
            Some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ObjectRules;
    use crate::mask::fixture::{object, printable_and, Scene};

    const OBJECT: ObjectId = ObjectId::new(0);

    fn any_order() -> ObjectRules {
        ObjectRules { any_order: true, ..ObjectRules::default() }
    }

    fn prefixes(tokens: &[&str]) -> KeyPrefixes {
        KeyPrefixes::new(tokens.iter().map(|text| text.as_bytes()))
    }

    /// (may close, may go on, keys) before or behind the value at the end of a text; None if tokens see more.
    fn summary(scene: &mut Scene, text: &str, hidden: Hidden, tokens: &[&str]) -> Option<(bool, bool, u128)> {
        let mut id = scene.machine.arena.first_state(OBJECT);
        if !text.is_empty() {
            let (_, frame) = scene.head(text);
            let (next, _) = scene.machine.members(frame)[0];
            let Term::ObjectNext { state, .. } = *scene.machine.arena.term(next) else {
                panic!("no object at {text:?}")
            };
            id = state;
        }
        let (arena, key_prefixes) = (&mut scene.machine.arena, prefixes(tokens));
        let mut state = (*arena.registers.states[id.index()]).clone();
        state.hidden = hidden;
        let id = arena.object_state(OBJECT, state);
        let profile = ObjectProfile::of(arena, OBJECT, &key_prefixes).unwrap()?;
        let summary = ObjectSummary::of(arena, OBJECT, id, &profile, &key_prefixes).unwrap()?;
        Some((summary.closes, summary.goes_on, summary.keys))
    }

    fn scene(named: &[(&str, bool)], any: bool, rules: ObjectRules) -> Scene {
        Scene::new(&printable_and(&[]), |builder| object(builder, named, any, rules))
    }

    #[test]
    fn names_that_no_token_begins_are_not_told_apart() {
        let mut any = scene(&[("a", false), ("b", true)], true, any_order());
        let mut of = |text| summary(&mut any, text, Hidden::Nothing, &[]);
        // 2: any key; 0: no key that a token sees.
        assert_eq!(of(""), Some((false, true, 2)));
        assert_eq!(of("{\"a\":"), Some((false, true, 2)));
        assert_eq!(of("{\"b\":"), Some((true, true, 2)));
        assert_eq!(of("{\"b\":1,\"a\":"), Some((true, true, 2)), "another key may still come");
        let mut closed = scene(&[("a", false), ("b", true)], false, any_order());
        let mut of = |text| summary(&mut closed, text, Hidden::Nothing, &[]);
        assert_eq!(of(""), Some((false, true, 0)));
        assert_eq!(of("{\"b\":"), Some((true, true, 0)));
        assert_eq!(of("{\"b\":1,\"a\":"), Some((true, false, 0)));
    }

    #[test]
    fn names_that_a_token_begins_are_known_while_they_may_come() {
        let mut closed = scene(&[("ab", false), ("cd", false)], false, any_order());
        let mut of = |text| summary(&mut closed, text, Hidden::Nothing, &[",\"a"]).unwrap();
        let ab = of("");
        assert!(ab.0 && ab.1 && ab.2 != 0);
        assert_eq!(of("{\"cd\":"), ab, "no token begins cd");
        assert_eq!(of("{\"ab\":"), (true, true, 0));
        assert_eq!(of("{\"ab\":1,\"cd\":"), (true, false, 0));
    }

    #[test]
    fn there_is_no_summary_where_a_token_reads_a_key_that_matters() {
        let mut named = scene(&[("ab", false)], true, any_order());
        let mut of = |tokens: &[&str]| summary(&mut named, "{\"xy\":", Hidden::Nothing, tokens).is_some();
        assert!(of(&[",\"cd\"", ",\"x", ",\"xyz\""]));
        assert!(!of(&[",\"ab\""]), "other keys exclude the name");
        assert!(!of(&[",\"xy\""]), "the key came");
        assert!(!of(&[",\"cd\":1"]), "a value is seen");
        let mut start = |tokens: &[&str]| summary(&mut named, "", Hidden::Nothing, tokens).is_some();
        assert!(start(&[",\"xy\""]));
        let mut closed = scene(&[("ab", false)], false, any_order());
        assert!(summary(&mut closed, "", Hidden::Nothing, &[",\"ab\""]).is_some(), "nothing excludes the name");
    }

    #[test]
    fn a_summary_takes_a_step_and_one_for_every_eight_words_or_keys() {
        let names: Vec<String> = (0..512).map(|number| format!("k{number}")).collect();
        let named: Vec<(&str, bool)> = names.iter().map(|name| (name.as_str(), false)).collect();
        for (any, rules, token, steps) in [(true, any_order(), ",\"x", 2), (false, ObjectRules::default(), ",\"k", 67)]
        {
            let mut scene = scene(&named, any, rules);
            let (arena, key_prefixes) = (&mut scene.machine.arena, prefixes(&[token]));
            let state = arena.first_state(OBJECT);
            ObjectProfile::of(arena, OBJECT, &key_prefixes).unwrap();
            let before = arena.budget.clone();
            let profile = ObjectProfile::of(arena, OBJECT, &key_prefixes).unwrap().unwrap();
            assert_eq!(arena.budget.spent() - before.spent(), 1 + 512 / 8);
            let held = size_of::<ObjectProfile>() + 4 * profile.observed.len();
            assert_eq!(arena.budget.held() - before.held(), held, "what is kept of {} keys", profile.observed.len());
            let before = arena.budget.spent();
            ObjectSummary::of(arena, OBJECT, state, &profile, &key_prefixes).unwrap().unwrap();
            assert_eq!(arena.budget.spent() - before, steps);
        }
    }
}
