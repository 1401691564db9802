//! A schema that was read → the outcome for each keyword: enforced, loosened, narrowed, an annotation, or unknown.
//!
//! A report is made when somebody asks for it, so a compile pays nothing for it.
//!
//! ```text
//! aside   schemas → entries of keywords without an effect on documents
//! read    subschemas that were read → keywords with an effect, at every place
//! ```

mod aside;
mod read;

use crate::compile::{subschemas_of, Prelude};
use crate::condition::SubschemaId;
use crate::error::Result;
use crate::formats::FormatOptions;
use crate::json::Tree;
use crate::resolve::Registry;
use crate::subschema::{Omission, Subschemas};
use frisket_core::limits::{Cancellation, Limits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The outcome for a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The grammar enforces it exactly.
    Enforced,
    /// The grammar allows texts that it forbids.
    Loosened,
    /// The grammar leaves out texts that it allows.
    Narrowed,
    /// It has no effect on documents, as its specification says.
    Annotation,
    /// No keyword of the schema's draft, so it has no effect.
    Unknown,
}

impl Status {
    /// The word of a report.
    pub fn name(self) -> &'static str {
        match self {
            Status::Enforced => "enforced",
            Status::Loosened => "loosened",
            Status::Narrowed => "narrowed",
            Status::Annotation => "annotation",
            Status::Unknown => "unknown",
        }
    }
}

/// One keyword at one place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The JSON pointer of the schema that has the keyword.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// Its outcome.
    pub status: Status,
    /// Values that are wrongly allowed, or left out.
    pub slips: String,
    /// Why an annotation has no effect; which keyword an unknown word may be meant for; how a format is bounded.
    pub note: String,
}

impl Entry {
    fn noted(pointer: &str, keyword: &str, status: Status, note: impl Into<String>) -> Self {
        Entry { pointer: pointer.into(), keyword: keyword.into(), status, slips: String::new(), note: note.into() }
    }

    /// The entry of a keyword that is not enforced. It has the pointer of the schema, even if the omission points to
    /// the keyword.
    pub fn loosened(omission: &Omission) -> Self {
        let Omission { pointer, keyword, slips } = omission;
        let end = pointer.strip_suffix(&**keyword).and_then(|rest| rest.strip_suffix('/'));
        let (pointer, keyword) = (end.unwrap_or(pointer).into(), keyword.clone());
        Entry { pointer, keyword, status: Status::Loosened, slips: slips.clone(), note: String::new() }
    }

    /// The entry of a format of which not all texts are allowed.
    pub fn narrowed(omission: &Omission) -> Self {
        let Omission { pointer, keyword, slips } = omission;
        let pointer = pointer.rsplit_once('/').map_or("", |(schema, _)| schema).into();
        Entry { pointer, keyword: keyword.clone(), status: Status::Narrowed, slips: slips.clone(), note: String::new() }
    }
}

/// The outcome of every keyword of a schema that compiles, by pointer and keyword.
///
/// The schema is read again as a compile reads it; limits and cancellation are those of this reading. Errors: those of
/// [`compile`](crate::compile::compile).
pub fn report(
    schema: Arc<Tree>,
    registry: Option<&dyn Registry>,
    prelude: &Prelude,
    limits: Limits,
    cancellation: Option<Cancellation>,
) -> Result<Vec<Entry>> {
    let (mut subschemas, parsed) = subschemas_of(schema, registry, prelude, limits, cancellation)?;
    let is_read = |of: SubschemaId| parsed.get(of.0 as usize).is_some_and(Option::is_some);
    entries(&mut subschemas, &prelude.options().formats(), &is_read)
}

/// The outcome of every keyword, by pointer and keyword.
///
/// `is_read` says whether the algebra has read the keywords of a subschema, because a value can reach it. Keywords with
/// an effect are listed only where such a subschema stands, the others everywhere.
///
/// Errors: errors of the registry.
pub fn entries(
    subschemas: &mut Subschemas<'_>,
    formats: &FormatOptions,
    is_read: &dyn Fn(SubschemaId) -> bool,
) -> Result<Vec<Entry>> {
    let places = read::places(subschemas, is_read)?;
    let slipping = read::slipping(subschemas, &places);
    let passed_over: FxHashSet<(String, String)> =
        slipping.iter().map(|entry| (entry.pointer.clone(), entry.keyword.clone())).collect();
    let nullable = subschemas.options().is_nullable;
    let mut asides: FxHashMap<(String, String), Entry> = FxHashMap::default();
    for entry in aside::asides(&mut subschemas.documents, formats, nullable)? {
        asides.insert((entry.pointer.clone(), entry.keyword.clone()), entry);
    }
    let mut found = Vec::new();
    let mut met: FxHashSet<(&str, &str)> = FxHashSet::default();
    for place in &places {
        for keyword in place.keywords.iter().filter(|keyword| met.insert((&place.pointer, keyword))) {
            let aside = asides.remove(&(place.pointer.clone(), keyword.clone()));
            found.push(aside.unwrap_or_else(|| Entry::noted(&place.pointer, keyword, Status::Enforced, "")));
        }
    }
    found.extend(asides.into_values().filter(|entry| entry.status != Status::Enforced));
    found.retain(|entry| !passed_over.contains(&(entry.pointer.clone(), entry.keyword.clone())));
    found.extend(slipping);
    found.sort_by(|one, other| (&one.pointer, &one.keyword).cmp(&(&other.pointer, &other.keyword)));
    Ok(found)
}
