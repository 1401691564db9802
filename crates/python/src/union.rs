//! A place → the cases whose union it is, as algebra.py expands it, where no complement is needed.
//!
//! allOf, anyOf and oneOf apply schemas to the same value. What a value must meet in all is the meet of cases; where
//! alternatives overlap, anyOf asks for no more than their union, and oneOf only where no two share a value, which a
//! required member often shows. Whatever needs more (`not`, `if`, alternatives of oneOf that do overlap) is for Python:
//! nothing is the answer here. Where several schemas ask something of one member, only that member is.

use crate::pattern;
use crate::place::{
    higher, lower, signs, subschemas, Case, Fields, Identity, Implied, Kind, Part, Sign, ARRAY, NUMBER, OBJECT, STRING,
};
use crate::plain::{Walk, HOPS};
use crate::said::said_by;
use frisket_core::term::EMPTY;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Products above this size are searched for contradictions, and unions above that one are too large to be compared.
const CROWD: usize = 6;
const MANY: usize = 400;
/// Schemas that ask something of one member: more are for Python, which does not compare each with each.
const ALIKE: usize = 15;
/// How deep a search for contradictions looks, in general and where what stands beside alternatives is pruned.
const DEPTH: usize = 4;
const PRUNED: usize = 2;

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

    /// oneOf, if no two alternatives share a value.
    fn one(&mut self, around: Vec<Case<'py>>, branches: Vec<Union<'py>>) -> Maybe<Vec<Case<'py>>> {
        let is_first = matches!(&around[..], [case] if case.anything());
        let mut lists = Vec::with_capacity(branches.len());
        for branch in &branches {
            let Some(met) = product(around.clone(), branch.cases.clone()) else { return Ok(None) };
            if !is_first {
                for case in &met {
                    match self.is_void(case, PRUNED)? {
                        Some(false) => {}
                        None if case.mask == OBJECT => {}
                        _ => return Ok(None),
                    }
                }
            }
            lists.push(met);
        }
        // More are for Python, which also has better ways for so many than to compare each with each.
        let counts = [lists.iter().map(Vec::len).sum(), branches.iter().map(|branch| branch.cases.len()).sum()];
        if counts.iter().any(|&count: &usize| count > MANY) {
            return Ok(None);
        }
        if self.discriminated(&lists)? {
            return Ok(Some(lists.concat()));
        }
        let alone = alone(&branches);
        for (at, list) in lists.iter().enumerate() {
            for (other, branch) in branches.iter().enumerate() {
                if other == at || is_first && other < at || alone[at] && alone[other] {
                    continue;
                }
                for (case, beside) in list.iter().flat_map(|case| branch.cases.iter().map(move |other| (case, other))) {
                    let both = match meet(case, beside) {
                        Met::Nothing => continue,
                        Met::Case(both) => both,
                        Met::Unknown => return Ok(None),
                    };
                    if self.is_void(&both, DEPTH)? != Some(true) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(lists.concat()))
    }

    /// Whether some required member has different texts in all alternatives: no pair need be compared.
    fn discriminated(&mut self, lists: &[Vec<Case<'py>>]) -> PyResult<bool> {
        let [[first], _, _, ..] = &lists.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] else { return Ok(false) };
        'keys: for key in needed(first)?.iter() {
            let mut seen = HashSet::new();
            for list in lists {
                let [case] = &list[..] else { return Ok(false) };
                if case.mask != OBJECT || !needed(case)?.iter().any(|needed| same(needed, key)) {
                    continue 'keys;
                }
                let Some(texts) = self.texts_of(case, key)? else { continue 'keys };
                for text in texts {
                    if !seen.insert(text) {
                        continue 'keys;
                    }
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// The texts that are all a member can be, or more than these; nothing if they are not listed.
    fn texts_of(&mut self, case: &Case<'py>, key: &Bound<'py, PyString>) -> Maybe<Vec<Box<[u8]>>> {
        let cases = match self.demand(case, Some(key))? {
            Some(Demand::Schema(schema, at, keyword, key)) => self.met_by(&[(schema, at, keyword, key)])?,
            Some(Demand::Several(asked)) => self.met_by(&asked)?,
            _ => None,
        };
        Ok(match cases.as_deref() {
            Some([case]) if case.mask == STRING => listed(case),
            _ => None,
        })
    }

    // -- reading ----------------------------------------------------------------------------------------------
    /// The case with its patterns and formats read; with its place, if it is an alternative. Nothing if Python should read them, or if
    /// something stands below that Python would refuse as soon as it sees the place.
    pub fn settled(&mut self, mut case: Case<'py>, place: Option<(&Bound<'py, PyDict>, &str)>) -> Maybe<Case<'py>> {
        for (is_pattern, text) in std::mem::take(&mut case.asked) {
            let node = if is_pattern {
                let Ok(text) = text.to_str() else { return Ok(None) };
                match self.make(|builder| Ok(pattern::lower(builder, text, true).unwrap_or(None)))? {
                    Some(node) => Some(node.0),
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
        }
        // What leads to a schema that asks for nothing asks for nothing.
        let this = &*self;
        let mut asks =
            |schema: &Bound<'py, PyAny>| this.identity(schema).map_or(true, |said| said != Identity::Anything);
        case.items = case.items.filter(&mut asks);
        for fields in &mut case.fields {
            fields.rest = fields.rest.take().filter(&mut asks);
        }
        case.fields.retain(|fields| fields.names.is_some() || fields.patterns.is_some() || fields.rest.is_some());
        for fields in &mut case.fields {
            if let Some(patterns) = &fields.patterns {
                for text in patterns.keys() {
                    let Ok(text) = text.downcast_exact::<PyString>()?.to_str() else { return Ok(None) };
                    match self.make(|builder| Ok(pattern::lower(builder, text, true).unwrap_or(None)))? {
                        Some(node) if node != EMPTY && !fields.keys.contains(&node.0) => fields.keys.push(node.0),
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

/// The texts that a case lists, of those that meet its lengths.
pub fn listed(case: &Case<'_>) -> Option<Vec<Box<[u8]>>> {
    let (least, most) = case.length;
    let fits = |text: &[u8]| {
        let chars = text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64;
        chars >= least && most.is_none_or(|most| chars <= most)
    };
    case.texts.as_ref().map(|texts| texts.iter().filter(|text| fits(text)).cloned().collect())
}

/// Which alternatives list their texts, none of which another one lists.
fn alone(branches: &[Union<'_>]) -> Vec<bool> {
    let mut lists: HashMap<&[u8], usize> = HashMap::new();
    let texts = |case: &Case<'_>| case.mask == STRING && case.texts.is_some();
    let mut alone: Vec<bool> = branches.iter().map(|branch| branch.cases.iter().all(texts)).collect();
    for (at, branch) in branches.iter().enumerate().filter(|(_, branch)| branch.cases.iter().all(texts)) {
        for text in branch.cases.iter().flat_map(|case| &case.texts).flatten() {
            let first = *lists.entry(text).or_insert(at);
            if first != at {
                (alone[first], alone[at]) = (false, false);
            }
        }
    }
    alone
}

enum Met<'py> {
    Nothing,
    Case(Box<Case<'py>>),
    Unknown,
}

pub fn product<'py>(left: Vec<Case<'py>>, right: Vec<Case<'py>>) -> Option<Vec<Case<'py>>> {
    if matches!(&left[..], [case] if case.anything()) {
        return Some(right);
    }
    if matches!(&right[..], [case] if case.anything()) {
        return Some(left);
    }
    let mut found = Vec::new();
    for (case, other) in left.iter().flat_map(|case| right.iter().map(move |other| (case, other))) {
        match meet(case, other) {
            Met::Nothing => {}
            Met::Case(both) => found.push(*both),
            Met::Unknown => return None,
        }
    }
    (found.len() <= CROWD).then_some(found)
}

fn meet<'py>(left: &Case<'py>, right: &Case<'py>) -> Met<'py> {
    let mask = left.mask & right.mask;
    if mask == 0 {
        return Met::Nothing;
    }
    let mut both = left.clone();
    both.mask = mask;
    if mask & NUMBER != 0 {
        both.spelled |= right.spelled;
        both.low = higher(left.low, right.low);
        both.high = lower(left.high, right.high);
        let unread = left.unread.as_ref().or(right.unread.as_ref());
        if let Some(unread) = unread {
            let (reader, other) = if left.unread.is_some() { (left, right) } else { (right, left) };
            let asks = other.unread.is_some() || other.low.is_some() || other.high.is_some();
            if asks || other.spelled != reader.spelled || reader.mask != mask {
                return Met::Unknown;
            }
            both.unread = Some(unread.clone());
        }
    } else {
        (both.unread, both.low, both.high) = (None, None, None);
    }
    if mask & STRING != 0 {
        both.length = narrower(left.length, right.length);
        both.texts = match (&left.texts, &right.texts) {
            (Some(texts), Some(others)) => {
                let others: HashSet<&[u8]> = others.iter().map(|text| &**text).collect();
                Some(texts.iter().filter(|text| others.contains(&***text)).cloned().collect())
            }
            (texts, others) => texts.clone().or_else(|| others.clone()),
        };
        for &node in &right.matches {
            if !both.matches.contains(&node) {
                both.matches.push(node);
            }
        }
    }
    if mask & ARRAY != 0 {
        both.places[0] = sole(left, right, 0, Case::any_array);
        both.count = narrower(left.count, right.count);
        both.unique |= right.unique;
        match (&left.items, &right.items) {
            (Some(items), Some(others)) if !items.is(others) => return Met::Unknown,
            (None, Some(items)) => {
                both.items = Some(items.clone());
                both.pointer.clone_from(&right.pointer);
            }
            _ => {}
        }
        joined(&mut both.signs[0], &right.signs[0]);
    } else {
        both.items = None;
        both.signs[0].clear();
    }
    if mask & OBJECT != 0 {
        both.places[1] = sole(left, right, 1, Case::any_object);
        both.members = narrower(left.members, right.members);
        both.fields.extend(right.fields.iter().cloned());
        both.required.extend(right.required.iter().cloned());
        for pair in &right.implies {
            let is_same = |(key, needs): &Implied<'py>| same(key, &pair.0) && same(needs, &pair.1);
            if !both.implies.iter().any(is_same) {
                both.implies.push(pair.clone());
            }
        }
        joined(&mut both.signs[1], &right.signs[1]);
    } else {
        both.signs[1].clear();
        both.fields.clear();
        both.required.clear();
        both.implies.clear();
    }
    Met::Case(Box::new(both))
}

/// The place that says all there is of a type, if one does.
fn sole<'py>(left: &Case<'py>, right: &Case<'py>, kind: usize, is_any: fn(&Case<'py>) -> bool) -> Option<usize> {
    match (left.places[kind], right.places[kind]) {
        (_, place) if is_any(left) => place,
        (place, _) if is_any(right) => place,
        (place, other) => place.filter(|_| place == other),
    }
}

fn same(left: &Bound<'_, PyString>, right: &Bound<'_, PyString>) -> bool {
    left.to_str().is_ok_and(|left| right.to_str().is_ok_and(|right| left == right))
}

fn joined(signs: &mut Vec<Sign>, others: &[Sign]) {
    for sign in others {
        if !signs.contains(sign) {
            signs.push(sign.clone());
        }
    }
}

fn narrower(left: (u64, Option<u64>), right: (u64, Option<u64>)) -> (u64, Option<u64>) {
    let most = match (left.1, right.1) {
        (Some(most), Some(other)) => Some(most.min(other)),
        (most, other) => most.or(other),
    };
    (left.0.max(right.0), most)
}
