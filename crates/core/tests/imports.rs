//! The folders of the core import downward only, no cycle of modules has more than two files or leaves its folder, and
//! all methods of a type stand in the folder that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest folder to the highest; `error`, `limits` and `clock` lie below all.
const ORDER: [&str; 12] = [
    "storage",
    "bytes",
    "vocabulary",
    "regular",
    "json",
    "grammar",
    "automaton",
    "builder",
    "production",
    "mask",
    "room",
    "matcher",
];

/// Files of the largest cycle that one folder may have.
const MAX_CYCLE: usize = 2;

/// The files of a folder and of the folders in it.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// The sources of all modules by path: `mask::key::builder`, and `mask::key` for `mask/key/mod.rs`.
fn modules() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let modules = files.into_iter().map(|file| {
        let place = file.strip_prefix(&root).unwrap().with_extension("");
        let mut parts: Vec<&str> = place.iter().map(|part| part.to_str().unwrap()).collect();
        if parts.last() == Some(&"mod") {
            parts.pop();
        }
        (parts.join("::"), without_comments_and_tests(&fs::read_to_string(&file).unwrap()))
    });
    modules.filter(|(name, _)| name != "lib" && !is_for_tests(name)).collect()
}

/// Unit tests and their fixtures may import what they like: they are no part of what a module needs.
fn is_for_tests(module: &str) -> bool {
    module.split("::").any(|part| part == "tests" || part == "fixture")
}

/// The code of a module without its unit tests.
fn without_comments_and_tests(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code = code.split("#[cfg(test)]\npub(crate) mod tests").next().unwrap();
    code.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The modules that a source imports by `use`, or names by a path from `crate`.
fn imports(modules: &BTreeMap<String, String>, name: &str) -> BTreeSet<String> {
    let source = &modules[name];
    let mut paths = Vec::new();
    for (place, _) in source.match_indices("use ") {
        if source[..place].ends_with(['\n', ' ']) || place == 0 {
            let tree = source[place + 4..].split(';').next().unwrap();
            expand("", &tree.split_whitespace().collect::<String>(), &mut paths);
        }
    }
    for path in source.split("crate::").skip(1) {
        let end = path.find(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter))).unwrap_or(path.len());
        paths.push(format!("crate::{}", &path[..end]));
    }
    let parent = name.rsplit_once("::").map_or("", |(parent, _)| parent);
    let whole = |path: &str| match path.split_once("::") {
        Some(("crate", rest)) => rest.to_owned(),
        Some(("super", rest)) => format!("{parent}::{rest}"),
        Some(("self", rest)) => format!("{name}::{rest}"),
        _ => format!("{name}::{path}"),
    };
    let found = paths.iter().filter_map(|path| longest_module(modules, &whole(path)));
    found.filter(|found| found != name).collect()
}

/// The paths of an import: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(before: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((head, rest)) = tree.split_once('{') else {
        paths.push(format!("{before}{tree}"));
        return;
    };
    let (mut depth, mut from) = (0, 0);
    let inner = rest.strip_suffix('}').unwrap_or(rest);
    for (place, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if from < place {
                    expand(&format!("{before}{head}"), &inner[from..place], paths);
                }
                from = place + 1;
            }
            _ => {}
        }
    }
}

/// The module that defines what a path names.
fn longest_module(modules: &BTreeMap<String, String>, path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split("::").collect();
    (1..=parts.len()).rev().map(|length| parts[..length].join("::")).find(|name| modules.contains_key(name))
}

/// The strongly connected components of at least two modules: those that reach each other.
fn cycles(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reached = |from: &String| {
        let (mut seen, mut work) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(at) = work.pop() {
            work.extend(graph[&at].iter().filter(|next| seen.insert((*next).clone())).cloned());
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = graph.keys().map(|name| (name, reached(name))).collect();
    let cycle = |name: &String| -> Vec<String> {
        reached[name].iter().filter(|other| reached[other].contains(name)).cloned().collect()
    };
    graph.keys().map(cycle).filter(|cycle| cycle.len() > 1).collect()
}

fn folder(module: &str) -> &str {
    module.split("::").next().unwrap()
}

fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules();
    modules.keys().map(|name| (name.clone(), imports(&modules, name))).collect()
}

/// The path of a module's file without its name; modules with submodules are files of their own folder.
fn folder_of(modules: &BTreeMap<String, String>, module: &str) -> String {
    let has_inner = modules.keys().any(|name| name.strip_prefix(module).is_some_and(|rest| rest.starts_with("::")));
    match (has_inner, module.rsplit_once("::")) {
        (false, Some((parent, _))) => parent.to_owned(),
        _ => module.to_owned(),
    }
}

/// The name of the type that a line defines, if it begins with a struct or an enum.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        let rest = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest);
        rest.trim_start()
    });
    let name = line.strip_prefix("struct ").or_else(|| line.strip_prefix("enum "))?;
    name.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next()
}

