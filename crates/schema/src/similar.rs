//! An unknown word and the known ones → the known word that may be meant.
//!
//! The similarity is exactly that of Python's `difflib`, so hints from Rust and from Python are the same.

use rustc_hash::FxHashMap;

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

/// Twice the letters that match, of all letters of both words (Ratcliff and Metzener 1988); 0 if that is far from
/// `least` by the lengths alone.
fn ratio(word: &[char], other: &[char], least: f64) -> f64 {
    let length = word.len() + other.len();
    let share = |matches: usize| if length == 0 { 1.0 } else { 2.0 * matches as f64 / length as f64 };
    let most = share(word.len().min(other.len()));
    if most < least {
        return 0.0;
    }
    share(matches(word, other))
}

/// How many letters match: those of the longest common substring, and of what lies left and right of it in both words.
fn matches(word: &[char], other: &[char]) -> usize {
    let mut places: FxHashMap<char, Vec<usize>> = FxHashMap::default();
    for (place, &letter) in other.iter().enumerate() {
        places.entry(letter).or_default().push(place);
    }
    let mut stack = vec![(0, word.len(), 0, other.len())];
    let mut found = 0;
    while let Some((start, end, other_start, other_end)) = stack.pop() {
        let (at, other_at, size) = longest_match(&word[..end], start, &places, other_start, other_end);
        if size > 0 {
            found += size;
            stack.push((start, at, other_start, other_at));
            stack.push((at + size, end, other_at + size, other_end));
        }
    }
    found
}

/// The longest common substring of parts of two words, the leftmost of several: its start in each word, and its length.
fn longest_match(
    word: &[char],
    start: usize,
    places: &FxHashMap<char, Vec<usize>>,
    other_start: usize,
    other_end: usize,
) -> (usize, usize, usize) {
    let mut best = (start, other_start, 0);
    // Place in the other word → the length of the common substring that ends there and at the previous letter of this
    // word.
    let mut ending: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, letter) in word.iter().enumerate().skip(start) {
        let mut next = FxHashMap::default();
        for &place in places.get(letter).into_iter().flatten() {
            if (other_start..other_end).contains(&place) {
                let before = place.checked_sub(1).and_then(|before| ending.get(&before));
                let size = 1 + before.copied().unwrap_or(0);
                next.insert(place, size);
                if size > best.2 {
                    best = (at + 1 - size, place + 1 - size, size);
                }
            }
        }
        ending = next;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str, other: &str) -> f64 {
        let length = (word.len() + other.len()) as f64;
        2.0 * matches(&bare(word), &bare(other)) as f64 / length
    }

    #[test]
    fn the_ratio_is_that_of_difflib() {
        // `difflib.SequenceMatcher(None, word, other).ratio()`
        for (word, other, expected) in [
            ("required", "requried", 0.875),
            ("maxlength", "maxlen", 0.8),
            ("tide", "diet", 0.25),
            ("diet", "tide", 0.5),
            ("private", "volatile", 8.0 / 15.0),
            ("abxcd", "abcd", 8.0 / 9.0),
            ("a", "b", 0.0),
        ] {
            assert_eq!(of(word, other), expected, "{word} {other}");
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
