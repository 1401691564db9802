//! Host name → whether IDNA 2008 takes it (RFC 5890 to 5893); code point properties as RFC 5892 derives them.

use super::punycode;
use frisket_core::storage::once::Lazy;
use frisket_regex::{property_set, CharSet, Spelling};
use std::borrow::Cow;
use std::iter::once;
use unicode_bidi::{bidi_class, BidiClass};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{is_nfc, UnicodeNormalization};

const LONGEST_LABEL: usize = 63;
const LONGEST_NAME: usize = 253;
const VIRAMA: u8 = 9;

/// Whether the text is a host name of RFC 1123, its A-labels (xn--…) sound.
pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= LONGEST_NAME
        && text.split('.').all(|label| is_ascii_label(label) && (!has_prefix(label) || is_a_label(label)))
}

/// Whether the text is an internationalized host name.
pub(super) fn is_idn_hostname(text: &str) -> bool {
    let labels: Vec<&str> = text.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).collect();
    let lengths: Option<Vec<usize>> = labels.iter().map(|label| ascii_length(label)).collect();
    let Some(lengths) = lengths else { return false };
    let decoded: Vec<Cow<'_, str>> =
        labels.iter().map(|label| decoded(label).map_or(Cow::Borrowed(*label), Cow::Owned)).collect();
    lengths.iter().sum::<usize>() + labels.len() - 1 <= LONGEST_NAME && meets_bidi_rule(&decoded)
}

/// Whether a label is of letters, digits and inner hyphens of ASCII.
fn is_ascii_label(label: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=LONGEST_LABEL).contains(&label.len())
        && label.bytes().all(is_inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

fn has_prefix(label: &str) -> bool {
    label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("xn--"))
}

/// Whether hyphens stand in the third and in the fourth place.
fn has_reserved_hyphens(label: &str) -> bool {
    let mut chars = label.chars().skip(2);
    chars.next() == Some('-') && chars.next() == Some('-')
}

/// The length of a label in ASCII, None if it is not valid.
fn ascii_length(label: &str) -> Option<usize> {
    if label.is_ascii() {
        let is_valid =
            is_ascii_label(label) && (!has_reserved_hyphens(label) || has_prefix(label) && is_a_label(label));
        return is_valid.then_some(label.len());
    }
    if !is_u_label(label) {
        return None;
    }
    let length = "xn--".len() + punycode::encode(label)?.len();
    (length <= LONGEST_LABEL).then_some(length)
}

/// The U-label of an A-label, whose letters may be capitals (RFC 5890, 2.3.2.1).
fn decoded(label: &str) -> Option<String> {
    let label = has_prefix(label).then(|| label.to_ascii_lowercase())?;
    punycode::decode(&label[4..]).filter(|decoded| !decoded.is_empty())
}

/// Whether a label with the prefix spells a U-label, in the one way there is.
fn is_a_label(label: &str) -> bool {
    let Some(decoded) = decoded(label) else { return false };
    !decoded.is_ascii()
        && is_u_label(&decoded)
        && punycode::encode(&decoded).is_some_and(|encoded| encoded.eq_ignore_ascii_case(&label[4..]))
        && meets_bidi_rule(&[Cow::Owned(decoded)])
}

/// Whether a label beyond ASCII is one that RFC 5891 (4.2) lets stand.
fn is_u_label(label: &str) -> bool {
    let chars: Vec<char> = label.chars().collect();
    let starts_with_mark = chars.first().is_some_and(|&first| MARKS.contains(first.into()));
    !label.starts_with('-')
        && !label.ends_with('-')
        && !has_reserved_hyphens(label)
        && !starts_with_mark
        && is_nfc(label)
        && (0..chars.len()).all(|place| is_allowed(&chars, place))
}

