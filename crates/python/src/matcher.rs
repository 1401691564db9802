//! Vocabulary × Grammar → CompiledGrammar → Matcher, as Python classes.
//!
//! Every method converts its arguments, calls the core without the GIL where that pays, and raises its errors.

use crate::buffer::Bitmask;
use crate::error::{bug, raise};
use crate::gil::{briefly, let_go, without};
use crate::handed::Handed;
use crate::integer::{TokenId, Whole};
use crate::limit::{Cancellation, Limits};
use frisket_core::error::{Error, Result};
use frisket_core::mask::mask::Mask;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher as core;
use frisket_core::storage::exclusive::Exclusive;
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Token id → bytes, and the trie; built once per tokenizer, shared by all grammars and threads.
///
/// `tokens[i]` is the text of token i; None (special, unused) never matches text. `special`: name → id of special
/// tokens. `eos` ids are allowed exactly where a document may end. `size`: rows of the model's logits when larger than
/// `len(tokens)`; the ids beyond are always forbidden. The empty byte string counts as None.
#[pyclass(frozen, module = "frisket._core")]
#[derive(Clone)]
pub struct Vocabulary {
    inner: Arc<SharedMasks>,
    handed: Arc<Handed>,
}

impl Vocabulary {
    pub fn inner(&self) -> Arc<SharedMasks> {
        self.inner.clone()
    }

    fn made(vocabulary: Result<frisket_core::vocabulary::vocabulary::Vocabulary>) -> PyResult<Self> {
        let made = |vocabulary| Vocabulary { inner: Arc::new(SharedMasks::of(vocabulary)), handed: Arc::default() };
        vocabulary.map(made).map_err(raise)
    }
}

#[pymethods]
impl Vocabulary {
    #[new]
    #[pyo3(signature = (tokens, *, special=None, eos=Vec::new(), size=None))]
    fn new(
        py: Python<'_>,
        tokens: Vec<Option<Bound<'_, PyBytes>>>,
        special: Option<&Bound<'_, PyDict>>,
        eos: Vec<Whole<u32>>,
        size: Option<Whole<usize>>,
    ) -> PyResult<Self> {
        let texts: Vec<Option<Box<[u8]>>> =
            tokens.iter().map(|token| token.as_ref().map(|bytes| bytes.as_bytes().into())).collect();
        let (names, eos) = (named(special)?, eos.into_iter().map(|Whole(id)| id).collect());
        let size = size.map_or(texts.len(), |Whole(size)| size);
        Vocabulary::made(py.detach(|| frisket_core::vocabulary::vocabulary::Vocabulary::new(texts, names, eos, size)))
    }

    /// The same from one block: the length of each token (little-endian uint32, 0: no text), and their texts one
    /// after another. VocabularyError if the lengths are not those of the texts.
    #[staticmethod]
    #[pyo3(signature = (lengths, texts, *, special=None, eos=Vec::new()))]
    fn from_block(
        py: Python<'_>,
        lengths: &[u8],
        texts: &[u8],
        special: Option<&Bound<'_, PyDict>>,
        eos: Vec<Whole<u32>>,
    ) -> PyResult<Self> {
        if !lengths.len().is_multiple_of(4) {
            return Err(PyValueError::new_err("lengths are little-endian uint32, four bytes each"));
        }
        let (names, eos) = (named(special)?, eos.into_iter().map(|Whole(id)| id).collect());
        let counts = lengths.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let size = counts.len();
        let made = || frisket_core::vocabulary::vocabulary::Vocabulary::from_block(counts, texts, names, eos, size);
        Vocabulary::made(py.detach(made))
    }

