//! A schema that was read → notes on its language as a whole.

use crate::json::Key;
use crate::options::Options;
use crate::read::{find_keyword, is_metadata};
use crate::subschema::Subschemas;
use frisket_regex::quoted;

/// Most definitions or words that a note lists.
const NAMED: usize = 5;

/// A fact about a language as a whole that no single keyword states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The kind of note, for programs.
    pub code: &'static str,
    /// The fact, in words.
    pub text: String,
    /// JSON pointers of the schemas that it speaks of.
    pub pointers: Vec<String>,
}

impl Note {
    fn new(code: &'static str, text: impl Into<String>) -> Self {
        Note { code, text: text.into(), pointers: Vec::new() }
    }
}

/// The notes of a schema. `is_sorted`: whether a tool sorted its properties; `nameless`: the pointers of
/// `propertyNames` that no string meets.
pub(crate) fn notes(
    options: &Options,
    is_sorted: bool,
    subschemas: &Subschemas<'_>,
    nameless: Vec<String>,
) -> Vec<Note> {
    let mut found = Vec::new();
    found.extend(root_that_asks_nothing(subschemas));
    if !nameless.is_empty() {
        let places: Vec<String> = nameless.iter().map(|pointer| format!("#{pointer}")).collect();
        let text = format!("no string meets {}, so an object there has no member: names are strings", listed(&places));
        found.push(Note { pointers: nameless, ..Note::new("no-names", text) });
    }
    if is_sorted {
        let text = "properties come in any order: all names are in alphabetical order, so a tool sorted them";
        found.push(Note::new("sorted", text));
    }
    if options.closed_objects {
        let text = "objects have the members that the schema lists, unless it says what others may be: closed_objects";
        found.push(Note::new("closed-objects", text));
    }
    if !options.forbidden_texts.is_empty() {
        let texts: Vec<String> = options.forbidden_texts.iter().map(|text| quoted(text.chars())).collect();
        let text = format!("no string holds {}: forbidden_texts", texts.join(", "));
        found.push(Note::new("forbidden-texts", text));
    }
    if !options.escaped_texts.is_empty() {
        let texts: Vec<String> = options.escaped_texts.iter().map(|text| quoted(text.chars())).collect();
        let text = format!("strings spell the first character of {} as an escape: escaped_texts", texts.join(", "));
        found.push(Note::new("escaped-texts", text));
    }
    found
}

/// The note of a root that only defines schemas, or has only words that its draft lacks.
fn root_that_asks_nothing(subschemas: &Subschemas<'_>) -> Option<Note> {
    let documents = &subschemas.documents;
    let resource = documents.resource(documents.root());
    let members = documents.object(resource.root)?;
    let mut unknown = Vec::new();
    for member in members.iter() {
        let Key::Text(name) = member.key else { continue };
        let name = name.to_string();
        if find_keyword(&name).is_some_and(|keyword| keyword.counts(resource.draft, resource.has_validation)) {
            return None;
        }
        if !is_metadata(&name) && !name.starts_with("x-") {
            unknown.push(quoted(name.chars()));
        }
    }
    let definitions = subschemas.definitions(documents.root());
    let why = match (&definitions[..], &unknown[..]) {
        ([], []) => return None,
        ([], words) => format!("draft {} has no keyword {}", resource.draft, listed(words)),
        (references, _) => format!("it only defines {}; add a $ref to the one that is meant", listed(references)),
    };
    let pointers = definitions.iter().map(|reference| reference[1..].to_owned()).collect();
    let text = format!("the root asks nothing, so any JSON is valid: {why}");
    Some(Note { pointers, ..Note::new("root-asks-nothing", text) })
}

/// The first of some words, and the number of the others.
fn listed(words: &[String]) -> String {
    let more = words.len().saturating_sub(NAMED);
    let named = words[..words.len() - more].join(", ");
    if more == 0 {
        named
    } else {
        format!("{named} and {more} more")
    }
}
