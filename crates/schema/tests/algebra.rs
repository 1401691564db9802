//! Schemas → unions of conjuncts, as the rows of expected/algebra.tsv have them.
//!
//! The front end in Python that this crate replaced wrote the rows in November 2026. A row ends in the hash of a text.

#[path = "expected/mod.rs"]
mod expected;

use frisket_core::builder::Builder;
use frisket_core::regular::term::TermId;
use frisket_schema::algebra::{Expander, ExpansionOptions, Splitting};
use frisket_schema::condition::{
    ArrayCondition, Clause, Conjunct, ConjunctionId, Members, NumberCondition, ObjectCondition, StringCondition, Types,
};
use frisket_schema::error::{Error, Kind, Result};
use frisket_schema::formats::{FormatOptions, KnownLanguages, Mode};
use frisket_schema::json::parse;
use frisket_schema::resolve::Documents;
use frisket_schema::subschema::{Options, Subschemas};
use frisket_schema::types::{Algebra, DEPTH};
use std::fmt::Display;
use std::sync::Arc;

/// How many levels of members and items a row shows.
const LEVELS: u32 = 3;
/// Texts that tell patterns apart.
const TEXTS: [&str; 8] = ["", "a", "b", "ab", "x", "xa", "1", "1a"];

fn expander(schema: &str, splitting: Splitting, most: u64) -> Result<Expander<'static>> {
    let documents = Documents::new(Arc::new(parse(schema)?), None)?;
    let options = ExpansionOptions { splitting, max_alternatives: most, total: most };
    let languages = KnownLanguages::new(FormatOptions { mode: Mode::Annotate, ..FormatOptions::default() });
    Ok(Expander::new(Builder::default(), Subschemas::new(documents, Options::default()), languages, options))
}