    /// The lengths and texts of all tokens, as `from_block` takes them.
    #[getter]
    fn block<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let texts =
            || (0..self.inner.vocabulary.size() as u32).map(|id| self.inner.vocabulary.token(id).unwrap_or_default());
        let lengths: Vec<u8> = texts().flat_map(|text| (text.len() as u32).to_le_bytes()).collect();
        (PyBytes::new(py, &lengths), PyBytes::new(py, &texts().collect::<Vec<_>>().concat()))
    }

    /// How many ids there are, with those that have no text.
    #[getter]
    fn size(&self) -> usize {
        self.inner.vocabulary.size()
    }

    /// The ids that end a text.
    #[getter]
    fn eos(&self) -> Vec<u32> {
        self.inner.vocabulary.eos.clone()
    }

    /// The ids of the special tokens by name; a new dict each time.
    #[getter]
    fn special<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let special = PyDict::new(py);
        for (name, id) in &self.inner.vocabulary.special {
            special.set_item(name, id)?;
        }
        Ok(special)
    }

    /// The text of a token, None if it has none; IndexError beyond the vocabulary.
    fn token<'py>(&self, py: Python<'py>, token_id: TokenId) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if token_id.id() as usize >= self.inner.vocabulary.size() {
            let size = self.inner.vocabulary.size();
            return Err(PyIndexError::new_err(format!("token {token_id} is beyond the vocabulary of {size}")));
        }
        Ok(self.inner.vocabulary.token(token_id.id()).map(|bytes| PyBytes::new(py, bytes)))
    }

    /// uint32 words in one mask: ceil(size / 32).
    #[getter]
    fn mask_words(&self) -> usize {
        self.inner.vocabulary.mask_words()
    }

    /// Bytes of the trie and of all that grammars have learned about the tokens.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes() + self.handed.memory_bytes()
    }
}

/// A grammar over a vocabulary: a lazy automaton that threads can share. Every thread uses the masks and steps that
/// others have computed, and a call that needs no computation waits for none.
#[pyclass(frozen, module = "frisket._core")]
pub struct CompiledGrammar {
    inner: Arc<core::CompiledGrammar>,
    handed: Arc<Handed>,
    asked: Asked,
}

/// The arguments of `compile`: Python objects that the properties of a compiled grammar return.
pub struct Asked {
    pub grammar: Option<Py<PyAny>>,
    pub vocabulary: Py<PyAny>,
    pub limits: Option<Py<Limits>>,
}

impl CompiledGrammar {
    pub fn new(inner: Arc<core::CompiledGrammar>, vocabulary: &Vocabulary, asked: Asked) -> Self {
        CompiledGrammar { inner, handed: vocabulary.handed.clone(), asked }
    }

    pub fn inner(&self) -> &Arc<core::CompiledGrammar> {
        &self.inner
    }
}

#[pymethods]
impl CompiledGrammar {
    /// A fresh position; `cancellation` ends its calls and those of its forks, beside that of the limits.
    ///
    /// `max_rollback`: how many steps one `rollback` goes back at most. Where many long texts share a grammar, an epoch
    /// then takes over fewer positions of each (`Limits`).
    #[pyo3(signature = (*, cancellation=None, max_rollback=None))]
    fn matcher(
        slf: &Bound<'_, Self>,
        cancellation: Option<&Bound<'_, Cancellation>>,
        max_rollback: Option<usize>,
    ) -> Matcher {
        let cancellation = cancellation.map(|flag| flag.get().0.clone());
        Matcher::new(slf.get().inner.matcher(cancellation, max_rollback), slf.clone().unbind(), &slf.get().handed)
    }

    /// The `frisket.Grammar` that was compiled, None if it was one of the engine's.
    #[getter]
    fn grammar(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.asked.grammar.as_ref().map(|grammar| grammar.clone_ref(py))
    }

