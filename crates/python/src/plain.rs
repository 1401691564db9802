//! The plain parts of a JSON Schema → grammar nodes, without a step of Python.
//!
//! Most subschemas state types, members, items, texts or integers, or apply other subschemas to the same value. Where
//! that needs no complement (`union`), they are read here (`place`) and built here (`lower`, `pattern`, `number`). All
//! others go back to Python's `Lowering`, which calls this reader again for the subschemas below. Both sides decide by
//! the subschema alone which of them reads it. A recursion through both therefore ends, with a rule on the side where
//! it began.
//!
//! This reader builds the nodes that `Lowering` would build, node for node; a test compares the two on thousands of
//! schemas. Where that would be hard (deep nesting, a required member that cannot exist, an invalid subschema),
//! `Unplain` ends the attempt, and Python lowers the whole schema, errors included.

use crate::builder::{Grammar, GrammarBuilder};
use crate::case::Case;
use crate::error::raise;
use crate::limit::Limits;
use crate::place::{self, Kind};
use crate::sorted::is_sorted;
use crate::stock::{lock, Stock};
use crate::union::Maybe;
use frisket_core::error::Result;
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::{TermId, EMPTY};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use pyo3::{create_exception, intern};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::OnceCell;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, OnceLock};

create_exception!(frisket._core.front_end, Unplain, PyException, "The schema is for Python to lower, all of it.");

/// The draft of a schema that names none.
const NEWEST: u64 = 2020;
/// Places of a usual schema: what a table needs that never grows.
const PLACES: usize = 56;
/// Levels that are read here: `Lowering` goes on in a fresh thread every 64.
const LEVELS: usize = 40;
/// What is known of a place is known of all of it, or of its arrays (0) or objects (1).
const WHOLE: usize = 2;
/// References that may follow each other before Python looks whether they ever lead to a schema.
pub const HOPS: usize = 16;

/// A place that is being lowered, with its rule once it was met inside itself; one that is done; one for Python.
#[derive(Clone, Copy)]
enum Place {
    Active(Option<u32>),
    Done(Option<u32>),
    Python,
}

/// The plain places of one schema: those whose meaning needs no complement of another.
///
/// They are lowered here, node for node as `json_schema.lower.Lowering` would, which lowers all others. Thread-safe as
/// far as its builder is.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct Plain {
    /// The builder of the schema's nodes, a fork of the prelude's.
    #[pyo3(get)]
    builder: Py<GrammarBuilder>,
    stock: Py<Stock>,
    root: Py<PyDict>,
    pub draft: u64,
    /// Whether properties are to come in the order of the schema, and that is a tool's, which sorted them.
    #[pyo3(get)]
    is_sorted: bool,
    pub any_order: bool,
    pub about_itself: bool,
    /// Of each place its arrays, its objects, or all of it.
    places: Mutex<FxHashMap<(usize, usize), Place>>,
    /// Places looked at to find out what alternatives mean.
    pub looks: AtomicUsize,
    /// Whether there is any reference, once somebody asked.
    refers: OnceLock<bool>,
}

#[pymethods]
impl Plain {
    /// (the grammar of a schema, the `Lowering` if there was need of one, whether the schema leaves the order of
    /// properties to be chosen, having been sorted by a tool).
    ///
    /// It is built with a fork of `prelude`. `python` makes the `Lowering` of this and of what is `given`, when it is
    /// needed; that is asked by `from_plain(schema, pointer, levels)`, and returns (node, whether the report has
    /// nothing to say). Raises Unplain where Python should lower the whole schema.
    #[staticmethod]
    #[pyo3(signature = (prelude, stock, root, property_order, python, given, limits, /))]
    fn grammar<'py>(
        prelude: &Bound<'py, GrammarBuilder>,
        stock: Py<Stock>,
        root: &Bound<'py, PyDict>,
        property_order: &str,
        python: &Bound<'py, PyAny>,
        given: &Bound<'py, PyAny>,
        limits: Option<&Bound<'py, Limits>>,
    ) -> PyResult<Made<'py>> {
        let is_sorted = property_order == "schema" && is_sorted(root);
        Plain::made(prelude, stock, root, (property_order, is_sorted), python, given, limits)
    }

    /// (whether the place is plain, its node): what `Lowering` asks of each place.
    fn lower<'py>(
        &self,
        lowering: Bound<'py, PyAny>,
        schema: &Bound<'py, PyDict>,
        pointer: String,
        levels: usize,
    ) -> PyResult<(bool, Option<u32>)> {
        let own = self.walk(schema.py(), &OnceCell::from(lowering), None, pointer, levels).own(schema)?;
        Ok((own.is_some(), own.flatten()))
    }
}

