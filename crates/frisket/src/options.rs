//! JSON of options → the options for the documents of a schema, checked.

use crate::error::{Error, Result};
use frisket_core::limits::Pause;
use frisket_core::storage::lock::Lock;
use frisket_core::storage::once::Lazy;
use frisket_schema::compile::{Options, Prelude, PropertyOrder, Spacing};
use frisket_schema::formats::Mode;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The largest bound on white space at one place, in characters.
const MOST_WHITESPACE: u32 = 1_000;

/// Most options whose preludes are kept.
const KEPT: usize = 32;
/// The letters of all escapes that a document may have.
const ESCAPES: &str = "bfnrtu\"\\";

/// The options for the documents of a schema: the fields and values of `frisket.JSONSchemaOptions` in Python.
///
/// ```
/// use frisket::SchemaOptions;
///
/// let options = SchemaOptions::from_json(r#"{"whitespace": "compact", "property_order": "any"}"#)?;
/// assert_eq!(options, SchemaOptions::from_json(r#"{"property_order": "any", "whitespace": "compact"}"#)?);
/// let error = SchemaOptions::from_json(r#"{"whitespace": "none"}"#).unwrap_err();
/// assert_eq!(error.message(), "whitespace is one of bounded, compact, pretty, free");
/// # Ok::<(), Box<frisket::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaOptions(Options);

impl SchemaOptions {
    /// The options of a JSON object; options that it does not name have their defaults.
    pub fn from_json(text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Error::misuse(format!("options are no JSON: {error}"), "an object of options"))?;
        let Value::Object(fields) = value else {
            return Err(Error::misuse("options are an object", "such as {\"whitespace\": \"compact\"}"));
        };
        let mut options = Options::default();
        for (name, value) in &fields {
            set(&mut options, name, value)?;
        }
        check(&options, &fields)?;
        Ok(SchemaOptions(options))
    }

    /// Every spelling: any order, white space, escapes and numerals.
    pub fn free() -> Self {
        SchemaOptions(Options {
            property_order: PropertyOrder::Any,
            whitespace: Spacing::Free,
            free_escapes: true,
            free_numbers: true,
            max_second_digits: 40,
            ..Options::default()
        })
    }

    /// The options for a schema in a structural tag: those that are given, or else any white space and escapes.
    /// `max_whitespace` is the tag's own bound on the white space at one place.
    pub(crate) fn of_tag(given: Option<&Self>, max_whitespace: Option<u32>, is_any_order: bool) -> Self {
        let usual = || Options { whitespace: Spacing::Free, free_escapes: true, ..Options::default() };
        let mut options = given.map_or_else(usual, |options| options.0.clone());
        if let Some(most) = max_whitespace {
            options.whitespace = if most == 0 { Spacing::Compact } else { Spacing::Bounded };
            options.max_whitespace = (most > 0).then_some(most.min(MOST_WHITESPACE));
        }
        if is_any_order {
            options.property_order = PropertyOrder::Any;
        }
        SchemaOptions(options)
    }

    /// The options, under which no string holds these texts either.
    pub(crate) fn without_texts(mut self, texts: &[&str]) -> Self {
        self.0.forbidden_texts.extend(texts.iter().map(|&text| text.to_owned()));
        self
    }

    /// The options of the crate below.
    #[doc(hidden)]
    pub fn into_inner(self) -> Options {
        self.0
    }

    /// The common part of all schemas of the options, made once. Its builders call `pause` now and then.
    pub(crate) fn prelude(&self, pause: Option<Pause>) -> Result<Arc<Prelude>> {
        type Known = Vec<(Option<usize>, Arc<Prelude>)>;
        static KNOWN: Lazy<Lock<Known>> = Lazy::new(|| Lock::new(Vec::new()));
        let address = pause.map(|pause| pause as usize);
        let is_same = |(other, prelude): &&(_, Arc<Prelude>)| *other == address && *prelude.options() == self.0;
        let known = || KNOWN.lock().iter().find(is_same).map(|(_, prelude)| prelude.clone());
        if let Some(prelude) = known() {
            return Ok(prelude);
        }
        let made = Arc::new(Prelude::new(self.0.clone(), pause)?);
        let mut kept = KNOWN.lock();
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((address, made.clone()));
        Ok(made)
    }
}

