//! Value of a structural tag → part.
//!
//! Errors come in the order in which a request is read: what a format says of itself, then its content.

use super::part::{Inner, Part, Repeat, Whole};
use super::style::STYLES;
use super::value::{distinct, Data};
use super::{documents, members, Settings};
use crate::error::{Code, Error, Result};
use crate::grammar::Grammar;
use crate::notation::{free_text, EbnfDialect, Failure, Notation, Options};
use crate::options::SchemaOptions;
use frisket_core::builder::Builder;
use frisket_schema::compile::Prelude;
use frisket_schema::json::Value;
use std::rc::Rc;
use std::sync::Arc;

/// Most formats inside each other.
const LEVELS: usize = 300;

/// The formats, in the order of the definition.
const FORMATS: [&str; 20] = [
    "const_string",
    "json_schema",
    "qwen_xml_parameter",
    "grammar",
    "regex",
    "any_text",
    "sequence",
    "or",
    "optional",
    "plus",
    "star",
    "repeat",
    "tag",
    "triggered_tags",
    "tags_with_separator",
    "dispatch",
    "token",
    "any_tokens",
    "token_triggered_tags",
    "token_dispatch",
];

/// Reads formats; inner grammars are built on the way.
pub(super) struct Reader<'r> {
    settings: &'r Settings<'r>,
    /// The rules that the first schema shares with others of its options.
    pub prelude: Option<Arc<Prelude>>,
    /// Counts the steps of the reader's own work.
    meter: Builder,
    depth: usize,
}

pub(super) fn made(part: Part) -> Arc<Part> {
    Arc::new(part)
}

pub(super) fn text(text: &str) -> Arc<Part> {
    made(Part::Text(text.into()))
}

pub(super) fn boxed(texts: &[&str]) -> Vec<Box<str>> {
    texts.iter().map(|&text| text.into()).collect()
}

impl<'r> Reader<'r> {
    pub fn new(settings: &'r Settings<'r>) -> Self {
        let (limits, flag) = settings.limits.parts();
        let meter = Builder::new(limits, flag, settings.limits.between());
        Reader { settings, prelude: None, meter, depth: 0 }
    }

    /// The part of a whole tag.
    pub fn document(&mut self, tag: &Data) -> Result<Arc<Part>> {
        if tag.object().is_none() {
            return tag.fail(format!("a structural tag is a JSON object, got {}", tag.kind()), "");
        }
        if tag.has("structures") || tag.has("triggers") {
            return self.structures(tag);
        }
        if tag.get("type").str() != Some("structural_tag") {
            let hint = r#"write {"type": "structural_tag", "format": {…}}, or {"structures": […], "triggers": […]}"#;
            return tag.get("type").fail("the type of a structural tag is \"structural_tag\"", hint);
        }
        if !tag.has("format") {
            return tag.fail("there is neither a format nor structures and triggers", "");
        }
        self.format(&tag.get("format"))
    }

    pub(super) fn format(&mut self, data: &Data) -> Result<Arc<Part>> {
        if self.depth == LEVELS {
            return Err(Error::limit("the structural tag nests too deeply", "use fewer levels"));
        }
        self.meter.check(1)?;
        self.depth += 1;
        let part = self.format_of_kind(data);
        self.depth -= 1;
        part
    }

    fn format_of_kind(&mut self, data: &Data) -> Result<Arc<Part>> {
        if data.object().is_none() {
            return data.fail(format!("a format is a JSON object, got {}", data.kind()), "");
        }
        let kind = data.get("type");
        Ok(made(match kind.str().unwrap_or_default() {
            "const_string" => Part::Text(data.text("value")?.into()),
            "json_schema" => return self.json_schema(data, None),
            "qwen_xml_parameter" => return self.json_schema(data, Some("qwen_xml")),
            "grammar" => return self.grammar(data),
            "regex" => return self.regex(data),
            "any_text" => {
                no_max_tokens(data)?;
                let max_chars = data.count_if_given("max_chars")?;
                Part::FreeText { forbidden: boxed(&self.forbidden(data, data, &[], &[])?), max_chars }
            }
            "sequence" => Part::Seq(self.elements(data)?),
            "or" => Part::Choice(self.elements(data)?),
            "optional" => self.repeated(data, 0, Some(1))?,
            "plus" => self.repeated(data, 1, None)?,
            "star" => self.repeated(data, 0, None)?,
            "repeat" => {
                let low = data.count("min")?;
                let is_open = matches!(data.get("max").value(), Value::Number(max) if max.parse() == Ok(-1.0));
                let high = if is_open { None } else { Some(data.count("max")?) };
                if let Some(high) = high.filter(|&high| high < low) {
                    let message = format!("at least {low} and at most {high} times is never");
                    return data.fail(message, "the smaller count comes first");
                }
                self.repeated(data, low, high)?
            }
            "tag" => {
                let (begin, behind) = self.tag(data, false)?;
                Part::Seq(vec![begin, behind])
            }
            "triggered_tags" => return self.triggered_tags(data, "tags"),
            "tags_with_separator" => self.tags_with_separator(data)?,
            "dispatch" => return self.dispatch(data),
            "token" => Part::Special(data.get("token").token()?),
            "any_tokens" => {
                no_max_tokens(data)?;
                Part::AnyTokens(data.tokens("exclude_tokens")?)
            }
            "token_triggered_tags" => return self.token_triggered_tags(data),
            "token_dispatch" => return self.token_dispatch(data),
            "exclude_token" => {
                let message = "one token that is any but some cannot be told exactly: a grammar knows no vocabulary";
                return data.fail(message, "write the text that may come as any_text or a regex");
            }
            _ => {
                let hint = format!("the formats are {}", FORMATS.join(", "));
                return kind.fail(format!("there is no format {}", kind.shown()), &hint);
            }
        }))
    }

