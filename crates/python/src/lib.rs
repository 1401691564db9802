//! frisket-core → `frisket._core`: convert, release the GIL in what is long, raise; and read the plain places of JSON
//! Schemas.

mod ahead;
mod allocator;
mod apart;
mod argument;
mod buffer;
mod builder;
mod case;
mod clock;
mod constant;
mod content;
mod demand;
mod error;
mod gil;
mod handed;
mod identity;
mod integer;
mod limit;
mod lower;
mod matcher;
mod number;
mod pattern;
mod place;
mod plain;
mod recent;
mod said;
mod sorted;
mod stock;
mod union;
mod usual;
mod void;
mod without;

use pyo3::prelude::*;

/// The version of the engine.
#[pyfunction]
fn core_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    allocator::keep_pages();
    module.add_class::<limit::Limits>()?;
    module.add_class::<limit::Cancellation>()?;
    module.add_class::<builder::GrammarBuilder>()?;
    module.add_class::<builder::Grammar>()?;
    module.add_class::<plain::Plain>()?;
    module.add_class::<constant::Constants>()?;
    module.add_class::<recent::Recent>()?;
    module.add_class::<stock::Stock>()?;
    module.add_class::<usual::Usual>()?;
    module.add("Unplain", module.py().get_type::<plain::Unplain>())?;
    module.add_class::<matcher::Vocabulary>()?;
    module.add_class::<matcher::CompiledGrammar>()?;
    module.add_class::<matcher::Matcher>()?;
    module.add_function(wrap_pyfunction!(matcher::fill_masks, module)?)?;
    module.add_function(wrap_pyfunction!(clock::replay_timed, module)?)?;
    module.add_function(wrap_pyfunction!(sorted::is_sorted, module)?)?;
    module.add_function(wrap_pyfunction!(content::content, module)?)?;
    module.add_function(wrap_pyfunction!(constant::is_json, module)?)?;
    module.add_function(wrap_pyfunction!(said::said, module)?)?;
    module.add_function(wrap_pyfunction!(without::without, module)?)?;
    module.add_function(wrap_pyfunction!(core_version, module)?)
}
