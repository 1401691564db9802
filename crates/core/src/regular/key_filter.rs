//! Set of keys × language → the keys of the set that are in the language.
//!
//! An object uses it to tell which keys that came a group of unnamed properties could repeat.

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::id::KeySetId;
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{TermId, EMPTY};

/// Bytes of a key that are compared with a language. Longer keys count as members. Chosen without measurement.
const MAX_FILTERED_BYTES: u32 = 256;

impl Arena {
    /// A superset of the keys of `set` that are in `language`; exact for keys of at most `MAX_FILTERED_BYTES`.
    pub(crate) fn filter_keys(&mut self, set: KeySetId, language: TermId) -> Result<KeySetId> {
        self.filter_keys_up_to(set, language, MAX_FILTERED_BYTES)
    }

    fn filter_keys_up_to(&mut self, set: KeySetId, language: TermId, most_bytes: u32) -> Result<KeySetId> {
        if set == NO_KEYS || language == EMPTY {
            return Ok(NO_KEYS);
        }
        if self.is_cofinite(language) || most_bytes == 0 {
            return Ok(set);
        }
        if let Some(&known) = self.registers.filtered_keys.get(&(set, language)) {
            return Ok(known);
        }
        let mut children = Vec::new();
        let all: Vec<(u8, KeySetId)> = self.registers.keys.children(set).collect();
        for (byte, rest) in all {
            let next = self.derive(language, byte)?;
            match self.filter_keys_up_to(rest, next, most_bytes - 1)? {
                NO_KEYS => {}
                kept => children.push((byte, kept)),
            }
        }
        let empty = self.registers.keys.has_empty(set) && self.info(language).nullable;
        let kept = self.registers.keys.intern_node(empty, children, &mut self.budget);
        self.registers.filtered_keys.insert((set, language), kept, &mut self.budget);
        Ok(kept)
    }
}