/// Sets the option of a name. Errors: a name or a value that it does not have.
fn set(options: &mut Options, name: &str, value: &Value) -> Result<()> {
    match name {
        "property_order" => {
            let choices =
                [("schema", PropertyOrder::Schema), ("declared", PropertyOrder::Declared), ("any", PropertyOrder::Any)];
            options.property_order = choice(name, value, &choices)?;
        }
        "whitespace" => {
            let choices = [
                ("bounded", Spacing::Bounded),
                ("compact", Spacing::Compact),
                ("pretty", Spacing::Pretty),
                ("free", Spacing::Free),
            ];
            options.whitespace = choice(name, value, &choices)?;
        }
        "formats" => {
            let choices = [
                ("assert", Mode::Assert),
                ("annotate", Mode::Annotate),
                ("openapi", Mode::OpenApi),
                ("python", Mode::Python),
            ];
            options.formats = choice(name, value, &choices)?;
        }
        "escapes" => options.free_escapes = choice(name, value, &[("raw", false), ("free", true)])?,
        "numbers" => options.free_numbers = choice(name, value, &[("plain", false), ("free", true)])?,
        "closed_objects" => options.closed_objects = flag(name, value)?,
        "leading_space" => options.leading_space = flag(name, value)?,
        "nullable" => options.nullable = flag(name, value)?,
        "relaxed" => options.relaxed = flag(name, value)?,
        "indent" => options.indent = number(name, value, 0, 100)? as u32,
        "max_integer_digits" => options.max_integer_digits = number(name, value, 1, 2000)? as u32,
        "max_fraction_digits" => options.max_fraction_digits = number(name, value, 0, 2000)? as u32,
        "max_exponent_digits" => options.max_exponent_digits = number(name, value, 0, 9)? as u32,
        "max_second_digits" => options.max_second_digits = number(name, value, 0, 2000)? as u32,
        "max_alternatives" => options.max_alternatives = number(name, value, 1, 1 << 32)?,
        "max_whitespace" if value.is_null() => options.max_whitespace = None,
        "max_whitespace" => options.max_whitespace = Some(number(name, value, 0, MOST_WHITESPACE.into())? as u32),
        "max_items" if value.is_null() => options.max_items = None,
        "max_items" => options.max_items = Some(number(name, value, 0, 1 << 32)?),
        "separators" if value.is_null() => options.separators = None,
        "separators" => match &texts(name, value)?[..] {
            [item, colon] => options.separators = Some((item.clone(), colon.clone())),
            _ => return Err(Error::misuse("separators are two texts", "such as [\", \", \": \"]")),
        },
        "escape_letters" => options.escape_letters = text(name, value)?.to_owned(),
        "forbidden_texts" => options.forbidden_texts = texts(name, value)?,
        "escaped_texts" => options.escaped_texts = texts(name, value)?,
        _ => return Err(Error::misuse(format!("there is no option {name}"), "see frisket.JSONSchemaOptions")),
    }
    Ok(())
}

/// Checks options against each other.
fn check(options: &Options, fields: &Map<String, Value>) -> Result<()> {
    if let Some((item, colon)) = &options.separators {
        let blank = |char| matches!(char, ' ' | '\t' | '\n' | '\r');
        if [(item, ","), (colon, ":")].iter().any(|(text, mark)| text.trim_matches(blank) != *mark || text.len() > 100)
        {
            return Err(Error::misuse("a separator is , or : with white space beside it", "such as [\", \", \": \"]"));
        }
        if options.whitespace == Spacing::Free {
            let hint = "leave out one of the two";
            return Err(Error::misuse("separators leave no white space that is free", hint));
        }
    }
    if let Some(odd) = options.escape_letters.chars().find(|&letter| !ESCAPES.contains(letter)) {
        return Err(Error::misuse(format!("no escape has the letter {odd:?}"), format!("letters are of {ESCAPES}")));
    }
    if options.free_escapes && ESCAPES.chars().any(|letter| !options.escape_letters.contains(letter)) {
        let hint = "\"escapes\": \"free\" has them all";
        return Err(Error::misuse("escape_letters choose among the escapes of raw", hint));
    }
    for name in ["forbidden_texts", "escaped_texts"] {
        let texts = if name == "forbidden_texts" { &options.forbidden_texts } else { &options.escaped_texts };
        if fields.contains_key(name) && texts.iter().any(String::is_empty) {
            return Err(Error::misuse(format!("{name} are not empty"), "leave the empty text out"));
        }
    }
    let is_odd = |text: &String| !text.starts_with(|first| matches!(first, ' '..='~') && !matches!(first, '"' | '\\'));
    if options.escaped_texts.iter().any(is_odd) {
        let hint = "begin it with another character";
        return Err(Error::misuse("an escaped text begins with printable ASCII, no quote or backslash", hint));
    }
    Ok(())
}

fn choice<T: Copy>(name: &str, value: &Value, choices: &[(&str, T)]) -> Result<T> {
    let found = value.as_str().and_then(|word| choices.iter().find(|(known, _)| *known == word));
    found.map(|&(_, choice)| choice).ok_or_else(|| {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        Error::misuse(format!("{name} is one of {}", words.join(", ")), "choose one of them")
    })
}

fn flag(name: &str, value: &Value) -> Result<bool> {
    value.as_bool().ok_or_else(|| Error::misuse(format!("{name} is true or false"), "write one of them"))
}

fn number(name: &str, value: &Value, least: u64, most: u64) -> Result<u64> {
    let found = value.as_u64().filter(|number| (least..=most).contains(number));
    found.ok_or_else(|| Error::misuse(format!("{name} is a number from {least} to {most}"), "give such a number"))
}

fn text<'a>(name: &str, value: &'a Value) -> Result<&'a str> {
    value.as_str().ok_or_else(|| Error::misuse(format!("{name} is a text"), "write it in quotes"))
}

fn texts(name: &str, value: &Value) -> Result<Vec<String>> {
    let items = value.as_array();
    let items = items.ok_or_else(|| Error::misuse(format!("{name} is a list of texts"), "write it in brackets"))?;
    items.iter().map(|item| text(name, item).map(str::to_owned)).collect()
}