/// Whether the character at a place may stand there (RFC 5892, appendix A, where its neighbours decide).
fn is_allowed(label: &[char], place: usize) -> bool {
    let before = place.checked_sub(1).map(|before| label[before]);
    let after = label.get(place + 1).copied();
    let is_in = |char: Option<char>, script: &CharSet| char.is_some_and(|char| script.contains(char.into()));
    let char = label[place];
    match char {
        '\u{200c}' | '\u{200d}' => {
            let follows_virama = before.is_some_and(|before| canonical_combining_class(before) == VIRAMA);
            follows_virama || (char == '\u{200c}' && joins(label, place))
        }
        '·' => before == Some('l') && after == Some('l'),
        '\u{375}' => is_in(after, &GREEK),
        '\u{5f3}' | '\u{5f4}' => is_in(before, &HEBREW),
        '\u{30fb}' => label.iter().any(|&other| JAPANESE.contains(other.into())),
        '\u{660}'..='\u{669}' => !label.iter().any(|other| ('\u{6f0}'..='\u{6f9}').contains(other)),
        // Beside digits of the other kind, those are refused.
        '\u{6f0}'..='\u{6f9}' => true,
        _ => is_valid(char),
    }
}

/// (L|D) T* ZWNJ T* (R|D), where joining types are read off scripts that join: Arabic and its kin.
fn joins(label: &[char], place: usize) -> bool {
    fn is_letter_beside<'a>(mut chars: impl Iterator<Item = &'a char>) -> bool {
        let nearest = chars.find(|&&char| !TRANSPARENT.contains(char.into()));
        nearest.is_some_and(|&char| bidi_class(char) == BidiClass::AL)
    }
    is_letter_beside(label[..place].iter().rev()) && is_letter_beside(label[place + 1..].iter())
}

/// Whether a label may hold the letter whatever stands beside it, in a name that is written from left to right.
pub(super) fn is_letter(char: char) -> bool {
    !EXCEPTIONS_VALID.contains(&char)
        && is_valid(char)
        && LETTERS.contains(char.into())
        && bidi_class(char) == BidiClass::L
}

