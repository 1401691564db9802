//! The native front end of JSON Schema, as far as it stands → what tests compare with Python's.

mod facts;
mod report;
mod tree;

pub use report::{native_closest, native_report, native_report_of_all};

use crate::schema::{raised, read, Callback};
use frisket_schema::error::Result;
use frisket_schema::json::{self, Tree};
use frisket_schema::resolve::applicator::subschemas;
use frisket_schema::resolve::{Documents, Location, Registry, ResourceId};
use frisket_schema::subschema::Options;
use pyo3::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// The value that the native parser reads in a JSON text, each number as the bytes of its numeral. For tests.
#[pyfunction]
pub fn native_value<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let tree = json::parse(text).map_err(raised)?;
    tree::written(py, &tree)
}

/// Whether the native front end takes a schema for one that a tool sorted. For tests.
#[pyfunction]
pub fn native_is_sorted(schema: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(frisket_schema::order::is_sorted(&*read(schema)?))
}

/// Where a subschema stands, the keyword, its reference, and where that leads: pointer, base URI, draft.
type Reference = (String, String, String, Option<(String, String, String)>);

/// Every reference that the native front end finds: its place, keyword and text; its target's place, URI and draft.
///
/// `registry` gives the document of a URI, or None. For tests.
#[pyfunction]
pub fn native_references(schema: &Bound<'_, PyAny>, registry: &Bound<'_, PyAny>) -> PyResult<Vec<Reference>> {
    let registry = Callback(registry.clone().unbind());
    references(read(schema)?, &registry).map_err(raised)
}

/// What the native front end reads in each subschema, as JSON: [the root's number, facts by number, omissions].
///
/// A conjunction is the number of its only subschema, true if it asks nothing, false if nothing meets it. Patterns are
/// known by their texts, and formats assert nothing. For tests.
#[pyfunction]
#[pyo3(signature = (schema, registry, *, is_nullable, has_closed_objects, has_scopes))]
pub fn native_facts(
    schema: &Bound<'_, PyAny>,
    registry: &Bound<'_, PyAny>,
    is_nullable: bool,
    has_closed_objects: bool,
    has_scopes: bool,
) -> PyResult<String> {
    let options = Options { is_nullable, has_closed_objects, has_scopes };
    facts::facts(read(schema)?, &Callback(registry.clone().unbind()), options).map_err(raised)
}

fn references(schema: Arc<Tree>, registry: &dyn Registry) -> Result<Vec<Reference>> {
    let mut documents = Documents::new(schema, Some(registry))?;
    let root = documents.root();
    let start = documents.resource(root).root;
    let mut found = Vec::new();
    let mut met: HashSet<(Location, ResourceId)> = HashSet::new();
    let mut stack = vec![(start, root, String::new())];
    while let Some((schema, around, pointer)) = stack.pop() {
        let resource = documents.inside(schema, around, &pointer)?;
        if documents.object(schema).is_none() || !met.insert((schema, resource)) {
            continue;
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let tree = documents.tree(schema);
            let reference = tree.object(schema.node).and_then(|members| tree.str(members.get(keyword)?));
            let Some(reference) = reference.map(str::to_owned) else { continue };
            let target = documents.resolve(&reference, resource)?;
            let shown = target.as_ref().map(|target| {
                let resource = documents.resource(target.resource);
                (target.pointer.to_string(), resource.uri.to_string(), resource.draft.to_string())
            });
            found.push((pointer.clone(), keyword.to_owned(), reference, shown));
            stack.extend(target.map(|target| (target.schema, target.resource, target.pointer.to_string())));
        }
        let below = subschemas(documents.tree(schema), schema.node, &pointer);
        stack.extend(below.into_iter().map(|(node, pointer)| (Location { node, ..schema }, resource, pointer)));
    }
    Ok(found)
}