/// A grammar, Python's side if it was needed, whether the schema was sorted by a tool.
type Made<'py> = (Grammar, Option<Bound<'py, PyAny>>, bool);

impl Plain {
    /// `order` is the option, and whether a tool sorted the schema's properties.
    pub fn made<'py>(
        prelude: &Bound<'py, GrammarBuilder>,
        stock: Py<Stock>,
        root: &Bound<'py, PyDict>,
        order: (&str, bool),
        python: &Bound<'py, PyAny>,
        given: &Bound<'py, PyAny>,
        limits: Option<&Bound<'py, Limits>>,
    ) -> PyResult<Made<'py>> {
        let py = root.py();
        let plain = Bound::new(py, Plain::new(prelude, stock, root, order, limits)?)?;
        let this = plain.get();
        let lowering = OnceCell::new();
        let asked = (python, given, &plain);
        let mut walk = this.walk(py, &lowering, Some(asked), String::with_capacity(128), 0);
        let node = walk.any(root)?.ok_or_else(|| Unplain::new_err("nothing can be a document"))?;
        let node = match walk.stock.margins {
            Some((before, after)) => walk.node(|builder| builder.seq(&[before, node, after]))?,
            None => node,
        };
        let grammar = this.builder.bind(py).borrow_mut().build(py, node)?;
        Ok((grammar, lowering.into_inner(), this.is_sorted))
    }

    fn new(
        prelude: &Bound<'_, GrammarBuilder>,
        stock: Py<Stock>,
        root: &Bound<'_, PyDict>,
        (property_order, is_sorted): (&str, bool),
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Self> {
        let mut builder = prelude.borrow_mut().fork(limits)?;
        if limits.is_some() {
            builder.check(0)?;
        }
        let builder = Py::new(root.py(), builder)?;
        let draft = match root.get_item(intern!(root.py(), "$schema"))? {
            None => NEWEST,
            Some(named) => {
                let named = named.downcast_exact::<PyString>().map_err(|_| Unplain::new_err("a draft of its own"))?;
                let named = named.to_str()?;
                let bare = named.split_once("://").map_or(named, |(_, bare)| bare);
                let known = stock.get().drafts.get(bare.trim_end_matches('#').trim_end_matches('/'));
                *known.ok_or_else(|| Unplain::new_err("a draft of its own"))?
            }
        };
        let stated = property_order == "schema";
        let is_sorted = stated && is_sorted;
        Ok(Plain {
            builder,
            stock,
            root: root.clone().unbind(),
            draft,
            is_sorted,
            any_order: is_sorted || property_order == "any",
            about_itself: stated && !is_sorted,
            places: Mutex::new(FxHashMap::with_capacity_and_hasher(PLACES, FxBuildHasher)),
            looks: AtomicUsize::new(0),
            refers: OnceLock::new(),
        })
    }

    fn walk<'a, 'py>(
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

/// What makes Python's side, what it was given for that, and this side.
type Asked<'a, 'py> = (&'a Bound<'py, PyAny>, &'a Bound<'py, PyAny>, &'a Bound<'py, Plain>);

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
    hops: usize,
    /// Searches for contradictions that are under way.
    pub searches: usize,
}

impl<'py> Walk<'_, 'py> {
    pub fn make<T>(&self, call: impl FnOnce(&mut Builder) -> Result<T>) -> PyResult<T> {
        call(self.plain.builder.bind(self.py).borrow_mut().builder()?).map_err(raise)
    }

    pub fn node(&self, call: impl FnOnce(&mut Builder) -> Result<TermId>) -> PyResult<u32> {
        Ok(self.make(call)?.number())
    }

    /// The node of the place, nothing if it is for Python.
    fn own(&mut self, schema: &Bound<'py, PyDict>) -> PyResult<Option<Option<u32>>> {
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

    /// Whether something below a place that may name itself could mean something else for that: a reference, or what
    /// another draft reads otherwise.
    fn is_apart(&self, schema: &Bound<'py, PyDict>) -> bool {
        let root = self.plain.root.bind(self.py);
        let Some(name) = place::name(self.plain.draft, schema).filter(|_| !schema.is(root)) else { return false };
        let names = [Some(name), place::name(self.plain.draft, root)];
        // What is no reference at all is an error.
        let odd = |name: &str| !name.is_ascii() || name.contains(['[', ']']);
        names.iter().flatten().any(|name| name.to_str().map_or(true, odd))
            || !matches!(schema.contains(intern!(self.py, "$schema")), Ok(false))
            || *self.plain.refers.get_or_init(|| refers(root))
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

    fn followed(&mut self, reference: &Bound<'py, PyString>) -> PyResult<Option<Option<u32>>> {
        let Some((target, pointer)) = self.target(reference)? else { return Ok(None) };
        if self.hops == HOPS {
            return Err(Unplain::new_err("references lead to references"));
        }
        self.hops += 1;
        let here = std::mem::replace(&mut self.pointer, pointer);
        let node = self.any(&target);
        self.pointer = here;
        self.hops -= 1;
        node.map(Some)
    }

    /// The schema that a reference leads to and its pointer, nothing if Python should follow it: only pointers into the
    /// schema itself, past nothing that names itself, are followed here.
    pub fn target(&self, reference: &Bound<'py, PyString>) -> PyResult<Option<(Bound<'py, PyAny>, String)>> {
        let reference = reference.to_str()?;
        let Some(fragment) = reference.strip_prefix('#').filter(|fragment| !fragment.contains('%')) else {
            return Ok(None);
        };
        let mut target = self.plain.root.bind(self.py).clone().into_any();
        if !fragment.is_empty() {
            let Some(path) = fragment.strip_prefix('/') else { return Ok(None) };
            for token in path.split('/') {
                let Ok(dict) = target.downcast_exact::<PyDict>() else { return Ok(None) };
                let found = if token.contains('~') {
                    dict.get_item(token.replace("~1", "/").replace("~0", "~"))?
                } else {
                    dict.get_item(token)?
                };
                let Some(found) = found else { return Ok(None) };
                target = found;
                if let Ok(dict) = target.downcast_exact::<PyDict>() {
                    if place::name(self.plain.draft, dict).is_some() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some((target, fragment.to_owned())))
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

/// Whether there is a reference anywhere in the schema.
fn refers(schema: &Bound<'_, PyDict>) -> bool {
    let mut stack = vec![schema.clone().into_any()];
    while let Some(value) = stack.pop() {
        if let Ok(dict) = value.downcast::<PyDict>() {
            let is_reference = |key: &Bound<'_, PyAny>| {
                let key = key.downcast::<PyString>().ok().and_then(|key| key.to_str().ok());
                matches!(key, Some("$ref" | "$dynamicRef" | "$recursiveRef"))
            };
            if dict.iter().any(|(key, _)| is_reference(&key)) {
                return true;
            }
            stack.extend(dict.values());
        } else if let Ok(list) = value.downcast::<PyList>() {
            stack.extend(list.iter());
        }
    }
    false
}
