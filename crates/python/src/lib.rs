//! frisket-core → the extension module `frisket._core`: convert, release the GIL in long calls, raise.
//!
//! It also reads the plain parts of JSON Schemas, which most schemas consist of (`plain`).

mod apart;
mod apply;
mod argument;
mod batch;
mod buffer;
mod builder;
mod case;
mod clock;
mod compiled;
mod constant;
mod content;
mod demand;
mod error;
mod feasible;
mod gil;
mod grammar;
mod handed;
mod identity;
mod integer;
mod limit;
mod lower;
mod matcher;
mod native;
mod notation;
mod number;
mod object;
mod order;
mod place;
mod plain;
mod production;
mod recent;
mod reference;
mod regex;
mod said;
mod schema;
mod sorted;
mod stock;
mod union;
mod usual;
mod vocabulary;
mod void;
mod walk;
mod without;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// An automaton is many small allocations that live and die together, which mimalloc serves faster than most systems do.
/// Python's own memory is not touched.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The version of the engine.
#[pyfunction]
fn core_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<limit::Limits>()?;
    module.add_class::<limit::Cancellation>()?;
    module.add_class::<builder::GrammarBuilder>()?;
    module.add_class::<grammar::Grammar>()?;
    module.add_class::<vocabulary::Vocabulary>()?;
    module.add_class::<compiled::CompiledGrammar>()?;
    module.add_class::<matcher::Matcher>()?;
    module.add_function(wrap_pyfunction!(batch::fill_masks, module)?)?;
    module.add_function(wrap_pyfunction!(apply::apply_mask, module)?)?;
    module.add_function(wrap_pyfunction!(apply::copy_masked, module)?)?;
    module.add_function(wrap_pyfunction!(feasible::feasible_mass, module)?)?;
    module.add_function(wrap_pyfunction!(clock::replay_timed, module)?)?;
    module.add_function(wrap_pyfunction!(core_version, module)?)?;
    let front_end = front_end(module.py())?;
    // Beside `__all__`, and known to `import`, which looks for files otherwise.
    module.setattr("front_end", &front_end)?;
    module.py().import("sys")?.getattr("modules")?.set_item(front_end.name()?, &front_end)
}

/// What only the package's own front ends need.
fn front_end(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "frisket._core.front_end")?;
    module.add_class::<plain::Plain>()?;
    module.add_class::<constant::Constants>()?;
    module.add_class::<production::Productions>()?;
    module.add_class::<recent::Recent>()?;
    module.add_class::<regex::Regex>()?;
    module.add_class::<stock::Stock>()?;
    module.add_class::<usual::Usual>()?;
    module.add("Flaw", py.get_type::<production::Flaw>())?;
    module.add("Unplain", py.get_type::<plain::Unplain>())?;
    module.add_function(wrap_pyfunction!(sorted::is_sorted, &module)?)?;
    module.add_function(wrap_pyfunction!(content::content, &module)?)?;
    module.add_function(wrap_pyfunction!(constant::is_json, &module)?)?;
    module.add_function(wrap_pyfunction!(said::said, &module)?)?;
    module.add_function(wrap_pyfunction!(regex::is_ecma_regex, &module)?)?;
    module.add_function(wrap_pyfunction!(regex::property_set, &module)?)?;
    module.add_function(wrap_pyfunction!(without::without, &module)?)?;
    module.add_class::<schema::MemberValues>()?;
    module.add_class::<schema::NativePrelude>()?;
    module.add_function(wrap_pyfunction!(native::native_facts, &module)?)?;
    module.add_function(wrap_pyfunction!(native::native_is_sorted, &module)?)?;
    module.add_function(wrap_pyfunction!(native::native_value, &module)?)?;
    module.add_function(wrap_pyfunction!(native::native_references, &module)?)?;
    module.add_function(wrap_pyfunction!(native::native_closest, &module)?)?;
    module.add_function(wrap_pyfunction!(native::native_report, &module)?)?;
    module.add_function(wrap_pyfunction!(native::native_report_of_all, &module)?)?;
    Ok(module)
}
