//! Options → what the grammars of all their schemas have in common.

use super::options::options_of;
use super::raised;
use crate::builder::GrammarBuilder;
use crate::gil::take_turns;
use crate::limit::{given, Limits};
use frisket_schema::compile::Prelude;
use pyo3::prelude::*;
use std::sync::Arc;

/// `JSONSchemaOptions` for the native front end, with what all their schemas have in common.
///
/// `literals` is the language whose literals values are: json, or python for arguments of a call.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct NativePrelude(Arc<Prelude>);

#[pymethods]
impl NativePrelude {
    #[new]
    #[pyo3(signature = (options, *, literals="json"))]
    fn new(options: &Bound<'_, PyAny>, literals: &str) -> PyResult<Self> {
        let prelude = Prelude::new(options_of(options, literals)?, Some(take_turns)).map_err(raised)?;
        Ok(NativePrelude(Arc::new(prelude)))
    }

    /// A builder that has the nodes of the prelude.
    #[pyo3(signature = (limits=None))]
    fn fork(&self, limits: Option<&Bound<'_, Limits>>) -> GrammarBuilder {
        let (limits, cancellation) = given(limits);
        GrammarBuilder::of_prelude(self.shared(), limits, cancellation)
    }
}

impl NativePrelude {
    /// What all schemas of the options have in common.
    pub fn shared(&self) -> Arc<Prelude> {
        self.0.clone()
    }
}
