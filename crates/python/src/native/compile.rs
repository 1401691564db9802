//! A schema and options of Python → a grammar, made by the native front end.

use crate::gil::{briefly, without};
use crate::grammar::Grammar;
use crate::limit::{given, Limits};
use crate::schema::{raised, read, Callback, NativePrelude};
use frisket_schema::compile::{compile, Compiled};
use frisket_schema::resolve::Registry;
use frisket_schema::subschema::Omission;
use pyo3::prelude::*;

/// A schema of more nodes is compiled without the GIL from the beginning: it takes long enough for others to compute
/// meanwhile. A smaller one lets go of it once it turns out to take long.
const LARGE: usize = 256;

/// (pointer, keyword, what slips through or is left out)
type Told = (String, String, String);

/// (the grammar of a schema's documents, what is not enforced, formats that are narrowed, notes on the language).
///
/// `schema` is a dict, a bool or a JSON text; `registry` gives the document of a URI, or None.
#[pyfunction]
#[pyo3(signature = (schema, prelude, registry=None, limits=None))]
pub fn native_compile(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    prelude: &NativePrelude,
    registry: Option<Py<PyAny>>,
    limits: Option<&Bound<'_, Limits>>,
) -> PyResult<(Grammar, Vec<Told>, Vec<Told>, Vec<String>)> {
    let (limits, cancellation) = given(limits);
    let tree = read(schema)?;
    let registry = registry.map(Callback);
    let prelude = prelude.shared();
    let is_large = tree.len() > LARGE;
    let work = move || {
        let registry = registry.as_ref().map(|registry| registry as &dyn Registry);
        compile(tree, registry, &prelude, limits, cancellation)
    };
    let compiled = if is_large { without(py, work) } else { briefly(py, work) };
    let Compiled { grammar, omissions, narrowed, notes } = compiled.map_err(raised)?;
    Ok((Grammar::new(grammar), told(omissions), told(narrowed), notes))
}

fn told(omissions: Vec<Omission>) -> Vec<Told> {
    omissions.into_iter().map(|Omission { pointer, keyword, slips }| (pointer, keyword, slips)).collect()
}
