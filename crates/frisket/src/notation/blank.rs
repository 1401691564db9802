//! The body of an ignored terminal → whether its texts are white space of which each run is the longest by itself.

/// White space of ASCII.
pub const BLANKS: [u8; 6] = [b'\t', b'\n', 0x0b, 0x0c, b'\r', b' '];

/// Whether a character is white space of ASCII.
pub fn is_blank(char: char) -> bool {
    u8::try_from(char).is_ok_and(|byte| BLANKS.contains(&byte))
}

/// Whether a body is one blank character or a class of such, perhaps repeated: `" "`, `/[ \t]+/`, `"\n"+`.
pub fn is_blank_run(body: &str) -> bool {
    let body = body.strip_suffix('+').unwrap_or(body);
    if let Some(text) = body.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return blanks(text) == Some(1);
    }
    let Some(pattern) = body.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else { return false };
    let pattern = pattern.strip_suffix('+').unwrap_or(pattern);
    match pattern.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(class) => blanks(class).is_some_and(|count| count > 0),
        None => blanks(pattern) == Some(1),
    }
}

/// How many characters a text has, if all are blanks or their escapes.
fn blanks(text: &str) -> Option<usize> {
    let (mut count, mut chars) = (0, text.chars());
    while let Some(char) = chars.next() {
        let is_known = match char {
            '\\' => matches!(chars.next()?, 't' | 'n' | 'f' | 'r'),
            char => is_blank(char),
        };
        is_known.then_some(())?;
        count += 1;
    }
    Some(count)
}
