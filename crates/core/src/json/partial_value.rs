//! Bytes of an open item → its partial value: a text without white space between tokens and with decoded escapes.
//!
//! Texts that spell equal values in different ways meet in one partial value. An open numeral keeps its spelling,
//! because only a finished numeral has a value. A numeral that is surely zero is not recorded further.

use crate::json::value::{canonical_numeral, NUMERAL_END};
use crate::storage::id::id;
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};

/// The state of a small JSON lexer after the bytes read so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum LexerState {
    Between,
    Number {
        zero: bool,
        exponent: bool,
    },
    Inside,
    Escape,
    /// After `\u` and `digits` hex digits. `high` is the pending high surrogate, or 0.
    Hex {
        digits: u8,
        value: u16,
        high: u16,
    },
    LowEscape {
        high: u16,
    },
    LowU {
        high: u16,
    },
}

id! {
    /// What was read of the open items of one position.
    pub struct PartialValueId;
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node {
    parent: PartialValueId,
    byte: u8,
    lexer_state: LexerState,
    /// The partial value before the open escape, or `NOTHING_READ`.
    base: PartialValueId,
}

#[derive(Clone)]
pub(crate) struct PartialValues {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, PartialValueId>,
}

/// The partial value of no bytes.
pub(crate) const NOTHING_READ: PartialValueId = PartialValueId::new(0);

impl Default for PartialValues {
    fn default() -> Self {
        let root = Node { parent: NOTHING_READ, byte: 0, lexer_state: LexerState::Between, base: NOTHING_READ };
        PartialValues { nodes: vec![root], ids: FxHashMap::default() }
    }
}

impl PartialValues {
    /// The number of partial values.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The lexer state at the end of a partial value.
    pub(crate) fn lexer_state(&self, partial: PartialValueId) -> LexerState {
        self.nodes[partial.index()].lexer_state
    }

    /// The decoded bytes from `start` to `partial`, without an unfinished escape.
    pub(crate) fn text(&self, start: PartialValueId, partial: PartialValueId) -> Vec<u8> {
        let mut at = self.before_escape(partial);
        let mut bytes = Vec::new();
        while at != start && at != NOTHING_READ {
            bytes.push(self.nodes[at.index()].byte);
            at = self.nodes[at.index()].parent;
        }
        bytes.reverse();
        bytes
    }

    fn before_escape(&self, partial: PartialValueId) -> PartialValueId {
        let node = &self.nodes[partial.index()];
        if node.base == NOTHING_READ {
            partial
        } else {
            node.base
        }
    }

    fn push(
        &mut self,
        parent: PartialValueId,
        byte: u8,
        lexer_state: LexerState,
        base: PartialValueId,
    ) -> PartialValueId {
        let node = Node { parent, byte, lexer_state, base };
        let nodes = &mut self.nodes;
        *self.ids.entry(node).or_insert_with(|| {
            nodes.push(node);
            PartialValueId::at(nodes.len() - 1)
        })
    }

    /// The partial value after one more byte.
    pub(crate) fn next(&mut self, partial: PartialValueId, byte: u8) -> PartialValueId {
        let Node { lexer_state, base, .. } = self.nodes[partial.index()];
        if let LexerState::Number { zero, exponent } = lexer_state {
            match is_numeral(byte) {
                false => {
                    let whole = self.whole_number(partial);
                    return self.next(whole, byte);
                }
                true if zero && exponent => return partial,
                true => {}
            }
        }
        let (next, decoded) = lexer_state.step(byte);
        if decoded.is_empty() {
            return match next {
                LexerState::Between => partial,
                _ => self.push(partial, byte, next, if lexer_state == LexerState::Inside { partial } else { base }),
            };
        }
        // Bytes decoded from an escape extend the value before the escape.
        let from = if base == NOTHING_READ { partial } else { base };
        decoded.into_iter().fold(from, |at, byte| self.push(at, byte, next, NOTHING_READ))
    }

    /// The copy of a partial value of another set. `copied` maps old numbers to new ones and is extended.
    pub(crate) fn import(
        &mut self,
        from: &Self,
        partial: PartialValueId,
        copied: &mut FxHashMap<PartialValueId, PartialValueId>,
    ) -> PartialValueId {
        let mut path = Vec::new();
        let mut work = vec![partial];
        while let Some(at) = work.pop() {
            if at != NOTHING_READ && !copied.contains_key(&at) {
                // Parents and bases have lower numbers than the values that extend them.
                path.push(at);
                let Node { parent, base, .. } = from.nodes[at.index()];
                work.extend([parent, base]);
            }
        }
        path.sort_unstable();
        path.dedup();
        for at in path {
            let Node { parent, byte, lexer_state, base } = from.nodes[at.index()];
            let [parent, base] = [parent, base].map(|old| copied.get(&old).copied().unwrap_or(NOTHING_READ));
            let made = self.push(parent, byte, lexer_state, base);
            copied.insert(at, made);
        }
        copied.get(&partial).copied().unwrap_or(NOTHING_READ)
    }

    /// Replaces a finished numeral by its canonical spelling.
    fn whole_number(&mut self, partial: PartialValueId) -> PartialValueId {
        let mut start = partial;
        while let LexerState::Number { .. } = self.lexer_state(start) {
            start = self.nodes[start.index()].parent;
        }
        let spelled = self.text(start, partial);
        let whole = canonical_numeral(&spelled).into_bytes().into_iter().chain([NUMERAL_END]);
        whole.fold(start, |at, byte| self.push(at, byte, LexerState::Between, NOTHING_READ))
    }

    /// Bytes of the open numeral at the end of a partial value.
    pub(crate) fn numeral_len(&self, mut partial: PartialValueId) -> usize {
        let mut length = 0;
        while let LexerState::Number { .. } = self.lexer_state(partial) {
            partial = self.nodes[partial.index()].parent;
            length += 1;
        }
        length
    }

    /// The canonical text of an item that ends here.
    pub(crate) fn whole_text(&self, start: PartialValueId, partial: PartialValueId) -> Vec<u8> {
        let mut text = self.text(start, partial);
        let numeral = self.numeral_len(partial).min(text.len());
        if numeral > 0 {
            let spelled = text.split_off(text.len() - numeral);
            text.extend(canonical_numeral(&spelled).into_bytes());
            text.push(NUMERAL_END);
        }
        text
    }
}

/// Whether the byte may stand in a numeral.
pub(crate) fn is_numeral(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// The bytes by which one input byte extends a partial value.
pub(crate) type Decoded = SmallVec<[u8; 8]>;

impl LexerState {
    /// Whether the lexer is in a numeral that is zero whatever follows.
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, LexerState::Number { zero: true, exponent: true })
    }

    /// The next lexer state and the decoded bytes. The end of a numeral is not reported.
    pub(crate) fn step(self, byte: u8) -> (LexerState, Decoded) {
        let open = |lexer_state| (lexer_state, Decoded::new());
        match self {
            LexerState::Between | LexerState::Number { .. } => match byte {
                b' ' | b'\t' | b'\n' | b'\r' => open(LexerState::Between),
                b'"' => (LexerState::Inside, smallvec![byte]),
                _ if is_numeral(byte) => {
                    let lexer_state = match self {
                        LexerState::Number { zero, exponent } => LexerState::Number {
                            zero: zero && (exponent || !(b'1'..=b'9').contains(&byte)),
                            exponent: exponent || matches!(byte, b'e' | b'E'),
                        },
                        _ if byte == b'-' || byte.is_ascii_digit() => {
                            LexerState::Number { zero: !(b'1'..=b'9').contains(&byte), exponent: false }
                        }
                        _ => LexerState::Between,
                    };
                    (lexer_state, smallvec![byte])
                }
                _ => (LexerState::Between, smallvec![byte]),
            },
            LexerState::Inside => match byte {
                b'"' => (LexerState::Between, smallvec![byte]),
                b'\\' => open(LexerState::Escape),
                _ => (LexerState::Inside, smallvec![byte]),
            },
            LexerState::Escape => match byte {
                b'u' => open(LexerState::Hex { digits: 0, value: 0, high: 0 }),
                b'b' => character(8),
                b'f' => character(12),
                b'n' => character(10),
                b'r' => character(13),
                b't' => character(9),
                other => character(u32::from(other)),
            },
            LexerState::Hex { digits, value, high } => {
                let value = value << 4 | (byte as char).to_digit(16).unwrap_or(0) as u16;
                match (digits, value) {
                    (0..=2, _) => open(LexerState::Hex { digits: digits + 1, value, high }),
                    (_, 0xd800..=0xdbff) if high == 0 => open(LexerState::LowEscape { high: value }),
                    _ if high == 0 => character(u32::from(value)),
                    _ => {
                        let low = u32::from(value).wrapping_sub(0xdc00) & 0x3ff;
                        character(0x1_0000 + ((u32::from(high) - 0xd800) << 10) + low)
                    }
                }
            }
            LexerState::LowEscape { high } => open(LexerState::LowU { high }),
            LexerState::LowU { high } => open(LexerState::Hex { digits: 0, value: 0, high }),
        }
    }
}

