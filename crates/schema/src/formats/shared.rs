//! Nodes of formats, made once for the process and imported by each builder: to make some takes longer than all else of
//! a schema.

use super::options::FormatOptions;
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;
use frisket_core::regular::transfer::ExportedTerm;
use frisket_core::storage::{lock::Lock, once::Lazy};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most nodes that are kept. Options with other digits have other nodes; more than these are made each time.
const MOST: usize = 256;

/// Which node of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// The texts that are known; with the flag, those of them that Python's types can hold.
    Inner(bool),
    /// The texts that documents of the options may hold.
    Written(FormatOptions),
    /// Texts outside which the format has none.
    Outer,
}

/// A format by name and exactness, and one of its nodes.
pub(super) type Key = (&'static str, bool, Part);

static KNOWN: Lazy<Lock<FxHashMap<Key, Arc<ExportedTerm>>>> = Lazy::new(Lock::default);

/// The node of a key in a builder, made by `make` if nobody has asked for it yet.
///
/// It is made in a builder of its own, so that what it costs the caller is the same the first time and later.
/// Errors: limits.
pub(super) fn shared(
    builder: &mut Builder,
    key: Key,
    make: impl FnOnce(&Terms<'_>) -> Result<TermId>,
) -> Result<TermId> {
    let known = KNOWN.lock().get(&key).cloned();
    if let Some(known) = known {
        return builder.import(&known);
    }
    let mut workshop = Builder::default();
    let made = make(&Terms::new(&mut workshop))?;
    // Nodes of texts are regular, so that they have this form.
    let Some(made) = workshop.export(made.number())? else { return Ok(made) };
    let node = builder.import(&made)?;
    let mut known = KNOWN.lock();
    if known.len() < MOST {
        known.insert(key, Arc::new(made));
    }
    Ok(node)
}
