//! A schema and options of Python → a grammar, made by the native front end.

use super::{raised, read, Callback};
use crate::builder::{Grammar, GrammarBuilder};
use crate::gil::{take_turns, without};
use crate::limit::{given, Limits};
use frisket_schema::compile::{compile, embed, Compiled, Embedded, Options, Prelude, PropertyOrder, Spacing};
use frisket_schema::formats::Mode;
use frisket_schema::resolve::Registry;
use frisket_schema::subschema::Omission;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// `JSONSchemaOptions` for the native front end, with what all their schemas have in common.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct NativePrelude(Arc<Prelude>);

#[pymethods]
impl NativePrelude {
    #[new]
    fn new(options: &Bound<'_, PyAny>) -> PyResult<Self> {
        let prelude = Prelude::new(options_of(options)?, Some(take_turns)).map_err(raised)?;
        Ok(NativePrelude(Arc::new(prelude)))
    }

    /// A builder that has the prelude's nodes.
    #[pyo3(signature = (limits=None))]
    fn fork(&self, limits: Option<&Bound<'_, Limits>>) -> GrammarBuilder {
        let (limits, cancellation) = given(limits);
        GrammarBuilder::of(self.0.fork(limits, cancellation))
    }

    /// (the grammar of a schema's documents, what is not enforced, formats that are narrowed, notes on the language).
    ///
    /// `schema` is a dict, a bool or a JSON text; `registry` gives the document of a URI, or None.
    #[pyo3(signature = (schema, registry=None, limits=None))]
    fn compile(
        &self,
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        registry: Option<Py<PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<(Grammar, Vec<Told>, Vec<Told>, Vec<String>)> {
        let Compiled { grammar, omissions, narrowed, notes } = self.compiled(py, schema, registry, limits)?;
        Ok((Grammar::new(grammar), told(omissions), told(narrowed), notes))
    }

    /// (the node of a schema's documents in a builder, what is not enforced, formats that are narrowed, notes).
    ///
    /// `is_fork`: whether the builder is a fork of this prelude. Of another one, no JSON string holds the options'
    /// forbidden texts from now on.
    #[pyo3(signature = (builder, schema, registry=None, *, is_fork))]
    fn embed(
        &self,
        py: Python<'_>,
        builder: &Bound<'_, GrammarBuilder>,
        schema: &Bound<'_, PyAny>,
        registry: Option<Py<PyAny>>,
        is_fork: bool,
    ) -> PyResult<(u32, Vec<Told>, Vec<Told>, Vec<String>)> {
        let tree = read(schema)?;
        let registry = registry.map(Callback);
        let taken = builder.borrow_mut().take()?;
        let prelude = self.0.clone();
        let (taken, embedded) = without(py, move || {
            let registry = registry.as_ref().map(|registry| registry as &dyn Registry);
            embed(taken, is_fork, tree, registry, &prelude)
        });
        builder.borrow_mut().give_back(taken);
        let Embedded { root, omissions, narrowed, notes } = embedded.map_err(raised)?;
        Ok((root.number(), told(omissions), told(narrowed), notes))
    }
}

impl NativePrelude {
    /// What all schemas of the options have in common.
    pub fn shared(&self) -> Arc<Prelude> {
        self.0.clone()
    }

    fn compiled(
        &self,
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        registry: Option<Py<PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Compiled> {
        let (limits, cancellation) = given(limits);
        let tree = read(schema)?;
        let registry = registry.map(Callback);
        let prelude = self.0.clone();
        let compiled = without(py, move || {
            let registry = registry.as_ref().map(|registry| registry as &dyn Registry);
            compile(tree, registry, &prelude, limits, cancellation)
        });
        compiled.map_err(raised)
    }
}

/// (pointer, keyword, what slips through or is left out)
type Told = (String, String, String);

fn told(omissions: Vec<Omission>) -> Vec<Told> {
    omissions.into_iter().map(|Omission { pointer, keyword, slips }| (pointer, keyword, slips)).collect()
}

/// The options as `JSONSchemaOptions` holds them, which has checked them.
fn options_of(options: &Bound<'_, PyAny>) -> PyResult<Options> {
    let word = |name: &str| options.getattr(name)?.extract::<String>();
    let unknown = |name: &str, word: &str| PyValueError::new_err(format!("{name} cannot be {word:?}"));
    let flag = |name: &str| options.getattr(name)?.extract::<bool>();
    let number = |name: &str| options.getattr(name)?.extract::<u32>();
    Ok(Options {
        property_order: match &*word("property_order")? {
            "schema" => PropertyOrder::Schema,
            "declared" => PropertyOrder::Declared,
            "any" => PropertyOrder::Any,
            other => return Err(unknown("property_order", other)),
        },
        closed_objects: flag("closed_objects")?,
        whitespace: match &*word("whitespace")? {
            "bounded" => Spacing::Bounded,
            "compact" => Spacing::Compact,
            "pretty" => Spacing::Pretty,
            "free" => Spacing::Free,
            other => return Err(unknown("whitespace", other)),
        },
        max_whitespace: options.getattr("max_whitespace")?.extract()?,
        separators: options.getattr("separators")?.extract()?,
        leading_space: flag("leading_space")?,
        indent: number("indent")?,
        free_escapes: word("escapes")? == "free",
        escape_letters: word("escape_letters")?,
        free_numbers: word("numbers")? == "free",
        max_integer_digits: number("max_integer_digits")?,
        max_fraction_digits: number("max_fraction_digits")?,
        max_exponent_digits: number("max_exponent_digits")?,
        max_second_digits: number("max_second_digits")?,
        max_items: options.getattr("max_items")?.extract()?,
        formats: match &*word("formats")? {
            "assert" => Mode::Assert,
            "annotate" => Mode::Annotate,
            "openapi" => Mode::OpenApi,
            "python" => Mode::Python,
            other => return Err(unknown("formats", other)),
        },
        nullable: flag("nullable")?,
        relaxed: flag("relaxed")?,
        forbidden_texts: forbidden(&options.getattr("forbidden_texts")?)?,
        max_alternatives: options.getattr("max_alternatives")?.extract()?,
    })
}

/// Texts that no string holds; half of a surrogate pair stands for a question mark, as UTF-8 cannot write it.
fn forbidden(texts: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let text = |text: Bound<'_, PyAny>| -> PyResult<String> {
        let bytes: Vec<u8> = text.call_method1("encode", ("utf-8", "replace"))?.extract()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    texts.try_iter()?.map(|one| text(one?)).collect()
}
