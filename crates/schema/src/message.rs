//! What several modules say of a wrong schema → the same words.

use crate::error::Error;
use crate::json::Value;

/// The error of a schema that applies itself to the very value that it is about.
pub(crate) fn refers_to_itself(pointer: String) -> Box<Error> {
    Error::invalid("the schema refers to itself without looking into the value").at(pointer)
}

/// The error of a schema with too many levels.
pub(crate) fn too_deep(pointer: String) -> Box<Error> {
    Error::limit("the schema nests too deep: 10,000 levels of schemas are the limit")
        .at(pointer)
        .with_hint("name inner schemas in $defs and refer to them")
}

/// The error of a name that is no string.
pub(crate) fn no_name(name: &str) -> Box<Error> {
    Error::invalid(format!("a name must be a string, not {name}")).with_hint("JSON has no others")
}

/// What a value is, for a message.
pub(crate) fn shown<'v>(value: Value<'v>) -> &'v str {
    match value {
        Value::Null => "null",
        Value::Boolean(_) => "a boolean",
        Value::Number(_) | Value::NonFinite(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
        Value::Foreign(name) => name,
    }
}

/// A value in a message: short texts and numbers as they are, of anything else what it is.
pub(crate) fn quoted(value: Value<'_>) -> String {
    match value {
        Value::String(text) if text.to_string().chars().count() <= 60 => format!("'{text}'"),
        Value::Number(numeral) if numeral.len() <= 60 => numeral.into(),
        Value::Boolean(flag) => flag.to_string(),
        other => shown(other).into(),
    }
}

/// The known word that is spelled most like another one, capitals, dashes and the dollar aside; None if none is near.
pub(crate) fn closest<'k>(word: &str, known: &'k [String]) -> Option<&'k str> {
    let bare = |word: &str| word.replace(['-', '_', '$'], "").to_lowercase();
    let word = bare(word);
    let length = word.chars().count();
    let near = known.iter().map(|other| (distance(&word, &bare(other)), other.as_str())).min()?;
    // Longer words are no slip of the pen. Of shorter ones, one letter in five may differ.
    (length < 64 && 5 * near.0 <= length).then_some(near.1)
}

/// Insertions, deletions and changes between two words (Levenshtein 1966).
fn distance(word: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in word.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], place + 1);
        for (column, &another) in other.iter().enumerate() {
            let changed = before + usize::from(letter != another);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_near_and_another_word_is_not() {
        let known = ["#/$defs/address".to_owned(), "#/$defs/name".to_owned()];
        assert_eq!(closest("#/$defs/adress", &known), Some("#/$defs/address"));
        assert_eq!(closest("#/defs/Name", &known), Some("#/$defs/name"));
        assert_eq!(closest("#/$defs/colour", &known), None);
        assert_eq!(closest("#/a", &[]), None);
        assert_eq!((distance("kitten", "sitting"), distance("", "ab"), distance("ab", "")), (3, 2, 2));
    }
}
