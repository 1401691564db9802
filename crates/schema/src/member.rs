//! Schema of an object → the values of its members, for wire formats that write members one by one.
//!
//! Such a format writes a string without quotes and escapes up to a marker, as in `<city>Oslo</city>`, and every other
//! value as a literal. It asks for the nodes of both, in the builder of its own grammar.

use crate::algebra::{Expander, ExpansionOptions, Splitting, Union};
use crate::compile::refuse;
use crate::condition::{Conjunct, ConjunctionId, Types};
use crate::error::{Error, Kind, Result};
use crate::formats::KnownLanguages;
use crate::json::{NodeId, Tree};
use crate::lower::Lowerer;
use crate::options::PropertyOrder;
use crate::order::is_sorted;
use crate::prelude::Prelude;
use crate::read::is_metadata;
use crate::resolve::pointer::escape_str;
use crate::resolve::{Documents, Location};
use crate::subschema::Subschemas;
use crate::types::Lowering;
use frisket_core::builder::Builder;
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::{TermId, EMPTY};
use std::sync::Arc;

/// Keywords about a whole value that cannot be split into keywords about its members or items.
const WHOLE: [&str; 11] =
    ["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const", "extends"];

/// Keywords that relate the members of an object to each other, and the items of an array.
const OF_MEMBERS: [&str; 8] = [
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "unevaluatedProperties",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
];
const OF_ITEMS: [&str; 5] = ["prefixItems", "additionalItems", "contains", "uniqueItems", "unevaluatedItems"];

/// The keywords of a schema that a format cannot enforce if it writes members or items one by one.
///
/// `kind` is the type of a value in it, `object` or `array`. Without a kind, the schema is that of a whole object; if it has
/// no keyword about members, all others are listed.
///
/// ```
/// use frisket_schema::member::relating;
/// assert_eq!(relating(&["type", "minProperties", "version"], None), ["minProperties"]);
/// assert_eq!(relating(&["name", "schema"], None), ["name", "schema"]);
/// ```
pub fn relating<'k>(keys: &[&'k str], kind: Option<&str>) -> Vec<&'k str> {
    let is_about_members = |key: &&str| matches!(*key, "type" | "properties" | "required" | "additionalProperties");
    let keys = keys.iter().copied();
    if kind.is_none() && !keys.clone().any(|key| is_about_members(&key)) {
        return keys.filter(|key| !is_metadata(key) && *key != "strict" && !key.starts_with("x-")).collect();
    }
    let own: &[&str] = if kind == Some("array") { &OF_ITEMS } else { &OF_MEMBERS };
    keys.filter(|key| WHOLE.contains(key) || own.contains(key)).collect()
}

/// A regular node's texts with the marker that ends them: no text contains the marker or a forbidden string.
///
/// Without a marker, nothing limits the text. Errors: limits.
pub fn bounded_text(builder: &mut Builder, text: TermId, end: &str, forbidden: &[&str]) -> EngineResult<TermId> {
    let anything = builder.not(EMPTY.number())?.number();
    let mut text = text;
    if !forbidden.is_empty() {
        let words = builder.words(forbidden.iter().map(|word| word.as_bytes().into()).collect())?.number();
        let holding = builder.cat(&[anything, words, anything])?.number();
        let free = builder.not(holding)?.number();
        text = builder.and(&[text.number(), free])?;
    }
    if end.is_empty() {
        return Ok(text);
    }
    let marker = builder.literal(end.as_bytes())?.number();
    let byte = builder.byte_class(&[(0, 255)])?.number();
    let earlier = builder.cat(&[anything, marker, byte, anything])?.number();
    let (ended, first) = (builder.cat(&[text.number(), marker])?.number(), builder.not(earlier)?.number());
    builder.and(&[ended, first])
}

/// The values of the members of an object's schema.
///
/// Every method that makes nodes takes the builder of the caller's grammar, the same each time: a fork of the prelude's.
/// A key names a member; None stands for all members that `properties` does not name.
pub struct MemberValues {
    lowerer: Lowerer<'static>,
    schema: Arc<Tree>,
    is_relaxed: bool,
}

