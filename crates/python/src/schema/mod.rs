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
use crate::gil::{apart, attached, without};
use frisket::front_end::schema::error::{Error, Result};
use frisket::front_end::schema::json::{self, Tree};
use frisket::front_end::schema::resolve::Registry;
use frisket::front_end::{Error as EngineError, Limit, Watch};
use frisket::{in_time, Caller, Limits};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// Bytes of JSON for each node of a tree, about.
const NODE: usize = 8;

/// JSON of Python: a text, which is read without the GIL, or a value.
enum Source {
    Text(String),
    Tree(Tree),
}

/// The tree of a schema: a JSON text, or a value of Python.
pub fn read(schema: &Bound<'_, PyAny>) -> PyResult<Arc<Tree>> {
    let tree = text_of(schema).and_then(|text| match text {
        Some(text) => json::parse(text),
        None => tree::read(schema, Watch::default()),
    });
    tree.map(Arc::new).map_err(raise)
}

/// The JSON text of a schema that is a str.
fn text_of<'a>(schema: &'a Bound<'_, PyAny>) -> Result<Option<&'a str>> {
    let Ok(text) = schema.downcast::<PyString>() else { return Ok(None) };
    text.to_str().map(Some).map_err(|_| {
        let error = Error::invalid("the schema is not JSON: its text holds half of a surrogate pair").at("");
        error.with_hint("decode the file as UTF-8, with errors=\"strict\"")
    })
}

/// The result of `work` on the tree of a schema or structural tag, without the GIL and within the limits. `registry`
/// gives the document of a URI, or None; `unread` is the error of what is no JSON.
pub fn work_in_time<T: Send + 'static>(
    given: &Bound<'_, PyAny>,
    registry: Option<Py<PyAny>>,
    limits: &Limits,
    unread: fn(Box<Error>) -> Box<frisket::Error>,
    work: impl FnOnce(Tree, Limits, Option<&dyn Registry>) -> frisket::Result<T> + Send + 'static,
) -> PyResult<T> {
    let watch = |limits: &Limits| {
        let (limits, cancellation) = limits.parts();
        Watch::new(&limits, cancellation)
    };
    let failed = |error| raise(unread(error));
    let source = match text_of(given).map_err(failed)? {
        Some(text) => Source::Text(text.to_owned()),
        None => Source::Tree(tree::read(given, watch(limits)).map_err(failed)?),
    };
    let bytes = match &source {
        Source::Text(text) => text.len(),
        Source::Tree(tree) => NODE * tree.len() + tree.text_bytes(),
    };
    let callback = registry.map(|registry| Arc::new(Callback(registry)));
    let run = move |caller: Caller, limits: Limits| {
        apart();
        let tree = match source {
            Source::Text(text) => json::parse_watched(&text, watch(&limits)).map_err(unread)?,
            Source::Tree(tree) => tree,
        };
        let documents = callback.map(|callback| Documents { callback, caller });
        work(tree, limits, documents.as_ref().map(|documents| documents as &dyn Registry))
    };
    without(given.py(), || in_time(limits, bytes, run)).map_err(raise)?.map_err(raise)
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
struct Documents {
    callback: Arc<Callback>,
    caller: Caller,
}

impl Registry for Documents {
    fn document(&self, uri: &str) -> Result<Option<Arc<Tree>>> {
        let (callback, uri) = (self.callback.clone(), uri.to_owned());
        let found = self.caller.run(move || callback.document(&uri));
        found.unwrap_or_else(|| Err(Box::new(EngineError::Limit(Limit::Cancelled)).into()))
    }
}
