//! frisket-core → the extension module `frisket._core`: convert, release the GIL in long calls, raise.

mod apply;
mod argument;
mod array_cache;
mod batch;
mod buffer;
mod builder;
mod clock;
mod compiled;
mod content;
mod environment;
mod error;
mod feasible;
mod gil;
mod grammar;
mod in_time;
mod integer;
mod limit;
mod mask_rows;
mod matcher;
mod recent;
mod regex;
mod rules;
mod schema;
mod vocabulary;
mod without;

use frisket_core::storage::lock::enter_child;
use mimalloc::MiMalloc;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict};

/// An automaton is many small allocations that live and die together: with the system's allocator a compile takes 15 to 20 %
/// longer, and a mask 4 to 6 %. Python's own memory is not touched.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The version of the engine.
#[pyfunction]
fn core_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// How the extension was built: `profile-guided`, as the wheels of a release are, or `plain`.
#[pyfunction]
fn core_build() -> &'static str {
    env!("FRISKET_BUILD")
}

// Without the GIL: `tests/unit/_core/test_free_threads.py` shares everything among eight threads.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    environment::check(module.py())?;
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
    module.add_function(wrap_pyfunction!(core_build, module)?)?;
    free_locks_in_children(module.py())?;
    let front_end = front_end(module.py())?;
    // Not in `__all__`, but known to `import`, which otherwise looks for files.
    module.setattr("front_end", &front_end)?;
    module.py().import("sys")?.getattr("modules")?.set_item(front_end.name()?, &front_end)
}

/// Lets objects that another thread used at a fork begin anew in the child.
fn free_locks_in_children(py: Python<'_>) -> PyResult<()> {
    let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? else {
        return Ok(()); // Windows has no fork.
    };
    let enter = PyCFunction::new_closure(py, None, None, |_, _| enter_child())?;
    let hooks = PyDict::new(py);
    hooks.set_item("after_in_child", enter)?;
    register.call((), Some(&hooks)).map(drop)
}

/// The module of classes and functions that only the package's own front ends need.
fn front_end(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "frisket._core.front_end")?;
    module.add_class::<recent::Recent>()?;
    module.add_class::<regex::Regex>()?;
    module.add("Fault", py.get_type::<rules::Fault>())?;
    module.add_function(wrap_pyfunction!(rules::lower_rules, &module)?)?;
    module.add_function(wrap_pyfunction!(rules::print_rules, &module)?)?;
    module.add_function(wrap_pyfunction!(rules::open_rules, &module)?)?;
    module.add_function(wrap_pyfunction!(rules::read_rules, &module)?)?;
    module.add_function(wrap_pyfunction!(content::content, &module)?)?;
    module.add_function(wrap_pyfunction!(regex::is_ecma_regex, &module)?)?;
    module.add_function(wrap_pyfunction!(regex::property_set, &module)?)?;
    module.add_function(wrap_pyfunction!(without::without, &module)?)?;
    module.add_class::<mask_rows::MaskRows>()?;
    module.add_function(wrap_pyfunction!(mask_rows::advance_all, &module)?)?;
    module.add_function(wrap_pyfunction!(mask_rows::may_take_later, &module)?)?;
    module.add_class::<schema::MemberValues>()?;
    module.add_class::<schema::Prelude>()?;
    module.add_class::<schema::SchemaDocument>()?;
    module.add_function(wrap_pyfunction!(schema::report::is_keyword, &module)?)?;
    module.add_function(wrap_pyfunction!(schema::report::is_sorted, &module)?)?;
    module.add_function(wrap_pyfunction!(schema::steps::json_value, &module)?)?;
    module.add_function(wrap_pyfunction!(schema::steps::schema_references, &module)?)?;
    module.add_function(wrap_pyfunction!(schema::report::closest, &module)?)?;
    module.add_function(wrap_pyfunction!(schema::report::schema_report, &module)?)?;
    Ok(module)
}
