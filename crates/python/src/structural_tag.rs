//! A structural tag from Python → its grammar; its parts → those of `frisket.notations.combination.part`.

use crate::error::raise;
use crate::gil::{apart, without};
use crate::grammar::Grammar;
use crate::limit::{given, Limits};
use crate::regex;
use crate::schema::{schema_options, tree, Callback, Documents};
use frisket::front_end::schema::error::Error as SchemaError;
use frisket::front_end::schema::resolve::Registry;
use frisket::front_end::Watch;
use frisket::notation::structural_tag::{parse, read, unread, Inner, Part, Settings};
use frisket::{in_time, Caller};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bytes of JSON for each node of a tree, about.
const NODE: usize = 8;

/// The parts of a structural tag, which name the places of its texts.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct TagParts(Arc<Part>);

#[pymethods]
impl TagParts {
    /// The tree of parts. `whole`: (notation, rules, JSON pointer in the tag) → the Grammar of such a part.
    fn tree<'py>(&self, whole: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let classes = whole.py().import("frisket.notations.combination.part")?;
        Maker { classes, whole, known: FxHashMap::default() }.part(&self.0)
    }
}

/// (the grammar of a structural tag, its parts).
///
/// `tag` is a value or JSON text, `options` are JSONSchemaOptions, `registry` gives the document of a URI, or
/// None. Raises GrammarSyntaxError, with the JSON pointer, for a tag that is wrong or not exact; LimitExceededError.
#[pyfunction]
#[pyo3(signature = (tag, options=None, registry=None, limits=None))]
pub fn read_structural_tag(
    py: Python<'_>,
    tag: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyAny>>,
    registry: Option<Py<PyAny>>,
    limits: Option<&Bound<'_, Limits>>,
) -> PyResult<(Grammar, TagParts)> {
    let limits = given(limits).started();
    let options = options.map(schema_options).transpose()?;
    let python = regex::syntax(py, "python", "")?;
    let (mut text, mut value) = (None, None);
    match tag.downcast::<PyString>() {
        Ok(given) => text = Some(given.to_str().map_err(|_| raise(half_a_pair()))?.to_owned()),
        Err(_) => {
            let (inner, flag) = limits.parts();
            value = Some(tree::read(tag, Watch::new(&inner, flag)).map_err(|error| raise(unread(error)))?);
        }
    }
    let bytes =
        text.as_ref().map_or(0, String::len) + value.as_ref().map_or(0, |tree| NODE * tree.len() + tree.text_bytes());
    let registry = registry.map(|registry| Arc::new(Callback(registry)));
    let work = move |caller: Caller, limits: frisket::Limits| {
        apart();
        let tree = match value {
            Some(tree) => tree,
            None => parse(&text.unwrap_or_default(), &limits)?,
        };
        let documents = registry.map(|callback| Documents { callback, caller });
        let registry = documents.as_ref().map(|documents| documents as &dyn Registry);
        read(&tree, &Settings { options, limits, registry, python })
    };
    let (grammar, part) = without(py, || in_time(&limits, bytes, work)).map_err(raise)?.map_err(raise)?;
    Ok((Grammar(grammar), TagParts(part)))
}

fn half_a_pair() -> Box<frisket::Error> {
    let error = SchemaError::invalid("the schema is not JSON: its text holds half of a surrogate pair").at("");
    unread(error.with_hint("decode the file as UTF-8, with errors=\"strict\""))
}

/// Makes parts of Python; a part that stands in several places is made once.
struct Maker<'a, 'py> {
    classes: Bound<'py, PyModule>,
    whole: &'a Bound<'py, PyAny>,
    known: FxHashMap<*const Part, Bound<'py, PyAny>>,
}

impl<'py> Maker<'_, 'py> {
    fn part(&mut self, part: &Arc<Part>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.known.get(&Arc::as_ptr(part)) {
            return Ok(known.clone());
        }
        let made = self.made(part)?;
        self.known.insert(Arc::as_ptr(part), made.clone());
        Ok(made)
    }

    fn made(&mut self, part: &Part) -> PyResult<Bound<'py, PyAny>> {
        match part {
            Part::Text(text) => self.make("Lit", (&**text,)),
            Part::Whole(whole) => {
                let notation = match whole.notation {
                    Inner::Schema => "schema",
                    Inner::Members => "members",
                    Inner::Pattern => "pattern",
                    Inner::Rules => "rules",
                };
                let grammar = self.whole.call1((notation, Grammar(whole.grammar.clone()), &whole.pointer))?;
                self.make("Whole", (grammar,))
            }
            Part::Special(name) => self.make("Special", (&**name,)),
            Part::Seq(items) => {
                let items = self.parts(items)?;
                self.make("Seq", (items,))
            }
            Part::Choice(items) => {
                let items = self.parts(items)?;
                self.make("Choice", (items,))
            }
            Part::Repeat(repeat) => {
                let separator = repeat.separator.as_ref().map(|separator| self.part(separator)).transpose()?;
                let item = self.part(&repeat.item)?;
                self.make("Repeat", (item, repeat.low, repeat.high, separator))
            }
            Part::FreeText { forbidden, max_chars } => self.make("FreeText", (self.texts(forbidden)?, 0, *max_chars)),
            Part::AnyTokens(excluded) => self.make("AnyTokens", (self.texts(excluded)?,)),
            Part::Tags(tags) => {
                let pairs = tags.tags.iter().map(|(begin, content)| Ok((self.part(begin)?, self.part(content)?)));
                let pairs = pairs.collect::<PyResult<Vec<_>>>()?;
                let pairs = PyTuple::new(self.whole.py(), pairs)?;
                let (triggers, forbidden) = (self.texts(&tags.triggers)?, self.texts(&tags.forbidden)?);
                let at_most = tags.is_once.then_some(1);
                self.make("Tags", (pairs, triggers, forbidden, 0, at_most, None::<u32>, !tags.is_once))
            }
            Part::Label(name, item) => {
                let item = self.part(item)?;
                self.make("Label", (&**name, item))
            }
        }
    }

    fn make(&self, class: &str, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.classes.getattr(class)?.call1(arguments)
    }

    fn parts(&mut self, items: &[Arc<Part>]) -> PyResult<Bound<'py, PyTuple>> {
        let items = items.iter().map(|item| self.part(item)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(self.whole.py(), items)
    }

    fn texts(&self, texts: &[Box<str>]) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(self.whole.py(), texts.iter().map(|text| &**text))
    }
}