    /// Which keywords of a JSON Schema are enforced, by JSON pointer; None for other notations.
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.asked.grammar.as_ref().map_or_else(|| Ok(py.None()), |grammar| grammar.getattr(py, "report"))
    }

    /// The limits of each call and of the memory that the automaton holds.
    #[getter]
    fn limits(&self, py: Python<'_>) -> PyResult<Py<Limits>> {
        match &self.asked.limits {
            Some(limits) => Ok(limits.clone_ref(py)),
            None => Py::new(py, Limits::default()),
        }
    }

    /// How often the automaton was dropped because it had reached the limit of memory.
    #[getter]
    fn epoch(&self) -> u64 {
        self.inner.epoch()
    }

    /// How many masks were composed. All other masks came from a cache of this grammar or of another one with its
    /// vocabulary.
    #[getter]
    fn masks_composed(&self) -> usize {
        self.inner.masks_composed()
    }

    /// The very vocabulary that the grammar was compiled for.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> Py<PyAny> {
        self.asked.vocabulary.clone_ref(py)
    }

    /// Bytes of the automaton and of its masks, as of the last call that computed something, with the parts that it
    /// uses of what the grammars of a vocabulary share.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let grammar = match &self.asked.grammar {
            Some(grammar) => format!("of {} ", grammar.bind(py).repr()?),
            None => String::new(),
        };
        let (size, masks) = (grouped(self.inner.vocabulary().size()), grouped(self.inner.masks_composed()));
        Ok(format!("<CompiledGrammar {grammar}for {size} tokens, {masks} masks composed>"))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a CompiledGrammar cannot be pickled or copied: threads share it as it is, and another process is sent its \
             grammar and its vocabulary, to compile them there (grammar.compile(vocabulary) takes microseconds)",
        ))
    }
}

/// A number with commas between the thousands, as Python writes them.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

/// One sequence's position in a text of the grammar; made by `CompiledGrammar.matcher`.
///
/// A call that fails leaves it as it was. Thread-safe: two calls of one matcher wait for each other.
#[pyclass(frozen, module = "frisket._core")]
pub struct Matcher {
    inner: Exclusive<core::Matcher>,
    mask_words: usize,
    handed: Arc<Handed>,
    /// What it was made from, in Python's eyes.
    of: Py<CompiledGrammar>,
    /// Declared after the core's object, so that it is dropped later.
    compiled: Arc<core::CompiledGrammar>,
}

impl Matcher {
    fn new(matcher: core::Matcher, of: Py<CompiledGrammar>, handed: &Arc<Handed>) -> Self {
        let compiled = matcher.compiled();
        Matcher {
            mask_words: compiled.vocabulary().mask_words(),
            handed: handed.clone(),
            of,
            compiled: compiled.clone(),
            inner: Exclusive::new(matcher),
        }
    }

    /// Tells compiled grammars apart.
    fn grammar(&self) -> usize {
        Arc::as_ptr(&self.compiled) as usize
    }

    /// The result of `act` on the matcher, without the GIL if it takes long. The lock of the matcher is taken and released
    /// inside: a thread that holds it never waits for the GIL, so the two cannot block each other.
    fn with<T: Send>(&self, py: Python<'_>, act: impl FnOnce(&mut core::Matcher) -> Result<T> + Send) -> PyResult<T> {
        briefly(py, || self.act(act)).ok_or_else(|| bug("a matcher was left in the middle of a call"))?.map_err(raise)
    }

    /// The matcher for a call that takes no time and holds the GIL; None if another thread holds the matcher. To release
    /// the GIL costs more than a cached mask, and busy threads keep the GIL for milliseconds.
    fn quick<T: Send>(&self, py: Python<'_>, act: impl FnOnce(&mut core::Matcher) -> T + Send) -> PyResult<T> {
        match self.inner.try_lock() {
            Some(mut matcher) => Ok(act(&mut matcher)),
            None => self.with(py, |matcher| Ok(act(matcher))),
        }
    }

    /// The error of a refused token or text, with what it takes to explain it: a fork, and what was refused.
    fn refusing<'py>(&self, py: Python<'py>, error: PyErr, given: impl IntoPyObject<'py>) -> PyErr {
        let value = error.value(py);
        if value.hasattr("refused").unwrap_or(false) {
            if let Ok(fork) = self.fork(py) {
                // An error that cannot be explained is still the error.
                let _ = value.setattr("refused", (fork, given));
            }
        }
        error
    }

    fn act<T>(&self, act: impl FnOnce(&mut core::Matcher) -> Result<T>) -> Option<Result<T>> {
        let taken = self.inner.take(Some(let_go));
        if self.inner.is_poisoned() {
            return None;
        }
        Some(taken.and_then(|mut matcher| act(&mut matcher)))
    }
}

