//! Case × key → the schema that a member of that key must meet, if a single one constrains it.
//!
//! Several keywords and several schemas may constrain one member; this file collects them.

use crate::case::{Case, Fields};
use crate::identity::Identity;
use crate::said::said_by;
use crate::union::Maybe;
use crate::walk::Walk;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Schemas that ask something of one member: more are for Python, which does not compare each with each.
const ALIKE: usize = 15;

/// What a member must meet.
pub enum Demand<'py> {
    Anything,
    Nothing,
    /// A schema, and its place below that of the fields with this number: a keyword, and a key if the keyword has any.
    Schema(Bound<'py, PyAny>, usize, &'static str, Option<Bound<'py, PyString>>),
    /// Several schemas, each with its place: what meets them all is for Python.
    Several(Vec<Asked<'py>>),
}

/// A schema and its place.
pub type Asked<'py> = (Bound<'py, PyAny>, usize, &'static str, Option<Bound<'py, PyString>>);

#[derive(Default)]
struct Found<'py> {
    first: Option<Asked<'py>>,
    others: Vec<Asked<'py>>,
    is_void: bool,
}

impl<'py> Walk<'_, 'py> {
    /// What a member of this key, or of any other, must meet; nothing if several schemas ask something of any other, or
    /// too many of this one.
    pub fn demand(&mut self, case: &Case<'py>, key: Option<&Bound<'py, PyString>>) -> Maybe<Demand<'py>> {
        let mut found = Found::default();
        for (at, fields) in case.fields.iter().enumerate() {
            let mut covered = false;
            if let (Some(key), Some(names)) = (key, &fields.names) {
                if let Some(schema) = names.get_item(key)? {
                    covered = true;
                    self.ask(&mut found, (schema, at, "properties", Some(key.clone())))?;
                }
            }
            if let (Some(key), Some(patterns)) = (key, &fields.patterns) {
                let text = key.to_str()?.as_bytes();
                for ((pattern, schema), &node) in patterns.iter().zip(&fields.keys) {
                    if self.make(|builder| builder.accepts(node, text))? {
                        covered = true;
                        let pattern = pattern.downcast_into_exact()?;
                        self.ask(&mut found, (schema, at, "patternProperties", Some(pattern)))?;
                    }
                }
            }
            if let (false, Some(rest)) = (covered, &fields.rest) {
                self.ask(&mut found, (rest.clone(), at, "additionalProperties", None))?;
            }
        }
        Ok(match found {
            Found { is_void: true, .. } => Some(Demand::Nothing),
            Found { first: None, .. } => Some(Demand::Anything),
            Found { others, .. } if others.len() >= ALIKE => None,
            Found { first: Some((schema, at, keyword, key)), others, .. } if others.is_empty() => {
                Some(Demand::Schema(schema, at, keyword, key))
            }
            Found { first, others, .. } => {
                key.is_some().then(|| Demand::Several(first.into_iter().chain(others).collect()))
            }
        })
    }

    /// Adds a schema to what is asked, unless it asks nothing or the same as another one.
    fn ask(&mut self, found: &mut Found<'py>, asked: Asked<'py>) -> PyResult<()> {
        if asked.0.downcast_exact::<PyBool>().is_ok_and(|flag| !flag.is_true()) {
            found.is_void = true;
        }
        let Some(first) = &found.first else {
            found.first = Some(asked);
            return Ok(());
        };
        if found.others.len() >= ALIKE {
            return Ok(());
        }
        let identity = self.identity(&asked.0)?;
        if identity == Identity::Anything {
            return Ok(());
        }
        if self.identity(&first.0)? == Identity::Anything {
            found.first = Some(asked);
            return Ok(());
        }
        let said = self.said(&asked.0);
        for (other, ..) in found.first.iter().chain(&found.others) {
            if self.identity(other)? == identity || said.is_some() && self.said(other) == said {
                return Ok(());
            }
        }
        found.others.push(asked);
        Ok(())
    }

    fn said(&self, schema: &Bound<'py, PyAny>) -> Option<Vec<u8>> {
        said_by(schema, &|keyword| self.stock.keywords.get(keyword).copied())
    }

    /// What meets both demands, if that is one of them.
    pub fn joint(&mut self, left: Demand<'py>, right: Demand<'py>) -> Maybe<Demand<'py>> {
        let Demand::Schema(schema, ..) = &right else { return Ok(Some(right)) };
        if schema.downcast_exact::<PyBool>().is_ok_and(|flag| !flag.is_true()) {
            return Ok(Some(Demand::Nothing));
        }
        let Demand::Schema(other, ..) = &left else {
            return Ok(Some(if let Demand::Anything = left { right } else { left }));
        };
        let (one, two) = (self.identity(other)?, self.identity(schema)?);
        Ok(match (&one, &two) {
            (Identity::Anything, _) => Some(right),
            (_, Identity::Anything) => Some(left),
            _ => (one == two).then_some(left),
        })
    }

    /// Whether no member of the cases is asked for by several schemas at once.
    pub fn joins(&mut self, cases: &[Case<'py>]) -> PyResult<bool> {
        for case in cases {
            if case.fields.len() < 2 && case.fields.iter().all(|fields| fields.patterns.is_none()) {
                continue;
            }
            if case.fields.len() > 1 && case.fields.iter().any(|fields| fields.patterns.is_some()) {
                return Ok(false);
            }
            for key in named(case)? {
                if self.demand(case, Some(&key))?.is_none() {
                    return Ok(false);
                }
            }
            if self.regions(case)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Every key that is named, in the order of first mention.
pub fn named<'py>(case: &Case<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
    let tables = case.fields.iter().filter_map(|fields| fields.names.as_ref());
    let mut keys = Vec::with_capacity(tables.map(|names| names.len()).sum::<usize>() + case.required.len());
    for (at, names) in case.fields.iter().enumerate().filter_map(|(at, fields)| Some((at, fields.names.as_ref()?))) {
        for (key, _) in names.iter() {
            if !is_named(&case.fields[..at], &key)? {
                keys.push(key.downcast_into_exact()?);
            }
        }
    }
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let needed = needed(case)?;
    for key in needed.iter().chain(case.implies.iter().flat_map(|(key, needs)| [key, needs])) {
        if !is_named(&case.fields, key)? && seen.insert(key.to_str()?) {
            keys.push(key.clone());
        }
    }
    Ok(keys)
}

/// The keys that must be there, those for others' sake among them: in the order in which rounds over the demands, each
/// from the first to the last, would find them.
pub fn needed<'a, 'py>(case: &'a Case<'py>) -> PyResult<Cow<'a, [Bound<'py, PyString>]>> {
    if case.implies.is_empty() {
        return Ok(Cow::Borrowed(&case.required));
    }
    let mut demands: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (place, (key, _)) in case.implies.iter().enumerate() {
        demands.entry(key.to_str()?).or_default().push(place);
    }
    let mut keys = case.required.clone();
    let mut there: FxHashSet<&str> = FxHashSet::default();
    // (round, place) of what is demanded by a key that is there.
    let mut due = BinaryHeap::new();
    for key in &case.required {
        if there.insert(key.to_str()?) {
            due.extend(demands.remove(key.to_str()?).into_iter().flatten().map(|place| Reverse((0, place))));
        }
    }
    while let Some(Reverse((round, place))) = due.pop() {
        let needs = &case.implies[place].1;
        if there.insert(needs.to_str()?) {
            keys.push(needs.clone());
            let next = demands.remove(needs.to_str()?).into_iter().flatten();
            due.extend(next.map(|other| Reverse((round + usize::from(other < place), other))));
        }
    }
    Ok(Cow::Owned(keys))
}

fn is_named(fields: &[Fields<'_>], key: &Bound<'_, PyAny>) -> PyResult<bool> {
    for names in fields.iter().filter_map(|fields| fields.names.as_ref()) {
        if names.contains(key)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub fn crossed(case: &Case<'_>) -> PyResult<bool> {
    let (least, most) = case.members;
    let Some(most) = most else { return Ok(false) };
    let needed = needed(case)?;
    let mut required: Vec<&str> = needed.iter().filter_map(|key| key.to_str().ok()).collect();
    required.sort_unstable();
    required.dedup();
    Ok(most < least || most < required.len() as u64)
}