/// What a schema's root expands to, as text.
struct Dump(Expander<'static>);

impl Dump {
    fn text(schema: &str, splitting: Splitting, most: u64) -> String {
        match expander(schema, splitting, most).and_then(|expander| Dump(expander).root()) {
            Ok(text) => text,
            Err(error) => {
                let Error { kind, message, place, .. } = *error;
                let what = if matches!(kind, Kind::TooManyAlternatives { .. }) { "too many" } else { "error" };
                format!("{what}: {message} at {}", place.unwrap_or_default())
            }
        }
    }

    fn root(mut self) -> Result<String> {
        let root = self.0.subschemas.root()?;
        let found = self.goal(root, LEVELS)?;
        let state = if self.0.is_empty(root, DEPTH)? { "empty" } else { "open" };
        let omitted = self.0.subschemas.omissions.iter();
        let omitted: Vec<String> = omitted.map(|one| format!("{} {}", one.pointer, one.slips)).collect();
        // Of clauses, Python reads all, where the crate stops at the first that decides.
        let count = match self.0.options().splitting {
            Splitting::Clauses => String::new(),
            _ => self.0.alternatives().to_string(),
        };
        Ok(format!("{found} {state} {count} {}", omitted.join(";")))
    }

    fn goal(&mut self, goal: ConjunctionId, levels: u32) -> Result<String> {
        if goal.is_anything() || goal.is_nothing() || levels == 0 {
            return Ok(if goal.is_anything() {
                "any"
            } else if goal.is_nothing() {
                "none"
            } else {
                "?"
            }
            .into());
        }
        let union = self.0.expand(goal)?;
        let conjuncts: Vec<String> = union.iter().map(|one| self.conjunct(one, levels - 1)).collect::<Result<_>>()?;
        Ok(format!("[{}]", conjuncts.join(" | ")))
    }

    fn conjunct(&mut self, of: &Conjunct, levels: u32) -> Result<String> {
        let bits = [
            Types::NULL,
            Types::FALSE,
            Types::TRUE,
            Types::INTEGER,
            Types::FRACTION,
            Types::STRING,
            Types::ARRAY,
            Types::OBJECT,
        ];
        let mask: u32 = (0..8).map(|bit| u32::from(of.types.has(bits[bit])) << bit).sum();
        let mut parts = vec![mask.to_string()];
        parts.extend(of.numbers.iter().map(number));
        for condition in &of.strings {
            parts.push(self.string(condition)?);
        }
        for condition in &of.arrays {
            parts.push(self.array(condition, levels)?);
        }
        for condition in &of.objects {
            parts.push(self.object(condition, levels)?);
        }
        Ok(parts.join(" "))
    }

    fn string(&mut self, condition: &StringCondition) -> Result<String> {
        Ok(match condition {
            StringCondition::Length { least, most } => format!("length:{}", range(*least, *most)),
            StringCondition::Matches(matches) => {
                format!("{}matches:{}", sign(matches.positive), self.node(matches.node)?)
            }
            StringCondition::Among { values, positive } => format!("{}among:{}", sign(*positive), listed(&**values)),
        })
    }

    fn node(&mut self, node: TermId) -> Result<String> {
        let mut found = String::new();
        for text in TEXTS {
            found.push(if self.0.builder.accepts(node.number(), text.as_bytes())? { '1' } else { '0' });
        }
        Ok(found)
    }

    fn array(&mut self, condition: &ArrayCondition, levels: u32) -> Result<String> {
        Ok(match condition {
            ArrayCondition::Items { prefix, rest } => {
                let prefix: Vec<String> = prefix.iter().map(|&one| self.goal(one, levels)).collect::<Result<_>>()?;
                format!("items:({})({})", prefix.join(","), self.goal(*rest, levels)?)
            }
            ArrayCondition::Count { least, most } => format!("items:{}", range(*least, *most)),
            ArrayCondition::Unique { positive, .. } => if *positive { "unique" } else { "repeated" }.into(),
            &ArrayCondition::Contains { start, item, least, most, .. } => {
                format!("contains:{start}+{}({})", range(least, most), self.goal(item, levels)?)
            }
        })
    }

    fn object(&mut self, condition: &ObjectCondition, levels: u32) -> Result<String> {
        Ok(match condition {
            ObjectCondition::Members(members) => format!("members:{}", self.members(members, levels)?),
            ObjectCondition::Required { keys, stated } => {
                format!("{}stated:{}", if *stated { "" } else { "un" }, listed(&**keys))
            }
            ObjectCondition::Count { least, most } => format!("members:{}", range(*least, *most)),
            ObjectCondition::Names(goal) => format!("names:{}", self.goal(*goal, levels)?),
            ObjectCondition::Implies { key, needs } => format!("{key}=>{needs}"),
            ObjectCondition::Clause(Clause { premises, conclusions }) => {
                let mut side = |all: &[Members], joint| -> Result<String> {
                    let all: Vec<String> = all.iter().map(|one| self.members(one, levels)).collect::<Result<_>>()?;
                    Ok(all.join(joint))
                };
                match premises.is_empty() && conclusions.len() == 1 {
                    true => format!("breaks:{}", side(conclusions, "/")?),
                    false => format!("clause:{}=>{}", side(premises, "&")?, side(conclusions, "/")?),
                }
            }
        })
    }

    fn members(&mut self, members: &Members, levels: u32) -> Result<String> {
        let mut names = Vec::new();
        for (key, goal) in &members.names {
            names.push(format!("{key}:{}", self.goal(*goal, levels)?));
        }
        let mut patterns = Vec::new();
        for &(node, goal) in &members.patterns {
            patterns.push(format!("{}:{}", self.node(node)?, self.goal(goal, levels)?));
        }
        Ok(format!("({})({})({})", names.join(","), patterns.join(","), self.goal(members.rest, levels)?))
    }
}

fn number(condition: &NumberCondition) -> String {
    let strict = |strict: bool| if strict { "" } else { "=" };
    match condition {
        NumberCondition::AtLeast { bound, strict: open } => format!(">{}{bound}", strict(*open)),
        NumberCondition::AtMost { bound, strict: open } => format!("<{}{bound}", strict(*open)),
        NumberCondition::Multiple { of, positive } => format!("{}multiple:{of}", sign(*positive)),
        NumberCondition::Among { values, positive, .. } => format!("{}among:{}", sign(*positive), listed(&**values)),
        NumberCondition::Plain { positive } => format!("{}plain", sign(*positive)),
    }
}

fn sign(positive: bool) -> &'static str {
    if positive {
        ""
    } else {
        "!"
    }
}

fn range(least: u64, most: Option<u64>) -> String {
    format!("{least}-{}", most.map(|most| most.to_string()).unwrap_or_default())
}

fn listed<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

/// FNV-1a of 64 bits.
fn digest(text: &str) -> String {
    let step = |found: u64, byte: u8| (found ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

fn splitting(name: &str) -> Splitting {
    match name {
        "together" => Splitting::Together,
        "clauses" => Splitting::Clauses,
        _ => Splitting::Loosened,
    }
}

#[test]
fn schemas_expand_as_they_did() {
    expected::compare("algebra.tsv", |row| {
        let [split, most, schema] = row[..3] else { panic!("{row:?}") };
        (3, vec![digest(&Dump::text(schema, splitting(split), most.parse().unwrap()))])
    });
}
