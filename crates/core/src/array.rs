//! Items that came → items that may come, where all must be different: an item that would repeat one may not end.
//!
//! Items are regular, so that one head reads a whole item and holds its text. Two items are equal if their JSON values
//! are: 1 and 1.0, "a" and "\u0061", objects with their keys in another order.

use crate::error::Result;
use crate::quoted::unspell;
use crate::term::{Arena, Spelling, Term, TermId, Text, EMPTY, MANY};
use serde_json::Value;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct ArraySpec {
    item: TermId,
    /// The items one by one, (value, spelling), where they are few.
    few: Option<Vec<(String, Box<[u8]>)>>,
    /// How many values those are.
    values: usize,
    open: TermId,
    close: TermId,
    comma: TermId,
    empty: TermId,
    min: u32,
    max: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct ArrayState {
    /// (value, as it was spelled), sorted.
    items: Vec<(String, Box<[u8]>)>,
    unknown: bool,
}

/// What an array is written with.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub item: TermId,
    pub open: TermId,
    pub close: TermId,
    pub comma: TermId,
    pub empty: TermId,
}

impl ArrayState {
    /// How many items came.
    pub(crate) fn count(&self) -> usize {
        self.items.len()
    }
}

impl ArraySpec {
    pub(crate) fn parts(&self) -> Parts {
        Parts { item: self.item, open: self.open, close: self.close, comma: self.comma, empty: self.empty }
    }

    /// How many items must come.
    pub(crate) fn least(&self) -> u32 {
        self.min
    }

    #[allow(clippy::too_many_arguments)]
    pub fn new(
        item: TermId,
        few: Option<Vec<Vec<u8>>>,
        open: TermId,
        close: TermId,
        comma: TermId,
        empty: TermId,
        min: u32,
        max: u32,
    ) -> Self {
        let few: Option<Vec<(String, Box<[u8]>)>> =
            few.map(|texts| texts.into_iter().map(|text| (value(&text), text.into())).collect());
        let mut values: Vec<&str> = few.iter().flatten().map(|(value, _)| &**value).collect();
        values.sort_unstable();
        values.dedup();
        let values = values.len();
        ArraySpec { item, few, values, open, close, comma, empty, min, max }
    }

    /// Whether there are as many values as must come.
    pub fn feasible(&self) -> bool {
        self.min <= self.max && (self.few.is_none() || self.values >= self.min as usize)
    }

    /// What it is made of: nodes, and counts.
    pub(crate) fn content(&self) -> ([TermId; 5], [u32; 2]) {
        ([self.item, self.open, self.close, self.comma, self.empty], [self.min, self.max])
    }

    fn exhausted(&self, came: usize) -> bool {
        self.max != MANY && came >= self.max as usize || self.few.is_some() && came >= self.values
    }
}

impl Arena {
    pub(crate) fn add_array(&mut self, spec: ArraySpec) -> Result<TermId> {
        self.arrays.push(Arc::new(spec), &mut self.budget);
        let index = self.arrays.len() as u32 - 1;
        self.structural(Term::Array(index), 31, &[u128::from(index)], false)
    }

    pub(crate) fn array_state(&mut self, array: u32, state: impl Into<Arc<ArrayState>>) -> u32 {
        let state = state.into();
        if let Some(&id) = self.array_state_ids.get(&(array, state.clone())) {
            return id;
        }
        let texts = state.items.iter().map(|(value, spelling)| value.len() + spelling.len() + 56);
        self.budget.grow(160 + texts.sum::<usize>());
        self.array_states.push(state.clone(), &mut self.budget);
        let id = self.array_states.len() as u32 - 1;
        self.array_state_ids.insert((array, state), id, &mut self.budget);
        id
    }

    /// The same array, further on.
    pub(crate) fn array_term(&mut self, term: Term) -> Result<TermId> {
        let (kind, array, state) = match term {
            Term::ArrayItem { array, state } => (32, array, state),
            Term::ArrayNext { array, state } => (34, array, state),
            _ => unreachable!("not an array's term"),
        };
        self.structural(term, kind, &[array, state].map(u128::from), false)
    }

    /// The alternatives that an array term stands for.
    pub(crate) fn array_parts(&mut self, id: TermId) -> Result<Vec<TermId>> {
        let (array, state, before) = match *self.term(id) {
            Term::ArrayNext { array, state } => (array, state, self.arrays[array as usize].comma),
            Term::Array(array) => {
                let state = self.array_state(array, ArrayState::default());
                (array, state, self.arrays[array as usize].open)
            }
            _ => unreachable!("only arrays have array parts"),
        };
        let spec = self.arrays[array as usize].clone();
        let ArrayState { ref items, unknown } = *self.array_states[state as usize];
        let came = items.len() + usize::from(unknown);
        let mut parts = Vec::with_capacity(2);
        if came >= spec.min as usize {
            parts.push(if came == 0 { spec.empty } else { spec.close });
        }
        let more = match unknown {
            true => self.supply(array).is_some_and(|supply| came < supply),
            false => self.fresh_item(array, state)? != EMPTY,
        };
        if more && !spec.exhausted(came) {
            let item = self.array_term(Term::ArrayItem { array, state })?;
            parts.push(self.seq(before, item)?);
        }
        Ok(parts)
    }

