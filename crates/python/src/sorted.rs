//! Schema → whether a tool sorted its properties: alphabetical order in too many objects for chance (see order.py).

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::collections::HashSet;

/// n names have n! orders. Fewer than one in a million documents is sorted by chance where they have 2^20 or more.
const CERTAIN: f64 = 20.0;
/// Keywords whose values are data, not schemas.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];

/// What the names met so far tell.
#[derive(Default)]
pub struct Order {
    bits: f64,
    /// Whether some names are in an order of their own.
    stated: bool,
}

impl Order {
    /// Look at what a keyword holds; whether there may be schemas below.
    pub fn look(&mut self, keyword: &str, inner: &Bound<'_, PyAny>) -> bool {
        if keyword == "properties" {
            if let Ok(properties) = inner.downcast::<PyDict>() {
                self.stated = self.stated || self.names(properties).is_none();
            }
        }
        !DATA.contains(&keyword)
    }

    fn names(&mut self, properties: &Bound<'_, PyDict>) -> Option<()> {
        if properties.len() > 1 {
            let mut last = PyString::new(properties.py(), "");
            for (at, (name, _)) in properties.iter().enumerate() {
                let name = name.downcast_into::<PyString>().ok()?;
                // Code points compare as UTF-8 does.
                if name.to_str().ok()? < last.to_str().ok()? {
                    return None;
                }
                last = name;
                self.bits += f64::log2(at as f64 + 1.0);
            }
        }
        Some(())
    }

    pub fn is_sorted(&self) -> bool {
        !self.stated && self.bits >= CERTAIN
    }
}

/// Whether the names of every `properties` are in alphabetical order, and too many for chance (`order.py`).
#[pyfunction]
pub fn is_sorted(document: &Bound<'_, PyAny>) -> bool {
    let mut order = Order::default();
    let mut stack = vec![document.clone()];
    // A document of Python's may hold itself.
    let mut seen: HashSet<usize, rustc_hash::FxBuildHasher> = HashSet::default();
    while let Some(value) = stack.pop().filter(|_| !order.stated) {
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
            let leads = order.look(keyword.to_str().unwrap_or_default(), &inner);
            if leads && (inner.is_exact_instance_of::<PyDict>() || inner.is_exact_instance_of::<PyList>()) {
                stack.push(inner);
            }
        }
    }
    order.is_sorted()
}
