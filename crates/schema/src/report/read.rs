//! Subschemas that were read → their keywords with an effect, at every place where such a subschema stands.
//!
//! Schemas of equal content are one subschema, and an omission points to the place where it was found first. It holds
//! at the other places, too.

use super::aside::Schema;
use super::Entry;
use crate::condition::SubschemaId;
use crate::error::Result;
use crate::json::{Key, NodeId};
use crate::resolve::applicator::each_part;
use crate::resolve::{Location, ResourceId};
use crate::subschema::{Omission, Place, Subschemas};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// A place that was read.
pub(super) struct ReadPlace {
    /// The JSON pointer.
    pub pointer: String,
    /// The keywords that the draft has.
    pub keywords: Vec<String>,
    /// The pointer of the place where the same subschema was found first; omissions have that one.
    first: String,
}

/// Every place that was read, found from the root along keywords and references.
///
/// Errors: errors of the registry.
pub(super) fn places(subschemas: &mut Subschemas<'_>, is_read: &dyn Fn(SubschemaId) -> bool) -> Result<Vec<ReadPlace>> {
    let mut walk = Walk { subschemas, met: FxHashSet::default(), queue: VecDeque::new(), found: Vec::new() };
    let root = walk.subschemas.root_place();
    let first = root.pointer.to_string();
    walk.queue.push_back((root, first));
    while let Some((place, first)) = walk.queue.pop_front() {
        walk.visit(&place, first, is_read)?;
    }
    Ok(walk.found)
}

struct Walk<'w, 'd> {
    subschemas: &'w mut Subschemas<'d>,
    met: FxHashSet<(Location, ResourceId, Rc<[ResourceId]>)>,
    /// Places to visit, each with its pointer as seen from the first place of the subschema around it.
    queue: VecDeque<(Place, String)>,
    found: Vec<ReadPlace>,
}

impl Walk<'_, '_> {
    fn visit(&mut self, place: &Place, below_first: String, is_read: &dyn Fn(SubschemaId) -> bool) -> Result<()> {
        let is_object = self.subschemas.documents.object(place.schema).is_some();
        if !is_object || !self.met.insert((place.schema, place.resource, place.scope.clone())) {
            return Ok(());
        }
        let is_reference = self.subschemas.is_only_reference(place);
        let found = self.subschemas.conjunction_at(place);
        let subschema =
            found.and_then(|found| self.subschemas.conjunctions.single(found)).map(|literal| literal.subschema());
        // A reference was followed once the schema around it was read. If it leads to no document, its place has an
        // omission and no subschema.
        if !is_reference && (found.is_none() || subschema.is_some_and(|subschema| !is_read(subschema))) {
            return Ok(());
        }
        let first = match subschema {
            Some(subschema) if !is_reference => self.subschemas.pointer(subschema),
            _ => below_first,
        };
        let keywords = self.keywords(place);
        for (keyword, value) in &keywords {
            self.referred(place, keyword, *value)?;
            self.below(place, &first, keyword, *value)?;
        }
        if found.is_some() || self.is_omitted(&first) {
            let keywords = keywords.into_iter().map(|(keyword, _)| keyword).collect();
            self.found.push(ReadPlace { pointer: place.pointer.to_string(), keywords, first });
        }
        Ok(())
    }

    /// Whether the reference at a place is not enforced.
    fn is_omitted(&self, pointer: &str) -> bool {
        let of_reference = |omission: &Omission| omission.pointer.strip_suffix("/$ref") == Some(pointer);
        self.subschemas.omissions.iter().any(of_reference)
    }

    /// The keywords that the draft has, with their values.
    fn keywords(&self, place: &Place) -> Vec<(String, NodeId)> {
        let schema = self.schema(place);
        let members = self.subschemas.documents.object(place.schema);
        let mut found = Vec::new();
        for member in members.iter().flat_map(|members| members.iter()) {
            let Key::Text(name) = member.key else { continue };
            let Some(name) = name.as_str() else { continue };
            if schema.counts(name) && (name == "$ref" || !schema.is_shadowed()) {
                found.push((name.to_owned(), member.value));
            }
        }
        found
    }

