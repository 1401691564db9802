//! Number of Python → a number of the tree, written as Python writes a plain one.
//!
//! Subclasses may write themselves otherwise: numpy's floats as `np.float64(0.1)`, members of an enum by their names.

use frisket::front_end::schema::error::Result;
use frisket::front_end::schema::json::{NodeId, TreeBuilder};
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// Digits beyond which Python does not write an integer out.
const LONGEST: usize = 4_300;

/// Pushes a float; an infinity or NaN is pushed by its name, and refused later.
pub fn float(builder: &mut TreeBuilder, float: f64) -> Result<NodeId> {
    match float {
        _ if float.is_finite() => builder.number(&written(float)),
        _ if float.is_nan() => builder.non_finite("nan"),
        _ => builder.non_finite(if float > 0.0 { "inf" } else { "-inf" }),
    }
}

/// Pushes an integer.
pub fn integer(builder: &mut TreeBuilder, integer: &Bound<'_, PyAny>) -> Result<NodeId> {
    let plain = integer.py().get_type::<PyInt>().call_method1("__repr__", (integer,));
    match plain.and_then(|digits| digits.extract::<String>()) {
        Ok(digits) => builder.number(&digits),
        // Python refuses to write out thousands of digits, and the front end to read them: here only their number
        // matters.
        Err(_) => builder.number(&"9".repeat(LONGEST)),
    }
}

/// A finite float as `float.__repr__` writes it: the exponent has a sign and two digits.
fn written(float: f64) -> String {
    let written = format!("{float:?}");
    match written.split_once('e') {
        None => written,
        Some((digits, exponent)) => {
            let exponent: i32 = exponent.parse().expect("an exponent is an integer");
            format!("{digits}e{exponent:+03}")
        }
    }
}
