//! Schema → what became of each keyword, as the native front end tells it.

use super::facts::{all, Names};
use crate::gil::without;
use crate::limit::{given, Limits};
use crate::schema::{raised, read, Callback, NativePrelude};
use frisket_schema::condition::SubschemaId;
use frisket_schema::report::{self, entries};
use frisket_schema::resolve::Registry;
use frisket_schema::similar::closest;
use pyo3::prelude::*;

/// (pointer, keyword, status, what slips through or is left out, note)
type Entry = (String, String, &'static str, String, String);

/// What became of every keyword of a schema that compiles: pointer, keyword, status, what slips, note.
///
/// The schema is read again, within these limits. `registry` gives the document of a URI, or None.
#[pyfunction]
#[pyo3(signature = (schema, prelude, registry=None, limits=None))]
pub fn native_report(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    prelude: &NativePrelude,
    registry: Option<Py<PyAny>>,
    limits: Option<&Bound<'_, Limits>>,
) -> PyResult<Vec<Entry>> {
    let (limits, cancellation) = given(limits);
    let tree = read(schema)?;
    let registry = registry.map(Callback);
    let prelude = prelude.shared();
    let found = without(py, move || {
        let registry = registry.as_ref().map(|registry| registry as &dyn Registry);
        report::report(tree, registry, &prelude, limits, cancellation)
    });
    found.map(told).map_err(raised)
}

/// The same where all of a schema is read, whether values come to it or not, and patterns and formats are exact. For
/// tests.
#[pyfunction]
#[pyo3(signature = (schema, registry, prelude, *, has_scopes))]
pub fn native_report_of_all(
    schema: &Bound<'_, PyAny>,
    registry: Py<PyAny>,
    prelude: &NativePrelude,
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

/// The word that another one may be meant for, as hints and reports say it. For tests.
#[pyfunction]
pub fn native_closest(word: &str, known: Vec<String>) -> Option<String> {
    closest(word, known.iter().map(String::as_str)).map(str::to_owned)
}

fn told(entries: Vec<report::Entry>) -> Vec<Entry> {
    let told = |entry: report::Entry| {
        let report::Entry { pointer, keyword, status, slips, note } = entry;
        (pointer, keyword, status.name(), slips, note)
    };
    entries.into_iter().map(told).collect()
}
