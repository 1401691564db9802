//! numpy logits × bitmask → the figures of `feasible_mass`, as a tuple.

use crate::apply::Rows;
use crate::gil::briefly_unless_large;
use frisket::front_end::feasible::{self, FeasibleMass};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

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
    let (row, words) = (Rows::of(logits, "logits")?, Rows::of(bitmask, "the bitmask")?);
    if !row.has_type(b"f", 4) {
        return Err(PyTypeError::new_err(format!("logits have dtype float32, not {}", logits.dtype())));
    }
    if !words.has_type(b"iu", 4) {
        return Err(PyTypeError::new_err(format!("a bitmask has dtype uint32 or int32, not {}", bitmask.dtype())));
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
