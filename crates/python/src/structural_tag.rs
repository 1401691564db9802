//! A structural tag from Python → its grammar; its parts → those of `frisket.notations.combination.part`.

use crate::grammar::Grammar;
use crate::limit::{given, Limits};
use crate::regex;
use crate::schema::{schema_options, work_in_time};
use frisket::front_end::schema::resolve::Registry;
use frisket::notation::structural_tag::{read, unread, Inner, Part, Settings};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rustc_hash::FxHashMap;
use std::sync::Arc;

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
    tag: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyAny>>,
    registry: Option<Py<PyAny>>,
    limits: Option<&Bound<'_, Limits>>,
) -> PyResult<(Grammar, TagParts)> {
    let options = options.map(schema_options).transpose()?;
    let python = regex::syntax(tag.py(), "python", "")?;
    let work = move |tree, limits, registry: Option<&dyn Registry>| {
        read(&tree, &Settings { options, limits, registry, python })
    };
    let (grammar, part) = work_in_time(tag, registry, &given(limits).started(), unread, work)?;
    Ok((Grammar(grammar), TagParts(part)))
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
