//! logits × bitmask → logits, −∞ where the bit is 0, and the figures of `feasible_mass`: for arrays in the processor's own
//! memory.
//!
//! numpy and torch unpack the bits into an array of booleans first, which takes longer than the masks themselves.

use crate::buffer::Rows;
use crate::gil::briefly_unless_large;
use frisket::first_allowed;
use frisket::front_end::feasible::{self, FeasibleMass};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
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
        let (target, words) = (Rows::of(logits, "logits")?, Rows::of_words(bitmask)?);
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
        target.check_writable("the array of logits")?;
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
    unsafe fn apply<T: Copy>(&self, nothing: T) {
        for row in 0..self.target.count {
            // SAFETY: as above.
            let (logits, words) = unsafe { (self.target.slice_mut::<T>(row), self.words.slice::<u32>(row)) };
            // SAFETY: as above.
            let source = self.source.as_ref().map(|source| unsafe { source.slice::<T>(row) });
            frisket::apply_mask(logits, source, words, nothing);
        }
    }

    /// The rows in which the logit of the first allowed token is −∞, or no token is allowed.
    fn rows_without_first(&self) -> Vec<usize> {
        // SAFETY: as in `run`.
        let has_first = |row| unsafe {
            let first = first_allowed(self.words.slice(row), self.target.width);
            first.is_some_and(|token| match self.target.size {
                8 => self.target.slice::<u64>(row)[token] != self.nothing,
                4 => self.target.slice::<u32>(row)[token] != self.nothing as u32,
                _ => self.target.slice::<u16>(row)[token] != self.nothing as u16,
            })
        };
        (0..self.words.count).filter(|&row| !has_first(row)).collect()
    }
}

/// The natural logarithms of the summed `exp` over all logits and over the allowed ones, the likeliest token of all,
/// and that of the allowed ones: None if none has a finite logit.
///
/// `logits` is a numpy array of float32 with one dimension, `bitmask` one of uint32 or int32 words. Ids beyond the last
/// word are forbidden; bits beyond the last logit mean nothing. Of equal favourites, an allowed one is named, then the
/// smallest id. The first figure is not finite if a logit is NaN or ∞. Both logarithms are exact to 1e-5.
#[pyfunction]
pub fn feasible_mass(
    py: Python<'_>,
    logits: &Bound<'_, PyUntypedArray>,
    bitmask: &Bound<'_, PyUntypedArray>,
) -> PyResult<(f64, f64, Option<usize>, Option<usize>)> {
    let (row, words) = (Rows::of(logits, "logits")?, Rows::of_words(bitmask)?);
    if (row.kind, row.size) != (b'f', 4) {
        return Err(PyTypeError::new_err(format!("logits have dtype float32, not {}", logits.dtype())));
    }
    if logits.ndim() != 1 || bitmask.ndim() != 1 {
        return Err(PyValueError::new_err("logits and bitmask have one dimension each"));
    }
    // SAFETY: type, shape and layout were seen above; the caller keeps the arrays alive and does not write them.
    let found =
        briefly_unless_large(py, 4 * logits.len(), || unsafe { measure(row.slice::<f32>(0), words.slice::<u32>(0)) });
    Ok((found.log_sum, found.log_sum_allowed, found.favourite, found.likeliest))
}

/// `feasible_mass` with the processor's wider vectors, if it has them, which takes half the time. The figures stay the
/// same to the bit: no operation is fused, and the order of sums is that of the source.
fn measure(logits: &[f32], words: &[u32]) -> FeasibleMass {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(logits: &[f32], words: &[u32]) -> FeasibleMass {
            feasible::feasible_mass(logits, words)
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function needs.
            return unsafe { wide(logits, words) };
        }
    }
    feasible::feasible_mass(logits, words)
}
