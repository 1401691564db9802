//! Token bytes → `frisket._core.Vocabulary`, with the arrays of masks that its grammars hand out.

use crate::array_cache::ArrayCache;
use crate::error::raise;
use crate::integer::{TokenId, Whole};
use frisket_core::error::Result;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::vocabulary::vocabulary::Vocabulary as CoreVocabulary;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

/// Token id → bytes, and the trie; built once per tokenizer, shared by all grammars and threads.
///
/// `tokens[i]` is the text of token i; None (special, unused) never matches text. `special`: name → id of special
/// tokens. `eos` ids are allowed exactly where a document may end. `size`: rows of the model's logits when larger than
/// `len(tokens)`; the ids beyond are always forbidden. The empty byte string counts as None.
#[pyclass(frozen, module = "frisket._core")]
#[derive(Clone)]
pub struct Vocabulary {
    inner: Arc<SharedMasks>,
    pub(crate) arrays: Arc<ArrayCache>,
}

impl Vocabulary {
    pub fn inner(&self) -> Arc<SharedMasks> {
        self.inner.clone()
    }

    fn made(vocabulary: Result<CoreVocabulary>) -> PyResult<Self> {
        let made = |vocabulary| Vocabulary { inner: Arc::new(SharedMasks::of(vocabulary)), arrays: Arc::default() };
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
        Vocabulary::made(py.detach(|| CoreVocabulary::new(texts, names, eos, size)))
    }

    /// A vocabulary from one block: the length of each token (little-endian uint32, 0: no text), and their texts one
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
        let made = || CoreVocabulary::from_block(counts, texts, names, eos, size);
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
        self.inner.memory_bytes() + self.arrays.memory_bytes()
    }
}

/// Names of special tokens and their ids.
fn named(special: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, u32)>> {
    let pairs = special.into_iter().flat_map(|special| special.iter());
    pairs.map(|(name, id)| Ok((name.extract()?, id.extract::<Whole<u32>>()?.0))).collect()
}
