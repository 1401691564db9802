//! A mask → a read-only array of it that all who ask for the same mask share.

use frisket_core::mask::Mask;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of arrays that a grammar keeps before it starts afresh: what most documents of most schemas meet.
const ROOM: usize = 4 << 20;

/// The masks of one grammar that were handed out, by their address, each kept so that no other comes to lie there.
type Known = FxHashMap<usize, (Arc<Mask>, Py<PyArray1<u32>>)>;

#[derive(Default)]
pub struct Handed(Mutex<Known>);

impl Handed {
    pub fn array<'py>(&self, py: Python<'py>, mask: Arc<Mask>, words: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let address = Arc::as_ptr(&mask) as usize;
        if let Some((_, array)) = self.lock().get(&address) {
            return Ok(array.bind(py).clone());
        }
        let array = PyArray1::<u32>::zeros(py, words, false);
        let mut writable = array.try_readwrite()?;
        mask.write(writable.as_slice_mut()?);
        writable.make_nonwriteable();
        let kept = array.clone().unbind();
        // What goes is dropped behind the lock: who watches an array may ask for a mask.
        let _gone = {
            let mut known = self.lock();
            let full = known.len() >= ROOM / (4 * words.max(1));
            let gone = if full { std::mem::take(&mut *known) } else { Known::default() };
            known.insert(address, (mask, kept));
            gone
        };
        Ok(array)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
