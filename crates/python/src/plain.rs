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

use crate::builder::GrammarBuilder;
use crate::error::raise;
use frisket_core::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::cutting::Cutting;
use frisket_core::error::Error;
use frisket_core::term::TermId;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use pyo3::{create_exception, intern};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

create_exception!(_core, Unplain, PyException, "The schema is for Python to lower, all of it.");

/// Types, as in `value.py`.
const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 4;
const INTEGER: u8 = 8;
const NUMBER: u8 = 24;
const STRING: u8 = 32;
const ARRAY: u8 = 64;
const OBJECT: u8 = 128;
/// Levels that are read here: `Lowering` goes on in a fresh thread every 64.
const LEVELS: usize = 40;
/// References that may follow each other before Python looks whether they ever lead to a schema.
const HOPS: usize = 16;
/// What a document may say of itself (`ABOUT_ITSELF` in object.py).
const ABOUT_ITSELF: [&str; 2] = ["$schema", "$id"];
/// The leaves of one set of options, in bytes; more are forgotten, all but those met since the last time.
const LEAVES: usize = 8 << 20;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all schemas have in common under the same options: nodes that every fork of a prelude's builder has, and the
/// leaves met so far: places whose keywords hold nothing but scalars mean the same wherever they stand.
#[pyclass(frozen, module = "frisket._core")]
pub struct Stock {
    any: u32,
    words: Vec<u32>,
    /// Integers, numbers, and what draft 4 calls an integer.
    numbers: [u32; 3],
    string: u32,
    array: u32,
    object: u32,
    texts: u32,
    /// open, close, colon, comma, empty of objects; open, close, empty of arrays.
    punctuation: [u32; 8],
    free: bool,
    keywords: HashSet<String>,
    leaves: Mutex<Leaves>,
}

#[derive(Default)]
struct Leaves {
    young: HashMap<Box<[u8]>, Arc<Cutting>>,
    old: HashMap<Box<[u8]>, Arc<Cutting>>,
    bytes: usize,
}

impl Leaves {
    fn get(&mut self, content: &[u8]) -> Option<Arc<Cutting>> {
        if let Some(found) = self.young.get(content) {
            return Some(found.clone());
        }
        let (content, found) = self.old.remove_entry(content)?;
        self.put(content, found.clone());
        Some(found)
    }

    fn put(&mut self, content: Box<[u8]>, leaf: Arc<Cutting>) {
        let bytes = content.len() + leaf.bytes() + 100;
        if self.bytes + bytes > LEAVES / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if bytes <= LEAVES / 2 {
            self.bytes += bytes;
            self.young.insert(content, leaf);
        }
    }
}

#[pymethods]
impl Stock {
    #[allow(clippy::too_many_arguments)]
    #[new]
    #[pyo3(signature = (*, any, words, numbers, string, array, object, texts, punctuation, escapes, keywords))]
    fn new(
        any: u32,
        words: Vec<u32>,
        numbers: [u32; 3],
        string: u32,
        array: u32,
        object: u32,
        texts: u32,
        punctuation: [u32; 8],
        escapes: &str,
        keywords: HashSet<String>,
    ) -> Self {
        let (free, leaves) = (escapes == "free", Mutex::default());
        Stock { any, words, numbers, string, array, object, texts, punctuation, free, keywords, leaves }
    }
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
    draft: u8,
    any_order: bool,
    about_itself: bool,
    places: Mutex<HashMap<usize, Place, rustc_hash::FxBuildHasher>>,
}

#[pymethods]
impl Plain {
    #[new]
    #[pyo3(signature = (builder, stock, root, *, draft, any_order, about_itself))]
    fn new(
        builder: Py<GrammarBuilder>,
        stock: Py<Stock>,
        root: Py<PyDict>,
        draft: u8,
        any_order: bool,
        about_itself: bool,
    ) -> Self {
        Plain { builder, stock, root, draft, any_order, about_itself, places: Mutex::default() }
    }

    /// (whether the place is plain, its node): `lowering` lowers the others, `levels` are being lowered already.
    fn lower(
        &self,
        py: Python<'_>,
        lowering: &Bound<'_, PyAny>,
        schema: &Bound<'_, PyDict>,
        pointer: String,
        levels: usize,
    ) -> PyResult<(bool, Option<u32>)> {
        let stock = self.stock.get();
        let mut walk = Walk { py, plain: self, stock, lowering, pointer, levels, hops: 0 };
        Ok(match walk.own(schema)? {
            Some(node) => (true, node),
            None => (false, None),
        })
    }
}

