//! Schema → its value, its references: steps of the front end by themselves, for tests beside `json` and a resolver in Python.

mod value;

use super::{read, Callback};
use crate::error::raise;
use frisket::front_end::schema::error::Result;
use frisket::front_end::schema::json::{self, Tree};
use frisket::front_end::schema::resolve::applicator::subschemas;
use frisket::front_end::schema::resolve::{Documents, Location, Registry, ResourceId};
use pyo3::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// The value that the parser reads in a JSON text, each number as the bytes of its numeral. For tests.
#[pyfunction]
pub fn json_value<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let tree = json::parse(text).map_err(raise)?;
    value::written(py, &tree)
}

/// (pointer of a subschema, keyword, its reference, pointer, base URI and draft of the target)
type Reference = (String, String, String, Option<(String, String, String)>);

/// Every reference that the front end finds: its place, keyword and text; its target's place, URI and draft.
///
/// `registry` gives the document of a URI, or None. For tests.
#[pyfunction]
pub fn schema_references(schema: &Bound<'_, PyAny>, registry: &Bound<'_, PyAny>) -> PyResult<Vec<Reference>> {
    let registry = Callback(registry.clone().unbind());
    references(read(schema)?, &registry).map_err(raise)
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
