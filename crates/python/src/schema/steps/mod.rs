//! The steps of the front end one by one, for tests that compare them with the oracle's.
//!
//! ```text
//! value     a tree → a value of Python
//! facts     a schema → what each of its subschemas says
//! ```

mod facts;
mod value;

use super::report::{told, Entry};
use super::{raised, read, Callback, Prelude};
use facts::{all, Names};
use frisket_schema::condition::SubschemaId;
use frisket_schema::error::Result;
use frisket_schema::json::{self, Tree};
use frisket_schema::report::entries;
use frisket_schema::resolve::applicator::subschemas;
use frisket_schema::resolve::{Documents, Location, Registry, ResourceId};
use frisket_schema::subschema::Options;
use pyo3::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// The value that the parser reads in a JSON text, each number as the bytes of its numeral. For tests.
#[pyfunction]
pub fn json_value<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let tree = json::parse(text).map_err(raised)?;
    value::written(py, &tree)
}

/// Where a subschema stands, the keyword, its reference, and where that leads: pointer, base URI, draft.
type Reference = (String, String, String, Option<(String, String, String)>);

/// Every reference that the front end finds: its place, keyword and text; its target's place, URI and draft.
///
/// `registry` gives the document of a URI, or None. For tests.
#[pyfunction]
pub fn schema_references(schema: &Bound<'_, PyAny>, registry: &Bound<'_, PyAny>) -> PyResult<Vec<Reference>> {
    let registry = Callback(registry.clone().unbind());
    references(read(schema)?, &registry).map_err(raised)
}

/// What the front end reads in each subschema, as JSON: [the root's number, facts by number, omissions].
///
/// A conjunction is the number of its only subschema, true if it asks nothing, false if nothing meets it. Patterns are
/// known by their texts, and formats assert nothing. For tests.
#[pyfunction]
#[pyo3(signature = (schema, registry, *, is_nullable, has_closed_objects, has_scopes))]
pub fn schema_facts(
    schema: &Bound<'_, PyAny>,
    registry: &Bound<'_, PyAny>,
    is_nullable: bool,
    has_closed_objects: bool,
    has_scopes: bool,
) -> PyResult<String> {
    let options = Options { is_nullable, has_closed_objects, has_scopes };
    facts::facts(read(schema)?, &Callback(registry.clone().unbind()), options).map_err(raised)
}

/// The report of a schema of which all is read, whether values come to it or not; patterns and formats are exact.
///
/// For tests.
#[pyfunction]
#[pyo3(signature = (schema, registry, prelude, *, has_scopes))]
pub fn schema_report_of_all(
    schema: &Bound<'_, PyAny>,
    registry: Py<PyAny>,
    prelude: &Prelude,
    has_scopes: bool,
) -> PyResult<Vec<Entry>> {
    let registry = Callback(registry);
    let options = prelude.shared().options().clone();
    let read = all(read(schema)?, &registry, options.subschemas(has_scopes), &mut Names::default());
    let found = read.and_then(|(mut subschemas, _)| {
        let is_read: &dyn Fn(SubschemaId) -> bool = &|_| true;
        entries(&mut subschemas, &options.formats(), is_read)
    });
    found.map(told).map_err(raised)
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
