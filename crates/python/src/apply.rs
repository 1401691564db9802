//! logits × bitmask → logits, in place: −∞ where the bit is 0, for arrays in the processor's own memory.
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
    let (target, words) = (Rows::of(logits, "logits")?, Rows::of(bitmask, "the bitmask")?);
    if words.size != 4 || !matches!(words.kind, b'i' | b'u') {
        return Err(PyTypeError::new_err(format!("a bitmask has dtype uint32 or int32, not {}", bitmask.dtype())));
    }
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
    let bytes = target.count * target.width * target.size;
    // SAFETY: `of` has seen shapes, strides and alignment, the caller keeps both arrays alive, and they share no memory.
    briefly_unless_large(py, bytes, || unsafe {
        match (target.kind, target.size) {
            (b'f', 8) => apply(&target, &words, f64::NEG_INFINITY.to_bits()),
            (b'f', 4) => apply(&target, &words, f32::NEG_INFINITY.to_bits()),
            (b'f', 2) => apply(&target, &words, 0xFC00_u16),
            (b'u', 2) => apply(&target, &words, 0xFF80_u16),
            _ => return false,
        }
        true
    })
    .then_some(())
    .ok_or_else(|| PyTypeError::new_err(format!("logits are floating point or bfloat16 words, not {}", logits.dtype())))
}

/// The rows of an array.
struct Rows {
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
    fn of(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<Self> {
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

    fn row(&self, row: usize) -> usize {
        self.address.wrapping_add_signed(self.stride * row as isize)
    }

    /// Whether the memory from the first to the last byte of both has something in common.
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

/// # Safety
/// Both are rows of live memory that is theirs alone, as many in `words` as in `target`; `T` has the size of an element.
unsafe fn apply<T: Bits>(target: &Rows, words: &Rows, nothing: T) {
    // An array without elements may have no address.
    let rows = if target.width == 0 { 0 } else { target.count };
    for row in 0..rows {
        // SAFETY: as above.
        let logits = unsafe { std::slice::from_raw_parts_mut(target.row(row) as *mut T, target.width) };
        let words = match words.width {
            0 => &[],
            // SAFETY: as above.
            width => unsafe { std::slice::from_raw_parts(words.row(row) as *const u32, width) },
        };
        let covered = logits.len().min(32 * words.len());
        let (within, beyond) = logits.split_at_mut(covered);
        beyond.fill(nothing);
        let mut blocks = within.chunks_exact_mut(32);
        let last = words.get(blocks.len()).copied().unwrap_or(0);
        for (block, &word) in (&mut blocks).zip(words) {
            match word {
                u32::MAX => {}
                0 => block.fill(nothing),
                _ => mix(block.try_into().expect("32 logits"), word, nothing),
            }
        }
        for (place, logit) in blocks.into_remainder().iter_mut().enumerate() {
            *logit = logit.keep(last, place, nothing);
        }
    }
}

/// One word on its 32 logits; an array and no slice, so that the compiler makes vectors of it.
#[inline]
fn mix<T: Bits>(block: &mut [T; 32], word: u32, nothing: T) {
    for (place, logit) in block.iter_mut().enumerate() {
        *logit = logit.keep(word, place, nothing);
    }
}
