//! `JSONSchemaOptions` → the options of the native front end, by the JSON that `frisket::SchemaOptions` reads.

use crate::error::raise;
use frisket::front_end::schema::compile::Options;
use frisket::front_end::schema::types::string::Literals;
use frisket::SchemaOptions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// The options as `JSONSchemaOptions` holds them, which has checked them.
pub fn schema_options(options: &Bound<'_, PyAny>) -> PyResult<SchemaOptions> {
    let py = options.py();
    let fields = py.import("dataclasses")?.call_method1("asdict", (options,))?;
    let text =
        py.import("json")?.call_method("dumps", (fields,), Some(&[("ensure_ascii", false)].into_py_dict(py)?))?;
    // Half of a surrogate pair stands for a question mark, as UTF-8 cannot write it.
    let bytes: Vec<u8> = text.call_method1("encode", ("utf-8", "replace"))?.extract()?;
    SchemaOptions::from_json(&String::from_utf8_lossy(&bytes)).map_err(raise)
}

/// The options of the crate below, with the language of literals.
pub fn options_of(options: &Bound<'_, PyAny>, literals: &str) -> PyResult<Options> {
    let options = schema_options(options)?;
    let literals = match literals {
        "json" => Literals::Json,
        "python" => Literals::Python,
        other => return Err(PyValueError::new_err(format!("literals cannot be {other:?}"))),
    };
    Ok(Options { literals, ..options.into_inner() })
}