/// Names of special tokens and their ids.
fn named(special: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, u32)>> {
    let pairs = special.into_iter().flat_map(|special| special.iter());
    pairs.map(|(name, id)| Ok((name.extract()?, id.extract::<Whole<u32>>()?.0))).collect()
}

/// Write the mask into a row, and zeros into the words beyond the vocabulary.
fn fill(mask: &Mask, row: &mut [u32], mask_words: usize) {
    let (words, beyond) = row.split_at_mut(mask_words);
    beyond.fill(0);
    mask.write(words);
}

#[pymethods]
impl Matcher {
    /// Write row `row` of a C-contiguous, writable uint32 or int32 array (numpy, or a CPU tensor), 1-D or 2-D.
    ///
    /// Bit t of the row (word t >> 5, bit t & 31) is 1 if token t may come next. Raises VocabularyError where the text
    /// must go on and no token can spell what must come.
    #[pyo3(signature = (bitmask, row=Whole(0)), text_signature = "($self, bitmask, row=0)")]
    fn fill_mask(&self, py: Python<'_>, bitmask: &Bound<'_, PyAny>, row: Whole<usize>) -> PyResult<()> {
        let row = row.0;
        let target = Bitmask::new(bitmask)?;
        target.check(row, self.mask_words)?;
        // SAFETY: checked above; the array belongs to the caller, who waits.
        let words = unsafe { target.row(row) };
        match self.known() {
            Some(mask) => fill(&mask, words, self.mask_words),
            None => self.with(py, |matcher| matcher.mask().map(|mask| fill(&mask, words, self.mask_words)))?,
        }
        Ok(())
    }