    // -- formats of a single text ----------------------------------------------------------------------------------

    fn json_schema(&mut self, data: &Data, forced: Option<&str>) -> Result<Arc<Part>> {
        if !data.has("json_schema") {
            return data.fail("a json_schema format has no json_schema", "");
        }
        let given = data.get("style");
        let name = forced.or(if given.is_false() { Some("json") } else { given.str() });
        let style = STYLES.iter().find(|style| Some(style.name) == name);
        if style.is_none() && name != Some("json") {
            let names: Vec<&str> = STYLES.iter().map(|style| style.name).collect();
            let hint = format!("the styles are json, {}", names.join(", "));
            return given.fail(format!("there is no style {}", given.shown()), &hint);
        }
        let excluded = data.strings("excludes")?;
        let options = self.options(data)?;
        let schema = data.get("json_schema");
        let Some(style) = style else { return self.documents(&schema, options, &excluded) };
        let grammar = members::members(&schema, style, &options, &excluded, self.settings);
        whole(grammar, Inner::Members, &schema)
    }

    /// The part of a schema's documents, in which no string holds an excluded text.
    pub(super) fn documents(&mut self, schema: &Data, options: SchemaOptions, excluded: &[&str]) -> Result<Arc<Part>> {
        let prelude = options.without_texts(excluded).prelude(self.settings.limits.between())?;
        self.prelude.get_or_insert_with(|| prelude.clone());
        whole(documents(schema, &prelude, self.settings), Inner::Schema, schema)
    }

    /// The options for a schema: by default any white space and escapes, as the definition of the format says.
    pub(super) fn options(&self, data: &Data) -> Result<SchemaOptions> {
        let most = data.count_if_given("max_whitespace_cnt")?;
        let is_any_order = data.flag("any_order", false)?;
        Ok(SchemaOptions::of_tag(self.settings.options.as_ref(), most, is_any_order))
    }

    fn grammar(&mut self, data: &Data) -> Result<Arc<Part>> {
        let text = data.text("grammar")?;
        let options = Options {
            notation: Notation::Ebnf(EbnfDialect::XGrammar),
            root: Some("root"),
            python: self.settings.python,
        };
        whole(Grammar::from_rules(text, &options, &self.settings.limits), Inner::Rules, &data.get("grammar"))
    }

    fn regex(&mut self, data: &Data) -> Result<Arc<Part>> {
        let pattern = data.text("pattern")?;
        if !data.get("excludes").is_false() {
            let message = "strings that a pattern may not match are not enforced";
            return data.get("excludes").fail(message, "leave them out");
        }
        let grammar = Grammar::from_regex(pattern, &self.settings.limits).map_err(|error| match error.code() {
            Code::GrammarEmpty => {
                let message = "no text matches the pattern from beginning to end";
                Error::new(Code::GrammarEmpty, message).with_hint("the pattern's conditions exclude each other")
            }
            _ => error,
        });
        whole(grammar, Inner::Pattern, &data.get("pattern"))
    }

    // -- formats of several texts ----------------------------------------------------------------------------------

    fn elements(&mut self, data: &Data) -> Result<Vec<Arc<Part>>> {
        data.list("elements")?.iter().map(|element| self.format(element)).collect()
    }

    pub(super) fn content(&mut self, data: &Data, ends: Rc<[&str]>) -> Result<Arc<Part>> {
        if !data.has("content") {
            return data.fail("the content is missing", "");
        }
        self.format(&data.get("content").within(ends))
    }

    fn repeated(&mut self, data: &Data, low: u32, high: Option<u32>) -> Result<Part> {
        let item = self.content(data, data.ends.clone())?;
        Ok(Part::Repeat(Repeat { item, low, high, separator: None }))
    }

    /// The strings that free text must not contain: those that `options` list, and the ends of the tag around it.
    pub(super) fn forbidden<'t>(
        &mut self,
        data: &Data<'t>,
        options: &Data<'t>,
        triggers: &[&str],
        more: &[&'t str],
    ) -> Result<Vec<&'t str>> {
        let excluded = options.strings("excludes")?;
        let strings =
            distinct(excluded.into_iter().chain(more.iter().copied()).chain(data.ends.iter().copied()).collect());
        free_text::check_strings(&mut self.meter, triggers, &strings).map_err(|failure| match failure {
            Failure::Unread(fault) => {
                let place = format!("{}, trigger {}", data.pointer, fault.at.unwrap_or_default());
                let error = Error::new(Code::GrammarSyntax, fault.message).at(Some(place));
                error.with_hint(fault.hint.unwrap_or_default())
            }
            failure => Error::of_notation(failure, ""),
        })?;
        Ok(strings)
    }
}

fn no_max_tokens(data: &Data) -> Result<()> {
    if data.count_if_given("max_tokens")?.is_none() {
        return Ok(());
    }
    let message = "a number of tokens cannot be told by a grammar, which knows no vocabulary";
    data.get("max_tokens").fail(message, "bound the text by max_chars")
}

/// The part of a grammar inside the tag, or its error with its place there.
fn whole(grammar: Result<Grammar>, notation: Inner, data: &Data) -> Result<Arc<Part>> {
    match grammar {
        Ok(grammar) => Ok(made(Part::Whole(Whole { grammar, notation, pointer: data.pointer.clone() }))),
        Err(error) => Err(error.inside(&data.pointer)),
    }
}