    fn schema<'s>(&'s self, place: &'s Place) -> Schema<'s> {
        let documents = &self.subschemas.documents;
        let resource = documents.resource(place.resource);
        Schema {
            tree: documents.tree(place.schema),
            node: place.schema.node,
            draft: resource.draft,
            has_validation: resource.has_validation,
            pointer: &place.pointer,
        }
    }

    /// Queues the place that a reference leads to.
    fn referred(&mut self, place: &Place, keyword: &str, value: NodeId) -> Result<()> {
        if !matches!(keyword, "$ref" | "$dynamicRef" | "$recursiveRef") {
            return Ok(());
        }
        let Some(reference) = self.subschemas.documents.tree(place.schema).str(value).map(str::to_owned) else {
            return Ok(());
        };
        let target = self.subschemas.place_referred(place, keyword, &reference)?;
        self.queue.extend(target.map(|target| {
            let first = target.pointer.to_string();
            (target, first)
        }));
        Ok(())
    }

    /// Queues the places of the schemas in a keyword's value.
    fn below(&mut self, place: &Place, first: &str, keyword: &str, value: NodeId) -> Result<()> {
        // The schemas of a keyword without an effect were not read.
        if self.schema(place).missing(keyword).is_some() {
            return Ok(());
        }
        let mut below: Vec<(NodeId, String)> = Vec::new();
        each_part(self.subschemas.documents.tree(place.schema), keyword, value, |part, step| {
            below.push((part, step.pointer(format!("/{keyword}"))));
        });
        for (node, path) in below {
            let pointer = format!("{}{path}", place.pointer);
            let below = self.subschemas.place_below(place, node, pointer)?;
            self.queue.push_back((below, format!("{first}{path}")));
        }
        Ok(())
    }
}

/// The entries of all loosened keywords, then of all narrowed ones, at every place that was read.
pub(super) fn slipping(subschemas: &Subschemas<'_>, places: &[ReadPlace]) -> Vec<Entry> {
    let mut met: FxHashSet<Entry> = FxHashSet::default();
    let mut found = Vec::new();
    let loosened = (&subschemas.omissions, Entry::loosened as fn(&Omission) -> Entry);
    for (omissions, entry) in [loosened, (&subschemas.narrowed, Entry::narrowed)] {
        let copies = copies(omissions, places);
        let all = omissions.iter().chain(&copies).map(entry);
        found.extend(all.filter(|entry| met.insert(entry.clone())));
    }
    found
}

/// The omissions, repeated for further places of the same subschema.
fn copies(omissions: &[Omission], places: &[ReadPlace]) -> Vec<Omission> {
    let mut by_keyword: FxHashMap<&str, Vec<&Omission>> = FxHashMap::default();
    for omission in omissions {
        by_keyword.entry(keyword_pointer(omission)).or_default().push(omission);
    }
    let mut found = Vec::new();
    if by_keyword.is_empty() {
        return found;
    }
    for place in places.iter().filter(|place| place.first != place.pointer) {
        for keyword in &place.keywords {
            let told = by_keyword.get(&*format!("{}/{keyword}", place.first));
            found.extend(told.into_iter().flatten().map(|omission| Omission {
                pointer: format!("{}{}", place.pointer, &omission.pointer[place.first.len()..]),
                ..Omission::clone(omission)
            }));
        }
    }
    found
}

/// The pointer of an omission's keyword: that of a pattern among `patternProperties` goes further.
fn keyword_pointer(omission: &Omission) -> &str {
    let Omission { pointer, keyword, .. } = omission;
    let end = format!("/{keyword}");
    match pointer.rfind(&format!("{end}/")) {
        Some(at) if !pointer.ends_with(&end) => &pointer[..at + end.len()],
        _ => pointer,
    }
}
