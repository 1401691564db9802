//! One subschema's keywords → its parsed schema, with helpers that the readers of all keywords share.

use super::keyword;
use super::language::{Languages, Pattern};
use super::parsed::{Applicator, Look, ParsedSchema};
use crate::condition::{
    ArrayCondition, Conjunct, ConjunctionId, NumberCondition, ObjectCondition, StringCondition, SubschemaId, Types,
};
use crate::decimal::{Decimal, NotDecimal, DIGITS};
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::json::{Key, NodeId, Object, Text, Value};
use crate::message::no_name;
use crate::resolve::Location;
use crate::subschema::{Asks, Subschemas};
use frisket_core::regular::term::TermId;
use num_traits::ToPrimitive;
use std::sync::Arc;

const NUMBER_HINT: &str = "the largest double is 1.7976931348623157e+308; leave the number out where you mean no bound";

/// Values, names and schemas of one subschema between two checks of the limits: some 50 µs.
const CHECKED: u32 = 64;

/// Larger counts are read as this one: no text is that long.
const MAX_COUNT: u64 = 1 << 62;

/// Reads a subschema's keywords.
///
/// Errors: a keyword's value that its draft does not allow, a value below it that is no schema, limits.
pub fn read(subschemas: &mut Subschemas<'_>, languages: &mut dyn Languages, of: SubschemaId) -> Result<ParsedSchema> {
    let subschema = subschemas.get(of);
    let resource = subschemas.documents.resource(subschema.resource);
    let (draft, has_validation) = (resource.draft, resource.has_validation);
    let asks = subschema.asks.clone();
    let root = subschemas.documents.resource(subschemas.documents.root()).root;
    let mut reader = Reader {
        subschemas,
        languages,
        of,
        draft,
        schema: root,
        types: Types::ANY,
        numbers: Vec::new(),
        strings: Vec::new(),
        arrays: Vec::new(),
        objects: Vec::new(),
        has_read_members: false,
        has_read_items: false,
        ticks: 0,
        steps: 0,
        parsed: ParsedSchema::empty(),
    };
    match asks {
        Asks::Schema(schema) => {
            reader.schema = schema;
            reader.keywords(has_validation)?;
        }
        Asks::Constant(value) => {
            reader.schema = value;
            keyword::read_values(&mut reader, "const", &[value.node], false)?;
        }
        Asks::Either(conjunctions) => reader.parsed.applicators.push(Applicator::Any(conjunctions.to_vec())),
        Asks::Conjunct(conjunct) => return Ok(ParsedSchema { conjunct: (*conjunct).clone(), ..reader.parsed }),
    }
    if reader.steps > 0 {
        reader.languages.check(reader.steps)?;
    }
    Ok(reader.finish())
}

/// Collects conditions while keywords are read.
pub(super) struct Reader<'r, 'd> {
    pub subschemas: &'r mut Subschemas<'d>,
    pub languages: &'r mut dyn Languages,
    pub of: SubschemaId,
    pub draft: Draft,
    pub schema: Location,
    pub types: Types,
    pub numbers: Vec<NumberCondition>,
    pub strings: Vec<StringCondition>,
    pub arrays: Vec<ArrayCondition>,
    pub objects: Vec<ObjectCondition>,
    pub has_read_members: bool,
    pub has_read_items: bool,
    ticks: u32,
    /// Steps since the last check of the limits.
    pub steps: u64,
    pub parsed: ParsedSchema,
}

impl Reader<'_, '_> {
    fn keywords(&mut self, has_validation: bool) -> Result<()> {
        if self.draft <= Draft::Draft7 {
            if let Some(reference) = self.get("$ref") {
                self.parsed.keywords.push("$ref");
                return keyword::read_reference(self, "$ref", reference);
            }
        }
        for (keyword, value) in self.counting(has_validation) {
            (keyword.read)(self, keyword.name, value)?;
            self.parsed.keywords.push(keyword.name);
        }
        Ok(())
    }

