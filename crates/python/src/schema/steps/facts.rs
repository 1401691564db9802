//! Schema → what each of its subschemas says, as JSON: for tests beside Python's reader.

use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;
use frisket_schema::condition::{
    ArrayCondition, Conjunct, ConjunctionId, Members, Nested, NumberCondition, ObjectCondition, StringCondition,
    SubschemaId, Types,
};
use frisket_schema::draft::Draft;
use frisket_schema::error::Result;
use frisket_schema::json::Tree;
use frisket_schema::read::{read, Applicator, Format, Languages, ParsedSchema, Pattern};
use frisket_schema::resolve::{Documents, Registry};
use frisket_schema::subschema::{Asks, Options, Subschemas};
use serde_json::{json, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Patterns are known by their texts, and nothing else is asserted.
#[derive(Default)]
pub struct Names {
    builder: Builder,
    patterns: HashMap<TermId, String>,
}

impl Languages for Names {
    fn pattern(&mut self, pattern: &str) -> Result<Pattern> {
        let node = self.builder.literal(pattern.as_bytes())?;
        self.patterns.insert(node, pattern.to_owned());
        Ok(Pattern::Exact(node))
    }

    fn format(&mut self, _: &str, _: Draft) -> Result<Format> {
        Ok(Format::Annotation)
    }

    fn base64(&mut self) -> Result<Option<TermId>> {
        Ok(None)
    }

    fn json(&mut self) -> Result<Option<Nested>> {
        Ok(None)
    }
}

/// All subschemas that a schema leads to, and what each says.
pub fn all<'r>(
    schema: Arc<Tree>,
    registry: &'r dyn Registry,
    options: Options,
    names: &mut Names,
) -> Result<(Subschemas<'r>, Vec<ParsedSchema>)> {
    let mut subschemas = Subschemas::new(Documents::new(schema, Some(registry))?, options);
    subschemas.root()?;
    let mut parsed = Vec::new();
    while parsed.len() < subschemas.len() {
        parsed.push(read(&mut subschemas, names, SubschemaId(parsed.len() as u32))?);
    }
    Ok((subschemas, parsed))
}

/// The facts of every subschema, and of the root's conjunction: `[root, facts, omissions]`.
pub fn facts(schema: Arc<Tree>, registry: &dyn Registry, options: Options) -> Result<String> {
    let mut names = Names::default();
    let (mut subschemas, parsed) = all(schema, registry, options, &mut names)?;
    let root = subschemas.root()?;
    let writer = Writer { subschemas: &subschemas, names: &names };
    let facts: Vec<Value> =
        parsed.iter().enumerate().map(|(number, parsed)| writer.subschema(number, parsed)).collect();
    let omissions: Vec<_> =
        subschemas.omissions.iter().map(|omission| json!([omission.pointer, omission.slips])).collect();
    Ok(json!([writer.conjunction(root), facts, omissions]).to_string())
}

struct Writer<'w> {
    subschemas: &'w Subschemas<'w>,
    names: &'w Names,
}

