//! An unknown word and the known ones → the known word that may be meant.
//!
//! Two words are alike as far as few letters must be added, dropped, replaced or swapped to make one of the other
//! (Damerau 1964), as a share of the longer one.

use std::cmp::Ordering;
use strsim::osa_distance;

/// Words of this many characters or more are not compared: they are no slips of the pen.
const LONG: usize = 64;

/// Least similarity, from 0 to 1, of a word that may be meant. `requried` and `required` have 0.875.
const ALIKE: f64 = 0.7;

/// Least similarity of a name for which another one may be meant, where only what is there counts: `WS` and `WSS`.
const NEAR: f64 = 0.6;

/// The known name that is spelled most like another one, letter by letter; None if none is near.
///
/// ```
/// use frisket_schema::similar::nearest;
/// assert_eq!(nearest("INTT", ["INT", "WORD"]), Some("INT"));
/// ```
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    most_alike(word, known, NEAR, str::to_owned)
}

/// The known word that is spelled most like another one, capitals, dashes and the dollar aside; None if none is near.
///
/// Of known words that differ in these only, the last is returned.
pub fn closest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    most_alike(word, known, ALIKE, bare)
}

/// The known word of the greatest similarity of at least `least`; of equal ones the one that is the last in the
/// alphabet. `compared` makes the text of a word that is compared.
fn most_alike<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
    least: f64,
    compared: impl Fn(&str) -> String,
) -> Option<&'k str> {
    if word.chars().count() >= LONG {
        return None;
    }
    let word = compared(word);
    let rated = known.into_iter().map(|other| {
        let letters = compared(other);
        (likeness(&letters, &word), letters, other)
    });
    let order = |one: &(f64, String, &str), other: &(f64, String, &str)| -> Ordering {
        one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1))
    };
    rated.filter(|(rating, ..)| *rating >= least).max_by(order).map(|(_, _, other)| other)
}

/// The share of the longer word's letters that need no change.
fn likeness(word: &str, other: &str) -> f64 {
    let longer = word.chars().count().max(other.chars().count()).max(1);
    1.0 - osa_distance(word, other) as f64 / longer as f64
}

/// The text of a word that is compared. Case is folded as far as the standard library can: `ß` is `ss`, `ς` is `σ`.
fn bare(word: &str) -> String {
    let letters = word.chars().filter(|letter| !matches!(letter, '-' | '_' | '$'));
    letters.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_near_and_another_word_is_not() {
        let known = ["#/$defs/address", "#/$defs/name"];
        assert_eq!(closest("#/$defs/adress", known), Some("#/$defs/address"));
        assert_eq!(closest("#/defs/Name", known), Some("#/$defs/name"));
        assert_eq!(closest("#/$defs/colour", known), None);
        assert_eq!(closest("#/a", []), None);
        assert_eq!(closest("STRASSE", ["straße"]), Some("straße"));
        let long = "x".repeat(LONG);
        assert_eq!((closest(&long, [&*long]), closest(&long[1..], [&*long])), (None, Some(&*long)));
    }

    #[test]
    fn of_words_that_are_as_near_the_greater_one_is_meant() {
        assert_eq!(closest("identi", ["identa", "identb"]), Some("identb"));
        assert_eq!(closest("identi", ["identb", "identa"]), Some("identb"));
        assert_eq!(closest("ID", ["$id", "id"]), Some("id"), "the last of those that differ in a dollar");
    }
}
