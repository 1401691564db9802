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

    /// Whether these bytes stay on a path to an excluded text, or reach the end of one.
    pub(super) fn meets(mut self, keys: &KeySets, bytes: &[u8], has_noncanonical_numerals: bool) -> bool {
        for &byte in bytes {
            if self.is_at_end(keys) || self.is_at_numeral_end(keys, byte) {
                return true;
            }
            self = self.next(keys, byte);
            if has_noncanonical_numerals && self.is_in_numeral() {
                return true;
            }
            if !self.has_conflict(keys) {
                return false;
            }
        }
        true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Budget;

    /// The set of these canonical texts, where a numeral ends with a space, and the cursor before all of them.
    fn cursor(texts: &[&str]) -> (KeySets, ExcludedCursor) {
        let mut keys = KeySets::default();
        let mut budget = Budget::default();
        let set = texts.iter().fold(NO_KEYS, |set, text| keys.with(set, text.as_bytes(), &mut budget));
        (keys, ExcludedCursor { lexer_state: LexerState::Between, set, numeral_start: set, minus: false })
    }

    fn read(keys: &KeySets, start: ExcludedCursor, bytes: &[u8]) -> ExcludedCursor {
        bytes.iter().fold(start, |at, &byte| at.next(keys, byte))
    }

    #[test]
    fn a_cursor_meets_an_excluded_text_in_every_spelling() {
        let (keys, start) = cursor(&["\"ab\"", "12 ", "[1 ,true]"]);
        for (text, ends) in
            [("\"ab\"", true), ("\"\\u0061b\"", true), (" \"ab\"", true), ("\"a\"", false), ("\"ab", false)]
        {
            assert_eq!(read(&keys, start, text.as_bytes()).is_at_end(&keys), ends, "{text}");
        }
        for text in ["[1,true]", "[ 1 , true ]"] {
            assert!(read(&keys, start, text.as_bytes()).is_at_end(&keys), "{text}");
        }
        assert!(!read(&keys, start, b"[12,true]").has_conflict(&keys));
    }

    #[test]
    fn a_number_ends_only_where_no_digit_follows() {
        let (keys, start) = cursor(&["12 ", "123 "]);
        let at = read(&keys, start, b"12");
        assert!(at.is_in_numeral() && at.is_at_numeral_end(&keys, b','));
        assert!(!at.is_at_numeral_end(&keys, b'3'), "the numeral goes on");
        assert!(!at.is_at_end(&keys), "only a byte behind it ends a numeral");
        assert!(!read(&keys, start, b"1").is_at_numeral_end(&keys, b','));
        assert!(read(&keys, start, b"12 ").is_at_end(&keys) && read(&keys, start, b"123]").set == NO_KEYS);
    }

    #[test]
    fn minus_zero_is_zero() {
        let (keys, start) = cursor(&["0 ", "-5 "]);
        let minus = read(&keys, start, b"-");
        assert!(minus.minus && minus.has_conflict(&keys));
        assert!(read(&keys, start, b"-0").is_at_numeral_end(&keys, b','));
        assert!(read(&keys, start, b"-5").is_at_numeral_end(&keys, b','));
        assert!(!read(&keys, start, b"-6").has_conflict(&keys));
        let (keys, start) = cursor(&["0 "]);
        assert!(read(&keys, start, b"-").has_conflict(&keys), "-0 may come");
        let (keys, start) = cursor(&["5 "]);
        assert!(!read(&keys, start, b"-").has_conflict(&keys));
    }

    #[test]
    fn cursors_of_equal_continuations_have_one_representative() {
        let (keys, start) = cursor(&["[0 ,0 ]", "[2 ,1 ]"]);
        let [one, other] = [&b"[0,5"[..], b"[2,6"].map(|text| read(&keys, start, text));
        assert!(one != other && one.representative() == other.representative(), "no excluded text goes on");
        let [one, other] = [&b"[0,-"[..], b"[2,-"].map(|text| read(&keys, start, text));
        assert_eq!(one.set, other.set, "no excluded text has a minus");
        assert!(one.representative() != other.representative(), "-0 is excluded behind one of them only");
    }

    #[test]
    fn bytes_meet_as_long_as_an_excluded_text_may_still_come() {
        let (keys, start) = cursor(&["\"ab\"", "7 "]);
        let meets = |text: &str, noncanonical| start.meets(&keys, text.as_bytes(), noncanonical);
        for (text, expected) in [
            ("", true),
            ("\"a", true),
            ("\"ab\"", true),
            ("\"ab\",x", true),
            ("\"b", false),
            ("\"aa", false),
            ("7,", true),
            ("78", false),
        ] {
            assert_eq!(meets(text, false), expected, "{text}");
        }
        assert!(meets("78", true), "78e-1 might be excluded as well");
        assert!(!meets("\"b", true));
    }

    #[test]
    fn the_bytes_of_a_path_are_those_of_the_set_and_of_other_spellings() {
        let (keys, start) = cursor(&["\"ab\"", "true"]);
        let shown = |at: ExcludedCursor| at.bytes(&keys).map(|set| set.iter().map(char::from).collect::<String>());
        assert_eq!(shown(start).unwrap(), "\t\n\r \"-t");
        assert_eq!(shown(read(&keys, start, b"\"")).unwrap(), "\\a");
        assert_eq!(shown(read(&keys, start, b"\"a\\")), None, "an escape may be any byte");
        let (keys, start) = cursor(&["12 "]);
        let shown = |at: ExcludedCursor| at.bytes(&keys).map(|set| set.iter().map(char::from).collect::<String>());
        assert_eq!(shown(read(&keys, start, b"1")).unwrap(), "02");
        assert_eq!(shown(read(&keys, start, b"12")), None, "every byte that is no digit ends the number");
    }
}
