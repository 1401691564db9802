//! Offset in a text → line and column, as an editor counts them.

/// (line, column) of a byte, both from 1; a column is a code point.
///
/// ```
/// assert_eq!(frisket_schema::json::line_and_column("{\n \"é\": x}", 8), (2, 6));
/// ```
pub fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    (1 + before.matches('\n').count(), 1 + before[line..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_code_points_and_begin_anew_with_each_line() {
        let text = "a\nß😀b\n";
        let found: Vec<_> = [0, 1, 2, 4, 8, 9, 10, 99].map(|byte| line_and_column(text, byte)).into();
        assert_eq!(found, [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 1)]);
        assert_eq!(line_and_column(text, 3), (2, 1), "the inside of a code point is its begin");
    }
}
