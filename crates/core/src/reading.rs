//! Bytes of an open item → what it has said so far: without the white space around tokens, every escape decoded.
//!
//! Texts that say the same meet in one reading, however they are spelled. A numeral is kept as it is written until it
//! ends: only a whole one has a value.

use crate::value::canonical;
use rustc_hash::FxHashMap;

/// Where in a JSON text a reading ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    Between,
    Number {
        zero: bool,
        exponent: bool,
    },
    Inside,
    Escape,
    /// After `\u` and `digits` digits; `high` is the surrogate before it, or 0.
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

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node {
    parent: u32,
    byte: u8,
    place: Place,
    /// What was read before the escape that is open.
    base: u32,
}

#[derive(Clone)]
pub(crate) struct Readings {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, u32>,
}

/// The reading of nothing.
pub(crate) const NOTHING_READ: u32 = 0;

impl Default for Readings {
    fn default() -> Self {
        let root = Node { parent: 0, byte: 0, place: Place::Between, base: 0 };
        Readings { nodes: vec![root], ids: FxHashMap::default() }
    }
}

impl Readings {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn place(&self, reading: u32) -> Place {
        self.nodes[reading as usize].place
    }

    /// The bytes from `start` to `reading`; an escape that is not complete is left out.
    pub(crate) fn text(&self, start: u32, reading: u32) -> Vec<u8> {
        let mut at = self.settled(reading);
        let mut bytes = Vec::new();
        while at != start && at != NOTHING_READ {
            bytes.push(self.nodes[at as usize].byte);
            at = self.nodes[at as usize].parent;
        }
        bytes.reverse();
        bytes
    }

    fn settled(&self, reading: u32) -> u32 {
        let node = &self.nodes[reading as usize];
        if node.base == 0 {
            reading
        } else {
            node.base
        }
    }

    fn push(&mut self, parent: u32, byte: u8, place: Place, base: u32) -> u32 {
        let node = Node { parent, byte, place, base };
        let nodes = &mut self.nodes;
        *self.ids.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    pub(crate) fn next(&mut self, reading: u32, byte: u8) -> u32 {
        let Node { place, base, .. } = self.nodes[reading as usize];
        let open = |readings: &mut Self, place| readings.push(reading, byte, place, base);
        match place {
            Place::Number { .. } if !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') => {
                let whole = self.whole_number(reading);
                self.next(whole, byte)
            }
            Place::Between | Place::Number { .. } => match byte {
                b' ' | b'\t' | b'\n' | b'\r' => reading,
                b'"' => self.push(reading, byte, Place::Inside, 0),
                b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E' => {
                    let place = match place {
                        Place::Number { zero, exponent } => Place::Number {
                            zero: zero && (exponent || !(b'1'..=b'9').contains(&byte)),
                            exponent: exponent || matches!(byte, b'e' | b'E'),
                        },
                        _ if byte == b'-' || byte.is_ascii_digit() => {
                            Place::Number { zero: !(b'1'..=b'9').contains(&byte), exponent: false }
                        }
                        _ => Place::Between,
                    };
                    self.push(reading, byte, place, 0)
                }
                _ => self.push(reading, byte, Place::Between, 0),
            },
            Place::Inside => match byte {
                b'"' => self.push(reading, byte, Place::Between, 0),
                b'\\' => self.push(reading, byte, Place::Escape, reading),
                _ => self.push(reading, byte, Place::Inside, 0),
            },
            Place::Escape => match byte {
                b'u' => open(self, Place::Hex { digits: 0, value: 0, high: 0 }),
                b'b' => self.decoded(base, 8),
                b'f' => self.decoded(base, 12),
                b'n' => self.decoded(base, 10),
                b'r' => self.decoded(base, 13),
                b't' => self.decoded(base, 9),
                other => self.decoded(base, u32::from(other)),
            },
            Place::Hex { digits, value, high } => {
                let value = value << 4 | (byte as char).to_digit(16).unwrap_or(0) as u16;
                match (digits, value) {
                    (0..=2, _) => open(self, Place::Hex { digits: digits + 1, value, high }),
                    (_, 0xd800..=0xdbff) if high == 0 => open(self, Place::LowEscape { high: value }),
                    _ if high == 0 => self.decoded(base, u32::from(value)),
                    _ => {
                        let low = u32::from(value).wrapping_sub(0xdc00) & 0x3ff;
                        self.decoded(base, 0x1_0000 + ((u32::from(high) - 0xd800) << 10) + low)
                    }
                }
            }
            Place::LowEscape { high } => open(self, Place::LowU { high }),
            Place::LowU { high } => open(self, Place::Hex { digits: 0, value: 0, high }),
        }
    }

    /// A numeral that has ended, in the one spelling of its value.
    fn whole_number(&mut self, reading: u32) -> u32 {
        let mut start = reading;
        while let Place::Number { .. } = self.place(start) {
            start = self.nodes[start as usize].parent;
        }
        let spelled = self.text(start, reading);
        canonical(&spelled).bytes().fold(start, |at, byte| self.push(at, byte, Place::Between, 0))
    }

    /// A character of a string; a quote and a backslash keep a backslash before them, so that the end can be told.
    fn decoded(&mut self, base: u32, code: u32) -> u32 {
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut at = base;
        if matches!(character, '"' | '\\') {
            at = self.push(at, b'\\', Place::Inside, 0);
        }
        for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
            at = self.push(at, byte, Place::Inside, 0);
        }
        at
    }
}
