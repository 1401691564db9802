//! logits × bitmask → logits, −∞ where the bit is 0: in place or as a copy, for arrays in the processor's own memory.
//!
//! numpy and torch unpack the bits into an array of booleans first, which takes longer than the masks themselves.

use crate::gil::briefly_unless_large;
use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Set the logits of forbidden tokens to −∞, in place.
///
/// `logits` is a numpy array of float16, float32 or float64, or of uint16 words that are bfloat16; `bitmask` one of
/// uint32 or int32 words, which may be read-only. Both have one dimension, or two with as many rows, and the elements
/// of a row lie side by side. Ids beyond the last word become −∞; bits beyond the last logit mean nothing. The GIL
/// is released where the logits take a mebibyte or more.
#[pyfunction]
pub fn apply_mask(
    py: Python<'_>,
    logits: &Bound<'_, PyUntypedArray>,
    bitmask: &Bound<'_, PyUntypedArray>,
) -> PyResult<()> {
    Masking::of(None, bitmask, logits)?.run(py);
    Ok(())
}

/// Copy logits into `target`, −∞ where the token is forbidden. Returns the rows in which the first allowed token
/// has −∞, or in which no token is allowed: only in these rows may all logits be −∞.
///
/// `target` has the type and the shape of `logits` and shares no memory with it; for the rest see `apply_mask`.
#[pyfunction]
pub fn copy_masked(
    py: Python<'_>,
    logits: &Bound<'_, PyUntypedArray>,
    bitmask: &Bound<'_, PyUntypedArray>,
    target: &Bound<'_, PyUntypedArray>,
) -> PyResult<Vec<usize>> {
    let masking = Masking::of(Some(logits), bitmask, target)?;
    masking.run(py);
    Ok(masking.rows_without_first())
}

/// Rows of logits to mask: in place, or from a `source`.
struct Masking {
    source: Option<Rows>,
    words: Rows,
    target: Rows,
    /// −∞ as the bits of an element.
    nothing: u64,
}

impl Masking {
    fn of(
        source: Option<&Bound<'_, PyUntypedArray>>,
        bitmask: &Bound<'_, PyUntypedArray>,
        logits: &Bound<'_, PyUntypedArray>,
    ) -> PyResult<Self> {
        let (target, words) = (Rows::of(logits, "logits")?, Rows::of(bitmask, "the bitmask")?);
        if !words.has_type(b"iu", 4) {
            return Err(PyTypeError::new_err(format!("a bitmask has dtype uint32 or int32, not {}", bitmask.dtype())));
        }
        let nothing = match (target.kind, target.size) {
            (b'f', 8) => f64::NEG_INFINITY.to_bits(),
            (b'f', 4) => f32::NEG_INFINITY.to_bits().into(),
            (b'f', 2) => 0xFC00,
            (b'u', 2) => 0xFF80,
            _ => {
                let message = format!("logits are floating point or bfloat16 words, not {}", logits.dtype());
                return Err(PyTypeError::new_err(message));
            }
        };
        if target.flags & NPY_ARRAY_WRITEABLE == 0 {
            return Err(PyValueError::new_err("the logits are read-only"));
        }
        if logits.ndim() != bitmask.ndim() || target.count != words.count {
            return Err(PyValueError::new_err(format!(
                "a bitmask of shape {:?} has no row for each of the logits of shape {:?}",
                bitmask.shape(),
                logits.shape()
            )));
        }
        if target.overlaps(&words) {
            return Err(PyValueError::new_err("logits and bitmask share memory"));
        }
        let source = match source {
            None => None,
            Some(source) => {
                let rows = Rows::of(source, "the logits")?;
                if source.shape() != logits.shape() || (rows.kind, rows.size) != (target.kind, target.size) {
                    return Err(PyValueError::new_err("the target has another shape or type than the logits"));
                }
                if target.overlaps(&rows) {
                    return Err(PyValueError::new_err("logits and target share memory"));
                }
                Some(rows)
            }
        };
        Ok(Masking { source, words, target, nothing })
    }

    fn run(&self, py: Python<'_>) {
        let bytes = self.target.count * self.target.width * self.target.size;
        // SAFETY: `of` has seen shapes, strides, sizes and alignment, and that the target shares no memory with the
        // others; the caller keeps the arrays alive.
        briefly_unless_large(py, bytes, || unsafe {
            match self.target.size {
                8 => self.apply(self.nothing),
                4 => self.apply(self.nothing as u32),
                _ => self.apply(self.nothing as u16),
            }
        });
    }

    /// # Safety
    /// All rows are live memory, the target's its own alone; `T` has the size of a logit.
    unsafe fn apply<T: Bits>(&self, nothing: T) {
        for row in 0..self.target.count {
            // SAFETY: as above.
            let (logits, words) = unsafe { (self.target.slice_mut::<T>(row), self.words.slice::<u32>(row)) };
            // SAFETY: as above.
            let source = self.source.as_ref().map(|source| unsafe { source.slice::<T>(row) });
            let covered = logits.len().min(32 * words.len());
            let (within, beyond) = logits.split_at_mut(covered);
            beyond.fill(nothing);
            for (place, (block, &word)) in within.chunks_mut(32).zip(words).enumerate() {
                if let (Some(source), true) = (source, word != 0) {
                    block.copy_from_slice(&source[32 * place..][..block.len()]);
                }
                match (word, <&mut [T; 32]>::try_from(&mut *block)) {
                    (u32::MAX, _) => {}
                    (0, _) => block.fill(nothing),
                    (_, Ok(block)) => mix(block, word, nothing),
                    (_, Err(_)) => {
                        let last = block.iter_mut().enumerate();
                        last.for_each(|(place, logit)| *logit = logit.keep(word, place, nothing));
                    }
                }
            }
        }
    }