impl MemberValues {
    /// The values under the prelude's options. Errors: no schema.
    pub fn new(schema: Arc<Tree>, prelude: &Prelude) -> Result<Self> {
        let options = prelude.options();
        let documents = Documents::new(schema.clone(), None)?;
        // There is no second attempt: dynamic references are followed from the beginning.
        let subschemas = Subschemas::new(documents, options.subschemas(true));
        let expansion = ExpansionOptions {
            splitting: Splitting::Together,
            max_alternatives: options.max_alternatives,
            total: options.max_alternatives,
        };
        let languages = KnownLanguages::new(options.formats());
        let expander = Expander::new(Builder::default(), subschemas, languages, expansion);
        let is_sorted = options.property_order == PropertyOrder::Schema && is_sorted(&schema);
        let lowerer = Lowerer::new(expander, options, is_sorted, prelude.tables().clone());
        Ok(MemberValues { lowerer, schema, is_relaxed: options.relaxed })
    }

    /// Reads the keywords of the object itself. Errors: a keyword has a value that it cannot have.
    pub fn check(&mut self, builder: &mut Builder) -> Result<()> {
        self.on(builder, |this| {
            let root = this.lowerer.expander.subschemas.root()?;
            this.lowerer.expander.expand(root).map(drop)
        })
    }

    /// Whether a member may clearly have any value, without expanding its schema. Errors: no schema.
    pub fn is_anything(&mut self, key: Option<&str>) -> Result<bool> {
        Ok(self.conjunction(key)?.is_anything())
    }

    /// Whether some values of a member may be of these types. Errors: a schema that is wrong; limits.
    pub fn has(&mut self, builder: &mut Builder, key: Option<&str>, types: Types) -> Result<bool> {
        self.on(builder, |this| Ok(this.expand(key)?.iter().any(|conjunct| conjunct.types.has(types))))
    }

    /// The strings among a member's values, without quotes and escapes; None if there are none. Errors: as `has`.
    pub fn text(&mut self, builder: &mut Builder, key: Option<&str>) -> Result<Option<TermId>> {
        self.on(builder, |this| {
            let union = this.expand(key)?;
            this.lowerer.expander.texts_of(&union)
        })
    }

    /// A member's values of these types, as literals; None if there are none. Errors: as `has`.
    pub fn literals(&mut self, builder: &mut Builder, key: Option<&str>, types: Types) -> Result<Option<TermId>> {
        self.on(builder, |this| {
            let conjuncts: Vec<Conjunct> = this
                .expand(key)?
                .iter()
                .filter(|conjunct| conjunct.types.has(types))
                .map(|conjunct| conjunct.among(types))
                .collect();
            match conjuncts[..] {
                [] => Ok(None),
                _ => this.lowerer.union(&conjuncts),
            }
        })
    }

    /// All of a member's values, as literals; None if clearly there are none. Errors: as `has`.
    pub fn value(&mut self, builder: &mut Builder, key: Option<&str>) -> Result<Option<TermId>> {
        self.on(builder, |this| {
            let of = this.conjunction(key)?;
            this.lowerer.lower(of)
        })
    }

    /// Refuses keywords read so far that are not enforced, unless the options are relaxed. Errors: these keywords.
    pub fn refuse_unsupported(&self) -> Result<()> {
        match self.is_relaxed {
            true => Ok(()),
            false => refuse(&self.lowerer.expander.subschemas.omissions),
        }
    }

    /// The result of a call in which the lowerer holds the caller's builder.
    fn on<T>(&mut self, builder: &mut Builder, call: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        std::mem::swap(&mut self.lowerer.expander.builder, builder);
        let found = call(self);
        std::mem::swap(&mut self.lowerer.expander.builder, builder);
        found.map_err(limited)
    }

    fn expand(&mut self, key: Option<&str>) -> Result<Union> {
        let of = self.conjunction(key)?;
        self.lowerer.expander.expand(of)
    }

    /// The constraint on a member's value.
    fn conjunction(&mut self, key: Option<&str>) -> Result<ConjunctionId> {
        let Some((node, pointer)) = place_of(&self.schema, key) else { return Ok(ConjunctionId::ANYTHING) };
        let subschemas = &mut self.lowerer.expander.subschemas;
        let root = subschemas.documents.resource(subschemas.documents.root()).root;
        subschemas.at(Location { node, ..root }, &pointer)
    }
}

/// The node and pointer of a member's schema; None if there is none.
fn place_of(schema: &Tree, key: Option<&str>) -> Option<(NodeId, String)> {
    let members = schema.object(schema.root())?;
    let properties = members.get("properties").and_then(|node| schema.object(node));
    if let Some((node, key)) = key.and_then(|key| Some((properties?.get(key)?, key))) {
        return Some((node, format!("/properties/{}", escape_str(key))));
    }
    members.get("additionalProperties").map(|node| (node, "/additionalProperties".to_owned()))
}

