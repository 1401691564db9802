//! The kinds of terms, by their first byte in a file.

pub(super) const CLASS: u8 = 0;
pub(super) const LITERAL: u8 = 1;
pub(super) const WORDS: u8 = 2;
pub(super) const CAT: u8 = 3;
pub(super) const ALT: u8 = 4;
pub(super) const AND: u8 = 5;
pub(super) const NOT: u8 = 6;
pub(super) const REPEAT: u8 = 7;
pub(super) const BOUNDED: u8 = 8;
pub(super) const MULTIPLE: u8 = 9;
pub(super) const QUOTED: u8 = 10;
pub(super) const SEQ: u8 = 11;
pub(super) const CALL: u8 = 12;
pub(super) const SPECIAL: u8 = 13;
pub(super) const OBJECT: u8 = 14;
pub(super) const UNIQUE: u8 = 15;
/// Before a term of whole characters whose parts are none.
pub(super) const CHARACTERS: u8 = 16;
