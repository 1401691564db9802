//! Subschema → the cases whose union it is, as algebra.py expands it, where no complement is needed.
//!
//! `allOf`, `anyOf` and `oneOf` apply schemas to the same value. The conditions of all of them are intersected
//! (`case`). `anyOf` needs no more than the union of its alternatives, `oneOf` needs them to be disjoint (`apart`).
//! Whatever needs more (`not`, `if`, overlapping alternatives of `oneOf`) gives nothing here and is left to Python. If
//! several schemas constrain one member (`demand`), only that member is left to Python.

use crate::case::{product, Case, Fields, NUMBER, OBJECT};
use crate::identity::Identity;
use crate::place::{signs, subschemas, Kind, Part};
use crate::regex::search;
use crate::walk::{Walk, HOPS};
use frisket_core::regular::term::EMPTY;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Larger unions are not compared.
pub const MANY: usize = 400;
/// How deep a search for contradictions looks, in general and where what stands beside alternatives is pruned.
pub const DEPTH: usize = 4;
pub const PRUNED: usize = 2;

/// Places looked at in one schema, and what stands below them: some milliseconds.
const LOOKS: usize = 50_000;
/// Nothing is what only Python can say.
pub type Maybe<T> = PyResult<Option<T>>;

/// What stands at a place: its cases, and whether a oneOf is among what it applies.
pub struct Union<'py> {
    pub cases: Vec<Case<'py>>,
    splits: bool,
}

impl<'py> Union<'py> {
    fn of(cases: Vec<Case<'py>>) -> Self {
        Union { cases, splits: false }
    }
}

