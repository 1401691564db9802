//! Options → the nodes that all their schemas share; schemas → their grammars.

use super::options::options_of;
use super::{read, work_in_time, Callback};
use crate::builder::GrammarBuilder;
use crate::error::raise;
use crate::gil::{take_turns, without};
use crate::grammar::Grammar;
use crate::limit::{given, Limits};
use frisket::front_end::schema::compile::{self, compile, embed, Compiled, Embedded};
use frisket::front_end::schema::note::Note;
use frisket::front_end::schema::resolve::Registry;
use frisket::front_end::schema::subschema::Omission;
use pyo3::prelude::*;
use std::sync::Arc;

/// `JSONSchemaOptions` with the nodes that all their schemas share.
///
/// `literals` is the language of literals: json, or python for arguments of a call.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct Prelude(Arc<compile::Prelude>);

#[pymethods]
impl Prelude {
    #[new]
    #[pyo3(signature = (options, *, literals="json"))]
    fn new(options: &Bound<'_, PyAny>, literals: &str) -> PyResult<Self> {
        let prelude = compile::Prelude::new(options_of(options, literals)?, Some(take_turns)).map_err(raise)?;
        Ok(Prelude(Arc::new(prelude)))
    }

    /// A builder that has the prelude's nodes.
    #[pyo3(signature = (limits=None))]
    fn fork(&self, limits: Option<&Bound<'_, Limits>>) -> GrammarBuilder {
        GrammarBuilder::of_prelude(self.shared(), &given(limits))
    }

    /// (the grammar of a schema's documents, keywords that are not enforced, formats that are narrowed, notes).
    ///
    /// `schema` is a dict, a bool or a JSON text; `registry` gives the document of a URI, or None.
    #[pyo3(signature = (schema, registry=None, limits=None))]
    fn compile(
        &self,
        schema: &Bound<'_, PyAny>,
        registry: Option<Py<PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Answer<Grammar>> {
        let prelude = self.0.clone();
        let work = move |tree, limits: frisket::Limits, registry: Option<&dyn Registry>| {
            let (limits, cancellation) = limits.parts();
            Ok(compile(Arc::new(tree), registry, &prelude, limits, cancellation)?)
        };
        let compiled = work_in_time(schema, registry, &given(limits).started(), From::from, work)?;
        let Compiled { grammar, omissions, narrowed, notes } = compiled;
        Ok((Grammar(frisket::Grammar::of_rules(grammar)), told(omissions), told(narrowed), noted(notes)))
    }

    /// (the node of a schema's documents in a builder, keywords that are not enforced, formats that are narrowed,
    /// notes).
    ///
    /// `is_fork`: whether the builder is a fork of this prelude. In another builder, no JSON string holds the
    /// options' forbidden texts from now on.
    #[pyo3(signature = (builder, schema, registry=None, *, is_fork))]
    fn embed(
        &self,
        py: Python<'_>,
        builder: &Bound<'_, GrammarBuilder>,
        schema: &Bound<'_, PyAny>,
        registry: Option<Py<PyAny>>,
        is_fork: bool,
    ) -> PyResult<Answer<u32>> {
        let tree = read(schema)?;
        let registry = registry.map(Callback);
        let taken = builder.borrow_mut().take()?;
        let prelude = self.0.clone();
        let (taken, embedded) = without(py, move || {
            let registry = registry.as_ref().map(|registry| registry as &dyn Registry);
            embed(taken, is_fork, tree, registry, &prelude)
        });
        builder.borrow_mut().give_back(taken);
        let Embedded { root, omissions, narrowed, notes } = embedded.map_err(raise)?;
        Ok((root.number(), told(omissions), told(narrowed), noted(notes)))
    }
}

impl Prelude {
    /// The prelude, shared.
    pub fn shared(&self) -> Arc<compile::Prelude> {
        self.0.clone()
    }
}

/// (pointer, keyword, values that are wrongly allowed or left out)
type Told = (String, String, String);

/// (result, keywords that are not enforced, formats that are narrowed, notes)
type Answer<T> = (T, Vec<Told>, Vec<Told>, Vec<Noted>);

/// (code, text, JSON pointers of the schemas that it speaks of)
type Noted = (&'static str, String, Vec<String>);

fn noted(notes: Vec<Note>) -> Vec<Noted> {
    notes.into_iter().map(|Note { code, text, pointers }| (code, text, pointers)).collect()
}

fn told(omissions: Vec<Omission>) -> Vec<Told> {
    omissions.into_iter().map(|Omission { pointer, keyword, slips }| (pointer, keyword, slips)).collect()
}