    /// The rows in which the logit of the first allowed token is −∞, or no token is allowed.
    fn rows_without_first(&self) -> Vec<usize> {
        // SAFETY: as in `run`.
        let has_first = |row| unsafe {
            let words = self.words.slice::<u32>(row);
            let Some(place) = words.iter().position(|&word| word != 0) else { return false };
            let token = 32 * place + words[place].trailing_zeros() as usize;
            token < self.target.width
                && match self.target.size {
                    8 => self.target.slice::<u64>(row)[token] != self.nothing,
                    4 => self.target.slice::<u32>(row)[token] != self.nothing as u32,
                    _ => self.target.slice::<u16>(row)[token] != self.nothing as u16,
                }
        };
        (0..self.words.count).filter(|&row| !has_first(row)).collect()
    }
}

/// The rows of an array.
pub struct Rows {
    address: usize,
    count: usize,
    width: usize,
    /// Bytes from one row to the next.
    stride: isize,
    /// Bytes of an element.
    size: usize,
    kind: u8,
    flags: i32,
}

impl Rows {
    /// ValueError if the elements of a row do not lie side by side, aligned and as the machine wants them.
    pub fn of(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<Self> {
        let dtype = array.dtype();
        // SAFETY: the pointer is that of a live array object, read only.
        let (flags, address) = unsafe { ((*array.as_array_ptr()).flags, (*array.as_array_ptr()).data as usize) };
        if flags & NPY_ARRAY_ALIGNED == 0 || dtype.is_native_byteorder() == Some(false) {
            return Err(PyValueError::new_err(format!("{name} must be aligned and in the byte order of the machine")));
        }
        let (count, width, stride, step) = match (array.shape(), array.strides()) {
            (&[width], &[step]) => (1, width, 0, step),
            (&[count, width], &[stride, step]) => (count, width, stride, step),
            _ => return Err(PyValueError::new_err(format!("{name} must have one or two dimensions"))),
        };
        let size = dtype.itemsize();
        if width > 1 && step != size as isize {
            return Err(PyValueError::new_err(format!("the elements of a row of {name} must lie side by side")));
        }
        if count > 1 && stride.unsigned_abs() < width * size {
            return Err(PyValueError::new_err(format!("the rows of {name} must not share memory")));
        }
        Ok(Rows { address, count, width, stride, size, kind: dtype.kind(), flags })
    }

    /// Whether the elements are of one of these kinds, and have so many bytes.
    pub fn has_type(&self, kinds: &[u8], size: usize) -> bool {
        kinds.contains(&self.kind) && self.size == size
    }

    fn row(&self, row: usize) -> usize {
        self.address.wrapping_add_signed(self.stride * row as isize)
    }

    /// One row.
    ///
    /// # Safety
    /// The array lives, nobody writes it, and `T` has the size of an element.
    pub unsafe fn slice<T>(&self, row: usize) -> &[T] {
        // An array without elements may have no address.
        if self.width == 0 {
            return &[];
        }
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.row(row) as *const T, self.width) }
    }

    /// # Safety
    /// As `slice`; nobody else reads or writes the row.
    #[allow(clippy::mut_from_ref)]
    unsafe fn slice_mut<T>(&self, row: usize) -> &mut [T] {
        if self.width == 0 {
            return &mut [];
        }
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.row(row) as *mut T, self.width) }
    }

    /// Whether the memory ranges of both overlap.
    fn overlaps(&self, other: &Rows) -> bool {
        let range = |rows: &Rows| {
            let last = rows.row(rows.count.saturating_sub(1));
            (rows.address.min(last), rows.address.max(last) + rows.width * rows.size)
        };
        let ((begin, end), (from, to)) = (range(self), range(other));
        begin < to && from < end
    }
}

/// The bits of a floating-point number.
trait Bits: Copy {
    /// The element where bit `place` of the word is 1, else `other`.
    fn keep(self, word: u32, place: usize, other: Self) -> Self;
}

macro_rules! bits {
    ($($type:ty),*) => {$(
        impl Bits for $type {
            #[inline(always)]
            fn keep(self, word: u32, place: usize, other: Self) -> Self {
                if word & 1 << place != 0 { self } else { other }
            }
        }
    )*};
}

bits!(u16, u32, u64);

/// Applies one word to its 32 logits: an array and no slice, so that the compiler vectorizes the loop.
#[inline]
fn mix<T: Bits>(block: &mut [T; 32], word: u32, nothing: T) {
    for (place, logit) in block.iter_mut().enumerate() {
        *logit = logit.keep(word, place, nothing);
    }
}
