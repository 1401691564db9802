//! Calls within calls → room for them on a stack that grows, up to a limit on levels.

use super::Expander;
use crate::error::Result;
use crate::message::too_deep;

/// Subschemas that apply each other to the same value, and levels of members and items. Beyond, no model writes the document
/// anyway.
///
/// In WebAssembly no stack grows. As a rule the host's has a megabyte, which 250 levels fill.
pub(crate) const LEVELS: usize = if cfg!(target_family = "wasm") { 100 } else { 10_000 };
/// Bytes that the calls between two looks at the stack may take.
const RED_ZONE: usize = 128 * 1024;
/// Bytes by which the stack grows.
const SEGMENT: usize = 2 * 1024 * 1024;

/// The result of a call that calls itself, on a stack with room for it.
pub(crate) fn with_stack<T>(call: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, SEGMENT, call)
}

impl<'d> Expander<'d> {
    /// The result of a call one level of subschemas down. Errors: those of the call; too many levels.
    pub(super) fn deeper<T>(&mut self, call: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= LEVELS {
            return Err(too_deep(self.current()));
        }
        self.depth += 1;
        let made = with_stack(|| call(self));
        self.depth -= 1;
        made
    }
}
