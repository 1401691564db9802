//! One sequence → `frisket._core.Matcher`.
//!
//! Every method converts its arguments, calls the core without the GIL where that pays, and raises its errors.

use crate::array_cache::ArrayCache;
use crate::buffer::Bitmask;
use crate::compiled::{grouped, CompiledGrammar};
use crate::error::{build, raise};
use crate::gil::{briefly, let_go};
use crate::integer::{self, TokenId, Whole};
use crate::limit::Limits;
use frisket::{Error, Mask, Result, SharedMatcher};
use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{IntoPyDict, PyBytes};
use std::sync::Arc;

/// One sequence's position in a text of the grammar; made by `CompiledGrammar.matcher`.
///
/// A call that fails leaves it as it was. Thread-safe: two calls of one matcher wait for each other.
#[pyclass(frozen, module = "frisket._core")]
pub struct Matcher {
    pub(crate) inner: SharedMatcher,
    arrays: Arc<ArrayCache>,
    /// The grammar and vocabulary that it was made from.
    #[pyo3(get)]
    compiled: Py<CompiledGrammar>,
}

impl Matcher {
    pub(crate) fn new(matcher: frisket::Matcher, compiled: Py<CompiledGrammar>, arrays: &Arc<ArrayCache>) -> Self {
        Matcher { inner: SharedMatcher::new(matcher), arrays: arrays.clone(), compiled }
    }

    /// The result of `act` on the matcher, without the GIL if it takes long. The lock of the matcher is taken and released
    /// inside: a thread that holds it never waits for the GIL, so the two cannot block each other.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut frisket::Matcher) -> Result<T> + Send,
    ) -> PyResult<T> {
        briefly(py, || self.inner.call(Some(let_go), act)).map_err(raise)
    }

    /// The matcher for a call that takes no time and holds the GIL, unless another thread holds the matcher. To release
    /// the GIL costs more than a cached mask, and busy threads keep the GIL for milliseconds.
    fn quick<T: Send>(&self, py: Python<'_>, act: impl Fn(&mut frisket::Matcher) -> T + Send + Sync) -> PyResult<T> {
        match self.inner.try_call(|matcher| Some(act(matcher))) {
            Some(done) => Ok(done),
            None => self.with(py, |matcher| Ok(act(matcher))),
        }
    }

    /// The mask, with `room` tokens left where it is given.
    fn mask_with(&self, py: Python<'_>, room: Option<Whole<u32>>) -> PyResult<Arc<Mask>> {
        let room = room.map(|Whole(room)| room);
        match room.is_none().then(|| self.inner.known_mask()).flatten() {
            Some(mask) => Ok(mask),
            None => self.with(py, |matcher| matcher.mask(room)),
        }
    }

    fn words(&self, py: Python<'_>, room: Option<Whole<u32>>) -> PyResult<Vec<u32>> {
        let mut words = vec![0u32; self.inner.mask_words()];
        self.mask_with(py, room)?.write(&mut words);
        Ok(words)
    }

    fn advance_known(&self, token: &TokenId) -> bool {
        self.inner.try_call(|matcher| matcher.advance_known(token.id()).then_some(())).is_some()
    }

    /// The error of a refused token or text, with the data that explain it: a fork, and the token or text.
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
}

#[pymethods]
impl Matcher {
    /// Write row `row` of a C-contiguous, writable uint32 or int32 array (numpy, or a CPU tensor), 1-D or 2-D.
    ///
    /// Bit t of the row (word t >> 5, bit t & 31) is 1 if token t may come next. Raises VocabularyError where the text
    /// must go on and no token can spell what must come.
    ///
    /// With `room`, the tokens that are left, only tokens stay after which the text can still be finished: BudgetError
    /// if `room` is less than `least_tokens()`.
    #[pyo3(signature = (bitmask, row=Whole(0), room=None), text_signature = "($self, bitmask, row=0, room=None)")]
    fn fill_mask(
        &self,
        py: Python<'_>,
        bitmask: &Bound<'_, PyAny>,
        row: Whole<usize>,
        room: Option<Whole<u32>>,
    ) -> PyResult<()> {
        let row = row.0;
        let target = Bitmask::new(bitmask)?;
        target.check(row, self.inner.mask_words())?;
        // SAFETY: checked above; the array belongs to the caller, who waits.
        let words = unsafe { target.row(row) };
        frisket::write_mask(&*self.mask_with(py, room)?, words, self.inner.mask_words());
        Ok(())
    }

