//! Schema → whether its properties are in alphabetical order, and too many for chance: what order.py explains.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::collections::HashSet;

/// n names have n! orders. Fewer than one in a million documents is sorted by chance where they have 2^20 or more.
const CERTAIN: f64 = 20.0;
/// Keywords whose values are data, not schemas.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];

#[pyfunction]
pub fn is_sorted(document: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mut bits = 0.0;
    let mut stack = Vec::with_capacity(64);
    stack.push(document.clone());
    // A document of Python's may hold itself.
    let mut seen: HashSet<usize, rustc_hash::FxBuildHasher> = HashSet::default();
    while let Some(value) = stack.pop() {
        if let Ok(list) = value.downcast::<PyList>() {
            if seen.insert(value.as_ptr() as usize) {
                stack.extend(list.iter());
            }
            continue;
        }
        let Ok(dict) = value.downcast::<PyDict>() else { continue };
        if !seen.insert(value.as_ptr() as usize) {
            continue;
        }
        for (keyword, inner) in dict.iter() {
            let Ok(keyword) = keyword.downcast::<PyString>() else { continue };
            // One that holds a lone surrogate names nothing.
            let keyword = keyword.to_str().unwrap_or_default();
            if keyword == "properties" {
                if let Ok(properties) = inner.downcast::<PyDict>() {
                    if properties.len() > 1 {
                        let mut last = PyString::new(properties.py(), "");
                        for (at, (name, _)) in properties.iter().enumerate() {
                            let Ok(name) = name.downcast_into::<PyString>() else { return Ok(false) };
                            // Code points compare as UTF-8 does.
                            match (name.to_str(), last.to_str()) {
                                (Ok(name), Ok(last)) if name >= last => {}
                                _ => return Ok(false),
                            }
                            last = name;
                            bits += f64::log2(at as f64 + 1.0);
                        }
                    }
                }
            }
            if (inner.is_exact_instance_of::<PyDict>() || inner.is_exact_instance_of::<PyList>())
                && !DATA.contains(&keyword)
            {
                stack.push(inner);
            }
        }
    }
    Ok(bits >= CERTAIN)
}
