//! The plain places of a JSON Schema → nodes, without a step of Python.
//!
//! Most places of most schemas say what type a value has, which members or items, and little else. What such a place
//! means needs no algebra, and Python takes longer to get from one to the next than the engine does to make its node. So
//! they are read here, and every other place goes back to Python's `Lowering`, which asks here again for the places
//! below. Both sides agree on whose a place is, since that depends on what it says alone; so recursion through both ends,
//! with a rule on the side where it began.
//!
//! What is made is what `Lowering` would have made, node for node: a test holds the two together on thousands of
//! schemas. Where that would be hard (nesting beyond what one stack should hold, a required member that cannot be, an
//! invalid place) `Unplain` ends the attempt, and Python does the whole schema, errors and all.

use crate::builder::{array, count, GrammarBuilder};
use crate::error::raise;
use crate::place::{self, Case, Kind, ARRAY, INTEGER, NUMBER, OBJECT, STRING, WORDS};
use crate::sorted::is_sorted;
use crate::stock::{lock, Stock};
use frisket_core::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::error::Error;
use frisket_core::term::{TermId, EMPTY};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use pyo3::{create_exception, intern};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

create_exception!(_core, Unplain, PyException, "The schema is for Python to lower, all of it.");

/// The draft of a schema that names none.
const NEWEST: u64 = 2020;
/// Levels that are read here: `Lowering` goes on in a fresh thread every 64.
const LEVELS: usize = 40;
/// References that may follow each other before Python looks whether they ever lead to a schema.
const HOPS: usize = 16;
/// What a document may say of itself (`ABOUT_ITSELF` in object.py).
const ABOUT_ITSELF: [&str; 2] = ["$schema", "$id"];
/// (key, whether it is required, values)
type Property = (String, bool, Vec<(u32, u64)>);

/// An alternative: a place that is lowered as part of another.
struct Branch<'py> {
    schema: Bound<'py, PyDict>,
    kind: Kind<'py>,
    pointer: String,
}

/// A place that is being lowered, with its rule once it was met inside itself; one that is done; one for Python.
#[derive(Clone, Copy)]
enum Place {
    Active(Option<u32>),
    Done(Option<u32>),
    Python,
}

/// The plain places of one schema. Places are known by the identity of their dict, which the schema keeps alive.
#[pyclass(frozen, module = "frisket._core")]
pub struct Plain {
    builder: Py<GrammarBuilder>,
    stock: Py<Stock>,
    root: Py<PyDict>,
    draft: u64,
    /// Whether the schema leaves the order of properties to be chosen, having been sorted by a tool.
    #[pyo3(get)]
    is_sorted: bool,
    any_order: bool,
    about_itself: bool,
    places: Mutex<HashMap<usize, Place, rustc_hash::FxBuildHasher>>,
}

#[pymethods]
impl Plain {
    #[new]
    fn new(
        builder: Py<GrammarBuilder>,
        stock: Py<Stock>,
        root: &Bound<'_, PyDict>,
        property_order: &str,
    ) -> PyResult<Self> {
        let draft = match root.get_item(intern!(root.py(), "$schema"))? {
            None => NEWEST,
            Some(named) => {
                let named: String = named.extract()?;
                let bare = named.split_once("://").map_or(&*named, |(_, bare)| bare);
                let known = stock.get().drafts.get(bare.trim_end_matches('#').trim_end_matches('/'));
                *known.ok_or_else(|| Unplain::new_err("a draft of its own"))?
            }
        };
        let stated = property_order == "schema";
        let is_sorted = stated && is_sorted(root)?;
        Ok(Plain {
            builder,
            stock,
            root: root.clone().unbind(),
            draft,
            is_sorted,
            any_order: is_sorted || property_order == "any",
            about_itself: stated && !is_sorted,
            places: Mutex::default(),
        })
    }