/// The decoded character. Quotes and backslashes keep a backslash, so that the end of the string stays visible.
fn character(code: u32) -> (LexerState, Decoded) {
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut decoded = Decoded::new();
    if matches!(character, '"' | '\\') {
        decoded.push(b'\\');
    }
    decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    (LexerState::Inside, decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &mut PartialValues, text: &str) -> PartialValueId {
        text.bytes().fold(NOTHING_READ, |at, byte| values.next(at, byte))
    }

    #[test]
    fn white_space_between_tokens_goes_and_escapes_are_decoded() {
        for (spelled, decoded) in [
            ("", ""),
            ("[ true ,\tfalse\r\n, null ]", "[true,false,null]"),
            ("{\"a b\" : [ ] }", "{\"a b\":[]}"),
            (r#""a\u0062\/\b\f\n\r\t""#, "\"ab/\u{8}\u{c}\n\r\t\""),
            (r#""\"\\\u0022\u005c""#, r#""\"\\\"\\""#),
            (r#""\u00e9\ud7ff\ue000""#, "\"é\u{d7ff}\u{e000}\""),
            (r#""\ud800\udc00\uDBFF\uDFFF""#, "\"\u{10000}\u{10ffff}\""),
            ("[1 , 2 ]", "[1 ,2 ]"),
            ("[1.0,10e-1]", "[1 ,1 ]"),
            ("[-0.0,0e7]", "[0 ,0 ]"),
            ("{\"a\":12}", "{\"a\":12 }"),
            ("12.50", "12.50"),
            ("\"a\\u00", "\"a"),
            ("\"a\\", "\"a"),
            ("\"a\\ud83d\\", "\"a"),
        ] {
            let mut values = PartialValues::default();
            let partial = read(&mut values, spelled);
            assert_eq!(String::from_utf8(values.text(NOTHING_READ, partial)).unwrap(), decoded, "{spelled}");
        }
    }

    #[test]
    fn spellings_of_one_value_meet_and_of_two_values_do_not() {
        let mut values = PartialValues::default();
        for (one, other, equal) in [
            ("[1.0,", "[ 10e-1 ,", true),
            (r#"["\u0061"#, r#"["a"#, true),
            ("[1,", "[1", false),
            ("[1", "[1.0", false),
            ("0e1", "0e12345", true),
            ("0.0E1", "0.0E-9", true),
            ("1e1", "1e12", false),
            ("0", "00", false),
            ("[ ", "[", true),
            ("\" ", "\"", false),
            ("-1,", "1,", false),
        ] {
            let (one_id, other_id) = (read(&mut values, one), read(&mut values, other));
            assert_eq!(one_id == other_id, equal, "{one} {other}");
        }
        let mut few = PartialValues::default();
        read(&mut few, "[ 1");
        assert_eq!((PartialValues::default().len(), few.len()), (1, 3), "nothing, [ and [1");
        let count = values.len();
        assert_eq!(read(&mut values, ""), NOTHING_READ);
        read(&mut values, "[ 10e-1 ,");
        assert_eq!(values.len(), count, "what was read before is not stored again");
    }
}
