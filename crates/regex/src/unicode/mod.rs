//! Names of characters' properties → sets of code points.
//!
//! The data are those of the crate `regex-syntax` (Unicode 16). Python's dialect means the properties of the running
//! Python's Unicode; characters that are younger are then left out (`Version`).

pub(crate) mod class;
pub(crate) mod fold;
pub(crate) mod name;
pub(crate) mod property;

use crate::char_set::CharSet;
use frisket_core::storage::{lock::Lock, once::Lazy};
use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use rustc_hash::FxHashMap;

/// A version of Unicode: younger characters have no properties. None is the newest version known.
pub type Version = Option<(u8, u8)>;

/// The set that belongs to a key; made when it is asked for first. Keys are few: properties times versions.
fn cached(key: &str, version: Version, make: impl FnOnce() -> Option<CharSet>) -> Option<CharSet> {
    type Sets = FxHashMap<(String, Version), Option<CharSet>>;
    static SETS: Lazy<Lock<Sets>> = Lazy::new(Lock::default);
    let key = (key.to_owned(), version);
    if let Some(known) = SETS.lock().get(&key) {
        return known.clone();
    }
    let made = make();
    SETS.lock().insert(key, made.clone());
    made
}

/// The set of a class of `regex-syntax`, such as `\p{gc=Lu}`. It has no surrogates.
fn table(class: &str) -> Option<CharSet> {
    cached(class, None, || {
        let parsed = regex_syntax::Parser::new().parse(class).ok()?;
        match parsed.into_kind() {
            HirKind::Class(Class::Unicode(class)) => Some(of_class(&class)),
            HirKind::Literal(literal) => std::str::from_utf8(&literal.0)
                .ok()
                .map(|text| CharSet::new(text.chars().map(|char| (char as u32, char as u32)).collect())),
            _ => None,
        }
    })
}

fn of_class(class: &ClassUnicode) -> CharSet {
    CharSet::new(class.iter().map(|range| (range.start() as u32, range.end() as u32)).collect())
}

/// The characters of a version; all code points where the version is the newest.
fn assigned(version: Version) -> CharSet {
    let age = version.and_then(|(major, minor)| table(&format!(r"\p{{age={major}.{minor}}}")));
    age.unwrap_or_else(CharSet::all)
}