    /// The mask that `fill_mask` writes, as a read-only array of `Vocabulary.mask_words` words, which never changes.
    ///
    /// A mask has one array, for all matchers of all grammars of a vocabulary, so nothing is copied and results
    /// derived from an array can be cached by its identity. A vocabulary keeps the 16 MiB of arrays used last (1,000
    /// for Llama 3).
    #[pyo3(signature = (room=None))]
    fn mask<'py>(&self, py: Python<'py>, room: Option<Whole<u32>>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let mask = self.mask_with(py, room)?;
        self.arrays.array(py, mask, self.inner.mask_words())
    }

    /// The mask that `fill_mask` writes, as bytes: little-endian words.
    fn mask_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes: Vec<u8> = self.words(py, None)?.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// The allowed token ids, ascending (slow; for people).
    #[pyo3(signature = (room=None))]
    fn allowed(&self, py: Python<'_>, room: Option<Whole<u32>>) -> PyResult<Vec<u32>> {
        let words = self.words(py, room)?;
        Ok((0..words.len() as u32 * 32).filter(|id| words[*id as usize >> 5] >> (id & 31) & 1 == 1).collect())
    }

    /// Take a token; TokenRejectedError leaves the matcher as it was. After EOS only EOS is accepted.
    fn advance(&self, py: Python<'_>, token_id: TokenId) -> PyResult<()> {
        let size = self.inner.compiled().vocabulary().size();
        if token_id.id() as usize >= size {
            let message = format!("token {token_id} is beyond the vocabulary of {size}");
            let hint = "pass the id that the vocabulary gives the token; another tokenizer's ids mean other tokens";
            return Err(build(py, "TokenRejectedError", &message, &[("hint", hint)].into_py_dict(py)?)?);
        }
        if self.advance_known(&token_id) {
            return Ok(());
        }
        self.with(py, |matcher| matcher.advance(token_id.id())).map_err(|error| self.refusing(py, error, token_id.id()))
    }

    /// As `advance`, False instead of the error.
    fn try_advance(&self, py: Python<'_>, token_id: TokenId) -> PyResult<bool> {
        Ok(self.advance_known(&token_id) || self.with(py, |matcher| matcher.try_advance(token_id.id()))?)
    }

    /// Take text without tokens (a prefix, forced bytes); counts as one step for rollback.
    fn advance_bytes(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = integer::bytes)] data: PyBackedBytes,
    ) -> PyResult<()> {
        self.with(py, |matcher| matcher.advance_bytes(&data))
            .map_err(|error| self.refusing(py, error, PyBytes::new(py, &data)))
    }

    /// How many leading tokens would be accepted, with `room` tokens left before the first; nothing moves.
    #[pyo3(signature = (token_ids, room=None))]
    fn validate(&self, py: Python<'_>, token_ids: Vec<TokenId>, room: Option<Whole<u32>>) -> PyResult<usize> {
        let token_ids: Vec<u32> = token_ids.iter().map(TokenId::id).collect();
        self.with(py, |matcher| match room {
            Some(Whole(room)) => matcher.validate_within(&token_ids, room),
            None => matcher.validate(&token_ids),
        })
    }

    /// A number of tokens, special ones too, that is enough to end the text: 0 where it may end now.
    ///
    /// It is that of one short text; some other text may take fewer tokens. Masks with at least as much room are never
    /// empty, up to the end; with less they raise BudgetError. An end-of-sequence token is not counted. Raises
    /// VocabularyError if the vocabulary cannot spell the short text, LimitExceededError if it takes more than the
    /// limits give.
    fn least_tokens(&self, py: Python<'_>) -> PyResult<u32> {
        self.with(py, |matcher| matcher.least_tokens())?.ok_or_else(|| raise(Error::no_end()))
    }

    /// Whether `room` tokens finish the text from here: for a loop that draws a token first and checks it then.
    ///
    /// The check takes less time than a mask with room, which looks at all tokens. If it is False after a token, the
    /// mask with room forbids that token.
    fn can_finish(&self, py: Python<'_>, room: Whole<u32>) -> PyResult<bool> {
        self.with(py, |matcher| matcher.can_finish(room.0))
    }

    /// Whether the text may end here.
    #[getter]
    fn can_end(&self, py: Python<'_>) -> PyResult<bool> {
        self.quick(py, |matcher| matcher.can_end())
    }

    /// Whether an end token was taken. From then on end tokens may be taken again, and nothing else.
    #[getter]
    fn ended(&self, py: Python<'_>) -> PyResult<bool> {
        self.quick(py, |matcher| matcher.ended())
    }

    /// How many advances can be rolled back.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<usize> {
        self.quick(py, |matcher| matcher.steps())
    }

    /// The bytes taken so far, by tokens and as text; special tokens have none.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.quick(py, |matcher| matcher.text())?))
    }

    /// The steps taken so far, in order: the bytes of each, or the id of a token that has none.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let matcher = self.quick(py, |matcher| matcher.clone())?;
        let handed = |input| match input {
            Ok(data) => Ok(PyBytes::new(py, data).into_any()),
            Err(token) => Ok(u32::into_pyobject(token, py)?.into_any()),
        };
        matcher.inputs().into_iter().map(handed).collect()
    }

    /// The limits of each of its calls. Their cancellation is cancelled if that of the compiled grammar's limits or
    /// that of this matcher is.
    #[getter]
    fn limits(&self, py: Python<'_>) -> PyResult<Limits> {
        Limits::of(py, self.quick(py, |matcher| matcher.limits())?)
    }

    /// Where the text stands: the names of the parts around its end, and the JSON Pointer of the value in a document
    /// that is being written, or its rules as `Grammar.open_rules` has them, with / between. Empty at the root.
    ///
    /// Names are those of captures, holes of templates, tools, begins of tags, `reasoning` and `content`.
    #[getter]
    fn path<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("frisket.explanation")?.call_method1("path", (slf,))
    }

    /// The spans of the captures by their names, as `Grammar.captures` has them, in the text so far, which must be
    /// whole. Its tokens are the steps.
    fn captures<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("frisket.explanation")?.call_method1("captures", (slf,))
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

    /// Text that must come, with usual white space, of about `most` bytes; and beginnings of the text behind it.
    #[pyo3(signature = (most = Whole(192)), text_signature = "($self, most=192)")]
    fn likely_bytes<'py>(
        &self,
        py: Python<'py>,
        most: Whole<usize>,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>)> {
        let likely = self.with(py, |matcher| matcher.likely_bytes(most.0))?;
        let beginnings = likely.beginnings.iter().map(|text| PyBytes::new(py, text)).collect();
        Ok((PyBytes::new(py, &likely.text), beginnings))
    }

    /// A short text after which the text may end: b"" if it may end now, None if that takes a special token.
    ///
    /// There are no fewer if they are found within 20,000 positions of a best-first search and take no escape by
    /// number; beyond those positions the search prefers an early end to a short text. Raises LimitExceededError if it
    /// takes more than the limits give. These are bytes, whatever the tokens are; the matcher stays where it is.
    fn completion<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let text = self.with(py, |matcher| matcher.completion())?;
        Ok(text.map(|text| PyBytes::new(py, &text)))
    }

    /// Back to before the last `steps` steps. ValueError if fewer were taken; the matcher is then as it was.
    fn rollback(&self, py: Python<'_>, steps: Whole<usize>) -> PyResult<()> {
        self.quick(py, |matcher| matcher.rollback(steps.0))?.map_err(raise)
    }

    /// Another matcher at the same position, with the same steps to take back; either goes on alone.
    fn fork(&self, py: Python<'_>) -> PyResult<Matcher> {
        let matcher = self.quick(py, |matcher| matcher.clone())?;
        Ok(Matcher::new(matcher, self.compiled.clone_ref(py), &self.arrays))
    }

    /// Back to the beginning of the text; no step is left to take back.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.quick(py, |matcher| matcher.reset())
    }

    /// Waits for no other thread, and composes no mask: debuggers ask for it.
    fn __repr__(&self) -> String {
        let state = self.inner.try_call(|matcher| {
            let end = match (matcher.ended(), matcher.can_end()) {
                (true, _) => "ended",
                (_, true) => "can end",
                _ => "cannot end yet",
            };
            Some(format!("{} steps taken, {end}", grouped(matcher.steps())))
        });
        let size = grouped(self.inner.compiled().vocabulary().size());
        format!("<Matcher for {size} tokens, {}>", state.as_deref().unwrap_or("in use"))
    }

    /// The mask, as a page of a notebook: what may come next.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("frisket.explanation.mask_page")?.call_method1("mask_page", (slf,))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Matcher cannot be pickled or copied: fork() makes another one at the same position, and another process is \
             sent the grammar, the vocabulary and the tokens taken so far, to advance by them there",
        ))
    }
}
