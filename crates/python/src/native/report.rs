//! Schema → what became of each keyword where all of it was read: for tests beside Python's report.

use super::facts::{all, Names};
use frisket_schema::draft::Draft;
use frisket_schema::error::Result;
use frisket_schema::json::Tree;
use frisket_schema::report::{entries, Entry, FormatNames, FormatUse};
use frisket_schema::resolve::Registry;
use frisket_schema::subschema::Options;
use pyo3::prelude::*;
use std::sync::Arc;

/// Formats as a callable knows them: (name, draft) → None, (False, False, None) for OpenAPI's, or (True, whether it is
/// about numbers, its note).
pub struct Formats<'a, 'py> {
    pub find: &'a Bound<'py, PyAny>,
    pub names: Vec<String>,
    pub are_annotations: bool,
}

impl FormatNames for Formats<'_, '_> {
    fn are_annotations(&self) -> bool {
        self.are_annotations
    }

    fn find(&self, name: &str, draft: Draft) -> FormatUse {
        let found = self.find.call1((name, draft.to_string())).expect("a test's callable");
        match found.extract().expect("a test's answer") {
            None => FormatUse::Unknown,
            Some((true, is_numeric, note)) => FormatUse::Enforced { is_numeric, note },
            Some((false, _, _)) => FormatUse::OpenApi,
        }
    }

    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }
}

/// The entries of a schema of which every subschema was read.
pub fn report(
    schema: Arc<Tree>,
    registry: &dyn Registry,
    options: Options,
    formats: &Formats<'_, '_>,
) -> Result<Vec<Entry>> {
    let (mut subschemas, _) = all(schema, registry, options, &mut Names::default())?;
    entries(&mut subschemas, formats, &|_| true)
}