    /// What `fill_mask` writes, as a read-only array of `Vocabulary.mask_words` words, which stays as it is.
    ///
    /// A mask has one array, for all matchers of all grammars of a vocabulary, so nothing is copied and results
    /// derived from an array can be cached by its identity. A vocabulary keeps the 16 MiB of arrays used last (1,000
    /// for Llama 3).
    fn mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let mask = match self.known() {
            Some(mask) => mask,
            None => self.with(py, |matcher| matcher.mask())?,
        };
        self.handed.array(py, mask, self.mask_words)
    }

    /// What `fill_mask` writes, as bytes: little-endian words.
    fn mask_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes: Vec<u8> = self.words(py)?.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// The allowed token ids, ascending (slow; for people).
    fn allowed(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        let words = self.words(py)?;
        Ok((0..words.len() as u32 * 32).filter(|id| words[*id as usize >> 5] >> (id & 31) & 1 == 1).collect())
    }

    /// Take a token; TokenRejectedError leaves the matcher as it was. After EOS only EOS is accepted.
    fn advance(&self, py: Python<'_>, token_id: TokenId) -> PyResult<()> {
        if let TokenId::Beyond(_) = token_id {
            return Err(raise(Error::Rejected(format!("token {token_id} is beyond every vocabulary")).into()));
        }
        if self.try_advance_cached(token_id.id()) {
            return Ok(());
        }
        self.with(py, |matcher| matcher.advance(token_id.id())).map_err(|error| self.refusing(py, error, token_id.id()))
    }

    /// As `advance`, False instead of the error.
    fn try_advance(&self, py: Python<'_>, token_id: TokenId) -> PyResult<bool> {
        if self.try_advance_cached(token_id.id()) {
            return Ok(true);
        }
        self.with(py, |matcher| matcher.try_advance(token_id.id()))
    }

    /// Take text without tokens (a prefix, forced bytes); counts as one step for rollback.
    fn advance_bytes(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        self.with(py, |matcher| matcher.advance_bytes(data))
            .map_err(|error| self.refusing(py, error, PyBytes::new(py, data)))
    }

    /// How many leading tokens would be accepted; the matcher does not move.
    fn validate(&self, py: Python<'_>, token_ids: Vec<TokenId>) -> PyResult<usize> {
        let token_ids: Vec<u32> = token_ids.iter().map(TokenId::id).collect();
        self.with(py, |matcher| matcher.validate(&token_ids))
    }

    /// Whether the text may end here.
    #[getter]
    fn can_end(&self, py: Python<'_>) -> PyResult<bool> {
        self.quick(py, |matcher| matcher.can_end())
    }

    /// Whether EOS was taken.
    #[getter]
    fn ended(&self, py: Python<'_>) -> PyResult<bool> {
        self.quick(py, |matcher| matcher.ended())
    }

    /// How many advances can be rolled back.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<usize> {
        self.quick(py, |matcher| matcher.steps())
    }

    /// The grammar and vocabulary that it was made from.
    #[getter]
    fn compiled(&self, py: Python<'_>) -> Py<CompiledGrammar> {
        self.of.clone_ref(py)
    }

    /// The bytes taken so far, by tokens and as text; special tokens have none.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.quick(py, |matcher| matcher.text())?))
    }

    /// The JSON Pointer of the value in a document that is being written; empty at the root and in other
    /// notations.
    #[getter]
    fn path<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("frisket.explanation")?.call_method1("path", (slf,))
    }

    /// Why a token (by its id) or a text may not come next: which keyword of the schema or option forbids it, and
    /// what may come instead; or that it may. The matcher stays where it is. For people: it may take milliseconds.
    fn explain<'py>(slf: &Bound<'py, Self>, token_or_text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("frisket.explanation")?.call_method1("explain", (slf, token_or_text))
    }

    /// The text that must come next, whatever the model prefers: at most 1,024 bytes of it.
    ///
    /// Raises LimitExceededError if it takes more than the limits give.
    fn forced_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let forced = self.with(py, |matcher| matcher.forced_bytes())?;
        Ok(PyBytes::new(py, &forced))
    }

    /// Few bytes after which the text may end: b"" where it may end now, None if that takes a special token.
    ///
    /// There are no fewer if they are found within 20,000 positions of a best-first search and take no escape by
    /// number; beyond those positions the search prefers an early end to a short text. Raises LimitExceededError if it
    /// takes more than the limits give. These are bytes, whatever the tokens are; the matcher stays where it is.
    fn completion<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let text = self.with(py, |matcher| matcher.completion())?;
        Ok(text.map(|text| PyBytes::new(py, &text)))
    }

    /// Back to before the last `steps` steps. ValueError if fewer were taken, LimitExceededError if these are more
    /// than `max_rollback`; the matcher is then as it was.
    fn rollback(&self, py: Python<'_>, steps: Whole<usize>) -> PyResult<()> {
        let steps = steps.0;
        let (done, available) = self.quick(py, |matcher| {
            let available = matcher.steps();
            (matcher.rollback(steps), available)
        })?;
        if done.map_err(raise)? {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("cannot roll back {steps} steps: only {available} were taken")))
    }

    /// Another matcher at the same position, with the same steps to take back; either goes on alone.
    fn fork(&self, py: Python<'_>) -> PyResult<Matcher> {
        let matcher = self.quick(py, |matcher| matcher.clone())?;
        Ok(Matcher::new(matcher, self.of.clone_ref(py), &self.handed))
    }

    /// Back to the beginning of the text; no step is left to take back.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.quick(py, |matcher| matcher.reset())
    }

    /// Waits for no other thread, and composes no mask: debuggers ask for it.
    fn __repr__(&self) -> String {
        let size = grouped(self.compiled.vocabulary().size());
        let Some(matcher) = self.inner.try_lock() else {
            return format!("<Matcher for {size} tokens, in use>");
        };
        let end = match (matcher.ended(), matcher.can_end()) {
            (true, _) => "ended",
            (_, true) => "can end",
            _ => "cannot end yet",
        };
        format!("<Matcher for {size} tokens, {} steps taken, {end}>", grouped(matcher.steps()))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Matcher cannot be pickled or copied: fork() makes another one at the same position, and another process is \
             sent the grammar, the vocabulary and the tokens taken so far, to advance by them there",
        ))
    }
}