/// The rule of RFC 5893, which holds for all labels as soon as one is written from right to left.
fn meets_bidi_rule(labels: &[Cow<'_, str>]) -> bool {
    use BidiClass::{AL, AN, R};
    let classes: Vec<Vec<BidiClass>> = labels.iter().map(|label| label.chars().map(bidi_class).collect()).collect();
    let is_bidi = classes.iter().flatten().any(|class| matches!(class, R | AL | AN));
    !is_bidi || classes.iter().all(|classes| is_bidi_label(classes))
}

fn is_bidi_label(classes: &[BidiClass]) -> bool {
    use BidiClass::{AL, AN, BN, CS, EN, ES, ET, L, NSM, ON, R};
    let has = |class: BidiClass| classes.contains(&class);
    let Some(last) = classes.iter().rev().find(|&&class| class != NSM) else { return false };
    match classes[0] {
        R | AL => {
            let are_allowed =
                classes.iter().all(|class| matches!(class, R | AL | AN | EN | ES | CS | ET | ON | BN | NSM));
            are_allowed && matches!(last, R | AL | EN | AN) && !(has(EN) && has(AN))
        }
        L => {
            let are_allowed = classes.iter().all(|class| matches!(class, L | EN | ES | CS | ET | ON | BN | NSM));
            are_allowed && matches!(last, L | EN)
        }
        _ => false,
    }
}

/// PVALID by name (RFC 5892, 2.6).
const EXCEPTIONS_VALID: [char; 6] = ['\u{df}', '\u{3c2}', '\u{6fd}', '\u{6fe}', '\u{f0b}', '\u{3007}'];
/// DISALLOWED by name (RFC 5892, 2.6).
const EXCEPTIONS_INVALID: [char; 10] = [
    '\u{640}', '\u{7fa}', '\u{302e}', '\u{302f}', '\u{3031}', '\u{3032}', '\u{3033}', '\u{3034}', '\u{3035}',
    '\u{303b}',
];
/// Conjoining Hangul Jamo (RFC 5892, 2.9), and combining marks for symbols and musical ones (2.5).
const DISALLOWED_BLOCKS: [(u32, u32); 6] =
    [(0x1100, 0x11ff), (0xa960, 0xa97f), (0xd7b0, 0xd7ff), (0x20d0, 0x20ff), (0x1d100, 0x1d1ff), (0x1d200, 0x1d24f)];

/// Whether a label may hold the character where no rule asks for its neighbours: PVALID (RFC 5892, 3).
fn is_valid(char: char) -> bool {
    VALID.contains(char.into()) && once(char).nfkc().eq(once(char))
}

/// Characters of any of these properties.
fn set(properties: &[(&str, Option<&str>)]) -> CharSet {
    let of = |&(name, value): &(&str, Option<&str>)| {
        let found = property_set(name, value, Spelling::Loose, None);
        debug_assert!(found.is_some(), "nobody knows the property {name}");
        found
    };
    CharSet::union_of(&properties.iter().filter_map(of).collect::<Vec<_>>())
}

fn listed(chars: &[char]) -> CharSet {
    CharSet::new(chars.iter().map(|&char| (char.into(), char.into())).collect())
}

static MARKS: Lazy<CharSet> = Lazy::new(|| set(&[("M", None)]));
static TRANSPARENT: Lazy<CharSet> = Lazy::new(|| set(&[("Mn", None), ("Me", None), ("Cf", None)]));
static LETTERS: Lazy<CharSet> = Lazy::new(|| set(&[("Ll", None), ("Lo", None)]));
static GREEK: Lazy<CharSet> = Lazy::new(|| set(&[("sc", Some("greek"))]));
static HEBREW: Lazy<CharSet> = Lazy::new(|| set(&[("sc", Some("hebrew"))]));
static JAPANESE: Lazy<CharSet> =
    Lazy::new(|| set(&[("sc", Some("hiragana")), ("sc", Some("katakana")), ("sc", Some("han"))]));

/// PVALID, and characters that have another form in NFKC.
static VALID: Lazy<CharSet> = Lazy::new(|| {
    let letters_and_digits = ["Ll", "Lu", "Lo", "Lm", "Mn", "Mc", "Nd"].map(|category| (category, None));
    // Characters that fold to lower case, and ignored ones (2.2, 2.3). Those that NFKC keeps are listed one by one.
    let unstable = ["CWCF", "DI", "White_Space", "NChar"].map(|property| (property, None));
    let disallowed = [set(&unstable), listed(&EXCEPTIONS_INVALID), CharSet::new(DISALLOWED_BLOCKS.to_vec())];
    let beyond_ascii = CharSet::new(vec![(0x80, 0x10ffff)]);
    let derived = set(&letters_and_digits).intersection(&beyond_ascii).difference(&CharSet::union_of(&disallowed));
    let ascii = CharSet::new(vec![(0x2d, 0x2d), (0x30, 0x39), (0x61, 0x7a)]);
    CharSet::union_of(&[derived, listed(&EXCEPTIONS_VALID), ascii])
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_derived_as_the_standard_does() {
        // Letters, exceptions, a capital that nothing folds; what folds, what NFKC replaces, what is ignored, Jamo.
        for char in "aü漢ßς〇\u{13a0}\u{390}".chars() {
            assert!(is_valid(char), "{char}");
        }
        for char in "AÜﬁſ\u{ab70}\u{34f}\u{20d0}\u{1d16d}\u{1100}\u{640}_ ".chars() {
            assert!(!is_valid(char), "{char}");
        }
    }

    #[test]
    fn names_are_those_of_the_standard() {
        for (name, is_host, is_international) in [
            ("xn--bcher-kva.example", true, true),
            ("XN--BCHER-KVA", true, true),
            ("xn--bcher-kva-", false, false),
            ("xn--X", false, false),
            ("ab--cd", true, false),
            ("bücher.example", false, true),
            ("bücher。example", false, true),
            ("l·a", false, false),
            ("l·l", false, true),
            ("u\u{308}", false, false),
            ("א.1", false, false),
            ("א.a1", false, true),
            ("", false, false),
        ] {
            assert_eq!((is_hostname(name), is_idn_hostname(name)), (is_host, is_international), "{name}");
        }
    }
}
