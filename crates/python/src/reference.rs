//! Reference → the schema that it leads to, as far as pointers into one schema go.

use crate::place;
use crate::plain::Unplain;
use crate::walk::{Walk, HOPS};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

impl<'py> Walk<'_, 'py> {
    /// Whether something below a place that may name itself could mean something else for that: a reference, or what
    /// another draft reads otherwise.
    pub(crate) fn is_apart(&self, schema: &Bound<'py, PyDict>) -> bool {
        let root = self.plain.root.bind(self.py);
        let Some(name) = place::name(self.plain.draft, schema).filter(|_| !schema.is(root)) else { return false };
        let names = [Some(name), place::name(self.plain.draft, root)];
        // What is no reference at all is an error.
        let odd = |name: &str| !name.is_ascii() || name.contains(['[', ']']);
        names.iter().flatten().any(|name| name.to_str().map_or(true, odd))
            || !matches!(schema.contains(intern!(self.py, "$schema")), Ok(false))
            || *self.plain.refers.get_or_init(|| refers(root))
    }

    pub(crate) fn followed(&mut self, reference: &Bound<'py, PyString>) -> PyResult<Option<Option<u32>>> {
        let Some((target, pointer)) = self.target(reference)? else { return Ok(None) };
        if self.hops == HOPS {
            return Err(Unplain::new_err("references lead to references"));
        }
        self.hops += 1;
        let here = std::mem::replace(&mut self.pointer, pointer);
        let node = self.any(&target);
        self.pointer = here;
        self.hops -= 1;
        node.map(Some)
    }

    /// The schema that a reference leads to and its pointer, nothing if Python should follow it: only pointers into the
    /// schema itself, past nothing that names itself, are followed here.
    pub fn target(&self, reference: &Bound<'py, PyString>) -> PyResult<Option<(Bound<'py, PyAny>, String)>> {
        let reference = reference.to_str()?;
        let Some(fragment) = reference.strip_prefix('#').filter(|fragment| !fragment.contains('%')) else {
            return Ok(None);
        };
        let mut target = self.plain.root.bind(self.py).clone().into_any();
        if !fragment.is_empty() {
            let Some(path) = fragment.strip_prefix('/') else { return Ok(None) };
            for token in path.split('/') {
                let Ok(dict) = target.downcast_exact::<PyDict>() else { return Ok(None) };
                let found = if token.contains('~') {
                    dict.get_item(token.replace("~1", "/").replace("~0", "~"))?
                } else {
                    dict.get_item(token)?
                };
                let Some(found) = found else { return Ok(None) };
                target = found;
                if let Ok(dict) = target.downcast_exact::<PyDict>() {
                    if place::name(self.plain.draft, dict).is_some() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some((target, fragment.to_owned())))
    }
}

/// Whether there is a reference anywhere in the schema.
fn refers(schema: &Bound<'_, PyDict>) -> bool {
    let mut stack = vec![schema.clone().into_any()];
    while let Some(value) = stack.pop() {
        if let Ok(dict) = value.downcast::<PyDict>() {
            let is_reference = |key: &Bound<'_, PyAny>| {
                let key = key.downcast::<PyString>().ok().and_then(|key| key.to_str().ok());
                matches!(key, Some("$ref" | "$dynamicRef" | "$recursiveRef"))
            };
            if dict.iter().any(|(key, _)| is_reference(&key)) {
                return true;
            }
            stack.extend(dict.values());
        } else if let Ok(list) = value.downcast::<PyList>() {
            stack.extend(list.iter());
        }
    }
    false
}
