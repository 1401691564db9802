//! json-pointer (RFC 6901), relative-json-pointer (without index manipulation, which validators do not know either).

use super::format::{KnownFormat, Node};

const POINTER: &str = "(?:/(?:[^~/]|~[01])*)*";

pub(super) const FORMATS: &[KnownFormat] = &[
    KnownFormat::exact("json-pointer", Node::Pattern(|| POINTER.into())),
    KnownFormat::exact("relative-json-pointer", Node::Pattern(|| format!("(?:0|[1-9][0-9]*)(?:#|{POINTER})"))),
];
