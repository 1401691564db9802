//! Formats of tags, alone and in free text → parts.

use super::part::{Part, Repeat, Tags};
use super::reader::{boxed, made, text, Reader};
use super::value::{distinct, Data};
use crate::error::Result;
use frisket_schema::json::Value;
use std::rc::Rc;
use std::sync::Arc;

/// A tag's begin, and the part behind it.
type Tag = (Arc<Part>, Arc<Part>);

impl Reader<'_> {
    /// A tag; `is_structure`: of the older kind of request.
    pub(super) fn tag(&mut self, data: &Data, is_structure: bool) -> Result<Tag> {
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
        let given =
            if matches!(end.value(), Value::String(_)) { vec![end.clone()] } else { end.items().unwrap_or_default() };
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
    pub(super) fn structures(&mut self, tag: &Data) -> Result<Arc<Part>> {
        for structure in tag.list("structures")? {
            if !structure.has("schema") {
                return structure.fail("a structure is a JSON object with begin, schema and end", "");
            }
        }
        self.triggered_tags(tag, "structures")
    }

    pub(super) fn triggered_tags(&mut self, data: &Data, listed: &str) -> Result<Arc<Part>> {
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

    pub(super) fn token_triggered_tags(&mut self, data: &Data) -> Result<Arc<Part>> {
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

    pub(super) fn tags_with_separator(&mut self, data: &Data) -> Result<Part> {
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

    pub(super) fn dispatch(&mut self, data: &Data) -> Result<Arc<Part>> {
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

    pub(super) fn token_dispatch(&mut self, data: &Data) -> Result<Arc<Part>> {
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

fn tagged(data: &Data, listed: &str, tags: Vec<Tag>, triggers: &[&str], forbidden: &[&str]) -> Result<Arc<Part>> {
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