impl Matcher {
    fn known(&self) -> Option<Arc<Mask>> {
        self.inner.try_lock().and_then(|matcher| matcher.cached_mask())
    }

    fn try_advance_cached(&self, token: u32) -> bool {
        self.inner.try_lock().is_some_and(|mut matcher| matcher.try_advance_cached(token))
    }

    fn words(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        self.with(py, |matcher| {
            let mut words = vec![0u32; matcher.compiled().vocabulary().mask_words()];
            matcher.fill(&mut words)?;
            Ok(words)
        })
    }
}

/// One row per matcher in one call, the GIL released.
#[pyfunction]
#[pyo3(signature = (matchers, bitmask, rows=None))]
pub fn fill_masks(
    py: Python<'_>,
    matchers: Vec<Py<Matcher>>,
    bitmask: &Bound<'_, PyAny>,
    rows: Option<Vec<Whole<usize>>>,
) -> PyResult<()> {
    let target = Bitmask::new(bitmask)?;
    let rows: Vec<usize> = match rows {
        Some(rows) => rows.into_iter().map(|Whole(row)| row).collect(),
        None => (0..matchers.len()).collect(),
    };
    if rows.len() != matchers.len() {
        return Err(PyValueError::new_err(format!("{} rows for {} matchers", rows.len(), matchers.len())));
    }
    let mut distinct = rows.clone();
    distinct.sort_unstable();
    if let Some(pair) = distinct.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(PyValueError::new_err(format!("row {} is given twice", pair[0])));
    }
    for (matcher, &row) in matchers.iter().zip(&rows) {
        target.check(row, matcher.get().mask_words)?;
    }
    let mut work: Vec<(&Matcher, usize)> = matchers.iter().map(|matcher| matcher.get()).zip(rows).collect();
    let done = without(py, || {
        // One grammar's masks are found out by one thread: the others would wait for it.
        work.sort_by_key(|(matcher, row)| (matcher.grammar(), *row));
        // SAFETY: every row was checked, and no row comes twice.
        let row_of = |row: usize| unsafe { target.row(row) };
        let missing = Mutex::new(Vec::new());
        each(&work.chunks(ROWS).collect::<Vec<_>>(), |part| {
            for &(matcher, row) in *part {
                match matcher.known() {
                    Some(mask) => fill(&mask, row_of(row), matcher.mask_words),
                    None => lock(&missing).push((matcher, row)),
                }
            }
        });
        let mut missing = missing.into_inner().unwrap_or_else(PoisonError::into_inner);
        missing.sort_by_key(|(matcher, row)| (matcher.grammar(), *row));
        let failed = Mutex::new(Vec::new());
        each(&missing.chunk_by(|a, b| a.0.grammar() == b.0.grammar()).collect::<Vec<_>>(), |group| {
            for &(matcher, row) in *group {
                match matcher.act(|matcher| matcher.mask()) {
                    Some(Ok(mask)) => fill(&mask, row_of(row), matcher.mask_words),
                    other => {
                        lock(&failed).push((row, other.and_then(Result::err)));
                        break;
                    }
                }
            }
        });
        // The same error whichever thread was first.
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.into_iter().min_by_key(|&(row, _)| row).map(|(_, error)| error)
    });
    match done {
        None => Ok(()),
        Some(Some(error)) => Err(raise(error)),
        Some(None) => Err(bug("a matcher was left in the middle of a call")),
    }
}

/// Rows that one thread copies at a time: copying them takes about as long as starting a thread.
const ROWS: usize = 64;

/// Call `act` with each part, on as many threads as there are cores; all threads have ended when this returns.
fn each<T: Sync>(parts: &[T], act: impl Fn(&T) + Sync) {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            act(part);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores.min(parts.len()) {
            scope.spawn(work);
        }
        work();
    });
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
