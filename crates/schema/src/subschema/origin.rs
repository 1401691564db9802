//! The place where a subschema was found first → its JSON pointer, made on demand.

use crate::condition::SubschemaId;
use crate::resolve::pointer::escape_str;
use std::sync::Arc;

/// The place where a subschema was found first.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// The target of a reference, or the root.
    Pointer(Arc<str>),
    /// Below another subschema, by this pointer.
    Below(SubschemaId, Box<str>),
}

/// The place of a schema as it is met. It becomes an origin only if the schema is a new subschema.
pub(super) enum At<'p> {
    /// The target of a reference, or the root.
    Pointer(Arc<str>),
    /// Below a subschema, by these tokens.
    Below(SubschemaId, &'p [&'p str]),
}

impl At<'_> {
    /// The origin that a new subschema keeps.
    pub fn origin(self) -> Origin {
        match self {
            At::Pointer(pointer) => Origin::Pointer(pointer),
            At::Below(around, path) => Origin::Below(around, joined(path).into()),
        }
    }
}

/// The JSON pointer of tokens.
pub(super) fn joined(path: &[&str]) -> String {
    let mut pointer = String::with_capacity(path.iter().map(|token| token.len() + 1).sum());
    for token in path {
        pointer.push('/');
        pointer += &escape_str(token);
    }
    pointer
}
