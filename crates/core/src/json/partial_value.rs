//! Bytes of an open item → what it has said so far: without the white space around tokens, every escape decoded.
//!
//! Texts that say the same meet in one reading, however they are spelled. A numeral is kept as it is written until it
//! ends: only a whole one has a value. One that must be zero is not read further.

use crate::json::value::{canonical, NUMERAL_END};
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};

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
pub(crate) struct PartialValues {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, u32>,
}

/// The reading of nothing.
pub(crate) const NOTHING_READ: u32 = 0;

impl Default for PartialValues {
    fn default() -> Self {
        let root = Node { parent: 0, byte: 0, place: Place::Between, base: 0 };
        PartialValues { nodes: vec![root], ids: FxHashMap::default() }
    }
}

impl PartialValues {
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
        if let Place::Number { zero, exponent } = place {
            match is_numeral(byte) {
                false => {
                    let whole = self.whole_number(reading);
                    return self.next(whole, byte);
                }
                true if zero && exponent => return reading,
                true => {}
            }
        }
        let (next, said) = place.read(byte);
        if said.is_empty() {
            return match next {
                Place::Between => reading,
                _ => self.push(reading, byte, next, if place == Place::Inside { reading } else { base }),
            };
        }
        // What an escape says goes on from what was read before it.
        let from = if base == 0 { reading } else { base };
        said.into_iter().fold(from, |at, byte| self.push(at, byte, next, 0))
    }

    /// The copy of a partial value of other ones. `copied` holds what was copied before, and gains what is copied now.
    pub(crate) fn import(&mut self, from: &Self, reading: u32, copied: &mut FxHashMap<u32, u32>) -> u32 {
        let mut path = Vec::new();
        let mut work = vec![reading];
        while let Some(at) = work.pop() {
            if at != NOTHING_READ && !copied.contains_key(&at) {
                // Parents and bases are older than what is made of them.
                path.push(at);
                let Node { parent, base, .. } = from.nodes[at as usize];
                work.extend([parent, base]);
            }
        }
        path.sort_unstable();
        path.dedup();
        for at in path {
            let Node { parent, byte, place, base } = from.nodes[at as usize];
            let [parent, base] = [parent, base].map(|old| copied.get(&old).copied().unwrap_or(NOTHING_READ));
            let made = self.push(parent, byte, place, base);
            copied.insert(at, made);
        }
        copied.get(&reading).copied().unwrap_or(NOTHING_READ)
    }

    /// A numeral that has ended, in the one spelling of its value.
    fn whole_number(&mut self, reading: u32) -> u32 {
        let mut start = reading;
        while let Place::Number { .. } = self.place(start) {
            start = self.nodes[start as usize].parent;
        }
        let spelled = self.text(start, reading);
        let whole = canonical(&spelled).into_bytes().into_iter().chain([NUMERAL_END]);
        whole.fold(start, |at, byte| self.push(at, byte, Place::Between, 0))
    }

    /// How many bytes of an open numeral there are at the end of a text.
    pub(crate) fn numeral(&self, mut reading: u32) -> usize {
        let mut length = 0;
        while let Place::Number { .. } = self.place(reading) {
            reading = self.nodes[reading as usize].parent;
            length += 1;
        }
        length
    }

    /// The text of an item that ends here.
    pub(crate) fn whole_text(&self, start: u32, reading: u32) -> Vec<u8> {
        let mut text = self.text(start, reading);
        let numeral = self.numeral(reading).min(text.len());
        if numeral > 0 {
            let spelled = text.split_off(text.len() - numeral);
            text.extend(canonical(&spelled).into_bytes());
            text.push(NUMERAL_END);
        }
        text
    }
}

pub(crate) fn is_numeral(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// The bytes that a reading has more after a byte.
pub(crate) type Said = SmallVec<[u8; 8]>;

impl Place {
    /// In a numeral that is zero whatever follows.
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Place::Number { zero: true, exponent: true })
    }

    /// Where a byte leads, and what is said with it. The end of a numeral is not said.
    pub(crate) fn read(self, byte: u8) -> (Place, Said) {
        let open = |place| (place, Said::new());
        match self {
            Place::Between | Place::Number { .. } => match byte {
                b' ' | b'\t' | b'\n' | b'\r' => open(Place::Between),
                b'"' => (Place::Inside, smallvec![byte]),
                _ if is_numeral(byte) => {
                    let place = match self {
                        Place::Number { zero, exponent } => Place::Number {
                            zero: zero && (exponent || !(b'1'..=b'9').contains(&byte)),
                            exponent: exponent || matches!(byte, b'e' | b'E'),
                        },
                        _ if byte == b'-' || byte.is_ascii_digit() => {
                            Place::Number { zero: !(b'1'..=b'9').contains(&byte), exponent: false }
                        }
                        _ => Place::Between,
                    };
                    (place, smallvec![byte])
                }
                _ => (Place::Between, smallvec![byte]),
            },
            Place::Inside => match byte {
                b'"' => (Place::Between, smallvec![byte]),
                b'\\' => open(Place::Escape),
                _ => (Place::Inside, smallvec![byte]),
            },
            Place::Escape => match byte {
                b'u' => open(Place::Hex { digits: 0, value: 0, high: 0 }),
                b'b' => decoded(8),
                b'f' => decoded(12),
                b'n' => decoded(10),
                b'r' => decoded(13),
                b't' => decoded(9),
                other => decoded(u32::from(other)),
            },
            Place::Hex { digits, value, high } => {
                let value = value << 4 | (byte as char).to_digit(16).unwrap_or(0) as u16;
                match (digits, value) {
                    (0..=2, _) => open(Place::Hex { digits: digits + 1, value, high }),
                    (_, 0xd800..=0xdbff) if high == 0 => open(Place::LowEscape { high: value }),
                    _ if high == 0 => decoded(u32::from(value)),
                    _ => {
                        let low = u32::from(value).wrapping_sub(0xdc00) & 0x3ff;
                        decoded(0x1_0000 + ((u32::from(high) - 0xd800) << 10) + low)
                    }
                }
            }
            Place::LowEscape { high } => open(Place::LowU { high }),
            Place::LowU { high } => open(Place::Hex { digits: 0, value: 0, high }),
        }
    }
}

/// A character of a string; a quote and a backslash keep a backslash before them, so that the end can be told.
fn decoded(code: u32) -> (Place, Said) {
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut said = Said::new();
    if matches!(character, '"' | '\\') {
        said.push(b'\\');
    }
    said.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    (Place::Inside, said)
}
