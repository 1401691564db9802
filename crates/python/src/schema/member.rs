//! Schema of an object → the values of its members, as nodes of a builder.

use super::read;
use crate::builder::GrammarBuilder;
use crate::error::raise;
use frisket::front_end::schema::condition::Types;
use frisket::front_end::schema::error::Result;
use frisket::front_end::schema::member;
use frisket::front_end::Builder;
use frisket::front_end::TermId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The values of an object's members, as nodes of a builder that `Prelude.fork` made, for formats that write
/// members one by one. Not thread-safe.
///
/// A key names a member; None stands for all members that `properties` does not name. `types` are names of JSON
/// Schema.
#[pyclass(unsendable, module = "frisket._core.front_end")]
pub struct MemberValues {
    builder: Py<GrammarBuilder>,
    values: member::MemberValues,
}

impl MemberValues {
    fn node(
        &mut self,
        py: Python<'_>,
        call: impl FnOnce(&mut member::MemberValues, &mut Builder) -> Result<Option<TermId>>,
    ) -> PyResult<Option<u32>> {
        let mut builder = self.builder.bind(py).borrow_mut();
        let node = call(&mut self.values, builder.builder()?).map_err(raise)?;
        Ok(node.map(TermId::number))
    }
}

#[pymethods]
impl MemberValues {
    /// `schema` is a dict or a bool. Its references lead to places of its own.
    #[new]
    fn new(builder: Bound<'_, GrammarBuilder>, schema: &Bound<'_, PyAny>) -> PyResult<Self> {
        let prelude = builder.borrow().prelude().cloned();
        let prelude = prelude.ok_or_else(|| PyValueError::new_err("the builder is no fork of a Prelude"))?;
        let values = member::MemberValues::new(read(schema)?, &prelude).map_err(raise)?;
        Ok(MemberValues { builder: builder.unbind(), values })
    }

    /// Reads the keywords of the object itself. Raises InvalidSchemaError.
    fn check(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut builder = self.builder.bind(py).borrow_mut();
        self.values.check(builder.builder()?).map_err(raise)
    }

    /// Whether a member may clearly have any value, without expanding its schema.
    fn is_anything(&mut self, key: Option<&str>) -> PyResult<bool> {
        self.values.is_anything(key).map_err(raise)
    }

    /// Whether some values of a member may be of these types.
    fn has(&mut self, py: Python<'_>, key: Option<&str>, types: Vec<String>) -> PyResult<bool> {
        let mut builder = self.builder.bind(py).borrow_mut();
        self.values.has(builder.builder()?, key, types_of(&types)?).map_err(raise)
    }

    /// The strings among a member's values, without quotes and escapes; None if there are none.
    fn text(&mut self, py: Python<'_>, key: Option<&str>) -> PyResult<Option<u32>> {
        self.node(py, |values, builder| values.text(builder, key))
    }

    /// A member's values of these types, as literals; None if there are none.
    fn literals(&mut self, py: Python<'_>, key: Option<&str>, types: Vec<String>) -> PyResult<Option<u32>> {
        let types = types_of(&types)?;
        self.node(py, |values, builder| values.literals(builder, key, types))
    }

    /// All of a member's values, as literals; None if clearly there are none.
    fn value(&mut self, py: Python<'_>, key: Option<&str>) -> PyResult<Option<u32>> {
        self.node(py, |values, builder| values.value(builder, key))
    }

    /// Raises UnsupportedSchemaError if a keyword met so far is not enforced, unless the options allow that.
    fn raise_unsupported(&self) -> PyResult<()> {
        self.values.refuse_unsupported().map_err(raise)
    }
}

/// The keywords of a schema that a format cannot enforce if it writes members or items one by one.
#[pyfunction]
#[pyo3(signature = (keys, kind=None))]
pub fn relating(keys: Vec<String>, kind: Option<&str>) -> Vec<String> {
    let keys: Vec<&str> = keys.iter().map(|key| &**key).collect();
    member::relating(&keys, kind).into_iter().map(str::to_owned).collect()
}

/// The union of the types of these names.
fn types_of(names: &[String]) -> PyResult<Types> {
    let unknown = |name: &str| PyValueError::new_err(format!("no type of JSON Schema: {name:?}"));
    names.iter().try_fold(Types::NONE, |all, name| Ok(all | Types::named(name).ok_or_else(|| unknown(name))?))
}
