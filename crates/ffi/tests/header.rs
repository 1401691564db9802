//! include/frisket.h is the header that cbindgen makes of this crate. `FRISKET_WRITE_HEADER=1 cargo test -p frisket-ffi`
//! writes it.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn the_header_is_that_of_the_crate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = cbindgen::generate(folder).expect("cbindgen reads the crate");
    let mut text = Vec::new();
    made.write(&mut text);
    let path = folder.join("include/frisket.h");
    if std::env::var_os("FRISKET_WRITE_HEADER").is_some() {
        std::fs::write(&path, &text).expect("the folder can be written");
    }
    let kept = std::fs::read(&path).unwrap_or_default();
    assert!(kept == text, "include/frisket.h is not what the crate says: write it by FRISKET_WRITE_HEADER=1");
}

#[test]
fn every_function_has_a_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the file is there");
    let (header, map) = (read("include/frisket.h"), read("frisket.map"));
    let declared: BTreeSet<&str> = header
        .split("frisket_")
        .skip(1)
        .filter_map(|rest| rest.split_once('('))
        .map(|(name, _)| name)
        .filter(is_name)
        .collect();
    let versioned: BTreeSet<&str> =
        map.split("frisket_").skip(1).filter_map(|rest| Some(rest.split_once(';')?.0)).collect();
    assert!(declared.len() > 30);
    assert_eq!(declared, versioned);
}

/// Whether the text before a parenthesis is a name: in a comment more words may come between.
fn is_name(text: &&str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
