//! Schema → the outcome for each keyword; unknown word → the known word that may be meant.

use super::{read, Callback, Prelude};
use crate::error::raise;
use crate::gil::without;
use crate::limit::{given, Limits};
use frisket::front_end::schema::order;
use frisket::front_end::schema::report;
use frisket::front_end::schema::resolve::references::{references, Reference};
use frisket::front_end::schema::resolve::Registry;
use frisket::front_end::schema::similar;
use pyo3::prelude::*;

/// (pointer, keyword, status, values that are wrongly allowed or left out, note)
pub type Entry = (String, String, &'static str, String, String);

/// The outcome for every keyword of a schema that compiles: pointer, keyword, status, wrongly allowed values, note.
///
/// The schema is read again, within these limits. `registry` gives the document of a URI, or None.
#[pyfunction]
#[pyo3(signature = (schema, prelude, registry=None, limits=None))]
pub fn schema_report(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    prelude: &Prelude,
    registry: Option<Py<PyAny>>,
    limits: Option<&Bound<'_, Limits>>,
) -> PyResult<Vec<Entry>> {
    let (limits, cancellation) = given(limits).parts();
    let tree = read(schema)?;
    let registry = registry.map(Callback);
    let prelude = prelude.shared();
    let found = without(py, move || {
        let registry = registry.as_ref().map(|registry| registry as &dyn Registry);
        report::report(tree, registry, &prelude, limits, cancellation)
    });
    let told = |entry: report::Entry| {
        let report::Entry { pointer, keyword, status, slips, note } = entry;
        (pointer, keyword, status.name(), slips, note)
    };
    found.map(|entries| entries.into_iter().map(told).collect()).map_err(raise)
}

/// Whether a tool sorted the names of a schema, so that their order is nobody's choice.
#[pyfunction]
pub fn is_sorted(schema: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(order::is_sorted(&*read(schema)?))
}

/// Whether some draft has a keyword of this name that has an effect on documents.
#[pyfunction]
pub fn is_keyword(name: &str) -> bool {
    frisket::front_end::schema::read::is_keyword(name)
}

/// The known word that another one may be meant for, as hints and reports name it.
#[pyfunction]
pub fn closest(word: &str, known: Vec<String>) -> Option<String> {
    similar::closest(word, known.iter().map(String::as_str)).map(str::to_owned)
}

/// A hash of the content of a value or JSON text: spellings of numbers, and members in their order. For tests.
#[pyfunction]
pub fn json_hash(schema: &Bound<'_, PyAny>) -> PyResult<u128> {
    let tree = read(schema)?;
    Ok(tree.hash(tree.root()))
}

/// Every reference that the front end finds: its place, keyword and text; its target's place, URI and draft.
///
/// `registry` gives the document of a URI, or None. For tests.
#[pyfunction]
pub fn schema_references(schema: &Bound<'_, PyAny>, registry: Py<PyAny>) -> PyResult<Vec<Reference>> {
    references(read(schema)?, &Callback(registry)).map_err(raise)
}
