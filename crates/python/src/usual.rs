//! Schema without options → its grammar, from the recent ones or built now, in one call from Python.
//!
//! Most of a small compile is spent on reading code and data into the processor's caches. A dozen Python functions
//! between a schema and this crate took longer than the compile itself, so this file takes their place.

use crate::builder::GrammarBuilder;
use crate::content::content_and_order;
use crate::plain::Plain;
use crate::recent::Recent;
use crate::stock::Stock;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Schemas without options: those that came lately, and what makes grammars of others.
///
/// `prelude` is what a schema is known by in `recent`, beside its content; the next are as for `Plain.grammar`.
/// `lowering` makes the `Lowering` where there is need of one, and `finished` the report then; `otherwise` what
/// is not for the engine (the schema, its content if it is plain, what the engine came upon).
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct Usual {
    recent: Py<Recent>,
    /// With the content, what a schema is known by.
    prelude: Py<PyAny>,
    builder: Py<GrammarBuilder>,
    stock: Py<Stock>,
    property_order: String,
    lowering: Py<PyAny>,
    finished: Py<PyAny>,
    otherwise: Py<PyAny>,
}

#[pymethods]
impl Usual {
    #[new]
    #[pyo3(signature = (recent, prelude, builder, stock, property_order, *, lowering, finished, otherwise))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        recent: Py<Recent>,
        prelude: Py<PyAny>,
        builder: Py<GrammarBuilder>,
        stock: Py<Stock>,
        property_order: String,
        lowering: Py<PyAny>,
        finished: Py<PyAny>,
        otherwise: Py<PyAny>,
    ) -> Self {
        Usual { recent, prelude, builder, stock, property_order, lowering, finished, otherwise }
    }

    /// (the grammar, its report or if there is nothing to say whether a tool sorted the schema, the content if it is
    /// plain)
    #[pyo3(signature = (schema, /))]
    fn grammar<'py>(&self, schema: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = schema.py();
        let Some((data, is_sorted)) = content_and_order(schema)? else {
            return self.otherwise.bind(py).call1((schema, py.None(), py.None()));
        };
        let key = (&data, &self.prelude).into_pyobject(py)?;
        let recent = self.recent.get();
        if let Some(found) = recent.get(&key)? {
            return Ok(found);
        }
        let (builder, lowering) = (self.builder.bind(py), self.lowering.bind(py));
        let order = (&*self.property_order, is_sorted);
        let made = Plain::made(builder, self.stock.clone_ref(py), schema, order, lowering, schema, None);
        let (found, weight) = match made {
            Ok((grammar, None, is_sorted)) => {
                let weight = grammar.weight();
                ((Bound::new(py, grammar)?, is_sorted, &data).into_pyobject(py)?.into_any(), weight)
            }
            Ok((grammar, Some(lowering), _)) => {
                let weight = grammar.weight();
                (self.finished.bind(py).call1((Bound::new(py, grammar)?, lowering, schema, &data))?, weight)
            }
            Err(error) => {
                // Made by Python: to make it PyO3 gives the GIL away and takes it back, and who waits for it waits anew.
                error.restore(py);
                let error = PyErr::fetch(py);
                let found = self.otherwise.bind(py).call1((schema, &data, error))?;
                let weight = found.downcast::<PyTuple>()?.get_item(0)?.getattr("memory_bytes")?.extract()?;
                (found, weight)
            }
        };
        recent.put(&key, &found, data.as_bytes().len() + weight)?;
        Ok(found)
    }
}