impl Writer<'_> {
    fn subschema(&self, number: usize, parsed: &ParsedSchema) -> Value {
        let of = SubschemaId(number as u32);
        let is_written = matches!(self.subschemas.get(of).asks, Asks::Schema(_));
        let evaluated = parsed.evaluated();
        json!({
            "pointer": self.subschemas.pointer(of),
            "keywords": is_written.then_some(&parsed.keywords),
            "conjunct": self.conjunct(&parsed.conjunct),
            "alternatives": parsed.alternatives.iter().map(|some| self.conjuncts(some)).collect::<Vec<_>>(),
            "applicators": parsed.applicators.iter().map(|applicator| self.applicator(applicator)).collect::<Vec<_>>(),
            "unevaluated": [
                parsed.unevaluated_properties.map(|conjunction| self.conjunction(conjunction)),
                parsed.unevaluated_items.map(|conjunction| self.conjunction(conjunction)),
            ],
            "evaluated": [
                json!(evaluated.names.iter().map(|name| &**name).collect::<Vec<_>>()),
                json!(evaluated.patterns.iter().map(|&pattern| self.pattern(pattern)).collect::<Vec<_>>()),
                json!(evaluated.all_members),
                json!(evaluated.prefix),
                json!(evaluated.all_items),
                json!(evaluated.contained.iter().map(|&conjunction| self.conjunction(conjunction)).collect::<Vec<_>>()),
            ],
        })
    }

    /// `true`, `false` or the number of the only subschema.
    fn conjunction(&self, conjunction: ConjunctionId) -> Value {
        match self.subschemas.conjunctions.single(conjunction) {
            Some(literal) => json!(literal.subschema().0),
            None => json!(conjunction.is_anything()),
        }
    }

    fn pattern(&self, node: TermId) -> &str {
        &self.names.patterns[&node]
    }

    fn conjuncts(&self, conjuncts: &[Conjunct]) -> Value {
        conjuncts.iter().map(|conjunct| self.conjunct(conjunct)).collect()
    }

    fn conjunct(&self, conjunct: &Conjunct) -> Value {
        let names = [
            (Types::NULL, 1),
            (Types::FALSE, 2),
            (Types::TRUE, 4),
            (Types::INTEGER, 8),
            (Types::FRACTION, 16),
            (Types::STRING, 32),
            (Types::ARRAY, 64),
            (Types::OBJECT, 128),
        ];
        let types: u32 = names.iter().filter(|(types, _)| conjunct.types.has(*types)).map(|(_, bit)| bit).sum();
        let numbers: Vec<_> = conjunct.numbers.iter().map(number).collect();
        let strings: Vec<_> = conjunct.strings.iter().map(|condition| self.string(condition)).collect();
        let arrays: Vec<_> = conjunct.arrays.iter().map(|condition| self.array(condition)).collect();
        let objects: Vec<_> = conjunct.objects.iter().map(|condition| self.object(condition)).collect();
        json!([types, numbers, strings, arrays, objects])
    }

    fn string(&self, condition: &StringCondition) -> Value {
        match condition {
            StringCondition::Length { least, most } => json!(["Length", least, most]),
            StringCondition::Matches(matches) => json!(["Matches", self.pattern(matches.node), matches.positive]),
            StringCondition::Among { values, positive } => {
                json!(["Among", values.iter().map(|value| &**value).collect::<Vec<_>>(), positive])
            }
            StringCondition::Nested(nested) => json!(["Nested", nested.language.name(), nested.positive]),
        }
    }

    fn array(&self, condition: &ArrayCondition) -> Value {
        match condition {
            ArrayCondition::Items { prefix, rest } => {
                let prefix: Vec<_> = prefix.iter().map(|&item| self.conjunction(item)).collect();
                json!(["Items", prefix, self.conjunction(*rest)])
            }
            ArrayCondition::Count { least, most } => json!(["Count", least, most]),
            ArrayCondition::Unique { positive, .. } => json!(["Unique", positive]),
            ArrayCondition::Contains { start, item, least, most, .. } => {
                json!(["Contains", start, self.conjunction(*item), least, most])
            }
        }
    }

    fn object(&self, condition: &ObjectCondition) -> Value {
        let members = |members: &Members| {
            let names: Vec<_> = members.names.iter().map(|(name, of)| json!([**name, self.conjunction(*of)])).collect();
            let of_pattern =
                |&(pattern, of): &(TermId, ConjunctionId)| json!([self.pattern(pattern), self.conjunction(of)]);
            let patterns: Vec<_> = members.patterns.iter().map(of_pattern).collect();
            json!(["Members", names, patterns, self.conjunction(members.rest), members.lists, members.opens])
        };
        match condition {
            ObjectCondition::Members(constraints) => members(constraints),
            ObjectCondition::Required { keys, .. } => {
                json!(["Required", keys.iter().map(|key| &**key).collect::<Vec<_>>()])
            }
            ObjectCondition::Count { least, most } => json!(["Count", least, most]),
            ObjectCondition::Names(name) => json!(["Names", self.conjunction(*name)]),
            ObjectCondition::Implies { key, needs } => json!(["Implies", **key, **needs]),
            ObjectCondition::Breaks(_) | ObjectCondition::Clause { .. } => unreachable!("the algebra makes these"),
        }
    }

    fn applicator(&self, applicator: &Applicator) -> Value {
        let all = |some: &[ConjunctionId]| some.iter().map(|&one| self.conjunction(one)).collect::<Vec<_>>();
        match applicator {
            Applicator::All(some) => json!(["all", all(some)]),
            Applicator::Any(some) => json!(["any", all(some)]),
            Applicator::One(some) => json!(["one", all(some)]),
            Applicator::Not(one) => json!(["not", all(&[*one])]),
            Applicator::If(condition, then, other) => json!(["if", all(&[*condition, *then, *other])]),
        }
    }
}

fn number(condition: &NumberCondition) -> Value {
    match condition {
        NumberCondition::AtLeast { bound, strict } => json!(["AtLeast", bound.to_string(), strict]),
        NumberCondition::AtMost { bound, strict } => json!(["AtMost", bound.to_string(), strict]),
        NumberCondition::Multiple { of, positive } => json!(["Multiple", of.to_string(), positive]),
        NumberCondition::Among { values, pointed, positive } => {
            let shown = |some: &std::collections::BTreeSet<frisket_schema::decimal::Decimal>| {
                some.iter().map(ToString::to_string).collect::<Vec<_>>()
            };
            json!(["Among", shown(values), shown(pointed), positive])
        }
        NumberCondition::Plain { positive } => json!(["Plain", positive]),
    }
}
