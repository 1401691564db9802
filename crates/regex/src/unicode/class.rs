//! `\d`, `\w`, `\s` and `.` of each dialect → code points.
//!
//! Sources: ECMA-262, section 22.2.2.9; Python's `str.isalnum`, `isspace` and `isdecimal`; UTS #18, annex C, for Rust.

use super::property::category;
use super::{assigned, cached, table, Version};
use crate::char_set::{CharSet, Range};

pub(crate) const DIGIT: &[Range] = &[(0x30, 0x39)];
pub(crate) const WORD: &[Range] = &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
pub(crate) const ASCII_SPACE: &[Range] = &[(0x09, 0x0d), (0x20, 0x20)];
pub(crate) const ECMA_SPACE: &[Range] = &[
    (0x09, 0x0d),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
    (0xfeff, 0xfeff),
];
pub(crate) const ECMA_LINE_END: &[Range] = &[(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)];
pub(crate) const NEWLINE: &[Range] = &[(0x0a, 0x0a)];

/// The class of `d`, `w` or `s` as Python's `re` means it for `str`.
pub fn python_class(letter: char, version: Version) -> CharSet {
    let made = cached(&format!("python {letter}"), version, || {
        let named = |name| category(name).unwrap_or_else(CharSet::none);
        let newest = match letter {
            'd' => named("Nd"),
            'w' => CharSet::union_of(&[named("L"), named("N"), CharSet::one(0x5f)]),
            // `str.isspace` adds four separators of ASCII to White_Space.
            _ => table(r"\p{White_Space}")?.union(&CharSet::of(&[(0x1c, 0x1f)])),
        };
        Some(newest.intersection(&assigned(version)))
    });
    made.unwrap_or_else(CharSet::none)
}

/// The class of `d`, `w` or `s` as Rust's crate `regex` means it.
pub fn rust_class(letter: char) -> CharSet {
    table(&format!("\\{letter}")).unwrap_or_else(CharSet::none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_differ_between_dialects_where_their_sources_do() {
        let has = |set: CharSet, text: &str| text.chars().map(|char| set.contains(char as u32)).collect::<Vec<_>>();
        assert_eq!(has(python_class('w', None), "aé_٣²½ⓐ-"), [true, true, true, true, true, true, false, false]);
        assert_eq!(has(rust_class('w'), "aé_٣²½ⓐ-"), [true, true, true, true, false, false, true, false]);
        assert_eq!(has(python_class('s', None), " \u{1c}\u{85}\u{3000}\u{feff}"), [true, true, true, true, false]);
        assert_eq!(has(rust_class('s'), " \u{1c}\u{85}\u{3000}\u{feff}"), [true, false, true, true, false]);
        assert_eq!(python_class('d', None), rust_class('d'));
        // U+11F50 is a digit of Unicode 15.0.
        assert!(python_class('d', None).contains(0x11f50) && !python_class('d', Some((14, 0))).contains(0x11f50));
    }

    #[test]
    fn the_spaces_of_ecma_are_those_of_its_grammar() {
        let ends = CharSet::of(ECMA_LINE_END);
        let spaces = CharSet::of(&[(9, 9), (0xb, 0xc), (0xfeff, 0xfeff)]).union(&category("Zs").unwrap());
        assert_eq!(CharSet::of(ECMA_SPACE), spaces.union(&ends));
        assert!(CharSet::of(ASCII_SPACE).difference(&CharSet::of(ECMA_SPACE)).is_empty());
        assert_eq!(CharSet::of(WORD).intersection(&category("Nd").unwrap()), CharSet::of(DIGIT));
    }
}
