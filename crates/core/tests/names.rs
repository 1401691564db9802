//! No source of the core defines a name that the house gave up for a standard one (docs/glossary.md).

use std::fs;
use std::path::{Path, PathBuf};

/// Types, functions and constants as they were called once.
const GIVEN_UP: [&str; 61] = [
    "Ways",
    "known_way",
    "tell_way",
    "Front",
    "Letters",
    "letters",
    "live",
    "may",
    "leads",
    "signs",
    "led",
    "clip",
    "clipped",
    "near",
    "Near",
    "stride",
    "least",
    "UNLOVELY",
    "Local",
    "local",
    "Reach",
    "asks",
    "doubts",
    "strays",
    "Ground",
    "forest",
    "Forest",
    "table",
    "Namer",
    "Own",
    "seen",
    "Sights",
    "Told",
    "look",
    "Look",
    "Outline",
    "openings",
    "Openings",
    "behind",
    "Behind",
    "region",
    "border",
    "chain",
    "Chain",
    "told",
    "beside",
    "up_to",
    "Cutting",
    "plant",
    "Readings",
    "distinct",
    "avoid",
    "variety",
    "steady",
    "plenty",
    "Blind",
    "blind",
    "settle",
    "conclude",
    "pours",
    "turn",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// The names that a source defines, without those of variables.
fn defined(source: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &'static str, line: &str| -> Option<usize> { line.find(rest).map(|at| at + rest.len()) };
    source.lines().filter(|line| !line.trim_start().starts_with("//")).filter_map(move |line| {
        let kinds = ["fn ", "struct ", "enum ", "type ", "const ", "trait "];
        let at = kinds.iter().filter_map(|&kind| name(kind, line)).min()?;
        line[at..].split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
    })
}

#[test]
fn no_name_that_was_given_up_is_defined() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 90);
    let mut found = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let old = defined(&source).filter(|name| GIVEN_UP.contains(name));
        found.extend(old.map(|name| format!("{}: {name}", file.display())));
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if GIVEN_UP.contains(&stem) {
            found.push(format!("{}: the file itself", file.display()));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
