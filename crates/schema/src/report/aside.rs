//! Schemas → entries of keywords without an effect on documents: annotations, and words that no draft knows.
//!
//! JSON Schema lets implementations ignore unknown words. The author of `requried` meant something, though, so a report
//! names such a word and the keyword that is spelled like it.

use super::{Entry, Status};
use crate::condition::Types;
use crate::draft::Draft;
use crate::error::Result;
use crate::formats::{self, FormatOptions, Mode, Vocabulary};
use crate::json::{Key, NodeId, Text, Tree, Value};
use crate::read::{find_keyword, is_metadata, keyword_names, METADATA};
use crate::resolve::applicator::subschemas;
use crate::resolve::{Documents, Location};
use crate::similar::closest;
use rustc_hash::{FxHashMap, FxHashSet};

/// The entries of all keywords without an effect, and of formats that are enforced.
///
/// Walks all of the schema, with places that no value reaches, and everything that its references lead to.
///
/// Errors: errors of the registry.
pub(super) fn asides(documents: &mut Documents<'_>, formats: &FormatOptions, is_nullable: bool) -> Result<Vec<Entry>> {
    let root = documents.root();
    let found = documents.resource(root);
    let mut stack = vec![(found.root, root, found.pointer.to_string())];
    let mut pointers: FxHashSet<String> = FxHashSet::default();
    let mut held: FxHashSet<Location> = FxHashSet::default();
    let mut known = Known { formats, is_nullable, meant: FxHashMap::default() };
    let mut entries = Vec::new();
    while let Some((schema, mut resource, pointer)) = stack.pop() {
        if documents.object(schema).is_none() || !pointers.insert(pointer.clone()) {
            continue;
        }
        resource = documents.inside(schema, resource, &pointer)?;
        let found = documents.resource(resource);
        let place = Schema {
            tree: documents.tree(schema),
            node: schema.node,
            draft: found.draft,
            has_validation: found.has_validation,
            pointer: &pointer,
        };
        known.of_place(&place, &mut entries);
        // A schema may stand at several places, but the schemas below it are visited once.
        if held.insert(schema) {
            let tree = documents.tree(schema);
            let below = subschemas(tree, schema.node, &pointer);
            stack.extend(below.into_iter().map(|(node, pointer)| (Location { node, ..schema }, resource, pointer)));
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let tree = documents.tree(schema);
                let reference = tree.object(schema.node).and_then(|members| tree.str(members.get(keyword)?));
                let Some(reference) = reference.map(str::to_owned) else { continue };
                let target = documents.resolve(&reference, resource)?;
                stack.extend(target.map(|target| (target.schema, target.resource, target.pointer.to_string())));
            }
        }
    }
    Ok(entries)
}

/// The reason why a word that looks like a condition has no effect.
fn annotation(word: &str) -> Option<&'static str> {
    Some(match word {
        "contentEncoding" => "contents are annotated; draft 7 asserts base64",
        "contentMediaType" => "contents are annotated; draft 7 asserts application/json",
        "contentSchema" => "contents are annotated",
        "discriminator" => "OpenAPI's; the alternatives tell themselves apart",
        _ => return None,
    })
}

/// The keyword that another one needs to have an effect.
fn needed(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "then" | "else" => "if",
        "minContains" | "maxContains" => "contains",
        _ => return None,
    })
}

/// The word of JSON Schema that an unknown one may be meant for.
fn meant(word: &str) -> Option<&'static str> {
    let mut known: Vec<&'static str> = keyword_names().chain(METADATA).collect();
    known.sort_unstable();
    closest(word, known)
}

/// The format of JSON Schema that a name may be meant for.
fn format_meant(name: &str) -> Option<&'static str> {
    let of_texts = formats::all().filter(|format| format.vocabulary == Vocabulary::JsonSchema && !format.is_numeric());
    let mut names: Vec<&'static str> = of_texts.map(|format| format.name).collect();
    names.sort_unstable();
    closest(name, names)
}

/// A schema at a place.
pub(super) struct Schema<'s> {
    pub tree: &'s Tree,
    pub node: NodeId,
    pub draft: Draft,
    pub has_validation: bool,
    pub pointer: &'s str,
}

