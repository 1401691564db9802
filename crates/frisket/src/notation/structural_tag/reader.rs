//! Value of a structural tag → part.
//!
//! Errors come in the order in which a request is read: what a format says of itself, then its content.

use super::part::{Inner, Part, Repeat, Tags, Whole};
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

/// A tag's begin, and the part behind it.
type Tag = (Arc<Part>, Arc<Part>);

/// Reads formats; inner grammars are built on the way.
pub(super) struct Reader<'r> {
    settings: &'r Settings<'r>,
    /// The rules that the first schema shares with others of its options.
    pub prelude: Option<Arc<Prelude>>,
    /// Counts the steps of the reader's own work.
    meter: Builder,
    depth: usize,
}

fn made(part: Part) -> Arc<Part> {
    Arc::new(part)
}

fn text(text: &str) -> Arc<Part> {
    made(Part::Text(text.into()))
}

fn boxed(texts: &[&str]) -> Vec<Box<str>> {
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

    fn format(&mut self, data: &Data) -> Result<Arc<Part>> {
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
    fn documents(&mut self, schema: &Data, options: SchemaOptions, excluded: &[&str]) -> Result<Arc<Part>> {
        let prelude = options.without_texts(excluded).prelude(self.settings.limits.between())?;
        self.prelude.get_or_insert_with(|| prelude.clone());
        whole(documents(schema, &prelude, self.settings), Inner::Schema, schema)
    }

    /// The options for a schema: by default any white space and escapes, as the definition of the format says.
    fn options(&self, data: &Data) -> Result<SchemaOptions> {
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

    fn content(&mut self, data: &Data, ends: Rc<[&str]>) -> Result<Arc<Part>> {
        if !data.has("content") {
            return data.fail("the content is missing", "");
        }
        self.format(&data.get("content").within(ends))
    }

    fn repeated(&mut self, data: &Data, low: u32, high: Option<u32>) -> Result<Part> {
        let item = self.content(data, data.ends.clone())?;
        Ok(Part::Repeat(Repeat { item, low, high, separator: None }))
    }

    // -- tags ------------------------------------------------------------------------------------------------------

    /// A tag; `is_structure`: of the older kind of request.
    fn tag(&mut self, data: &Data, is_structure: bool) -> Result<Tag> {
        let begin = begin_of(data, is_structure)?;
        let behind = self.behind(data, &begin, is_structure)?;
        Ok((begin, behind))
    }

    /// The content and the end of a tag.
    fn behind(&mut self, data: &Data, begin: &Part, is_structure: bool) -> Result<Arc<Part>> {
        let end = data.get("end");
        if end.object().is_some() && end.get("type").str() == Some("token") {
            let token = end.get("token").token()?;
            let content = self.inside(data, Rc::default(), is_structure)?;
            return Ok(made(Part::Seq(vec![named(begin, content), made(Part::Special(token))])));
        }
        let given = if matches!(end.value(), Value::String(_)) { vec![end.clone()] } else { end.items().unwrap_or_default() };
        if given.is_empty() || given.iter().any(|each| !matches!(each.value(), Value::String(_))) {
            return end.fail("the end of a tag is a text, a list of texts that is not empty, or a token", "");
        }
        let mut texts = Vec::new();
        for each in &given {
            texts.extend(each.given_text().map_err(|error| error.at(Some(end.pointer.clone())))?);
        }
        let texts = distinct(texts);
        let ends: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
        let has_end = !ends.is_empty();
        let content = self.inside(data, ends.into(), is_structure)?;
        let is_endless = match &*content {
            Part::FreeText { forbidden, .. } | Part::Tags(Tags { forbidden, .. }) => forbidden.is_empty(),
            _ => false,
        };
        if !has_end && is_endless {
            let message = "the content has no end of its own, and the tag has none either";
            return end.fail(message, "give the tag an end");
        }
        let ends = texts.iter().map(|each| text(each)).collect();
        Ok(made(Part::Seq(vec![named(begin, content), made(Part::Choice(ends))])))
    }

    /// The content of a tag: a format, or the schema of an older request.
    fn inside(&mut self, data: &Data, ends: Rc<[&str]>, is_structure: bool) -> Result<Arc<Part>> {
        if !is_structure {
            return self.content(data, ends);
        }
        let options = self.options(&data.without_value())?;
        self.documents(&data.get("schema"), options, &[])
    }

    /// The older kind of request: every structure is a tag around a JSON document.
    fn structures(&mut self, tag: &Data) -> Result<Arc<Part>> {
        for structure in tag.list("structures")? {
            if !structure.has("schema") {
                return structure.fail("a structure is a JSON object with begin, schema and end", "");
            }
        }
        self.triggered_tags(tag, "structures")
    }

    fn triggered_tags(&mut self, data: &Data, listed: &str) -> Result<Arc<Part>> {
        let is_structure = listed == "structures";
        let triggers = data.strings("triggers")?;
        if triggers.is_empty() {
            return data.get("triggers").fail("there are no triggers", "");
        }
        let (mut tags, mut begins) = (Vec::new(), Vec::new());
        for tag in data.list(listed)? {
            let begin = begin_of(&tag, is_structure)?;
            let Part::Text(text) = &*begin else {
                let hint = "use token_triggered_tags";
                return tag.get("begin").fail("a tag with triggers begins with a text", hint);
            };
            let found: Vec<String> = triggers
                .iter()
                .filter(|&&trigger| text.starts_with(trigger))
                .map(|trigger| frisket_regex::quoted(trigger.chars()))
                .collect();
            if found.len() != 1 {
                let said = match found.is_empty() {
                    true => "begins with none of them".to_owned(),
                    false => format!("begins with {}", found.join(" and with ")),
                };
                let begin = frisket_regex::quoted(text.chars());
                let message = format!("a tag begins with exactly one of the triggers, and {begin} {said}");
                return tag.get("begin").fail(message, "");
            }
            begins.push(text.clone());
            let behind = self.behind(&tag, &begin, is_structure)?;
            tags.push((begin, behind));
        }
        let is_used = |trigger: &&&str| begins.iter().any(|begin| begin.starts_with(**trigger));
        // A trigger that begins no tag is forbidden, since no tag could follow it.
        let used: Vec<&str> = triggers.iter().filter(is_used).copied().collect();
        let unused: Vec<&str> = triggers.iter().filter(|trigger| !is_used(trigger)).copied().collect();
        let options = if is_structure { data.without_value() } else { data.clone() };
        let forbidden = self.forbidden(data, &options, &used, &unused)?;
        tagged(&options, listed, tags, &used, &forbidden)
    }

    fn token_triggered_tags(&mut self, data: &Data) -> Result<Arc<Part>> {
        let triggers = data.tokens("trigger_tokens")?;
        if triggers.is_empty() {
            return data.get("trigger_tokens").fail("there are no trigger tokens", "");
        }
        let mut tags = Vec::new();
        for tag in data.list("tags")? {
            let begin = begin_of(&tag, false)?;
            if !matches!(&*begin, Part::Special(name) if triggers.contains(name)) {
                return tag.get("begin").fail("a tag begins with one of the trigger tokens", "");
            }
            let behind = self.behind(&tag, &begin, false)?;
            tags.push((begin, behind));
        }
        let excluded = data.tokens("exclude_tokens")?;
        Ok(naming(tagged(data, "tags", tags, &[], &[])?, excluded))
    }

    fn tags_with_separator(&mut self, data: &Data) -> Result<Part> {
        let tags = data.list("tags")?;
        if tags.is_empty() {
            return data.get("tags").fail("there are no tags", "");
        }
        let mut choices = Vec::new();
        for tag in &tags {
            let (begin, behind) = self.tag(tag, false)?;
            choices.push(made(Part::Seq(vec![begin, behind])));
        }
        let separator = Some(text(data.text("separator")?));
        let low = u32::from(data.flag("at_least_one", false)?);
        let high = data.flag("stop_after_first", false)?.then_some(1);
        Ok(Part::Repeat(Repeat { item: made(Part::Choice(choices)), low, high, separator }))
    }

    fn dispatch(&mut self, data: &Data) -> Result<Arc<Part>> {
        let (mut tags, mut words) = (Vec::new(), Vec::new());
        for (pattern, part) in self.rules(data)? {
            let Some(word) = pattern.given_text()?.filter(|word| !word.is_empty()) else {
                return pattern.fail("a pattern is a text that is not empty", "");
            };
            words.push(word);
            tags.push((text(word), part));
        }
        let words = distinct(words);
        let forbidden = self.forbidden(data, data, &words, &[])?;
        dispatched(data, tags, &words, &forbidden)
    }

    fn token_dispatch(&mut self, data: &Data) -> Result<Arc<Part>> {
        let mut tags = Vec::new();
        for (token, part) in self.rules(data)? {
            tags.push((made(Part::Special(token.token()?)), part));
        }
        let excluded = data.tokens("exclude_tokens")?;
        Ok(naming(dispatched(data, tags, &[], &[])?, excluded))
    }

    /// The pattern or token of each rule, and the part behind it.
    fn rules<'t>(&mut self, data: &Data<'t>) -> Result<Vec<(Data<'t>, Arc<Part>)>> {
        let mut found = Vec::new();
        for rule in data.list("rules")? {
            let Some([pattern, format]) = rule.items().and_then(|items| <[Data; 2]>::try_from(items).ok()) else {
                return rule.fail("a rule is a list of a pattern and a format", "");
            };
            found.push((pattern, self.format(&format)?));
        }
        if found.is_empty() {
            return data.get("rules").fail("there are no rules", "");
        }
        Ok(found)
    }

    /// The strings that free text must not contain: those that `options` list, and the ends of the tag around it.
    fn forbidden<'t>(
        &mut self,
        data: &Data<'t>,
        options: &Data<'t>,
        triggers: &[&str],
        more: &[&'t str],
    ) -> Result<Vec<&'t str>> {
        let excluded = options.strings("excludes")?;
        let strings = distinct(excluded.into_iter().chain(more.iter().copied()).chain(data.ends.iter().copied()).collect());
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

fn begin_of(data: &Data, is_structure: bool) -> Result<Arc<Part>> {
    if data.object().is_none() {
        return data.fail(format!("a tag is a JSON object, got {}", data.kind()), "");
    }
    if !is_structure && data.has("type") && data.get("type").str() != Some("tag") {
        return data.get("type").fail("the format of a tag is tag", "");
    }
    let begin = data.get("begin");
    if let Some(word) = begin.given_text()? {
        return Ok(text(word));
    }
    if begin.get("type").str() == Some("token") {
        return Ok(made(Part::Special(begin.get("token").token()?)));
    }
    begin.fail(format!("the begin of a tag is a text or a token, got {}", begin.kind()), "")
}

fn tagged(
    data: &Data,
    listed: &str,
    tags: Vec<Tag>,
    triggers: &[&str],
    forbidden: &[&str],
) -> Result<Arc<Part>> {
    if tags.is_empty() {
        return data.get(listed).fail("there are no tags", "");
    }
    let (is_once, is_required) = (data.flag("stop_after_first", false)?, data.flag("at_least_one", false)?);
    // If a tag is required, the first one comes without text before it.
    let each = tags.iter().map(|(begin, behind)| made(Part::Seq(vec![begin.clone(), behind.clone()])));
    let first = is_required.then(|| made(Part::Choice(each.collect())));
    if let (Some(first), true) = (&first, is_once) {
        return Ok(first.clone());
    }
    let (triggers, forbidden) = (boxed(triggers), boxed(forbidden));
    let rest = made(Part::Tags(Tags { tags, triggers, forbidden, is_once }));
    Ok(match first {
        Some(first) => made(Part::Seq(vec![first, rest])),
        None => rest,
    })
}

fn dispatched(data: &Data, tags: Vec<Tag>, words: &[&str], forbidden: &[&str]) -> Result<Arc<Part>> {
    let is_once = !data.flag("loop", true)?;
    Ok(made(Part::Tags(Tags { tags, triggers: boxed(words), forbidden: boxed(forbidden), is_once })))
}

/// The part, in a grammar whose vocabulary must have the excluded tokens.
fn naming(part: Arc<Part>, excluded: Vec<Box<str>>) -> Arc<Part> {
    let item = made(Part::AnyTokens(excluded));
    let nothing = made(Part::Repeat(Repeat { item, low: 0, high: Some(0), separator: None }));
    made(Part::Seq(vec![part, nothing]))
}

/// The content of a tag, named by the tag's begin in places.
fn named(begin: &Part, content: Arc<Part>) -> Arc<Part> {
    match begin {
        Part::Text(name) | Part::Special(name) if !name.is_empty() => made(Part::Label(name.clone(), content)),
        _ => content,
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