    /// The node of a whole document, nothing if none can be; `python` makes the `Lowering` if there is need of one.
    fn document<'py>(&self, python: &Bound<'py, PyAny>) -> PyResult<Option<u32>> {
        let lowering = OnceCell::new();
        self.walk(python.py(), &lowering, Some(python), String::new(), 0).any(self.root.bind(python.py()))
    }

    /// (whether the place is plain, its node): `lowering` lowers the others, `levels` are being lowered already.
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

impl Plain {
    fn walk<'a, 'py>(
        &'a self,
        py: Python<'py>,
        lowering: &'a OnceCell<Bound<'py, PyAny>>,
        python: Option<&'a Bound<'py, PyAny>>,
        pointer: String,
        levels: usize,
    ) -> Walk<'a, 'py> {
        Walk { py, plain: self, stock: self.stock.get(), lowering, python, pointer, levels, hops: 0 }
    }
}

struct Walk<'a, 'py> {
    py: Python<'py>,
    plain: &'a Plain,
    stock: &'a Stock,
    /// Python's side, made when it is first needed.
    lowering: &'a OnceCell<Bound<'py, PyAny>>,
    python: Option<&'a Bound<'py, PyAny>>,
    /// The place that is being read, for Python's messages.
    pointer: String,
    levels: usize,
    hops: usize,
}

