//! The folders of the core import downward only, and none of its cycles leaves a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest folder to the highest; `error` and `limits` lie below all.
const ORDER: [&str; 9] =
    ["storage", "bytes", "vocabulary", "regular", "json", "grammar", "automaton", "mask", "matcher"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// The folders that a source names behind `crate::`.
fn named(source: &str) -> impl Iterator<Item = &str> {
    source.split("crate::").skip(1).map(|rest| rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap())
}

#[test]
fn folders_import_downward() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place = |name: &str| ORDER.iter().position(|&folder| folder == name);
    let mut upward = Vec::new();
    for folder in ORDER {
        let mut files = Vec::new();
        sources(&root.join(folder), &mut files);
        assert!(!files.is_empty(), "{folder} is empty");
        for file in files {
            let source = fs::read_to_string(&file).unwrap();
            let higher = named(&source).filter(|&name| place(name) > place(folder));
            upward.extend(higher.map(|name| format!("{} imports {name}", file.strip_prefix(&root).unwrap().display())));
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}
