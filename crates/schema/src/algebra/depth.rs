//! Recursive calls → the same calls on a stack that grows, up to a limit on levels.

use super::Expander;
use crate::error::Result;
use crate::message::too_deep;

/// The deepest nesting of subschemas that apply each other to the same value, and of members and items. No model writes
/// a deeper document.
///
/// In WebAssembly the stack does not grow. The host's usually has a megabyte, which 250 levels fill.
pub(crate) const LEVELS: usize = if cfg!(target_family = "wasm") { 100 } else { 10_000 };
/// Bytes that a call finds free on the stack; with fewer, the stack grows.
const RED_ZONE: usize = 128 * 1024;
/// Bytes by which the stack grows.
const SEGMENT: usize = 2 * 1024 * 1024;

/// The result of a recursive call, on a stack with room for it.
pub(crate) fn with_stack<T>(call: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, SEGMENT, call)
}

impl<'d> Expander<'d> {
    /// The result of a call on the next level of subschemas. Errors: those of the call; too many levels.
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
