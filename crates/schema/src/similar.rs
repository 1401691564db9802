//! An unknown word and the known ones → the known word that may be meant.
//!
//! Two words are alike by the letters that they share in order: their longest common subsequence.

/// Words of this many characters or more are not compared: they are no slips of the pen.
const LONG: usize = 64;

/// Least similarity, from 0 to 1, of a word that may be meant. `requried` and `required` have 0.875.
const ALIKE: f64 = 0.8;

/// The ratio of a name for which another one may be meant, where only what is there counts: `WS` and `WSS`.
const NEAR: f64 = 0.6;

/// The known name that is spelled most like another one, letter by letter; None if none is near.
///
/// ```
/// use frisket_schema::similar::nearest;
/// assert_eq!(nearest("INTT", ["INT", "WORD"]), Some("INT"));
/// ```
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word: Vec<char> = word.chars().collect();
    let mut best: Option<(f64, &str)> = None;
    for other in known {
        let letters: Vec<char> = other.chars().collect();
        let found = ratio(&letters, &word, NEAR);
        if found >= NEAR && best.is_none_or(|best| (found, other) > best) {
            best = Some((found, other));
        }
    }
    best.map(|(_, other)| other)
}

/// The known word that is spelled most like another one, capitals, dashes and the dollar aside; None if none is near.
///
/// Of known words that differ in these only, the last is returned.
pub fn closest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.chars().count() >= LONG {
        return None;
    }
    let word = bare(word);
    let mut best: Option<(f64, Vec<char>, &str)> = None;
    for other in known {
        let letters = bare(other);
        let found = ratio(&letters, &word, ALIKE);
        let is_better = best.as_ref().is_none_or(|(ratio, best, _)| (found, &letters) >= (*ratio, best));
        if found >= ALIKE && is_better {
            best = Some((found, letters, other));
        }
    }
    best.map(|(_, _, other)| other)
}

/// The characters that are compared. Case is folded as far as the standard library can: `ß` is `ss`, `ς` is `σ`.
fn bare(word: &str) -> Vec<char> {
    let letters = word.chars().filter(|letter| !matches!(letter, '-' | '_' | '$'));
    letters.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Twice the letters that both words have in this order, of all letters; 0 if that is far from `least` by the lengths
/// alone.
fn ratio(word: &[char], other: &[char], least: f64) -> f64 {
    let length = word.len() + other.len();
    let share = |shared: usize| if length == 0 { 1.0 } else { 2.0 * shared as f64 / length as f64 };
    let most = share(word.len().min(other.len()));
    if most < least {
        return 0.0;
    }
    share(shared(word, other))
}

/// The length of the longest common subsequence.
fn shared(word: &[char], other: &[char]) -> usize {
    // Place in the other word → the letters that are shared by what was read of this word and what lies before there.
    let mut row = vec![0; other.len() + 1];
    for letter in word {
        let mut before = 0;
        for (place, found) in other.iter().enumerate() {
            let longer = if letter == found { before + 1 } else { row[place].max(row[place + 1]) };
            before = std::mem::replace(&mut row[place + 1], longer);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str, other: &str) -> f64 {
        let length = (word.len() + other.len()) as f64;
        2.0 * shared(&bare(word), &bare(other)) as f64 / length
    }

    #[test]
    fn the_ratio_is_that_of_the_letters_shared_in_order() {
        for (word, other, expected) in [
            ("required", "requried", 0.875),
            ("maxlength", "maxlen", 0.8),
            ("tide", "diet", 0.5),
            ("private", "volatile", 8.0 / 15.0),
            ("abxcd", "abcd", 8.0 / 9.0),
            ("a", "b", 0.0),
        ] {
            assert_eq!((of(word, other), of(other, word)), (expected, expected), "{word} {other}");
        }
    }

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
