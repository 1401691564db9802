//! Name of a keyword → its reader, and the drafts that have it. Names that are not here are annotations.

mod applicator;
mod array;
mod count;
mod number;
mod object;
mod string;
mod type_name;
mod value;

pub(super) use applicator::read_reference;
pub use type_name::meant_type;
pub(super) use value::read_values;

use super::reader::Reader;
use crate::draft::Draft;
use crate::error::Result;
use crate::json::NodeId;
use crate::resolve::applicator::{holds, Holds};

/// Reads the value of a keyword of this name.
type Read = fn(&mut Reader<'_, '_>, &'static str, NodeId) -> Result<()>;

/// A keyword with an effect on validity.
pub(crate) struct Keyword {
    pub(super) name: &'static str,
    pub(super) read: Read,
    /// The first draft that has it.
    pub first: Draft,
    /// The last draft that has it.
    pub last: Draft,
    /// Whether it belongs to the validation vocabulary, which metaschemas since 2019-09 may leave out.
    is_validation: bool,
}

impl Keyword {
    const fn new(name: &'static str, read: Read, first: Draft, last: Draft) -> Self {
        Keyword { name, read, first, last, is_validation: false }
    }

    const fn of_validation(name: &'static str, read: Read, first: Draft) -> Self {
        Keyword { name, read, first, last: Draft::Draft2020, is_validation: true }
    }

    /// Whether a draft has the keyword, with or without the validation vocabulary.
    pub fn counts(&self, draft: Draft, has_validation: bool) -> bool {
        self.first <= draft && draft <= self.last && (has_validation || !self.is_validation)
    }
}

use Draft::{Draft2019, Draft2020, Draft4, Draft6, Draft7};

/// All keywords, sorted by name.
const KEYWORDS: [Keyword; 45] = [
    Keyword::new("$dynamicRef", read_reference, Draft2020, Draft2020),
    Keyword::new("$recursiveRef", read_reference, Draft2019, Draft2019),
    Keyword::new("$ref", read_reference, Draft4, Draft2020),
    Keyword::new("additionalItems", array::read_items, Draft4, Draft2019),
    Keyword::new("additionalProperties", object::read_properties, Draft4, Draft2020),
    Keyword::new("allOf", applicator::read_schemas, Draft4, Draft2020),
    Keyword::new("anyOf", applicator::read_schemas, Draft4, Draft2020),
    Keyword::of_validation("const", value::read_const, Draft6),
    Keyword::new("contains", array::read_contains, Draft6, Draft2020),
    Keyword::new("contentEncoding", string::read_content, Draft7, Draft7),
    Keyword::new("contentMediaType", string::read_content, Draft7, Draft7),
    Keyword::new("dependencies", object::read_dependencies, Draft4, Draft2020),
    Keyword::of_validation("dependentRequired", object::read_dependent_required, Draft2019),
    Keyword::new("dependentSchemas", object::read_dependent_schemas, Draft2019, Draft2020),
    Keyword::new("else", applicator::read_branch, Draft7, Draft2020),
    Keyword::of_validation("enum", value::read_enum, Draft4),
    Keyword::of_validation("exclusiveMaximum", number::read_exclusive, Draft4),
    Keyword::of_validation("exclusiveMinimum", number::read_exclusive, Draft4),
    Keyword::new("format", string::read_format, Draft4, Draft2020),
    Keyword::new("if", applicator::read_if, Draft7, Draft2020),
    Keyword::new("items", array::read_items, Draft4, Draft2020),
    Keyword::of_validation("maxContains", array::read_bound, Draft2019),
    Keyword::of_validation("maxItems", count::read_count, Draft4),
    Keyword::of_validation("maxLength", count::read_count, Draft4),
    Keyword::of_validation("maxProperties", count::read_count, Draft4),
    Keyword::of_validation("maximum", number::read_inclusive, Draft4),
    Keyword::of_validation("minContains", array::read_bound, Draft2019),
    Keyword::of_validation("minItems", count::read_count, Draft4),
    Keyword::of_validation("minLength", count::read_count, Draft4),
    Keyword::of_validation("minProperties", count::read_count, Draft4),
    Keyword::of_validation("minimum", number::read_inclusive, Draft4),
    Keyword::of_validation("multipleOf", number::read_multiple_of, Draft4),
    Keyword::new("not", applicator::read_not, Draft4, Draft2020),
    Keyword::new("oneOf", applicator::read_schemas, Draft4, Draft2020),
    Keyword::of_validation("pattern", string::read_pattern, Draft4),
    Keyword::new("patternProperties", object::read_properties, Draft4, Draft2020),
    Keyword::new("prefixItems", array::read_items, Draft2020, Draft2020),
    Keyword::new("properties", object::read_properties, Draft4, Draft2020),
    Keyword::new("propertyNames", object::read_property_names, Draft6, Draft2020),
    Keyword::of_validation("required", object::read_required, Draft4),
    Keyword::new("then", applicator::read_branch, Draft7, Draft2020),
    Keyword::of_validation("type", type_name::read_type, Draft4),
    Keyword::new("unevaluatedItems", array::read_unevaluated, Draft2019, Draft2020),
    Keyword::new("unevaluatedProperties", object::read_unevaluated, Draft2019, Draft2020),
    Keyword::of_validation("uniqueItems", array::read_unique_items, Draft4),
];

/// The keyword of a name.
pub(crate) fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.binary_search_by_key(&name, |keyword| keyword.name).ok().map(|at| &KEYWORDS[at])
}

/// The names of all keywords.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KEYWORDS.iter().map(|keyword| keyword.name)
}

/// Words that name, describe or hold schemas, in JSON Schema and OpenAPI, sorted. Nobody takes them for conditions, so
/// a report does not list them.
pub(crate) const METADATA: [&str; 20] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "$vocabulary",
    "default",
    "definitions",
    "deprecated",
    "description",
    "example",
    "examples",
    "externalDocs",
    "id",
    "readOnly",
    "title",
    "writeOnly",
    "xml",
];

/// Whether a word names, describes or holds schemas.
pub(crate) fn is_metadata(word: &str) -> bool {
    METADATA.binary_search(&word).is_ok()
}

/// Whether a draft has a keyword of this name that has an effect or holds schemas.
pub fn has_keyword(draft: Draft, name: &str) -> bool {
    find(name).map_or_else(|| holds(name) != Holds::default(), |keyword| keyword.counts(draft, true))
}

/// Whether some draft has a keyword of this name.
pub fn is_keyword(name: &str) -> bool {
    find(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_by_its_name() {
        assert!(KEYWORDS.iter().all(|keyword| find(keyword.name).is_some_and(|found| found.name == keyword.name)));
        assert!(!is_keyword("title") && !is_keyword("nullable") && !is_keyword(""));
    }

    #[test]
    fn metadata_is_found_by_name() {
        assert!(METADATA.iter().all(|word| is_metadata(word)));
        assert!(!is_metadata("type") && !is_metadata("titel"));
    }

    #[test]
    fn a_keyword_counts_in_its_drafts() {
        let counts = |name, draft| find(name).unwrap().counts(draft, true);
        assert!(!counts("const", Draft4) && counts("const", Draft6) && counts("const", Draft2020));
        assert!(counts("additionalItems", Draft2019) && !counts("additionalItems", Draft2020));
        let of_validation = find("type").unwrap();
        assert!(of_validation.counts(Draft2020, true) && !of_validation.counts(Draft2020, false));
        assert!(find("properties").unwrap().counts(Draft2020, false));
    }
}
