//! crates/schema → classes and functions of `frisket._core.front_end`.
//!
//! ```text
//! tree      a value of Python → a tree
//! options   JSONSchemaOptions → the crate's options
//! prelude   options → the nodes that all their schemas share
//! document  schema → its subschemas, their drafts and references
//! member    schema of an object → the values of its members
//! report    schema → the outcome for each keyword
//! ```

mod document;
pub mod member;
mod options;
mod prelude;
pub mod report;
pub mod tree;

pub use document::SchemaDocument;
pub use member::MemberValues;
pub use options::schema_options;
pub use prelude::Prelude;

use crate::error::raise;
use crate::gil::attached;
use frisket::front_end::schema::error::{Error, Result};
use frisket::front_end::schema::json::{self, Tree};
use frisket::front_end::schema::resolve::Registry;
use frisket::front_end::{Error as EngineError, Limit, Watch};
use frisket::Caller;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// The tree of a schema: a JSON text, or a value of Python.
pub fn read<'py>(schema: &Bound<'py, PyAny>) -> PyResult<Arc<Tree>> {
    read_watched(schema, Watch::default())
}

/// As `read`; a flag or the clock may end it.
pub fn read_watched<'py>(schema: &Bound<'py, PyAny>, watch: Watch) -> PyResult<Arc<Tree>> {
    let tree = match text_of(schema)? {
        Some(text) => json::parse_watched(text, watch),
        None => tree::read(schema, watch),
    };
    tree.map(Arc::new).map_err(raise)
}

/// The JSON text of a schema that is a str.
pub fn text_of<'a>(schema: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a str>> {
    let Ok(text) = schema.downcast::<PyString>() else { return Ok(None) };
    text.to_str().map(Some).map_err(|_| {
        let error = Error::invalid("the schema is not JSON: its text holds half of a surrogate pair").at("");
        raise(error.with_hint("decode the file as UTF-8, with errors=\"strict\""))
    })
}

/// A callable: URI → document or None.
pub struct Callback(pub Py<PyAny>);

impl Registry for Callback {
    fn document(&self, uri: &str) -> Result<Option<Arc<Tree>>> {
        let failed = |error: PyErr| Error::invalid(format!("the registry failed: {error}"));
        attached(|py| {
            let found = self.0.bind(py).call1((uri,)).map_err(failed)?;
            match found.is_none() {
                true => Ok(None),
                false => read(&found).map(Some).map_err(failed),
            }
        })
    }
}

/// The callable for work in a thread of its own; it is called in the thread that waits.
pub struct Documents {
    pub callback: Arc<Callback>,
    pub caller: Caller,
}

impl Registry for Documents {
    fn document(&self, uri: &str) -> Result<Option<Arc<Tree>>> {
        let (callback, uri) = (self.callback.clone(), uri.to_owned());
        let found = self.caller.run(move || callback.document(&uri));
        found.unwrap_or_else(|| Err(Box::new(EngineError::Limit(Limit::Cancelled)).into()))
    }
}
