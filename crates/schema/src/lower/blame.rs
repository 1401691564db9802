//! A conjunction that no document meets → the error that says why, and where.

use super::Lowerer;
use crate::condition::{ConjunctionId, ObjectCondition, Types};
use crate::error::{Error, Kind, Result};
use crate::read::Applicator;
use crate::subschema::Omission;
use crate::types::{array, object, Algebra, DEPTH};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Most narrowed formats that the message itself names.
const NAMED: usize = 5;

impl Lowerer<'_> {
    /// The error that says why no document meets the conjunction. Errors: limits.
    pub(super) fn no_document(&mut self, of: ConjunctionId) -> Result<Box<Error>> {
        if !self.expander.subschemas.narrowed.is_empty() && !self.is_empty(of, DEPTH)? {
            return Ok(nothing_written(&self.expander.subschemas.narrowed));
        }
        let (place, other) = self.blame(of)?;
        Ok(unsatisfiable(place, other))
    }

    /// The deepest place that makes a conjunction impossible, and the one that it contradicts, if there is one.
    fn blame(&mut self, of: ConjunctionId) -> Result<(String, Option<String>)> {
        let mut other = None;
        let mut met = FxHashSet::default();
        let (mut next, mut blamed) = (Some(of), String::new());
        while let Some(of) = next {
            let pointer = self.expander.pointer_of(of);
            if !pointer.is_empty() {
                blamed = pointer;
            }
            let literals = self.expander.subschemas.conjunctions.literals(of);
            if let [first, _, ..] = &literals[..] {
                let first = self.expander.subschemas.pointer(first.subschema());
                other = (first != blamed).then_some(first);
            }
            next = if met.insert(of) { self.impossible_part(of, &mut blamed, &mut other)? } else { None };
        }
        Ok((blamed, other))
    }

    /// The impossible constraint on a required member or item, if the conjunction is one conjunct that has one. If
    /// keywords contradict each other there, `blamed` becomes the place of the last one, and `other` that of the first.
    fn impossible_part(
        &mut self,
        of: ConjunctionId,
        blamed: &mut String,
        other: &mut Option<String>,
    ) -> Result<Option<ConjunctionId>> {
        let conjuncts = self.expander.expand(of)?;
        let [conjunct] = &conjuncts[..] else { return Ok(None) };
        if conjunct.types == Types::OBJECT {
            let shape = object::Shape::new(self, &conjunct.objects);
            for key in &shape.required {
                let needed = shape.at(self, key, false)?;
                if self.is_impossible(needed)? {
                    if needed.is_nothing() {
                        let mut places = self.demands(of, &shape, key)?;
                        *blamed = places.pop().unwrap_or_else(|| std::mem::take(blamed));
                        *other = places.into_iter().find(|place| place != blamed);
                    }
                    return Ok(Some(needed));
                }
            }
        }
        if conjunct.types == Types::ARRAY {
            let shape = array::Shape::new(self, &conjunct.arrays);
            for position in 0..shape.least.min(shape.prefix.len() as u64 + 1) {
                let needed = shape.at(position);
                if self.is_impossible(needed)? {
                    return Ok(Some(needed));
                }
            }
        }
        Ok(None)
    }

    /// The places of keywords on a member: those that forbid it, those that require it if none constrains its value,
    /// and those that constrain its value.
    fn demands(&mut self, of: ConjunctionId, shape: &object::Shape, key: &Arc<str>) -> Result<Vec<String>> {
        let (mut closed, mut asking) = (Vec::new(), Vec::new());
        for members in &shape.members {
            let asked = object::demand(self, members, key)?;
            let literals = self.expander.subschemas.conjunctions.literals(asked);
            if asked.is_nothing() && members.named(key).is_none() {
                let closes = |condition: &ObjectCondition| *condition == ObjectCondition::Members(members.clone());
                closed.extend(self.place_of(of, closes).map(|place| format!("{place}/additionalProperties")));
            }
            asking.extend(literals.last().map(|literal| literal.subschema()));
        }
        asking.sort();
        let mut found = closed;
        if asking.is_empty() && !found.is_empty() {
            let requires = |condition: &ObjectCondition| match condition {
                ObjectCondition::Required { keys, .. } => keys.contains(key),
                _ => false,
            };
            found.extend(self.place_of(of, requires).map(|place| format!("{place}/required")));
        }
        found.extend(asking.into_iter().map(|of| self.expander.subschemas.pointer(of)));
        Ok(found)
    }

    /// The place of the first subschema in a conjunction whose own keywords ask for such a condition.
    fn place_of(&mut self, of: ConjunctionId, is_it: impl Fn(&ObjectCondition) -> bool) -> Option<String> {
        let mut met = FxHashSet::default();
        let mut stack = vec![of];
        while let Some(next) = stack.pop() {
            for literal in self.expander.subschemas.conjunctions.literals(next).iter() {
                let subschema = literal.subschema();
                if literal.is_negative() || !met.insert(subschema) {
                    continue;
                }
                let parsed = self.expander.parsed(subschema).ok()?;
                if parsed.conjunct.objects.iter().any(&is_it) {
                    return Some(self.expander.subschemas.pointer(subschema));
                }
                stack.extend(parsed.applicators.iter().flat_map(Applicator::goals).rev());
            }
        }
        None
    }

    fn is_impossible(&mut self, of: ConjunctionId) -> Result<bool> {
        match self.node(of)? {
            Some(node) => Ok(self.expander.builder.is_empty(node.number())?),
            None => Ok(true),
        }
    }
}

/// The error of a schema that no value meets, with the place that it contradicts.
pub(crate) fn unsatisfiable(place: String, other: Option<String>) -> Box<Error> {
    let other = other.map_or_else(String::new, |other| format!(" that also meets {other}"));
    Error::new(Kind::Unsatisfiable, format!("no value can ever be valid here{other}"))
        .at(place)
        .with_hint("`frisket check` shows what it demands")
}

/// The error of a schema that allows no document once its formats are narrowed.
pub(crate) fn nothing_written(narrowed: &[Omission]) -> Box<Error> {
    let places: Vec<_> = narrowed.iter().map(|one| (one.pointer.clone(), one.slips.clone())).collect();
    let named: Vec<&str> = narrowed.iter().take(NAMED).map(|one| &*one.slips).collect();
    let message = format!("none of the values that could be valid can be written: {}", named.join("; "));
    let first = narrowed.first().map(|one| one.pointer.clone()).unwrap_or_default();
    Error::new(Kind::Unsupported(places), message)
        .at(first)
        .with_hint("leave the format out, or list the values with enum")
}