impl<'py> Walk<'_, 'py> {
    fn make<T>(&self, call: impl FnOnce(&mut Builder) -> Result<T, Error>) -> PyResult<T> {
        call(self.plain.builder.bind(self.py).borrow_mut().builder()?).map_err(raise)
    }

    fn node(&self, call: impl FnOnce(&mut Builder) -> Result<TermId, Error>) -> PyResult<u32> {
        Ok(self.make(call)?.0)
    }

    /// The node of the place, nothing if it is for Python.
    fn own(&mut self, schema: &Bound<'py, PyDict>) -> PyResult<Option<Option<u32>>> {
        let place = schema.as_ptr() as usize;
        let known = lock(&self.plain.places).get(&place).copied();
        match known {
            Some(Place::Done(node)) => return Ok(Some(node)),
            Some(Place::Python) => return Ok(None),
            Some(Place::Active(Some(rule))) => return Ok(Some(Some(rule))),
            Some(Place::Active(None)) => {
                let name = if self.pointer.is_empty() { "document" } else { &self.pointer };
                let rule = self.node(|builder| builder.rule(name))?;
                lock(&self.plain.places).insert(place, Place::Active(Some(rule)));
                return Ok(Some(Some(rule)));
            }
            None => {}
        }
        if self.levels >= LEVELS {
            return Err(Unplain::new_err("it nests deep"));
        }
        let node = match place::read(self.stock, self.plain.draft, schema.is(&self.plain.root), schema) {
            Kind::Anything => Some(self.stock.any),
            Kind::Reference(reference) => match self.followed(&reference)? {
                Some(node) => return Ok(Some(node)),
                None => {
                    lock(&self.plain.places).insert(place, Place::Python);
                    return Ok(None);
                }
            },
            Kind::Leaf(_, content) => self.leaf(schema, content)?,
            Kind::Union(list, keyword) => match self.branches(&list, keyword)? {
                Some(branches) => self.within(place, |walk| walk.union(branches))?,
                None => {
                    lock(&self.plain.places).insert(place, Place::Python);
                    return Ok(None);
                }
            },
            Kind::Case(mut case) => self.within(place, |walk| walk.case(&mut case))?,
            Kind::Other => {
                lock(&self.plain.places).insert(place, Place::Python);
                return Ok(None);
            }
        };
        lock(&self.plain.places).insert(place, Place::Done(node));
        Ok(Some(node))
    }

    /// What `make` makes of the place, or a rule if that comes back to the place.
    fn within(&mut self, place: usize, make: impl FnOnce(&mut Self) -> PyResult<Option<u32>>) -> PyResult<Option<u32>> {
        lock(&self.plain.places).insert(place, Place::Active(None));
        self.levels += 1;
        let hops = std::mem::take(&mut self.hops);
        let node = make(self)?;
        self.hops = hops;
        self.levels -= 1;
        let rule = match lock(&self.plain.places).get(&place) {
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
    fn any(&mut self, schema: &Bound<'py, PyAny>) -> PyResult<Option<u32>> {
        if let Ok(dict) = schema.downcast_exact::<PyDict>() {
            if dict.is_empty() {
                return Ok(Some(self.stock.any));
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
        let lowering = match (self.lowering.get(), self.python) {
            (Some(lowering), _) => lowering,
            (None, Some(python)) => {
                let made = python.call0()?;
                self.lowering.get_or_init(|| made)
            }
            (None, None) => return Err(Unplain::new_err("nobody else reads it")),
        };
        lowering.call_method1(intern!(self.py, "from_plain"), (schema, &*self.pointer, self.levels))?.extract()
    }

    /// Below the place: `keyword`, and where the keyword holds a mapping, the key.
    fn below(&mut self, schema: &Bound<'py, PyAny>, keyword: &str, key: Option<&str>) -> PyResult<Option<u32>> {
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
    fn target(&self, reference: &Bound<'py, PyString>) -> PyResult<Option<(Bound<'py, PyAny>, String)>> {
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
                    for name in ["$id", "id"] {
                        if dict.get_item(name)?.is_some_and(|name| name.is_instance_of::<PyString>()) {
                            return Ok(None);
                        }
                    }
                }
            }
        }
        Ok(Some((target, fragment.to_owned())))
    }

    // -- alternatives -----------------------------------------------------------------------------------------
    /// The alternatives of a keyword, if they are plain and no two share a type; then no value meets two of them, and
    /// what one adds to the others' types is nothing.
    fn branches(&self, list: &Bound<'py, PyList>, keyword: &str) -> PyResult<Option<Vec<Branch<'py>>>> {
        let (mut branches, mut types) = (Vec::with_capacity(list.len()), 0);
        for (at, mut schema) in list.iter().enumerate() {
            let mut pointer = format!("{}/{keyword}/{at}", self.pointer);
            for _ in 0..=HOPS {
                let Ok(dict) = schema.downcast_into_exact::<PyDict>() else { return Ok(None) };
                let kind = place::read(self.stock, self.plain.draft, dict.is(&self.plain.root), &dict);
                let mask = match &kind {
                    Kind::Reference(reference) => {
                        let Some(target) = self.target(reference)? else { return Ok(None) };
                        (schema, pointer) = target;
                        continue;
                    }
                    Kind::Case(case) => case.mask,
                    Kind::Leaf(mask, _) if [INTEGER, NUMBER, STRING].contains(mask) => *mask,
                    _ => return Ok(None),
                };
                if types & mask != 0 {
                    return Ok(None);
                }
                types |= mask;
                branches.push(Branch { schema: dict, kind, pointer });
                break;
            }
        }
        // Shorter if references went round in circles.
        Ok(Some(branches).filter(|branches| branches.len() == list.len()))
    }

    fn union(&mut self, branches: Vec<Branch<'py>>) -> PyResult<Option<u32>> {
        let (mut words, mut nodes) = (0, Vec::new());
        for Branch { schema, kind, pointer } in branches {
            let here = std::mem::replace(&mut self.pointer, pointer);
            match kind {
                Kind::Case(mut case) => {
                    words |= case.mask & WORDS;
                    self.parts(&mut case, &mut nodes)?;
                }
                _ => nodes.extend(self.any(&schema)?),
            }
            self.pointer = here;
        }
        self.joined(words, nodes)
    }

    /// A place that holds scalars only: Python reads it, once in all schemas under these options.
    fn leaf(&mut self, schema: &Bound<'py, PyDict>, content: Box<[u8]>) -> PyResult<Option<u32>> {
        if let Some(cutting) = self.stock.leaf(&content) {
            return Ok(Some(self.node(|builder| builder.plant(&cutting))?));
        }
        lock(&self.plain.places).insert(schema.as_ptr() as usize, Place::Python);
        let (node, clean) = self.python(schema)?;
        if let Some(node) = node.filter(|&node| clean && node != EMPTY.0) {
            if let Some(cutting) = self.make(|builder| builder.cut(node))? {
                self.stock.keep(content, cutting);
            }
        }
        Ok(node)
    }

    // -- making -----------------------------------------------------------------------------------------------
    fn case(&mut self, case: &mut Case<'py>) -> PyResult<Option<u32>> {
        let mut nodes = Vec::new();
        self.parts(case, &mut nodes)?;
        self.joined(case.mask & WORDS, nodes)
    }

    /// The node of some words, and what else there is.
    fn joined(&self, words: u8, mut nodes: Vec<u32>) -> PyResult<Option<u32>> {
        if words != 0 {
            nodes.push(self.stock.words[words as usize]);
        }
        match nodes[..] {
            [] => Ok(None),
            [node] => Ok(Some(node)),
            _ => self.node(|builder| builder.alt(&nodes)).map(Some),
        }
    }

    /// The nodes of all types but words.
    fn parts(&mut self, case: &mut Case<'py>, nodes: &mut Vec<u32>) -> PyResult<()> {
        let mask = case.mask;
        if mask & NUMBER != 0 {
            let [integers, numbers, spelled] = self.stock.numbers;
            nodes.push(match mask & NUMBER {
                INTEGER if case.spelled => spelled,
                INTEGER => integers,
                _ => numbers,
            });
        }
        if mask & STRING != 0 {
            nodes.extend(self.string(case)?);
        }
        if mask & ARRAY != 0 {
            nodes.extend(self.array(case)?);
        }
        if mask & OBJECT != 0 {
            nodes.extend(self.object(case)?);
        }
        Ok(())
    }

    fn string(&mut self, case: &mut Case<'py>) -> PyResult<Option<u32>> {
        let (least, most) = case.length;
        let text = if let Some(texts) = case.texts.take() {
            // Sorting many of them is one long step.
            let (many, py) = (texts.len() >= 1_000, self.py);
            self.node(|builder| if many { py.detach(|| builder.words(texts)) } else { builder.words(texts) })?
        } else if least == 0 && most.is_none() {
            return Ok(Some(self.stock.string));
        } else if most.is_some_and(|most| most < least) {
            return Ok(None);
        } else {
            let texts = self.stock.texts;
            self.node(|builder| builder.bounded(texts, count(least), most.map(count)))?
        };
        let free = self.stock.free;
        self.node(|builder| builder.quoted(text, free)).map(Some)
    }

    fn array(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let (least, mut most) = case.count;
        if case.items.is_none() && least == 0 && most.is_none() && !case.unique {
            return Ok(Some(self.stock.array));
        }
        if most.is_some_and(|most| most < least) {
            return Ok(None);
        }
        let mut item = None;
        if most != Some(0) {
            item = match &case.items {
                Some(items) => self.below(items, "items", None)?,
                None => Some(self.stock.any),
            };
        }
        if item.is_none() {
            most = Some(0);
            if least > 0 {
                return Ok(None);
            }
        }
        let unique = case.unique && most.is_none_or(|most| most > 1);
        let [.., comma, _, open, close, empty] = self.stock.punctuation;
        let most = most.filter(|_| item.is_some()).map(count);
        self.node(|builder| {
            let signs = punctuation(builder, [open, close, comma, comma, empty])?;
            array(builder, &[], item, signs, count(least), most, unique)
        })
        .map(Some)
    }

    fn object(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let (least, most) = case.members;
        let named = case.properties.as_ref().map_or(0, |properties| properties.len());
        if named == 0 && case.required.is_empty() && least == 0 && most.is_none() {
            // The extras may be anything: no condition at all, which has a node of its own in every order.
            if self.rest(case)? == Some(self.stock.any) {
                return Ok(Some(self.stock.object));
            }
        }
        let mut required: HashMap<&str, usize> = HashMap::with_capacity(case.required.len());
        for (rank, key) in case.required.iter().enumerate() {
            required.entry(key.to_str()?).or_insert(rank);
        }
        if most.is_some_and(|most| most < least || most < required.len() as u64) {
            return Ok(None);
        }
        let mut properties: Vec<Property> = Vec::with_capacity(named);
        let mut possible = 0;
        for (key, value) in case.properties.iter().flat_map(|properties| properties.iter()) {
            let key = key.downcast_exact::<PyString>()?.to_str()?.to_owned();
            let needed = required.contains_key(&*key);
            let node = self.below(&value, "properties", Some(&key))?;
            possible += u64::from(node.is_some());
            if needed && node.is_none() {
                // Python would read no further, having read that all below are schemas; here they are not read yet.
                return Err(Unplain::new_err("a required member cannot be"));
            }
            properties.push((key, needed, node.map(|node| (node, 0)).into_iter().collect()));
        }
        let places: HashSet<&str> = properties.iter().map(|(key, ..)| &**key).collect();
        let mut more: Vec<(&str, bool)> = Vec::new();
        for key in &case.required {
            let key = key.to_str()?;
            if !places.contains(key) && !more.contains(&(key, true)) {
                more.push((key, true));
            }
        }
        if self.plain.about_itself && self.levels == 1 && (named > 0 || !more.is_empty()) {
            let missing = |key: &&str| !places.contains(key) && !more.contains(&(*key, true));
            let itself: Vec<&str> = ABOUT_ITSELF.into_iter().filter(missing).collect();
            more.extend(itself.into_iter().map(|key| (key, false)));
        }
        let more: Vec<(String, bool)> = more.into_iter().map(|(key, needed)| (key.to_owned(), needed)).collect();
        let mut others = None;
        for (key, needed) in more {
            others = self.rest(case)?;
            match others {
                Some(node) => properties.push((key, needed, vec![(node, 0)])),
                None if needed => return Err(Unplain::new_err("a required member cannot be")),
                None => {}
            }
            possible += u64::from(needed);
        }
        if others.is_none() {
            others = self.rest(case)?;
        }
        if others.is_none() && possible < least {
            return Ok(None);
        }
        let extras: Vec<_> = others.into_iter().map(|node| (self.stock.texts, vec![(node, 0)])).collect();
        let any_order = self.plain.any_order;
        let orders = if any_order { Vec::new() } else { orders(&properties, named, &required) };
        let (free, [open, close, colon, comma, empty, ..]) = (self.stock.free, self.stock.punctuation);
        let rules = ObjectRules {
            min: count(least),
            max: most.map(count),
            any_order,
            extras_last: true,
            orders,
            free,
            ..ObjectRules::default()
        };
        self.node(|builder| {
            let signs = punctuation(builder, [open, close, colon, comma, empty])?;
            builder.object(&properties, &extras, signs, rules)
        })
        .map(Some)
    }

    fn rest(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        case.rest.as_ref().map_or(Ok(Some(self.stock.any)), |rest| self.below(rest, "additionalProperties", None))
    }
}

/// Which properties keep an order (`orders` in order.py, for the one table that a plain place has).
fn orders(properties: &[Property], named: usize, required: &HashMap<&str, usize>) -> Vec<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = Vec::new();
    if named > 0 {
        let table = || (0..named).filter(|&at| !properties[at].0.starts_with('$'));
        let ranks: Vec<usize> = table().filter_map(|at| required.get(&*properties[at].0).copied()).collect();
        if ranks.is_sorted() {
            lists.push(table().map(|at| at as u32).collect());
        }
    }
    if lists.iter().any(|list| list.len() == properties.len()) {
        return Vec::new();
    }
    let listed: HashSet<u32> = lists.iter().flatten().copied().collect();
    lists.extend((0..properties.len() as u32).filter(|place| !listed.contains(place)).map(|place| vec![place]));
    lists
}

fn punctuation(builder: &Builder, [open, close, colon, comma, empty]: [u32; 5]) -> Result<Punctuation, Error> {
    let node = |id| builder.node(id);
    Ok(Punctuation {
        open: node(open)?,
        close: node(close)?,
        colon: node(colon)?,
        comma: node(comma)?,
        empty: node(empty)?,
    })
}