/// The error of a value that splits too far is a limit here, as there is no other attempt.
fn limited(mut error: Box<Error>) -> Box<Error> {
    if matches!(error.kind, Kind::TooManyAlternatives { .. }) {
        error.kind = Kind::Limit;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::options::Options;
    use crate::types::string::Literals;
    use frisket_core::limits::Limits;

    const SHORT: &str = r##"{"$defs": {"short": {"maxLength": 2}}, "properties": {
        "mixed": {"enum": ["say \"hi\"", 7, null]},
        "short": {"$ref": "#/$defs/short", "type": ["string", "boolean"]},
        "pattern": {"type": "string", "format": "regex"},
        "list": {"type": "array", "items": {"type": ["string", "null"]}}
    }, "additionalProperties": {"type": "integer"}}"##;

    struct Fixture {
        values: MemberValues,
        builder: Builder,
    }

    fn of(schema: &str, options: Options) -> Fixture {
        let prelude = Prelude::new(options, None).unwrap();
        let values = MemberValues::new(Arc::new(parse(schema).unwrap()), &prelude).unwrap();
        Fixture { values, builder: prelude.fork(Limits::default(), None) }
    }

    fn accepted<'t>(builder: Builder, node: TermId, texts: &[&'t str]) -> Vec<&'t str> {
        let grammar = builder.build(node.number()).unwrap();
        let recognizer = frisket_core::automaton::recognizer::Recognizer::new(grammar);
        texts.iter().copied().filter(|text| recognizer.accepts(text.as_bytes(), None).unwrap()).collect()
    }

    #[test]
    fn texts_stand_as_they_are_and_others_are_literals() {
        let Fixture { mut values, mut builder } = of(SHORT, Options::default());
        let text = values.text(&mut builder, Some("mixed")).unwrap().unwrap();
        let other = values.literals(&mut builder, Some("mixed"), !Types::STRING).unwrap().unwrap();
        assert!(builder.accepts(text.number(), br#"say "hi""#).unwrap());
        assert!(!builder.accepts(text.number(), br#""say \"hi\"""#).unwrap());
        assert_eq!(accepted(builder, other, &["7", "null", "say", "8"]), ["7", "null"]);
    }

    #[test]
    fn a_member_knows_the_definitions_around_it() {
        let Fixture { mut values, mut builder } = of(SHORT, Options::default());
        let node = values.text(&mut builder, Some("short")).unwrap().unwrap();
        assert!(builder.accepts(node.number(), b"ab").unwrap() && !builder.accepts(node.number(), b"abc").unwrap());
        let has = |values: &mut MemberValues, types| values.has(&mut Builder::default(), Some("short"), types).unwrap();
        assert!(has(&mut values, Types::TRUE) && !has(&mut values, Types::NUMBER));
    }

    #[test]
    fn other_members_are_what_additional_properties_says() {
        let Fixture { mut values, mut builder } = of(SHORT, Options::default());
        for key in [None, Some("unnamed")] {
            assert_eq!(values.text(&mut builder, key), Ok(None));
            assert!(values.has(&mut builder, key, Types::INTEGER).unwrap());
        }
        let mut anything = of("{}", Options::default()).values;
        assert!(anything.is_anything(Some("x")).unwrap() && !values.is_anything(None).unwrap());
    }

    #[test]
    fn a_pattern_is_one_without_quotes_too() {
        let Fixture { mut values, mut builder } = of(SHORT, Options::default());
        values.check(&mut builder).unwrap();
        let node = values.text(&mut builder, Some("pattern")).unwrap().unwrap();
        assert_eq!(values.refuse_unsupported(), Ok(()));
        assert_eq!(accepted(builder, node, &[r#"("|\d)+"#, "a|b", "(a", "[a"]), [r#"("|\d)+"#, "a|b"]);
    }

    #[test]
    fn values_are_literals_of_python() {
        let options =
            Options { literals: Literals::Python, forbidden_texts: vec!["</s>".into()], ..Options::default() };
        let Fixture { mut values, mut builder } = of(SHORT, options);
        let node = values.value(&mut builder, Some("list")).unwrap().unwrap();
        let texts = ["['a', \"b\",None]", "[ 'a']", "[null]", "['</s>']", "[]", "['it\\'s']", "['it's']"];
        assert_eq!(accepted(builder, node, &texts), ["['a', \"b\",None]", "[]", "['it\\'s']"]);
    }
}
