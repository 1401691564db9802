//! Schema → its subschemas, their drafts and references, for the readers of schemas in Python.

use super::read;
use crate::error::raise;
use frisket::front_end::schema::draft::Draft;
use frisket::front_end::schema::read::has_keyword;
use frisket::front_end::schema::resolve::applicator::subschemas;
use frisket::front_end::schema::resolve::{Documents, Location, ResourceId};
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;

/// A schema as the compiler finds its parts. Places are JSON pointers; other documents are not read.
#[pyclass(module = "frisket._core.front_end")]
pub struct SchemaDocument(Documents<'static>);

impl SchemaDocument {
    fn find(&mut self, place: &str) -> PyResult<(Location, ResourceId)> {
        let found = self.0.find(place).map_err(raise)?;
        found.ok_or_else(|| PyLookupError::new_err(format!("nothing stands at {place}")))
    }
}

#[pymethods]
impl SchemaDocument {
    /// Raises InvalidSchemaError for what is no value of JSON.
    #[new]
    fn new(schema: &Bound<'_, PyAny>) -> PyResult<Self> {
        Documents::new(read(schema)?, None).map(SchemaDocument).map_err(raise)
    }

    /// The draft whose rules hold at a place: 4, 6, 7, 2019 or 2020. Raises LookupError if nothing stands there.
    fn draft(&mut self, place: &str) -> PyResult<u32> {
        let (_, resource) = self.find(place)?;
        Ok(match self.0.resource(resource).draft {
            Draft::Draft4 => 4,
            Draft::Draft6 => 6,
            Draft::Draft7 => 7,
            Draft::Draft2019 => 2019,
            Draft::Draft2020 => 2020,
        })
    }

    /// Whether the draft of a place has a keyword. Raises LookupError if nothing stands there.
    fn has_keyword(&mut self, place: &str, keyword: &str) -> PyResult<bool> {
        let (_, resource) = self.find(place)?;
        Ok(has_keyword(self.0.resource(resource).draft, keyword))
    }

    /// The places that may be schemas directly below another one, by the keywords that its draft has.
    /// Raises LookupError if nothing stands there.
    fn subschemas(&mut self, place: &str) -> PyResult<Vec<String>> {
        let (schema, resource) = self.find(place)?;
        let draft = self.0.resource(resource).draft;
        let keyword =
            |below: &str| below[place.len() + 1..].split('/').next().is_some_and(|word| has_keyword(draft, word));
        let found = subschemas(self.0.tree(schema), schema.node, place);
        Ok(found.into_iter().map(|(_, below)| below).filter(|below| keyword(below)).collect())
    }

    /// The place in the document to which a reference at another place leads; None if it leads elsewhere or nowhere.
    /// Raises InvalidSchemaError for what is no reference, LookupError if nothing stands there.
    fn target(&mut self, place: &str, reference: &str) -> PyResult<Option<String>> {
        let (_, resource) = self.find(place)?;
        let target = self.0.resolve(reference, resource).map_err(raise)?;
        Ok(target.map(|target| target.pointer.to_string()))
    }
}
