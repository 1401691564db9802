//! Environment variables of the core → nothing, or an error with the variable, its value and what it may be.
//!
//! The core reads them in the middle of a mask, where nobody could be told.

use crate::error::{Code, Error, Result};
use frisket_core::mask::ACCELERATORS;

/// Checks the environment variables that are read later. Errors: the code `environment`, for a value that means nothing.
pub fn check_environment() -> Result<()> {
    let verify = value("FRISKET_VERIFY_MASKS");
    if !matches!(verify.as_str(), "" | "0" | "1") {
        return Err(not_allowed("FRISKET_VERIFY_MASKS", &verify, "0 or 1"));
    }
    let off = value("FRISKET_ACCELERATORS_OFF");
    let is_known = |name: &str| name.is_empty() || ACCELERATORS.contains(&name);
    match off.split(',').map(str::trim).find(|name| !is_known(name)) {
        Some(name) => {
            Err(not_allowed("FRISKET_ACCELERATORS_OFF", name, &format!("some of {}", ACCELERATORS.join(","))))
        }
        None => Ok(()),
    }
}

fn value(variable: &str) -> String {
    std::env::var_os(variable).map(|value| value.to_string_lossy().trim().to_owned()).unwrap_or_default()
}

fn not_allowed(variable: &str, value: &str, allowed: &str) -> Box<Error> {
    Error::new(Code::Environment, format!("{variable} is {allowed}, not {value:?}"))
        .with_hint(format!("unset {variable}, or set it to {allowed}"))
}