impl Schema<'_> {
    fn get(&self, keyword: &str) -> Option<NodeId> {
        self.tree.object(self.node)?.get(keyword)
    }

    /// Whether the draft has a keyword of this name, and the metaschema its vocabulary.
    pub fn counts(&self, name: &str) -> bool {
        find_keyword(name).is_some_and(|keyword| keyword.counts(self.draft, self.has_validation))
    }

    /// Whether `$ref` disables the keywords beside it, as up to draft 7.
    pub fn is_shadowed(&self) -> bool {
        self.draft <= Draft::Draft7 && self.get("$ref").is_some()
    }

    /// The keyword that another one needs to have an effect (`if` for `then`), if it is missing.
    pub fn missing(&self, keyword: &str) -> Option<&'static str> {
        if keyword == "additionalItems" {
            let items = self.get("items").map(|items| self.tree.value(items));
            return (!matches!(items, Some(Value::Array(_)))).then_some("a list of items");
        }
        let needed = match (keyword, self.draft) {
            ("exclusiveMinimum", Draft::Draft4) => Some("minimum"),
            ("exclusiveMaximum", Draft::Draft4) => Some("maximum"),
            _ => needed(keyword),
        };
        needed.filter(|needed| self.get(needed).is_none())
    }

    /// The types that `type` allows; without `type`, strings and numbers, the types that formats are about.
    fn types(&self) -> Types {
        let either = Types::NUMBER | Types::STRING;
        let named = |node: &NodeId| match self.tree.value(*node) {
            Value::String(Text::Unicode(name)) => Types::named(name).unwrap_or(either),
            _ => either,
        };
        let Some(said) = self.get("type") else { return either };
        match self.tree.array(said) {
            Some(names) => names.iter().map(named).fold(Types::NONE, |all, one| all | one),
            None => named(&said),
        }
    }
}

/// The options, and for each unknown word the known one that may be meant.
struct Known<'f> {
    formats: &'f FormatOptions,
    is_nullable: bool,
    meant: FxHashMap<String, Option<&'static str>>,
}

