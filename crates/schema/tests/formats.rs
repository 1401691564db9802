//! Rows of expected/formats.tsv → the same grammars and the same answers: what formats, patterns and texts are.
//!
//! The front end in Python that this crate replaced wrote the rows in November 2026.

#[path = "expected/mod.rs"]
mod expected;

use frisket_core::builder::Builder;
use frisket_core::error::Error;
use frisket_core::limits::Limits;
use frisket_core::regular::term::TermId;
use frisket_schema::condition::{Matches, NumberCondition, StringCondition};
use frisket_schema::decimal::Decimal;
use frisket_schema::draft::Draft;
use frisket_schema::formats::{named, FormatOptions, KnownLanguages, Mode};
use frisket_schema::json::{parse, Text, Value};
use frisket_schema::read::{Format, Languages, Pattern};
use std::collections::HashMap;

fn fingerprint(builder: &mut Builder, node: TermId) -> String {
    match builder.fork(Limits::default(), None).build(node.number()) {
        Ok(grammar) => format!("{:032x}", grammar.fingerprint()),
        Err(error) if *error == Error::Empty => "empty".into(),
        Err(error) => panic!("{error}"),
    }
}

fn texts(builder: &mut Builder, matches: &Matches) -> Vec<String> {
    let outer = matches.bounds.as_ref().map(|bounds| bounds.outer(builder).unwrap());
    let nodes = [Some(matches.node), matches.written, outer];
    nodes.into_iter().map(|node| node.map_or("-".into(), |node| fingerprint(builder, node))).collect()
}

fn number(condition: &NumberCondition) -> String {
    let integer = |bound: &Decimal| bound.scaled(0).to_string();
    match condition {
        NumberCondition::AtLeast { bound, strict: false } => format!(">={}", integer(bound)),
        NumberCondition::AtMost { bound, strict: false } => format!("<={}", integer(bound)),
        NumberCondition::Multiple { of, positive: true } => format!("*{}", integer(of)),
        other => panic!("{other:?}"),
    }
}

fn options(mode: &str, whole: &str, second: &str) -> FormatOptions {
    let mode = match mode {
        "assert" => Mode::Assert,
        "annotate" => Mode::Annotate,
        "openapi" => Mode::OpenApi,
        _ => Mode::Python,
    };
    FormatOptions { mode, max_integer_digits: whole.parse().unwrap(), max_second_digits: second.parse().unwrap() }
}

fn format(name: &str, draft: &str, options: FormatOptions) -> Vec<String> {
    let draft = Draft::ALL.into_iter().find(|known| known.to_string() == draft).unwrap();
    let (mut known, mut builder) = (KnownLanguages::new(options), Builder::default());
    let mut cells = Vec::new();
    match known.on(&mut builder).format(name, draft).unwrap() {
        Format::Annotation => {}
        Format::Numbers(conditions) => cells.extend(conditions.iter().map(number)),
        Format::Text(condition, inexactness) => {
            match &condition {
                StringCondition::Matches(matches) => {
                    cells.push("texts".into());
                    cells.extend(texts(&mut builder, matches));
                }
                other => panic!("{other:?}"),
            }
            cells.extend(
                inexactness
                    .map(|inexactness| inexactness.reason + if inexactness.narrows_complement { "!" } else { "" }),
            );
        }
    }
    let note = named(name).filter(|_| options.mode != Mode::Annotate).and_then(|known| known.note(&options));
    cells.extend(note);
    cells
}

type Check = Box<dyn FnMut(&str) -> bool>;

/// What decides single texts: by the name of the format.
fn check_of(name: &str) -> Check {
    let (mut known, mut builder) = (KnownLanguages::new(options("openapi", "40", "9")), Builder::default());
    let found = match name {
        "json" => known.on(&mut builder).content("application/json", Draft::Draft7),
        name => known.on(&mut builder).format(name, Draft::Draft2020),
    };
    match found.unwrap() {
        Format::Text(StringCondition::Matches(matches), _) => {
            Box::new(move |text| builder.accepts(matches.node.number(), text.as_bytes()).unwrap())
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// The text of a string in JSON.
fn decoded(text: &str) -> String {
    let tree = parse(text).unwrap();
    match tree.value(tree.root()) {
        Value::String(Text::Unicode(decoded)) => decoded.into(),
        other => panic!("{other:?}"),
    }
}

fn pattern(text: &str) -> Vec<String> {
    let (mut known, mut builder) = (KnownLanguages::new(FormatOptions::default()), Builder::default());
    let found = known.on(&mut builder).pattern(text);
    match found {
        Err(error) => vec!["limit".into(), error.message],
        Ok(Pattern::Exact(node)) => vec!["exact".into(), fingerprint(&mut builder, node)],
        Ok(Pattern::Inexact(reason)) => vec!["inexact".into(), format!("{reason}; any text could slip through")],
        Ok(Pattern::Invalid(message, hint)) => {
            let hint = hint.unwrap_or_else(|| "patterns are read as JavaScript reads them".into());
            vec!["invalid".into(), format!("not a regular expression: {message}"), hint]
        }
    }
}

fn json() -> Vec<String> {
    let (mut known, mut builder) = (KnownLanguages::new(FormatOptions::default()), Builder::default());
    match known.on(&mut builder).content("application/json", Draft::Draft7).unwrap() {
        Format::Text(StringCondition::Matches(matches), _) => texts(&mut builder, &matches),
        other => panic!("{other:?}"),
    }
}

#[test]
fn formats_and_patterns_are_lowered_as_they_were_and_texts_are_checked_so() {
    let mut checks: HashMap<String, Check> = HashMap::new();
    expected::compare("formats.tsv", |row| match *row {
        ["format", name, draft, mode, whole, second, ..] => (6, format(name, draft, options(mode, whole, second))),
        ["pattern", text, ..] => (2, pattern(&decoded(text))),
        ["json", ..] => (1, json()),
        ["check", name, text, _] => {
            let check = checks.entry(name.to_owned()).or_insert_with(|| check_of(name));
            (3, vec![u8::from(check(&decoded(text))).to_string()])
        }
        _ => panic!("{row:?}"),
    });
}
