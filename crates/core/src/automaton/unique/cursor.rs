//! Bytes of a token × excluded texts → the node that they lead to in the set of those texts.
//!
//! A walk of the trie carries a cursor instead of the bytes read: equal cursors have equal continuations.

use crate::bytes::byteset::ByteSet;
use crate::json::partial_value::{is_numeral, LexerState};
use crate::json::value::NUMERAL_END;
use crate::regular::id::KeySetId;
use crate::regular::key_set::{KeySets, NO_KEYS};

/// A node in the set of excluded texts, reached by the bytes of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ExcludedCursor {
    pub(super) lexer_state: LexerState,
    pub(super) set: KeySetId,
    /// The node where the open numeral began. Needed after a minus, because -0 equals 0.
    pub(super) numeral_start: KeySetId,
    pub(super) minus: bool,
}

impl ExcludedCursor {
    /// The representative of all cursors with equal continuations.
    pub(crate) fn representative(self) -> ExcludedCursor {
        ExcludedCursor { numeral_start: if self.minus { self.numeral_start } else { NO_KEYS }, ..self }
    }

    /// The cursor after one more byte.
    pub(crate) fn next(mut self, keys: &KeySets, byte: u8) -> ExcludedCursor {
        if let LexerState::Number { .. } = self.lexer_state {
            if !is_numeral(byte) {
                self.set = keys.child(self.set, NUMERAL_END);
                self.lexer_state = LexerState::Between;
            } else if self.minus && byte == b'0' {
                self.set = self.numeral_start;
            }
            self.minus = false;
        }
        let (lexer_state, said) = self.lexer_state.step(byte);
        if let (LexerState::Between, LexerState::Number { .. }) = (self.lexer_state, lexer_state) {
            (self.numeral_start, self.minus) = (self.set, byte == b'-');
        }
        self.lexer_state = lexer_state;
        self.set = said.iter().fold(self.set, |set, &byte| keys.child(set, byte));
        self
    }

    /// Whether a numeral is open.
    pub(super) fn is_in_numeral(&self) -> bool {
        matches!(self.lexer_state, LexerState::Number { .. })
    }

    /// Whether some excluded text continues from here.
    pub(crate) fn has_conflict(&self, keys: &KeySets) -> bool {
        self.set != NO_KEYS || self.minus && keys.child(self.numeral_start, b'0') != NO_KEYS
    }

    /// Whether an excluded text ends here.
    pub(crate) fn is_at_end(&self, keys: &KeySets) -> bool {
        keys.has_empty(self.set)
    }

    /// Whether an excluded number ends here, because the next byte cannot continue a numeral.
    pub(crate) fn is_at_numeral_end(&self, keys: &KeySets, byte: u8) -> bool {
        !is_numeral(byte) && self.is_whole_numeral(keys)
    }

    /// Whether an excluded number ends here if no digit follows.
    fn is_whole_numeral(&self, keys: &KeySets) -> bool {
        matches!(self.lexer_state, LexerState::Number { .. }) && keys.child(self.set, NUMERAL_END) != NO_KEYS
    }

    /// The bytes that stay on a path to an excluded text; None if every byte must be tried.
    pub(super) fn bytes(&self, keys: &KeySets) -> Option<ByteSet> {
        if self.is_whole_numeral(keys) {
            return None;
        }
        let mut bytes =
            keys.children(self.set).fold(ByteSet::EMPTY, |all, (byte, _)| all.union(&ByteSet::range(byte, byte)));
        let more: &[u8] = match self.lexer_state {
            LexerState::Inside => b"\\",
            LexerState::Between => b" \t\n\r-",
            LexerState::Number { .. } => b"0",
            _ => return None,
        };
        for &byte in more {
            bytes = bytes.union(&ByteSet::range(byte, byte));
        }
        Some(bytes)
    }
}