impl Known<'_> {
    fn of_place(&mut self, schema: &Schema<'_>, entries: &mut Vec<Entry>) {
        for member in schema.tree.object(schema.node).iter().flat_map(|members| members.iter()) {
            let Key::Text(name) = member.key else { continue };
            let name = name.to_string();
            let said = match () {
                () if name == "$schema" => self.of_metaschema(schema, member.value),
                () if is_metadata(&name) => None,
                () if schema.counts(&name) => self.of_keyword(schema, &name, member.value),
                () => self.of_other(schema, &name, member.value),
            };
            entries.extend(said.map(|(status, note)| Entry::noted(schema.pointer, &name, status, note)));
        }
    }

    /// Status and note of a keyword of the draft; None if there is nothing to note.
    fn of_keyword(&self, schema: &Schema<'_>, keyword: &str, value: NodeId) -> Option<(Status, String)> {
        if schema.is_shadowed() && keyword != "$ref" {
            return Some((Status::Annotation, "up to draft 7 nothing counts beside $ref".into()));
        }
        if let ("format", Value::String(name)) = (keyword, schema.tree.value(value)) {
            return Some(self.of_format(schema, &name.to_string()));
        }
        let note = match schema.missing(keyword) {
            Some(needed) => format!("asks nothing without {needed}"),
            None => self.of_contents(schema, keyword, value)?.into(),
        };
        Some((Status::Annotation, note))
    }

    /// The reason why `contentEncoding` or `contentMediaType` has no effect in a draft that asserts it.
    fn of_contents(&self, schema: &Schema<'_>, keyword: &str, value: NodeId) -> Option<&'static str> {
        let (asserted, note) = match keyword {
            "contentEncoding" => ("base64", "only base64 is asserted"),
            "contentMediaType" => ("application/json", "only application/json is asserted"),
            _ => return None,
        };
        if self.formats.mode == Mode::Annotate {
            return Some("contents are annotations, as the options say");
        }
        (schema.tree.str(value) != Some(asserted)).then_some(note)
    }

    fn of_format(&self, schema: &Schema<'_>, name: &str) -> (Status, String) {
        let annotation = |note: &str| (Status::Annotation, format!("{name}: {note}"));
        if self.formats.mode == Mode::Annotate {
            return annotation("formats are annotations, as the options say");
        }
        let Some(format) = formats::find(name, schema.draft, self.formats.mode) else {
            let note = match (formats::named(name), format_meant(name)) {
                (Some(_), _) => "a format of OpenAPI or Pydantic; formats=\"openapi\" enforces it".into(),
                (None, Some(meant)) => format!("no format of JSON Schema; did you mean {meant}?"),
                (None, None) => "no format of JSON Schema".to_owned(),
            };
            return annotation(&note);
        };
        let (types, values) = match format.is_numeric() {
            true => (Types::NUMBER, "numbers"),
            false => (Types::STRING, "texts"),
        };
        match schema.types().has(types) {
            true => (Status::Enforced, format.note(self.formats).unwrap_or_default()),
            false => annotation(&format!("it says something of {values}, and there can be none")),
        }
    }

    /// Status and note of a word that is no keyword of the draft; None if there is nothing to note.
    fn of_other(&mut self, schema: &Schema<'_>, word: &str, value: NodeId) -> Option<(Status, String)> {
        if word == "nullable" {
            return self.of_nullable(schema, value).map(|note| (Status::Annotation, note.into()));
        }
        if let Some(note) = annotation(word) {
            return Some((Status::Annotation, note.into()));
        }
        if word == "x-guidance" {
            let note = "options of llguidance, not read here; JSONSchemaOptions has separators, whitespace, relaxed";
            return Some((Status::Unknown, note.into()));
        }
        if word.starts_with("x-") {
            return Some((Status::Annotation, "an extension".into()));
        }
        if let Some(keyword) = find_keyword(word) {
            let (first, last) = (keyword.first, keyword.last);
            if first <= schema.draft && schema.draft <= last {
                return Some((Status::Annotation, "the metaschema leaves out what asserts it".into()));
            }
            let drafts = if first < last { format!("draft {first} to {last}") } else { format!("draft {first}") };
            let note = format!("a keyword of {drafts}; this is read as draft {}", schema.draft);
            return Some((Status::Unknown, note));
        }
        let meant = *self.meant.entry(word.into()).or_insert_with(|| meant(word));
        let note = meant.map_or("no keyword of any draft".into(), |meant| format!("did you mean {meant}?"));
        Some((Status::Unknown, note))
    }

    /// Status and note of `$schema` if it names a draft of JSON Schema that is not known. Other URIs may be metaschemas.
    fn of_metaschema(&self, schema: &Schema<'_>, value: NodeId) -> Option<(Status, String)> {
        let name = schema.tree.str(value)?;
        let is_draft = !name.contains("://") || name.contains("json-schema.org/");
        let note = match Draft::of_metaschema(name) {
            Some(_) if name.contains("draft-03") => "draft 3 is read as draft 4".into(),
            None if is_draft => format!("no draft that is known here; this is read as draft {}", schema.draft),
            _ => return None,
        };
        Some((Status::Unknown, note))
    }

    /// The reason why `nullable: true` has no effect; None if it adds null to `type`, or is not true.
    fn of_nullable(&self, schema: &Schema<'_>, value: NodeId) -> Option<&'static str> {
        if !matches!(schema.tree.value(value), Value::Boolean(true)) {
            return None;
        }
        match (self.is_nullable, schema.get("type")) {
            (true, Some(_)) => None,
            (true, None) => Some("OpenAPI 3.0's; asks nothing without type"),
            (false, _) => Some("OpenAPI 3.0's; JSONSchemaOptions(nullable=True) reads it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_meant_for_a_keyword_or_metadata() {
        assert_eq!(meant("requried"), Some("required"));
        assert_eq!(meant("min_length"), Some("minLength"));
        assert_eq!(meant("Description"), Some("description"));
        assert_eq!(meant("$ID"), Some("id"));
        assert_eq!(meant("colour"), None);
    }
}
