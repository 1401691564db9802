//! A table of rows → every row has what it had.
//!
//! `FRISKET_WRITE_EXPECTED=1 cargo test -p frisket-schema` writes the tables anew, for a change of lowering that is meant.

use std::path::Path;

/// Differing rows that a failure shows.
const SHOWN: usize = 12;

/// Holds the last cells of each row against what `found` makes of the first ones, which it counts.
pub fn compare(table: &str, mut found: impl FnMut(&[&str]) -> (usize, Vec<String>)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(table);
    let (mut rows, mut different, mut written) = (0, Vec::new(), String::new());
    for row in std::fs::read_to_string(&path).unwrap().lines() {
        let cells: Vec<_> = row.split('\t').collect();
        let (given, found) = found(&cells);
        rows += 1;
        if found != cells[given..] {
            different.push(format!("{row}\n  found {found:?}"));
        }
        let cells: Vec<_> = cells[..given].iter().copied().chain(found.iter().map(String::as_str)).collect();
        written.push_str(&cells.join("\t"));
        written.push('\n');
    }
    if std::env::var_os("FRISKET_WRITE_EXPECTED").is_some() {
        return std::fs::write(&path, written).unwrap();
    }
    different.sort_by_key(String::len);
    let some = &different[..different.len().min(SHOWN)];
    assert!(different.is_empty(), "{} of {rows} differ:\n{}", different.len(), some.join("\n"));
    assert!(rows >= 500);
}
