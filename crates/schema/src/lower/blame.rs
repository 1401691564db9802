//! A conjunction that no document meets → the error that says why, and where.

use super::Lowerer;
use crate::condition::{ConjunctionId, Types};
use crate::error::{Error, Kind, Result};
use crate::subschema::Omission;
use crate::types::{array, object, Algebra, DEPTH};
use rustc_hash::FxHashSet;

/// Narrowed formats that the message itself names.
const NAMED: usize = 5;

impl Lowerer<'_> {
    /// Why no document meets the conjunction. Errors: limits.
    pub(super) fn no_document(&mut self, of: ConjunctionId) -> Result<Box<Error>> {
        if !self.expander.subschemas.narrowed.is_empty() && !self.is_empty(of, DEPTH)? {
            return Ok(nothing_written(&self.expander.subschemas.narrowed));
        }
        Ok(unsatisfiable(self.blame(of)?))
    }

    /// The deepest place that makes a conjunction impossible.
    fn blame(&mut self, of: ConjunctionId) -> Result<String> {
        let mut met = FxHashSet::default();
        let (mut next, mut blamed) = (Some(of), String::new());
        while let Some(of) = next {
            let pointer = self.expander.pointer_of(of);
            if !pointer.is_empty() {
                blamed = pointer;
            }
            next = if met.insert(of) { self.impossible_part(of, &mut blamed)? } else { None };
        }
        Ok(blamed)
    }

    /// What a member or item of the conjunction's only conjunct would have to meet, and none can. Where its demands
    /// contradict each other, `blamed` becomes the place of the last one.
    fn impossible_part(&mut self, of: ConjunctionId, blamed: &mut String) -> Result<Option<ConjunctionId>> {
        let conjuncts = self.expander.expand(of)?;
        let [conjunct] = &conjuncts[..] else { return Ok(None) };
        if conjunct.types == Types::OBJECT {
            let shape = object::Shape::new(self, &conjunct.objects);
            for key in &shape.required {
                let needed = shape.at(self, key, false)?;
                if self.is_impossible(needed)? {
                    if needed.is_nothing() {
                        self.blame_demands(&shape, key, blamed)?;
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

    /// The place of the last subschema that asks something of a member.
    fn blame_demands(&mut self, shape: &object::Shape, key: &str, blamed: &mut String) -> Result<()> {
        let mut last = None;
        for members in &shape.members {
            let asked = object::demand(self, members, key)?;
            let literals = self.expander.subschemas.conjunctions.literals(asked);
            last = last.max(literals.last().map(|literal| literal.subschema()));
        }
        if let Some(last) = last {
            *blamed = self.expander.subschemas.pointer(last);
        }
        Ok(())
    }

    fn is_impossible(&mut self, of: ConjunctionId) -> Result<bool> {
        match self.node(of)? {
            Some(node) => Ok(self.expander.builder.is_empty(node.number())?),
            None => Ok(true),
        }
    }
}

/// The error of a schema that no value meets.
pub(crate) fn unsatisfiable(place: String) -> Box<Error> {
    Error::new(Kind::Unsatisfiable, "no value can ever be valid here")
        .at(place)
        .with_hint("`frisket check` shows what it demands")
}

/// The error of a schema of which nothing is left once its formats are narrowed.
pub(crate) fn nothing_written(narrowed: &[Omission]) -> Box<Error> {
    let places: Vec<_> = narrowed.iter().map(|one| (one.pointer.clone(), one.slips.clone())).collect();
    let named: Vec<&str> = narrowed.iter().take(NAMED).map(|one| &*one.slips).collect();
    let message = format!("none of the values that could be valid can be written: {}", named.join("; "));
    let first = narrowed.first().map(|one| one.pointer.clone()).unwrap_or_default();
    Error::new(Kind::Unsupported(places), message)
        .at(first)
        .with_hint("leave the format out, or list the values with enum")
}
