//! Environment variables of the core → nothing, or an error that names the variable, its value and what it may be.
//!
//! The core reads them in the middle of a mask, where nobody could be told.

use crate::error::build;
use frisket_core::mask::ACCELERATORS;
use pyo3::prelude::*;

/// FrisketError if a variable has a value that the core would pass over.
pub fn check(py: Python<'_>) -> PyResult<()> {
    let verify = value("FRISKET_VERIFY_MASKS");
    if !matches!(verify.as_str(), "" | "0" | "1") {
        return Err(not_allowed(py, "FRISKET_VERIFY_MASKS", &verify, "0 or 1")?);
    }
    let off = value("FRISKET_ACCELERATORS_OFF");
    let is_known = |name: &str| name.is_empty() || ACCELERATORS.contains(&name);
    match off.split(',').map(str::trim).find(|name| !is_known(name)) {
        Some(name) => {
            Err(not_allowed(py, "FRISKET_ACCELERATORS_OFF", name, &format!("some of {}", ACCELERATORS.join(",")))?)
        }
        None => Ok(()),
    }
}

fn value(variable: &str) -> String {
    std::env::var_os(variable).map(|value| value.to_string_lossy().trim().to_owned()).unwrap_or_default()
}

fn not_allowed(py: Python<'_>, variable: &str, value: &str, allowed: &str) -> PyResult<PyErr> {
    let hint = format!("unset {variable}, or set it to {allowed}");
    build(py, "FrisketError", &format!("{variable} is {allowed}, not {value:?}"), &hint)
}