    /// The items that may still come; of endless ones, all in other spellings than those that came, and strings that say
    /// something else.
    fn fresh_item(&mut self, array: u32, state: u32) -> Result<TermId> {
        let (spec, state) = (self.arrays[array as usize].clone(), self.array_states[state as usize].clone());
        if state.items.is_empty() {
            return Ok(spec.item);
        }
        if let Some(few) = &spec.few {
            let came = |value: &String| state.items.binary_search_by(|(other, _)| other.cmp(value)).is_ok();
            return self.words(few.iter().filter(|(value, _)| !came(value)).map(|(_, text)| text.clone()).collect());
        }
        if let Term::Quoted { text, state: Spelling::Start, free } = *self.term(spec.item) {
            let came = self.words(state.items.iter().map(|(_, spelling)| unspell(spelling).into()).collect())?;
            let fresh = self.not(came)?;
            let text = self.and(vec![text, fresh])?;
            return self.quoted(text, free);
        }
        let came = self.words(state.items.iter().map(|(_, spelling)| spelling.clone()).collect())?;
        let fresh = self.not(came)?;
        self.and(vec![spec.item, fresh])
    }

    /// Whether an item that may come is none of those that came, however it is spelled: no value has several spellings,
    /// or strings are compared by what they say.
    pub(crate) fn fresh_by_itself(&self, array: u32) -> bool {
        let spec = &self.arrays[array as usize];
        match &spec.few {
            Some(few) => few.len() == spec.values,
            None => matches!(self.term(spec.item), Term::Quoted { .. }),
        }
    }

    /// How many different items there are, if that is known; there may be no end of them.
    fn supply(&self, array: u32) -> Option<usize> {
        let spec = &self.arrays[array as usize];
        if !self.fresh_by_itself(array) {
            return None;
        }
        let Term::Quoted { text, .. } = *self.term(spec.item) else { return spec.few.as_ref().map(|_| spec.values) };
        let info = self.info(text);
        match *self.term(text) {
            Term::Words { low, high, .. } => Some((high - low) as usize),
            _ => (!info.searched && info.max_chars == MANY || self.goes_on(text)).then_some(usize::MAX),
        }
    }

    /// The head that reads an item; None where the items before it are not known.
    pub(crate) fn item_head(&mut self, array: u32, state: u32) -> Result<Option<TermId>> {
        if self.array_states[state as usize].unknown {
            return Ok(None);
        }
        let inner = self.fresh_item(array, state)?;
        self.item(array, state, inner, Text::Known(0)).map(Some)
    }

    pub(crate) fn item(&mut self, array: u32, state: u32, inner: TermId, text: Text) -> Result<TermId> {
        let mark = match text {
            Text::Known(text) => u128::from(text),
            Text::Unknown => u128::MAX,
        };
        let parts = [u128::from(array) << 32 | u128::from(state), self.info(inner).hash, mark];
        let nullable = self.info(inner).nullable;
        self.structural(Term::Item { array, state, inner, text }, 33, &parts, nullable)
    }

    /// What follows an item; nothing if it repeats another.
    pub(crate) fn after_item(&mut self, array: u32, state: u32, text: Text) -> Result<TermId> {
        let mut next = (*self.array_states[state as usize]).clone();
        let Text::Known(text) = text else {
            // Which items may come next is for the exact position to say; sometimes whether there are any, too.
            let counted = self.supply(array).is_some() && !next.unknown;
            next.unknown = true;
            let state = self.array_state(array, next);
            return self.array_term(match counted {
                true => Term::ArrayNext { array, state },
                false => Term::ArrayItem { array, state },
            });
        };
        let spelling = self.text(text);
        let value = value(&spelling);
        match next.items.binary_search_by(|(other, _)| other.cmp(&value)) {
            Ok(_) => Ok(EMPTY),
            Err(place) => {
                next.items.insert(place, (value, spelling.into()));
                let state = self.array_state(array, next);
                self.array_term(Term::ArrayNext { array, state })
            }
        }
    }
}

/// One text for every spelling of a JSON value.
fn value(text: &[u8]) -> String {
    match serde_json::from_slice::<Value>(text) {
        Ok(parsed) => canonical(&parsed).to_string(),
        // Not JSON: its spelling is all there is to compare.
        Err(_) => String::from_utf8_lossy(text).into_owned(),
    }
}

/// Equal values in equal texts; object keys are sorted by serde_json's map.
fn canonical(value: &Value) -> Value {
    match value {
        // A list in a list cannot be confused with an array: those are wrapped below.
        Value::Number(number) => Value::Array(vec![crate::value::canonical(number.to_string().as_bytes()).into()]),
        Value::Array(items) => Value::Array(["[".into()].into_iter().chain(items.iter().map(canonical)).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.clone(), canonical(value))).collect())
        }
        other => other.clone(),
    }
}