impl<'py> Walk<'_, 'py> {
    pub fn expanded(&mut self, schema: &Bound<'py, PyAny>, pointer: &str, hops: usize) -> Maybe<Union<'py>> {
        let whole = || Ok(Some(Union::of(vec![Case::default()])));
        let Ok(dict) = schema.downcast_exact::<PyDict>() else {
            return match schema.downcast_exact::<PyBool>().map(|flag| flag.is_true()) {
                Ok(true) => whole(),
                Ok(false) => Ok(Some(Union::of(Vec::new()))),
                Err(_) => Ok(None),
            };
        };
        if hops > HOPS || self.looked(1) {
            return Ok(None);
        }
        match self.read(dict) {
            Kind::Anything => whole(),
            Kind::Reference(reference) => {
                let Some((target, pointer)) = self.target(&reference)? else { return Ok(None) };
                self.expanded(&target, &pointer, hops + 1)
            }
            // Which numbers they are decides what covers them.
            Kind::Leaf(case, _) if case.unread.is_some() && (case.mask == 0 || case.mask & !NUMBER != 0) => Ok(None),
            Kind::Leaf(case, _) | Kind::Case(case) => {
                let case = self.settled(*case, Some((dict, pointer)))?;
                Ok(case.map(|case| Union::of(vec![case])))
            }
            Kind::Applied(case, parts) => self.applied(dict, *case, parts, pointer, hops),
            Kind::Other => Ok(None),
        }
    }

    /// What the conditions of a place and all that it applies to the same value leave.
    pub fn applied(
        &mut self,
        schema: &Bound<'py, PyDict>,
        own: Case<'py>,
        parts: Vec<Part<'py>>,
        pointer: &str,
        hops: usize,
    ) -> Maybe<Union<'py>> {
        self.applied_within(vec![Case::default()], schema, own, parts, pointer, hops)
    }

    /// What of the cases around meets a schema. Where a oneOf stands in it, what they demand tells its alternatives
    /// apart.
    fn meeting(
        &mut self,
        around: Vec<Case<'py>>,
        schema: &Bound<'py, PyAny>,
        pointer: &str,
        hops: usize,
    ) -> Maybe<Union<'py>> {
        if hops > HOPS {
            return Ok(None);
        }
        let is_first = matches!(&around[..], [case] if case.anything());
        if let (false, Ok(dict)) = (is_first, schema.downcast_exact::<PyDict>()) {
            match self.read(dict) {
                Kind::Reference(reference) => {
                    let Some((target, pointer)) = self.target(&reference)? else { return Ok(None) };
                    return self.meeting(around, &target, &pointer, hops + 1);
                }
                Kind::Applied(case, parts) if self.split(&parts, hops)? => {
                    return self.applied_within(around, dict, *case, parts, pointer, hops);
                }
                _ => {}
            }
        }
        let Some(union) = self.expanded(schema, pointer, hops)? else { return Ok(None) };
        let splits = union.splits;
        Ok(product(around, union.cases).map(|cases| Union { cases, splits }))
    }

    /// Whether a oneOf stands in what is applied.
    fn split(&self, parts: &[Part<'py>], hops: usize) -> PyResult<bool> {
        for part in parts {
            let schemas = match part {
                Part::One(_) => return Ok(true),
                Part::All(list, _) | Part::Any(list) => list.iter().collect(),
                Part::Reference(reference) => Vec::from_iter(self.target(reference)?.map(|(target, _)| target)),
            };
            for schema in schemas {
                if self.splits(schema, hops + 1)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn splits(&self, schema: Bound<'py, PyAny>, hops: usize) -> PyResult<bool> {
        let Ok(dict) = schema.downcast_exact::<PyDict>() else { return Ok(false) };
        if hops > HOPS || self.looked(1) {
            return Ok(false);
        }
        match self.read(dict) {
            Kind::Reference(reference) => match self.target(&reference)? {
                Some((target, _)) => self.splits(target, hops + 1),
                None => Ok(false),
            },
            Kind::Applied(_, parts) => self.split(&parts, hops),
            _ => Ok(false),
        }
    }

    fn applied_within(
        &mut self,
        around: Vec<Case<'py>>,
        schema: &Bound<'py, PyDict>,
        own: Case<'py>,
        parts: Vec<Part<'py>>,
        pointer: &str,
        hops: usize,
    ) -> Maybe<Union<'py>> {
        let Some(own) = self.settled(own, Some((schema, pointer)))? else { return Ok(None) };
        let Some(mut found) = product(around, vec![own]) else { return Ok(None) };
        let mut splits = false;
        for part in parts {
            let is_first = matches!(&found[..], [case] if case.anything());
            let (list, keyword) = match &part {
                Part::Reference(reference) => {
                    let Some((target, pointer)) = self.target(reference)? else { return Ok(None) };
                    let Some(met) = self.meeting(found, &target, &pointer, hops + 1)? else { return Ok(None) };
                    splits |= met.splits;
                    found = met.cases;
                    continue;
                }
                Part::All(list, keyword) => {
                    for (at, schema) in list.iter().enumerate() {
                        let pointer = format!("{pointer}/{keyword}/{at}");
                        let Some(met) = self.meeting(found, &schema, &pointer, hops + 1)? else { return Ok(None) };
                        splits |= met.splits;
                        found = met.cases;
                    }
                    continue;
                }
                Part::Any(list) => (list, "anyOf"),
                Part::One(list) => (list, "oneOf"),
            };
            let Some(branches) = self.branches(list, pointer, keyword, hops)? else { return Ok(None) };
            let inner = branches.iter().any(|branch| branch.splits);
            let met = match part {
                Part::One(_) => {
                    splits = true;
                    self.one(found, branches)?
                }
                Part::Any(_) if is_first => {
                    splits |= inner;
                    Some(branches.into_iter().flat_map(|branch| branch.cases).collect())
                }
                _ => {
                    if inner {
                        return Ok(None);
                    }
                    self.any_within(found, branches)?
                }
            };
            let Some(met) = met.filter(|met| met.len() <= MANY) else { return Ok(None) };
            found = met;
        }
        if !self.joins(&found)? {
            return Ok(None);
        }
        Ok(Some(Union { cases: found, splits }))
    }

    fn branches(
        &mut self,
        list: &Bound<'py, PyList>,
        pointer: &str,
        keyword: &str,
        hops: usize,
    ) -> Maybe<Vec<Union<'py>>> {
        let mut branches = Vec::with_capacity(list.len());
        for (at, schema) in list.iter().enumerate() {
            let Some(branch) = self.expanded(&schema, &format!("{pointer}/{keyword}/{at}"), hops + 1)? else {
                return Ok(None);
            };
            branches.push(branch);
        }
        Ok(Some(branches))
    }

    /// anyOf beside other conditions: without what contradicts them. An object that might, for what only Python can say
    /// of a member, stays: if that member cannot be, Python lowers the whole schema.
    fn any_within(&mut self, around: Vec<Case<'py>>, branches: Vec<Union<'py>>) -> Maybe<Vec<Case<'py>>> {
        let mut found = Vec::new();
        for branch in branches {
            let Some(met) = product(around.clone(), branch.cases) else { return Ok(None) };
            for case in met {
                match self.is_void(&case, PRUNED)? {
                    Some(true) => {}
                    None if case.mask != OBJECT => return Ok(None),
                    _ => found.push(case),
                }
            }
        }
        Ok(Some(found))
    }

    /// The case with its patterns and formats read; with its place, if it is an alternative. Nothing if Python should
    /// read them, or if something stands below that Python would refuse as soon as it sees the place.
    pub fn settled(&mut self, mut case: Case<'py>, place: Option<(&Bound<'py, PyDict>, &str)>) -> Maybe<Case<'py>> {
        for (is_pattern, text) in std::mem::take(&mut case.asked) {
            let node = if is_pattern {
                let Ok(text) = text.to_str() else { return Ok(None) };
                match self.make(|builder| Ok(search(builder, text)))? {
                    Some(node) => Some(node.number()),
                    None => return Ok(None),
                }
            } else {
                match self.format(&text)? {
                    Some(node) => node,
                    None => return Ok(None),
                }
            };
            if let Some(node) = node.filter(|node| !case.matches.contains(node)) {
                case.matches.push(node);
            }
            case.cut |= !is_pattern && text.to_str().is_ok_and(|name| self.stock.cut.iter().any(|cut| cut == name));
        }
        if case.cuts_too_much() {
            return Ok(None);
        }
        // What leads to a schema that asks for nothing asks for nothing.
        let this = &*self;
        let mut asks =
            |schema: &Bound<'py, PyAny>| this.identity(schema).map_or(true, |said| said != Identity::Anything);
        case.items = case.items.filter(&mut asks);
        for fields in &mut case.fields {
            fields.rest = fields.rest.take().filter(&mut asks);
        }
        case.fields.retain(Fields::asks);
        for fields in &mut case.fields {
            if let Some(patterns) = &fields.patterns {
                for text in patterns.keys() {
                    let Ok(text) = text.downcast_exact::<PyString>()?.to_str() else { return Ok(None) };
                    match self.make(|builder| Ok(search(builder, text)))? {
                        Some(node) if node != EMPTY && !fields.keys.contains(&node.number()) => {
                            fields.keys.push(node.number())
                        }
                        _ => return Ok(None),
                    }
                }
            }
        }
        if let Some((schema, pointer)) = place {
            if self.looked(subschemas(&case).count()) {
                return Ok(None);
            }
            case.signs = signs(self.stock, self.plain.draft, schema, &case);
            for schema in subschemas(&case) {
                if !self.leads_somewhere(schema)? {
                    return Ok(None);
                }
            }
            let pointer: Option<Rc<str>> = Some(pointer.into());
            case.fields.iter_mut().for_each(|fields| fields.pointer.clone_from(&pointer));
            case.pointer = pointer;
        }
        Ok(Some(case))
    }

    /// Whether so many looks are too many, all in all. The algebra remembers what it expanded; here alternatives of
    /// alternatives are looked at anew wherever they are met.
    fn looked(&self, count: usize) -> bool {
        self.plain.looks.fetch_add(count, Ordering::Relaxed) + count > LOOKS
    }

    /// Whether a reference that stands alone leads to a schema.
    fn leads_somewhere(&self, mut schema: Bound<'py, PyAny>) -> PyResult<bool> {
        for _ in 0..HOPS {
            let Ok(dict) = schema.downcast_exact::<PyDict>() else {
                return Ok(schema.is_exact_instance_of::<PyBool>());
            };
            let Some(reference) = dict.get_item(intern!(self.py, "$ref"))? else { return Ok(true) };
            let Ok(reference) = reference.downcast_into_exact::<PyString>() else { return Ok(false) };
            let Some((target, _)) = self.target(&reference)? else { return Ok(false) };
            schema = target;
        }
        Ok(false)
    }
}
