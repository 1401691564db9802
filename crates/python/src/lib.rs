//! The crate `frisket` → the extension module `frisket._core`: convert, release the GIL in long calls, raise.

mod array_cache;
mod batch;
mod buffer;
mod builder;
mod clock;
mod compiled;
mod content;
mod error;
mod free_text;
mod gil;
mod grammar;
mod integer;
mod limit;
mod logits;
mod mask_rows;
mod matcher;
mod regex;
mod rules;
mod schema;
mod structural_tag;
mod vocabulary;
mod walk;

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

/// Adds classes and functions to a module.
macro_rules! add {
    ($module:ident: $($class:ty),+; $($function:path),+) => {
        $($module.add_class::<$class>()?;)+
        $($module.add_function(wrap_pyfunction!($function, $module)?)?;)+
    };
}

// Without the GIL: `tests/unit/_core/test_free_threads.py` shares everything among eight threads.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    frisket::check_environment().map_err(error::raise)?;
    add!(module:
        limit::Limits, limit::Cancellation, builder::GrammarBuilder, grammar::Grammar, vocabulary::Vocabulary,
        compiled::CompiledGrammar, matcher::Matcher;
        batch::fill_masks, logits::apply_mask, logits::copy_masked, logits::feasible_mass, clock::replay_timed,
        core_version, core_build);
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
    let enter = PyCFunction::new_closure(py, None, None, |_, _| frisket::enter_child())?;
    let hooks = PyDict::new(py);
    hooks.set_item("after_in_child", enter)?;
    register.call((), Some(&hooks)).map(drop)
}

/// The module of classes and functions that only the package's own front ends need.
fn front_end(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = &PyModule::new(py, "frisket._core.front_end")?;
    add!(module:
        regex::Regex, mask_rows::MaskRows, schema::MemberValues, schema::Prelude, schema::SchemaDocument,
        structural_tag::TagParts;
        rules::lower_rules, rules::open_rules, rules::print_rules, content::content,
        regex::is_ecma_regex, mask_rows::advance_all, mask_rows::may_take_later,
        schema::report::is_keyword, schema::report::is_sorted, schema::report::json_hash,
        schema::report::schema_references, schema::report::closest, schema::report::schema_report,
        schema::member::relating, structural_tag::read_structural_tag, free_text::check_strings, free_text::lower_tags,
        free_text::lower_text);
    module.add("Fault", py.get_type::<rules::Fault>())?;
    Ok(module.clone())
}