/// The name of the type whose own methods a line begins: `impl<T> Name<T> {`; None for a trait's methods.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?.strip_suffix(['{', ' '])?;
    if rest.contains(" for ") {
        return None;
    }
    let rest = match rest.strip_prefix('<') {
        Some(generics) => generics.split_once("> ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    rest.trim().split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next()
}

/// Methods that stand outside the folder of their type, as "module: type".
fn strays(modules: &BTreeMap<String, String>) -> Vec<String> {
    let mut owners: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (module, source) in modules {
        for name in source.lines().filter_map(defined) {
            owners.entry(name).or_default().push(folder_of(modules, module));
        }
    }
    let is_inside = |folder: &str, owner: &str| folder == owner || folder.starts_with(&format!("{owner}::"));
    let mut found = Vec::new();
    for (module, source) in modules {
        let folder = folder_of(modules, module);
        for name in source.lines().filter_map(implemented) {
            if !owners.get(name).is_some_and(|owners| owners.iter().any(|owner| is_inside(&folder, owner))) {
                found.push(format!("{module}: {name}"));
            }
        }
    }
    found
}

#[test]
fn methods_stand_in_the_folder_of_their_type() {
    assert_eq!(strays(&modules()), [""; 0]);
}

#[test]
fn a_stray_is_found_whatever_form_its_type_has() {
    let sources = [
        ("a", "pub struct Top;"),
        ("a::one", "pub(crate) struct Plain;\n    pub enum Generic<T> {"),
        ("a::b", "impl Top {\nimpl Plain {"),
        ("a::b::two", "impl<T: Into<u8>> Generic<T> {\nimpl From<u8> for Other {"),
        ("c::three", "impl Plain {\nimpl<'a> Generic<&'a u8> {\nimpl Clone for Plain {\nimpl Top {"),
    ];
    let modules = sources.iter().map(|(name, source)| ((*name).into(), (*source).into())).collect();
    assert_eq!(strays(&modules), ["c::three: Plain", "c::three: Generic", "c::three: Top"]);
}

#[test]
fn folders_import_downward() {
    let graph = graph();
    let place = |module: &str| ORDER.iter().position(|&name| name == folder(module));
    for name in ORDER {
        assert!(graph.keys().any(|module| folder(module) == name), "{name} is empty");
    }
    let edges = graph.iter().flat_map(|(module, imports)| imports.iter().map(move |import| (module, import)));
    let upward: Vec<_> = edges.filter(|(module, import)| place(import) > place(module)).collect();
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn cycles_are_small_and_stay_in_their_folder() {
    let cycles = cycles(&graph());
    let bad: Vec<_> = cycles
        .iter()
        .filter(|cycle| cycle.len() > MAX_CYCLE || cycle.iter().any(|module| folder(module) != folder(&cycle[0])))
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_cycle_is_found_whatever_form_its_imports_have() {
    let sources = [
        ("a::one", "use crate::a::{two, three::{self, Thing}};"),
        ("a::two", "use super::three::Thing;"),
        ("a::three", "fn f() -> crate::a::one::Other { todo!() }"),
        ("b::four", "use crate::a::one; // crate::b::five"),
        ("b::five", "use crate::b::four::Four;\n#[cfg(test)]\nmod tests { use crate::b::five; }"),
    ];
    let modules: BTreeMap<String, String> =
        sources.iter().map(|(name, source)| ((*name).into(), without_comments_and_tests(source))).collect();
    let graph = modules.keys().map(|name| (name.clone(), imports(&modules, name))).collect();
    let found: Vec<Vec<String>> = cycles(&graph).into_iter().collect();
    assert_eq!(found, [["a::one", "a::three", "a::two"].map(String::from)]);
}
