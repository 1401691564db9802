//! Place of a schema → its grammar node, whoever lowers it: this reader or Python's.

use crate::case::Case;
use crate::error::raise;
use crate::place::{self, Kind};
use crate::plain::{Place, Plain, Unplain};
use crate::stock::{lock, Stock};
use crate::union::Maybe;
use frisket_core::error::Result;
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::{TermId, EMPTY};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use std::cell::OnceCell;

/// Levels that are read here: `Lowering` goes on in a fresh thread every 64.
const LEVELS: usize = 40;
/// What is known of a place is known of all of it, or of its arrays (0) or objects (1).
const WHOLE: usize = 2;
/// References that may follow each other before Python looks whether they ever lead to a schema.
pub const HOPS: usize = 16;

/// What makes Python's side, what it was given for that, and this side.
pub type Asked<'a, 'py> = (&'a Bound<'py, PyAny>, &'a Bound<'py, PyAny>, &'a Bound<'py, Plain>);

pub struct Walk<'a, 'py> {
    pub py: Python<'py>,
    pub plain: &'a Plain,
    pub stock: &'a Stock,
    /// Python's side, made when it is first needed.
    lowering: &'a OnceCell<Bound<'py, PyAny>>,
    python: Option<Asked<'a, 'py>>,
    /// The place that is being read, for Python's messages.
    pub pointer: String,
    pub levels: usize,
    pub hops: usize,
    /// Searches for contradictions that are under way.
    pub searches: usize,
}

impl Plain {
    /// A walk from the place at `pointer`, which is `levels` deep.
    pub fn walk<'a, 'py>(
        &'a self,
        py: Python<'py>,
        lowering: &'a OnceCell<Bound<'py, PyAny>>,
        python: Option<Asked<'a, 'py>>,
        pointer: String,
        levels: usize,
    ) -> Walk<'a, 'py> {
        Walk { py, plain: self, stock: self.stock.get(), lowering, python, pointer, levels, hops: 0, searches: 0 }
    }
}