struct Walk<'a, 'py> {
    py: Python<'py>,
    plain: &'a Plain,
    stock: &'a Stock,
    lowering: &'a Bound<'py, PyAny>,
    /// The place that is being read, for Python's messages.
    pointer: String,
    levels: usize,
    hops: usize,
}

/// What a place turned out to be.
enum Kind<'py> {
    Anything,
    Reference(Bound<'py, PyString>),
    /// Scalars only, and not all of them are understood here: its content.
    Leaf(Box<[u8]>),
    Case(Box<Case<'py>>),
    Other,
}

/// The conditions of one place, type by type.
struct Case<'py> {
    mask: u8,
    spelled: bool,
    texts: Option<Vec<Box<[u8]>>>,
    length: (u64, Option<u64>),
    properties: Option<Bound<'py, PyDict>>,
    required: Vec<Bound<'py, PyString>>,
    rest: Option<Bound<'py, PyAny>>,
    members: (u64, Option<u64>),
    items: Option<Bound<'py, PyAny>>,
    count: (u64, Option<u64>),
    unique: bool,
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
        let node = match self.kind(schema)? {
            Kind::Anything => Some(self.stock.any),
            Kind::Reference(reference) => match self.followed(&reference)? {
                Some(node) => return Ok(Some(node)),
                None => {
                    lock(&self.plain.places).insert(place, Place::Python);
                    return Ok(None);
                }
            },
            Kind::Leaf(content) => self.leaf(schema, content)?,
            Kind::Case(mut case) => {
                lock(&self.plain.places).insert(place, Place::Active(None));
                self.levels += 1;
                let hops = std::mem::take(&mut self.hops);
                let node = self.case(&mut case)?;
                self.hops = hops;
                self.levels -= 1;
                let rule = match lock(&self.plain.places).get(&place) {
                    Some(Place::Active(rule)) => *rule,
                    _ => None,
                };
                match (rule, node) {
                    (None, node) => node,
                    (Some(rule), Some(node)) => {
                        self.make(|builder| builder.define(rule, node))?;
                        Some(rule)
                    }
                    (Some(_), None) => return Err(Unplain::new_err("a place within itself cannot be")),
                }
            }
            Kind::Other => {
                lock(&self.plain.places).insert(place, Place::Python);
                return Ok(None);
            }
        };
        lock(&self.plain.places).insert(place, Place::Done(node));
        Ok(Some(node))
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
        self.lowering.call_method1(intern!(self.py, "from_plain"), (schema, &*self.pointer, self.levels))?.extract()
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

    /// The node that a reference leads to, nothing if Python should follow it: only pointers into the schema itself,
    /// past nothing that names itself, are followed here.
    fn followed(&mut self, reference: &Bound<'py, PyString>) -> PyResult<Option<Option<u32>>> {
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
        if self.hops == HOPS {
            return Err(Unplain::new_err("references lead to references"));
        }
        self.hops += 1;
        let here = std::mem::replace(&mut self.pointer, fragment.to_owned());
        let node = self.any(&target);
        self.pointer = here;
        self.hops -= 1;
        node.map(Some)
    }

    /// A place that holds scalars only: Python reads it, once in all schemas under these options.
    fn leaf(&mut self, schema: &Bound<'py, PyDict>, content: Box<[u8]>) -> PyResult<Option<u32>> {
        let known = lock(&self.stock.leaves).get(&content);
        if let Some(cutting) = known {
            return Ok(Some(self.node(|builder| builder.plant(&cutting))?));
        }
        lock(&self.plain.places).insert(schema.as_ptr() as usize, Place::Python);
        let (node, clean) = self.python(schema)?;
        if let Some(node) = node.filter(|&node| clean && node != frisket_core::term::EMPTY.0) {
            if let Some(cutting) = self.make(|builder| builder.cut(node))? {
                lock(&self.stock.leaves).put(content, Arc::new(cutting));
            }
        }
        Ok(node)
    }

    // -- reading ----------------------------------------------------------------------------------------------
    fn kind(&self, schema: &Bound<'py, PyDict>) -> PyResult<Kind<'py>> {
        let root = schema.is(&self.plain.root);
        let mut case = Case {
            mask: 255,
            spelled: false,
            texts: None,
            length: (0, None),
            properties: None,
            required: Vec::new(),
            rest: None,
            members: (0, None),
            items: None,
            count: (0, None),
            unique: false,
        };
        let (mut said, mut reference) = (0, None);
        // Whether something holds more than scalars, something is for Python, something lists values, bounds a length.
        let (mut deep, mut hard, mut listed, mut bounded) = (false, false, false, false);
        for (keyword, value) in schema.iter() {
            let Ok(keyword) = keyword.downcast_exact::<PyString>() else { return Ok(Kind::Other) };
            let Ok(keyword) = keyword.to_str() else { return Ok(Kind::Other) };
            said += 1;
            let fits = match keyword {
                "type" => self.read_type(&mut case, &value),
                "properties" => {
                    deep = true;
                    case.properties = value.downcast_into_exact::<PyDict>().ok();
                    case.properties.as_ref().is_some_and(is_table)
                }
                "required" => read_keys(&mut case.required, &value),
                "additionalProperties" => {
                    deep = true;
                    let fits = is_schema(&value);
                    case.rest = Some(value);
                    fits
                }
                "items" => {
                    deep = true;
                    let fits = is_schema(&value);
                    case.items = Some(value);
                    fits
                }
                "enum" | "const" if keyword == "enum" || self.plain.draft > 4 => {
                    hard |= listed;
                    listed = true;
                    hard |= !read_values(&mut case, keyword == "enum", &value);
                    true
                }
                "minLength" | "maxLength" => {
                    bounded = true;
                    read_count(&mut case.length, keyword == "minLength", &value)
                }
                "minItems" | "maxItems" => read_count(&mut case.count, keyword == "minItems", &value),
                "minProperties" | "maxProperties" => read_count(&mut case.members, keyword == "minProperties", &value),
                "uniqueItems" => {
                    let flag = value.downcast_exact::<PyBool>();
                    case.unique = flag.as_ref().is_ok_and(|flag| flag.is_true());
                    flag.is_ok()
                }
                "$ref" => {
                    reference = value.downcast_into_exact::<PyString>().ok();
                    reference.is_some()
                }
                "format" | "pattern" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
                | "multipleOf" | "contentEncoding" | "contentMediaType" => {
                    hard = true;
                    true
                }
                "$id" | "id" if !root => false,
                _ if self.stock.keywords.contains(keyword) => false,
                _ => {
                    said -= 1;
                    true
                }
            };
            if !fits {
                return Ok(Kind::Other);
            }
        }
        Ok(match reference {
            _ if said == 0 => Kind::Anything,
            Some(reference) if said == 1 => Kind::Reference(reference),
            Some(_) => Kind::Other,
            // Python reads every subschema, also of a type that the value does not have.
            None if deep && hard => Kind::Other,
            None if (case.properties.is_some() || case.rest.is_some()) && case.mask & OBJECT == 0 => Kind::Other,
            None if case.items.is_some() && case.mask & ARRAY == 0 => Kind::Other,
            None if hard || listed && bounded => self.content(schema).map_or(Kind::Other, Kind::Leaf),
            None => Kind::Case(Box::new(case)),
        })
    }

    fn read_type(&self, case: &mut Case<'py>, value: &Bound<'py, PyAny>) -> bool {
        let mut mask = 0;
        let mut add = |name: &Bound<'py, PyAny>| {
            let bits = match name.downcast_exact::<PyString>().map(|name| name.to_str()) {
                Ok(Ok("null")) => NULL,
                Ok(Ok("boolean")) => FALSE | TRUE,
                Ok(Ok("integer")) => INTEGER,
                Ok(Ok("number")) => NUMBER,
                Ok(Ok("string")) => STRING,
                Ok(Ok("array")) => ARRAY,
                Ok(Ok("object")) => OBJECT,
                _ => return false,
            };
            mask |= bits;
            true
        };
        let fits = match value.downcast_exact::<PyList>() {
            Ok(names) => names.iter().all(|name| add(&name)),
            Err(_) => add(value),
        };
        // Draft 4 knows integers by their spelling.
        case.spelled = self.plain.draft == 4 && mask & NUMBER == INTEGER;
        case.mask &= mask;
        fits
    }

    /// What the keywords that count say, if all of that is scalars and lists of them.
    fn content(&self, schema: &Bound<'py, PyDict>) -> Option<Box<[u8]>> {
        let mut out = vec![self.plain.draft];
        for (keyword, value) in schema.iter() {
            let keyword = keyword.downcast_exact::<PyString>().ok()?;
            let keyword = keyword.to_str().ok()?;
            if self.stock.keywords.contains(keyword) {
                write(&mut out, b'k', keyword.as_bytes());
                match value.downcast_exact::<PyList>() {
                    Ok(list) => {
                        write(&mut out, b'l', &(list.len() as u64).to_le_bytes());
                        list.iter().try_for_each(|item| scalar(&mut out, &item))?;
                    }
                    Err(_) => scalar(&mut out, &value)?,
                }
            }
        }
        Some(out.into())
    }

    // -- making -----------------------------------------------------------------------------------------------
    fn case(&mut self, case: &mut Case<'py>) -> PyResult<Option<u32>> {
        let mask = case.mask;
        let mut nodes = Vec::new();
        if mask & (NULL | FALSE | TRUE) != 0 {
            nodes.push(self.stock.words[(mask & (NULL | FALSE | TRUE)) as usize]);
        }
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
        match nodes[..] {
            [] => Ok(None),
            [node] => Ok(Some(node)),
            _ => self.node(|builder| builder.alt(&nodes)).map(Some),
        }
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
            crate::builder::array(builder, &[], item, signs, count(least), most, unique)
        })
        .map(Some)
    }

    fn object(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let (least, most) = case.members;
        let named = case.properties.as_ref().map_or(0, |properties| properties.len());
        if named == 0 && case.required.is_empty() && case.rest.is_none() && least == 0 && most.is_none() {
            return Ok(Some(self.stock.object));
        }
        let mut required: HashMap<&str, usize> = HashMap::with_capacity(case.required.len());
        for (rank, key) in case.required.iter().enumerate() {
            required.entry(key.to_str()?).or_insert(rank);
        }
        if most.is_some_and(|most| most < least || most < required.len() as u64) {
            return Ok(None);
        }
        let mut properties: Vec<(String, bool, Vec<(u32, u64)>)> = Vec::with_capacity(named);
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
fn orders(
    properties: &[(String, bool, Vec<(u32, u64)>)],
    named: usize,
    required: &HashMap<&str, usize>,
) -> Vec<Vec<u32>> {
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

fn count(value: u64) -> u32 {
    crate::builder::count(value)
}

fn punctuation(builder: &Builder, [open, close, colon, comma, empty]: [u32; 5]) -> Result<Punctuation, Error> {
    let node = |id| builder.node(id);
    Ok(Punctuation { open: node(open)?, close: node(close)?, colon: node(colon)?, comma: node(comma)?, empty: node(empty)? })
}

fn is_schema(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PyBool>()
}

/// Whether it maps texts to schemas.
fn is_table(dict: &Bound<'_, PyDict>) -> bool {
    let is_text = |key: &Bound<'_, PyAny>| key.downcast_exact::<PyString>().is_ok_and(|key| key.to_str().is_ok());
    dict.iter().all(|(key, value)| is_text(&key) && is_schema(&value))
}

fn read_keys<'py>(keys: &mut Vec<Bound<'py, PyString>>, value: &Bound<'py, PyAny>) -> bool {
    let Ok(list) = value.downcast_exact::<PyList>() else { return false };
    keys.extend(list.iter().filter_map(|key| key.downcast_into_exact::<PyString>().ok()));
    keys.len() == list.len() && keys.iter().all(|key| key.to_str().is_ok())
}

fn read_count(bounds: &mut (u64, Option<u64>), least: bool, value: &Bound<'_, PyAny>) -> bool {
    if !value.is_exact_instance_of::<PyInt>() {
        return false;
    }
    let Ok(value) = value.extract() else { return false };
    if least {
        bounds.0 = value;
    } else {
        bounds.1 = Some(value);
    }
    true
}

/// Texts and words; false for anything else.
fn read_values<'py>(case: &mut Case<'py>, several: bool, value: &Bound<'py, PyAny>) -> bool {
    let mut texts = Vec::new();
    let mut mask = 0;
    let mut add = |value: &Bound<'py, PyAny>| {
        mask |= match value.downcast_exact::<PyString>().map(|text| text.to_str()) {
            Ok(Ok(text)) => {
                texts.push(text.as_bytes().into());
                STRING
            }
            Ok(Err(_)) => return false,
            Err(_) if value.is_none() => NULL,
            Err(_) => match value.downcast_exact::<PyBool>().map(|flag| flag.is_true()) {
                Ok(true) => TRUE,
                Ok(false) => FALSE,
                Err(_) => return false,
            },
        };
        true
    };
    let fits = match value.downcast_exact::<PyList>() {
        Ok(list) if several => list.iter().all(|value| add(&value)),
        _ => !several && add(value),
    };
    case.mask &= mask;
    case.texts = Some(texts);
    fits
}

fn write(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

fn scalar(out: &mut Vec<u8>, value: &Bound<'_, PyAny>) -> Option<()> {
    if let Ok(text) = value.downcast_exact::<PyString>() {
        write(out, b's', text.to_str().ok()?.as_bytes());
    } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
        write(out, b'b', &[u8::from(flag.is_true())]);
    } else if value.is_none() {
        write(out, b'n', &[]);
    } else if value.is_exact_instance_of::<PyInt>() {
        write(out, b'i', &value.extract::<i64>().ok()?.to_le_bytes());
    } else {
        write(out, b'f', &value.downcast_exact::<PyFloat>().ok()?.value().to_bits().to_le_bytes());
    }
    Some(())
}