    fn finish(mut self) -> ParsedSchema {
        self.parsed.conjunct = Conjunct {
            types: self.types,
            numbers: self.numbers,
            strings: self.strings,
            arrays: self.arrays,
            objects: self.objects,
        };
        self.parsed
    }

    /// The keywords of the schema that its draft has, with their values.
    fn counting(&self, has_validation: bool) -> Vec<(&'static keyword::Keyword, NodeId)> {
        let members = self.subschemas.documents.object(self.schema);
        let keyword = |key| match key {
            Key::Text(Text::Unicode(name)) => keyword::find(name),
            _ => None,
        };
        let keywords = members.iter().flat_map(|members| members.iter()).filter_map(|member| {
            let found = keyword(member.key).filter(|keyword| keyword.counts(self.draft, has_validation));
            found.map(|keyword| (keyword, member.value))
        });
        keywords.collect()
    }

    /// The value of another keyword of the schema.
    pub fn get(&self, keyword: &str) -> Option<NodeId> {
        self.subschemas.documents.object(self.schema)?.get(keyword)
    }

    /// The value of a node of the schema's document.
    pub fn value(&self, node: NodeId) -> Value<'_> {
        self.subschemas.documents.value(Location { node, ..self.schema })
    }

    /// The JSON pointer of a keyword.
    pub fn pointer(&self, keyword: &str) -> String {
        format!("{}/{keyword}", self.subschemas.pointer(self.of))
    }

    /// The error of a keyword's value.
    pub fn invalid(&self, keyword: &str, expected: &str) -> Box<Error> {
        Error::invalid(format!("{keyword} must be {expected}"))
            .at(self.pointer(keyword))
            .with_hint(format!("correct it, or leave {keyword} out"))
    }

    /// Checks the limits once in `CHECKED` calls. Errors: limits.
    pub fn tick(&mut self) -> Result<()> {
        self.ticks = (self.ticks + 1) % CHECKED;
        match self.ticks {
            0 => self.languages.check(std::mem::take(&mut self.steps)),
            _ => Ok(()),
        }
    }

    /// The constraint of a schema below this one.
    pub fn below(&mut self, node: NodeId, path: &[&str]) -> Result<ConjunctionId> {
        self.tick()?;
        self.subschemas.below(self.of, Location { node, ..self.schema }, path)
    }

    /// The number that a keyword has as its value.
    pub fn number(&self, keyword: &str, node: NodeId) -> Result<Decimal> {
        match self.value(node) {
            Value::Number(_) | Value::NonFinite(_) => {
                self.decimal(node).map_err(|error| error.at(self.pointer(keyword)))
            }
            _ => Err(self.invalid(keyword, "a number")),
        }
    }

    /// The value of a node that is a number. Its errors name no place; the caller adds it.
    pub fn decimal(&self, node: NodeId) -> Result<Decimal> {
        let numeral = match self.value(node) {
            Value::Number(numeral) => numeral,
            Value::NonFinite(name) => {
                return Err(Error::invalid(format!("a number must be finite, not {name}")).with_hint(NUMBER_HINT));
            }
            other => return Err(Error::invalid(format!("{} is no number", crate::message::shown(other)))),
        };
        Decimal::parse(numeral).map_err(|reason| match reason {
            NotDecimal::Syntax => Error::invalid(format!("{numeral} is no number of JSON")),
            NotDecimal::Digits => {
                Error::limit(format!("a number has more than {DIGITS} digits before or behind its point"))
                    .with_hint("describe a long numeral as a string with a pattern")
            }
        })
    }

    /// A non-negative integer; 2.0 is one.
    pub fn count(&self, keyword: &str, node: NodeId) -> Result<u64> {
        let wrong = || self.invalid(keyword, "a non-negative integer");
        let Value::Number(numeral) = self.value(node) else { return Err(wrong()) };
        match Decimal::parse(numeral) {
            Ok(count) if count.is_integer() && !count.is_negative() => {
                Ok(count.floor().to_u64().map_or(MAX_COUNT, |count| count.min(MAX_COUNT)))
            }
            // 1e999999999 is a count that need not be written out; with a negative exponent, a number is a fraction.
            Err(NotDecimal::Digits)
                if !numeral.starts_with('-') && !numeral.contains("e-") && !numeral.contains("E-") =>
            {
                Ok(MAX_COUNT)
            }
            _ => Err(wrong()),
        }
    }

    /// The schemas of an array.
    pub fn schemas(&mut self, keyword: &str, node: NodeId) -> Result<Vec<ConjunctionId>> {
        let items = match self.value(node) {
            Value::Array(items) if !items.is_empty() => items.to_vec(),
            _ => return Err(self.invalid(keyword, "a non-empty array of schemas")),
        };
        let below = |(place, node): (usize, &NodeId)| self.below(*node, &[keyword, &place.to_string()]);
        items.iter().enumerate().map(below).collect()
    }

    /// The members of an object, whose names must be texts that UTF-8 can spell.
    pub fn mapping(&self, keyword: &str, node: NodeId) -> Result<Vec<(Arc<str>, NodeId)>> {
        let Value::Object(members) = self.value(node) else { return Err(self.invalid(keyword, "an object")) };
        self.names(members).map_err(|error| error.at(self.pointer(keyword)))
    }

    /// The members by name; errors without a place.
    pub fn names(&self, members: Object<'_>) -> Result<Vec<(Arc<str>, NodeId)>> {
        members.iter().map(|member| Ok((name(member.key)?, member.value))).collect()
    }

    /// The strings of an array, each once.
    pub fn keys(&self, keyword: &str, node: NodeId) -> Result<Vec<Arc<str>>> {
        let wrong = || self.invalid(keyword, "an array of strings");
        let Value::Array(items) = self.value(node) else { return Err(wrong()) };
        let mut found: Vec<Arc<str>> = Vec::with_capacity(items.len());
        let mut met = rustc_hash::FxHashSet::default();
        for &item in items {
            let Value::String(text) = self.value(item) else { return Err(wrong()) };
            let key = name(Key::Text(text)).map_err(|error| error.at(self.pointer(keyword)))?;
            if met.insert(key.clone()) {
                found.push(key);
            }
        }
        Ok(found)
    }

    /// The node of a regular expression; None if it cannot be exact, which is noted.
    pub fn pattern(&mut self, keyword: &str, pattern: &str, path: &[&str]) -> Result<Option<TermId>> {
        let place =
            |reader: &Self| path.iter().fold(reader.pointer(keyword), |pointer, token| format!("{pointer}/{token}"));
        match self.languages.pattern(pattern)? {
            Pattern::Exact(node) => Ok(Some(node)),
            Pattern::Invalid(message, hint) => {
                let hint = hint.unwrap_or_else(|| "patterns are read as JavaScript reads them".into());
                Err(Error::invalid(format!("not a regular expression: {message}")).at(place(self)).with_hint(hint))
            }
            Pattern::Inexact(reason) => {
                self.subschemas.omit(place(self), keyword, format!("{reason}; any text could slip through"));
                Ok(None)
            }
        }
    }

    /// Notes the members or items that a keyword evaluates.
    pub fn look(&mut self, look: Look) {
        self.parsed.looks.push(look);
    }
}

/// The text of a name; errors without a place.
fn name(key: Key<'_>) -> Result<Arc<str>> {
    match key {
        Key::Text(Text::Unicode(name)) => Ok(name.into()),
        Key::Text(text) => Err(Error::invalid(format!(
            "the name '{}' has a lone surrogate, which UTF-8 cannot spell",
            text.to_string().chars().take(58).collect::<String>()
        ))
        .with_hint("write characters beyond U+FFFF as they are, or as two \\u escapes")),
        Key::Foreign(name) => Err(no_name(name)),
    }
}