impl<'py> Walk<'_, 'py> {
    pub fn make<T>(&self, call: impl FnOnce(&mut Builder) -> Result<T>) -> PyResult<T> {
        call(self.plain.builder.bind(self.py).borrow_mut().builder()?).map_err(raise)
    }

    pub fn node(&self, call: impl FnOnce(&mut Builder) -> Result<TermId>) -> PyResult<u32> {
        Ok(self.make(call)?.number())
    }

    /// The node of the place, nothing if it is for Python.
    pub fn own(&mut self, schema: &Bound<'py, PyDict>) -> PyResult<Option<Option<u32>>> {
        let place = schema.as_ptr() as usize;
        let known = lock(&self.plain.places).get(&(place, WHOLE)).copied();
        match known {
            Some(Place::Done(node)) => return Ok(Some(node)),
            Some(Place::Python) => return Ok(None),
            Some(Place::Active(Some(rule))) => return Ok(Some(Some(rule))),
            Some(Place::Active(None)) => {
                let name = if self.pointer.is_empty() { "document" } else { &self.pointer };
                let rule = self.node(|builder| builder.rule(name))?;
                lock(&self.plain.places).insert((place, WHOLE), Place::Active(Some(rule)));
                return Ok(Some(Some(rule)));
            }
            None => {}
        }
        if self.levels >= LEVELS {
            return Err(Unplain::new_err("it nests deep"));
        }
        let node = match self.read(schema) {
            Kind::Anything => Some(self.stock.any),
            Kind::Reference(reference) => match self.followed(&reference)? {
                Some(node) => node,
                None => return Ok(self.for_python(place)),
            },
            Kind::Leaf(case, content) => self.leaf(schema, *case, content)?,
            Kind::Case(case) => {
                let patterned = case.fields.iter().any(|fields| fields.patterns.is_some());
                let Some(case) = self.settled(*case, None)? else { return Ok(self.for_python(place)) };
                if patterned && !self.joins(std::slice::from_ref(&case))? {
                    return Ok(self.for_python(place));
                }
                self.within(place, |walk| walk.union(&[case]))?
            }
            Kind::Applied(case, parts) => {
                let pointer = self.pointer.clone();
                match self.applied(schema, *case, parts, &pointer, 0)? {
                    Some(union) => self.within(place, |walk| walk.union(&union.cases))?,
                    None => return Ok(self.for_python(place)),
                }
            }
            Kind::Other => return Ok(self.for_python(place)),
        };
        lock(&self.plain.places).insert((place, WHOLE), Place::Done(node));
        Ok(Some(node))
    }

    fn for_python(&self, place: usize) -> Option<Option<u32>> {
        lock(&self.plain.places).insert((place, WHOLE), Place::Python);
        None
    }

    /// What was made of the arrays or the objects of a place.
    pub fn part(&self, place: usize, kind: usize) -> Option<Option<u32>> {
        match lock(&self.plain.places).get(&(place, kind)) {
            Some(Place::Done(node)) => Some(*node),
            _ => None,
        }
    }

    pub fn keep_part(&self, place: usize, kind: usize, node: Option<u32>) {
        lock(&self.plain.places).insert((place, kind), Place::Done(node));
    }

    pub fn read(&self, schema: &Bound<'py, PyDict>) -> Kind<'py> {
        place::read(self.stock, self.plain.draft, |schema| self.is_apart(schema), schema)
    }

    /// What `make` makes of the place, or a rule if that comes back to the place.
    fn within(&mut self, place: usize, make: impl FnOnce(&mut Self) -> PyResult<Option<u32>>) -> PyResult<Option<u32>> {
        lock(&self.plain.places).insert((place, WHOLE), Place::Active(None));
        self.levels += 1;
        let hops = std::mem::take(&mut self.hops);
        let made = make(self);
        self.hops = hops;
        self.levels -= 1;
        let node = made?;
        let rule = match lock(&self.plain.places).get(&(place, WHOLE)) {
            Some(Place::Active(rule)) => *rule,
            _ => None,
        };
        match (rule, node) {
            (None, node) => Ok(node),
            (Some(rule), Some(node)) => {
                self.make(|builder| builder.define(rule, node))?;
                Ok(Some(rule))
            }
            (Some(_), None) => Err(Unplain::new_err("a place within itself cannot be")),
        }
    }

    /// The node of a subschema, whoever lowers it.
    pub fn any(&mut self, schema: &Bound<'py, PyAny>) -> PyResult<Option<u32>> {
        if let Ok(dict) = schema.downcast_exact::<PyDict>() {
            if dict.is_empty() {
                return Ok(Some(self.stock.any));
            }
            if let Some(node) = place::bare(self.stock, self.plain.draft, dict) {
                return Ok(Some(node));
            }
            if let Some(node) = self.own(dict)? {
                return Ok(node);
            }
        } else if let Ok(flag) = schema.downcast_exact::<PyBool>() {
            return Ok(flag.is_true().then_some(self.stock.any));
        }
        Ok(self.python(schema)?.0)
    }

    /// (the node, whether the report has nothing to say of it)
    fn python(&mut self, schema: &Bound<'py, PyAny>) -> PyResult<(Option<u32>, bool)> {
        let asked = (schema, &*self.pointer, self.levels);
        self.lowering()?.call_method1(intern!(self.py, "from_plain"), asked)?.extract()
    }

    /// The node of what meets several schemas: (schema, the pointer of the place around it, keyword, key).
    #[allow(clippy::type_complexity)]
    pub fn several(
        &mut self,
        places: &[(&Bound<'py, PyAny>, String, &str, &Option<Bound<'py, PyString>>)],
    ) -> PyResult<Option<u32>> {
        let places = PyList::new(self.py, places)?;
        self.lowering()?.call_method1(intern!(self.py, "from_plain_several"), (places, self.levels))?.extract()
    }

    fn lowering(&self) -> PyResult<&Bound<'py, PyAny>> {
        match (self.lowering.get(), self.python) {
            (Some(lowering), _) => Ok(lowering),
            (None, Some((python, given, plain))) => {
                let made = python.call1((plain, given))?;
                Ok(self.lowering.get_or_init(|| made))
            }
            (None, None) => Err(Unplain::new_err("nobody else reads it")),
        }
    }

    /// Below the place, or the one with that pointer: `keyword`, and where the keyword holds a mapping, the key.
    pub fn below(
        &mut self,
        schema: &Bound<'py, PyAny>,
        pointer: Option<&str>,
        keyword: &str,
        key: Option<&str>,
    ) -> PyResult<Option<u32>> {
        if let Some(pointer) = pointer {
            let here = std::mem::replace(&mut self.pointer, pointer.to_owned());
            let node = self.below(schema, None, keyword, key);
            self.pointer = here;
            return node;
        }
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(keyword);
        if let Some(key) = key {
            self.pointer.push('/');
            if key.contains(['~', '/']) {
                self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            } else {
                self.pointer.push_str(key);
            }
        }
        let node = self.any(schema);
        self.pointer.truncate(length);
        node
    }

    /// A place that holds scalars only: read once in all schemas under these options, by Python if need be.
    fn leaf(&mut self, schema: &Bound<'py, PyDict>, case: Case<'py>, content: Box<[u8]>) -> PyResult<Option<u32>> {
        if let Some(cutting) = self.stock.leaf(&content) {
            return Ok(Some(self.node(|builder| builder.import(&cutting))?));
        }
        let case = if case.unread.is_none() { self.settled(case, None)? } else { None };
        let (node, clean) = match case {
            Some(case) => (self.within(schema.as_ptr() as usize, |walk| walk.union(&[case]))?, true),
            None => {
                lock(&self.plain.places).insert((schema.as_ptr() as usize, WHOLE), Place::Python);
                self.python(schema)?
            }
        };
        if let Some(node) = node.filter(|&node| clean && node != EMPTY.number()) {
            if let Some(cutting) = self.make(|builder| builder.export(node))? {
                self.stock.keep(content, cutting);
            }
        }
        Ok(node)
    }

    /// The node of a format's texts, an inner nothing if it asks for none; nothing if the algebra should read it.
    pub fn format(&mut self, name: &Bound<'py, PyString>) -> Maybe<Option<u32>> {
        let Ok(text) = name.to_str() else { return Ok(None) };
        let mut content = vec![0, self.plain.draft as u8];
        content.extend(text.as_bytes());
        if let Some(cutting) = self.stock.leaf(&content) {
            let node = self.node(|builder| builder.import(&cutting))?;
            return Ok(Some((node != EMPTY.number()).then_some(node)));
        }
        let found = self.stock.formats.bind(self.py).call1((&self.plain.builder, name, self.plain.draft))?;
        let (is_known, node): (bool, Option<u32>) = found.extract()?;
        if !is_known {
            return Ok(None);
        }
        if let Some(cutting) = self.make(|builder| builder.export(node.unwrap_or(EMPTY.number())))? {
            self.stock.keep(content.into(), cutting);
        }
        Ok(Some(node))
    }
}
