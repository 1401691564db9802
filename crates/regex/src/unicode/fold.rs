//! Set of code points → the set of all that match a member when case is ignored.
//!
//! ECMA-262 folds by CaseFolding.txt, statuses C and S. Python's `re` compares lower cases, and treats lower cases with
//! the same upper case as equal.

use super::{assigned, of_class, table, Version};
use crate::char_set::{CharSet, Range, LAST};
use crate::unicode::property::SURROGATES;
use frisket_core::storage::once::Lazy;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use rustc_hash::FxHashMap;

/// The set with both cases of its ASCII letters.
pub(crate) fn ascii(set: &CharSet) -> CharSet {
    let shifted = |letters: Range, by: i32| {
        let letters = set.intersection(&CharSet::of(&[letters]));
        let shift = |point: u32| point.wrapping_add_signed(by);
        CharSet::new(letters.ranges().iter().map(|range| (shift(range.0), shift(range.1))).collect())
    };
    CharSet::union_of(&[set.clone(), shifted((0x41, 0x5a), 32), shifted((0x61, 0x7a), -32)])
}

/// The set with all cases, as ECMA-262 folds them with the flag `u`.
pub(crate) fn simple(set: &CharSet) -> CharSet {
    let chars = set.intersection(&CharSet::of(&[(0, SURROGATES.0 - 1), (SURROGATES.1 + 1, LAST)]));
    let range = |&(low, high): &Range| Some(ClassUnicodeRange::new(char::from_u32(low)?, char::from_u32(high)?));
    let mut class = ClassUnicode::new(chars.ranges().iter().filter_map(range));
    match class.try_case_fold_simple() {
        Ok(()) => set.union(&of_class(&class)),
        // Never: the tables are compiled in.
        Err(_) => set.clone(),
    }
}

/// The set with all cases, as Python's `re` takes them.
pub(crate) fn python(set: &CharSet, version: Version) -> CharSet {
    let assigned = assigned(version);
    let mut mates: Vec<Range> = Vec::new();
    for &(low, high) in set.intersection(&assigned).ranges() {
        if (high - low) as usize > PYTHON.len() {
            mates.extend(PYTHON.iter().filter(|(point, _)| (low..=high).contains(*point)).flat_map(|known| known.1));
        } else {
            mates.extend((low..=high).filter_map(|point| PYTHON.get(&point)).flatten());
        }
    }
    if mates.is_empty() {
        return set.clone();
    }
    set.union(&CharSet::new(mates).intersection(&assigned))
}

/// Code point → its class of case variants, for those that have any.
static PYTHON: Lazy<FxHashMap<u32, Vec<Range>>> = Lazy::new(|| {
    let mut classes: FxHashMap<char, Vec<char>> = FxHashMap::default();
    for changes in [r"\p{CWCM}", r"\p{CWCF}"] {
        for &(low, high) in table(changes).iter().flat_map(CharSet::ranges) {
            for char in (low..=high).filter_map(char::from_u32) {
                classes.entry(python_key(char)).or_default().push(char);
            }
        }
    }
    let mut known = FxHashMap::default();
    for mates in classes.values().filter(|mates| mates.len() > 1) {
        let ranges = CharSet::new(mates.iter().map(|&mate| (mate as u32, mate as u32)).collect());
        known.extend(mates.iter().map(|&mate| (mate as u32, ranges.ranges().to_vec())));
    }
    known
});

/// The key that all case variants of a letter share.
fn python_key(char: char) -> char {
    let lower = if char == 'İ' { 'i' } else { only(char.to_lowercase()).unwrap_or(char) };
    match only(lower.to_uppercase()) {
        Some(upper) => upper,
        // `re` also knows these pairs, whose upper cases are several characters long.
        None => match lower {
            '\u{1fd3}' => '\u{390}',
            '\u{1fe3}' => '\u{3b0}',
            '\u{fb05}' => '\u{fb06}',
            _ => lower,
        },
    }
}

fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(fold: impl Fn(&CharSet) -> CharSet, char: char) -> String {
        let set = fold(&CharSet::one(char as u32));
        set.ranges().iter().flat_map(|range| (range.0..=range.1).filter_map(char::from_u32)).collect()
    }

    #[test]
    fn each_dialect_has_its_variants() {
        let python = |char| all(|set| python(set, None), char);
        let simple = |char| all(simple, char);
        let cases = [
            ('k', "Kk\u{212a}", "Kk\u{212a}"),
            ('s', "Ss\u{17f}", "Ss\u{17f}"),
            ('i', "Ii\u{130}\u{131}", "Ii"),
            ('\u{130}', "Ii\u{130}\u{131}", "\u{130}"),
            ('\u{df}', "\u{df}\u{1e9e}", "\u{df}\u{1e9e}"),
            ('\u{b5}', "\u{b5}\u{39c}\u{3bc}", "\u{b5}\u{39c}\u{3bc}"),
            ('\u{390}', "\u{390}\u{1fd3}", "\u{390}\u{1fd3}"),
            ('\u{1fe3}', "\u{3b0}\u{1fe3}", "\u{3b0}\u{1fe3}"),
            ('\u{fb05}', "\u{fb05}\u{fb06}", "\u{fb05}\u{fb06}"),
            ('1', "1", "1"),
        ];
        for (char, in_python, in_ecma) in cases {
            assert_eq!((python(char).as_str(), simple(char).as_str()), (in_python, in_ecma), "{char}");
        }
        assert_eq!(all(ascii, 'k'), "Kk");
        assert_eq!(all(ascii, 'é'), "é");
    }

    #[test]
    fn a_younger_case_is_none() {
        // U+A7DC came with Unicode 16.0 as the upper case of U+019B.
        for (version, variants) in [(None, 2), (Some((14, 0)), 1)] {
            for char in ['\u{19b}', '\u{a7dc}'] {
                assert_eq!(all(|set| python(set, version), char).chars().count(), variants);
            }
        }
    }

    #[test]
    fn sets_are_folded_member_by_member() {
        let letters = CharSet::of(&[(0x41, 0x5a)]);
        assert_eq!(ascii(&letters).ranges(), [(0x41, 0x5a), (0x61, 0x7a)]);
        assert_eq!(simple(&letters).ranges(), [(0x41, 0x5a), (0x61, 0x7a), (0x17f, 0x17f), (0x212a, 0x212a)]);
        let wide = CharSet::of(&[(0x80, LAST)]);
        assert_eq!(
            python(&wide, None).difference(&wide).ranges(),
            [(0x49, 0x49), (0x4b, 0x4b), (0x53, 0x53), (0x69, 0x69), (0x6b, 0x6b), (0x73, 0x73)]
        );
        assert_eq!(simple(&CharSet::new(vec![SURROGATES])), CharSet::new(vec![SURROGATES]));
        assert!(ascii(&CharSet::none()).is_empty() && simple(&CharSet::none()).is_empty());
    }
}
