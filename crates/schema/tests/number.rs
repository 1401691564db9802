//! Rows of expected/number.tsv → the same grammars: what conditions on numbers mean.
//!
//! The front end in Python that this crate replaced wrote the rows in November 2026.

#[path = "expected/mod.rs"]
mod expected;

use frisket_core::builder::Builder;
use frisket_core::error::Error;
use frisket_schema::condition::{NumberCondition, Types};
use frisket_schema::decimal::Decimal;
use frisket_schema::types::number::{lower, Notation, NumberError, NumeralParts};
use frisket_schema::types::Terms;
use std::collections::BTreeSet;
use std::sync::Arc;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn values(texts: &str) -> BTreeSet<Decimal> {
    texts.split(',').filter(|text| !text.is_empty()).map(decimal).collect()
}

fn condition(text: &str) -> NumberCondition {
    let tail = |start: usize| &text[start..];
    match text {
        "plain" => NumberCondition::Plain { positive: true },
        "marked" => NumberCondition::Plain { positive: false },
        _ if text.starts_with(">=") => NumberCondition::AtLeast { bound: decimal(tail(2)), strict: false },
        _ if text.starts_with('>') => NumberCondition::AtLeast { bound: decimal(tail(1)), strict: true },
        _ if text.starts_with("<=") => NumberCondition::AtMost { bound: decimal(tail(2)), strict: false },
        _ if text.starts_with('<') => NumberCondition::AtMost { bound: decimal(tail(1)), strict: true },
        _ if text.starts_with("!*") => NumberCondition::Multiple { of: decimal(tail(2)), positive: false },
        _ if text.starts_with('*') => NumberCondition::Multiple { of: decimal(tail(1)), positive: true },
        _ if text.starts_with("!=") => {
            NumberCondition::Among { values: Arc::new(values(tail(2))), pointed: Arc::default(), positive: false }
        }
        _ if text.starts_with('=') => {
            let (all, pointed) = tail(1).split_once(';').unwrap_or((tail(1), ""));
            NumberCondition::among(values(all), values(pointed))
        }
        _ => panic!("{text}"),
    }
}

#[test]
fn numbers_are_lowered_as_they_were() {
    expected::compare("number.tsv", |row| {
        let [types, free, whole, fraction, exponent, conditions] = row[..6] else { panic!("{row:?}") };
        let types = match types {
            "fraction" => Types::FRACTION,
            "number" => Types::NUMBER,
            _ => Types::INTEGER,
        };
        let notation = Notation {
            free: free == "1",
            whole: whole.parse().unwrap(),
            fraction: fraction.parse().unwrap(),
            exponent: exponent.parse().unwrap(),
        };
        let conditions: Vec<_> = conditions.split_whitespace().map(condition).collect();
        let mut builder = Builder::default();
        let made = lower(&Terms::new(&mut builder), notation, types, &conditions, &mut NumeralParts::default());
        let found = match made {
            Ok(None) => "none".to_owned(),
            Ok(Some(node)) => match builder.build(node.number()) {
                Ok(grammar) => format!("{:032x}", grammar.fingerprint()),
                Err(error) if *error == Error::Empty => "none".to_owned(),
                Err(error) => error.to_string(),
            },
            Err(NumberError::TooManyRemainders(found)) => format!("remainders {} {}", found.divisor, found.most),
            Err(NumberError::Engine(error)) => error.to_string(),
        };
        (6, vec![found])
    });
}
