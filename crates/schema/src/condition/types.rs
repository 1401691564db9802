//! Names of types ↔ sets of types, as bits.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// A set of the eight types that conditions tell apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Types(u8);

impl Types {
    /// No type.
    pub const NONE: Self = Types(0);
    /// null
    pub const NULL: Self = Types(1);
    /// false
    pub const FALSE: Self = Types(2);
    /// true
    pub const TRUE: Self = Types(4);
    /// Whole numbers, however they are spelled.
    pub const INTEGER: Self = Types(8);
    /// Numbers that are not whole.
    pub const FRACTION: Self = Types(16);
    /// Strings.
    pub const STRING: Self = Types(32);
    /// Arrays.
    pub const ARRAY: Self = Types(64);
    /// Objects.
    pub const OBJECT: Self = Types(128);
    /// false and true
    pub const BOOLEAN: Self = Types(2 | 4);
    /// null, false and true
    pub const WORDS: Self = Types(1 | 2 | 4);
    /// All numbers.
    pub const NUMBER: Self = Types(8 | 16);
    /// All types.
    pub const ANY: Self = Types(255);

    /// The types that a name of JSON Schema stands for.
    ///
    /// ```
    /// use frisket_schema::condition::Types;
    /// assert_eq!(Types::named("boolean"), Some(Types::FALSE | Types::TRUE));
    /// assert_eq!(Types::named("float"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|&(_, types)| types)
    }

    /// The names that JSON Schema has for types.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|&(name, _)| name)
    }

    /// Whether no type is in the set.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether some of these types are in the set.
    pub fn has(self, some: Self) -> bool {
        self.0 & some.0 != 0
    }
}

const NAMES: [(&str, Types); 7] = [
    ("null", Types::NULL),
    ("boolean", Types::BOOLEAN),
    ("integer", Types::INTEGER),
    ("number", Types::NUMBER),
    ("string", Types::STRING),
    ("array", Types::ARRAY),
    ("object", Types::OBJECT),
];

impl BitAnd for Types {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Types(self.0 & other.0)
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Types(self.0 | other.0)
    }
}

impl Not for Types {
    type Output = Self;

    fn not(self) -> Self {
        Types(!self.0)
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = ["null", "false", "true", "integer", "fraction", "string", "array", "object"];
        f.debug_set().entries((0..8).filter(|bit| self.0 >> bit & 1 == 1).map(|bit| words[bit])).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_types_are_bits() {
        assert_eq!(Types::NUMBER, Types::INTEGER | Types::FRACTION);
        assert_eq!(!Types::ANY, Types::NONE);
        assert!((!Types::STRING & Types::STRING).is_empty() && !Types::NULL.is_empty());
        assert!(Types::ANY.has(Types::WORDS) && !Types::NULL.has(Types::BOOLEAN) && Types::NUMBER.has(Types::INTEGER));
        assert_eq!(Types::names().filter_map(Types::named).fold(Types::NONE, BitOr::bitor), Types::ANY);
        assert_eq!(format!("{:?}", Types::BOOLEAN), r#"{"false", "true"}"#);
    }
}
