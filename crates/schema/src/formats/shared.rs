//! Nodes of formats, made once for the process and imported by each builder. Some take longer to make than all the rest
//! of a schema.

use super::options::FormatOptions;
use crate::types::Terms;
use frisket_core::builder::Builder;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use frisket_core::regular::transfer::ExportedTerm;
use frisket_core::storage::{lock::Lock, once::Lazy};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most nodes that are kept; further ones are made each time. Options with other digits have other nodes.
const MOST: usize = 256;

/// One of the nodes of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// The texts of the format, all or a part; with the flag, only those that Python's types can hold.
    Inner(bool),
    /// The texts that documents may hold under these options.
    Written(FormatOptions),
    /// A superset of the texts.
    Outer,
}

/// A format by name and exactness, and one of its nodes.
pub(super) type Key = (&'static str, bool, Part);

static KNOWN: Lazy<Lock<FxHashMap<Key, Arc<ExportedTerm>>>> = Lazy::new(Lock::default);

/// The node of a key in a builder, made by `make` on first use.
///
/// A separate builder makes it, so that the first use counts no more against the caller's limits than later ones.
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
    // Nodes of texts are regular, so they can be exported.
    let Some(made) = workshop.export(made.number())? else { return Ok(made) };
    let node = builder.import(&made)?;
    let mut known = KNOWN.lock();
    if known.len() < MOST {
        known.insert(key, Arc::new(made));
    }
    Ok(node)
}
