//! Where a subschema was found first → its JSON pointer, made when somebody asks.

use crate::condition::SubschemaId;
use crate::resolve::pointer::escape_str;
use std::sync::Arc;

/// Where a subschema was found first.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// At the end of a reference, or at the root.
    Pointer(Arc<str>),
    /// Below another subschema, by this pointer.
    Below(SubschemaId, Box<str>),
}

/// Where a schema is met. Most were met before, at another place: then no origin is made.
pub(super) enum At<'p> {
    /// At the end of a reference, or at the root.
    Pointer(Arc<str>),
    /// Below a subschema, by these tokens.
    Below(SubschemaId, &'p [&'p str]),
}

impl At<'_> {
    /// Bytes and place that a subschema keeps.
    pub fn origin(self) -> Origin {
        match self {
            At::Pointer(pointer) => Origin::Pointer(pointer),
            At::Below(around, path) => Origin::Below(around, joined(path).into()),
        }
    }
}

/// The pointer of tokens.
pub(super) fn joined(path: &[&str]) -> String {
    let mut pointer = String::with_capacity(path.iter().map(|token| token.len() + 1).sum());
    for token in path {
        pointer.push('/');
        pointer += &escape_str(token);
    }
    pointer
}
