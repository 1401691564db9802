//! Options → the nodes and tables that all schemas compiled with these options share.

use frisket_core::regular::transfer::ExportedTerm;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The leaves of one set of options, in bytes; beyond, those not met lately are forgotten.
const LEAVES: usize = 8 << 20;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all schemas have in common under the same options, for `Plain`: nodes that every fork of a prelude's builder
/// has, the keywords that count, the drafts by name. It remembers the leaves met so far, at most some 8 MB of them.
///
/// `digits`: of an integer that nothing bounds, None if integers may be written in other ways, too. `integers`: the
/// formats that are integers between two bounds. `cut`: the formats of which not all texts are written. `formats`:
/// (builder, name, draft) → (whether the format is plain, the node of its texts if it asks for any), for each once.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct Stock {
    pub any: u32,
    pub words: Vec<u32>,
    /// Integers, numbers, and what draft 4 calls an integer.
    pub numbers: [u32; 3],
    pub string: u32,
    pub array: u32,
    pub object: u32,
    pub texts: u32,
    /// open, close, colon, comma, empty of objects; open, close, empty of arrays.
    pub punctuation: [u32; 8],
    /// White space before and after the document, if there may be any.
    pub margins: Option<(u32, u32)>,
    pub free: bool,
    /// Whether objects that list members have no others unless the schema says what these may be.
    pub closed: bool,
    /// How many digits an unbounded integer has, if integers are digits only.
    pub digits: Option<usize>,
    /// The keywords that count, and what their values hold (`said`).
    pub keywords: FxHashMap<String, u8>,
    /// The drafts by the names of their metaschemas.
    pub drafts: FxHashMap<String, u64>,
    /// The formats that are integers between two bounds.
    pub integers: FxHashMap<String, (i64, i64)>,
    /// The formats of which not all texts are written: beside other conditions on a text Python reads them.
    pub cut: Vec<String>,
    /// (builder, name, draft) → (whether the format is plain, the node of its texts if it asks for any)
    pub formats: Py<PyAny>,
    leaves: Mutex<Leaves>,
}

#[derive(Default)]
struct Leaves {
    young: HashMap<Box<[u8]>, Arc<ExportedTerm>>,
    old: HashMap<Box<[u8]>, Arc<ExportedTerm>>,
    bytes: usize,
}

impl Leaves {
    fn get(&mut self, content: &[u8]) -> Option<Arc<ExportedTerm>> {
        if let Some(found) = self.young.get(content) {
            return Some(found.clone());
        }
        let (content, found) = self.old.remove_entry(content)?;
        self.put(content, found.clone());
        Some(found)
    }

    fn put(&mut self, content: Box<[u8]>, leaf: Arc<ExportedTerm>) {
        let bytes = content.len() + leaf.memory_bytes() + 100;
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
    #[pyo3(signature = (*, any, words, numbers, string, array, object, texts, punctuation, margins, escapes, closed, digits, keywords, drafts, integers, cut, formats))]
    fn new(
        any: u32,
        words: Vec<u32>,
        numbers: [u32; 3],
        string: u32,
        array: u32,
        object: u32,
        texts: u32,
        punctuation: [u32; 8],
        margins: Option<(u32, u32)>,
        escapes: &str,
        closed: bool,
        digits: Option<usize>,
        keywords: FxHashMap<String, u8>,
        drafts: FxHashMap<String, u64>,
        integers: FxHashMap<String, (i64, i64)>,
        cut: Vec<String>,
        formats: Py<PyAny>,
    ) -> Self {
        let (free, leaves) = (escapes == "free", Mutex::default());
        Stock {
            any,
            words,
            numbers,
            string,
            array,
            object,
            texts,
            punctuation,
            margins,
            free,
            closed,
            digits,
            keywords,
            drafts,
            integers,
            cut,
            formats,
            leaves,
        }
    }
}

impl Stock {
    pub fn leaf(&self, content: &[u8]) -> Option<Arc<ExportedTerm>> {
        lock(&self.leaves).get(content)
    }

    pub fn keep(&self, content: Box<[u8]>, leaf: ExportedTerm) {
        lock(&self.leaves).put(content, Arc::new(leaf));
    }
}
