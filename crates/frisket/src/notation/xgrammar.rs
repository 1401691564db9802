//! Options of rules and macros, which xgrammar's EBNF adds to GBNF → rules.
//!
//! `Regex`, `Substring` and `TagDispatch` stand for regular languages and free text. Macros that count tokens are refused.
//!
//! Source: xgrammar's documentation, EBNF Grammar.

use super::gbnf::{self, Reader};
use super::pattern::Regex;
use super::rules::Part;
use super::source::{character, digits_of, fail, fault, Read, Source};
use frisket_core::production::BodyNode;
use frisket_regex::LAST;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Options of rules; captures and temperatures do not change the texts.
const OPTIONS: [&str; 5] = ["capture", "lazy", "max_chars", "stop_capture", "temperature"];
const MACROS: [&str; 3] = ["Regex", "Substring", "TagDispatch"];
const MACROS_OF_TOKENS: [&str; 3] = ["Token", "ExcludeToken", "TokenTagDispatch"];

/// The characters that may stand in a JSON string without an escape.
const UNESCAPED: [(u32, u32); 3] = [(0x20, 0x21), (0x23, 0x5b), (0x5d, LAST)];

/// An option that restricts the texts of a rule, and its place.
pub(super) enum Restriction {
    Shortest(usize),
    MaxChars(u32, usize),
}

/// What stands behind `=`.
enum Value {
    Text(String),
    Count(u32),
    Fraction,
    Truth(bool),
}

/// A tag, and the call of the rule behind it.
struct Tag<'t> {
    text: String,
    rule: &'t str,
    at: usize,
}

/// The character that a letter stands for behind a backslash, where GBNF has no such escape.
pub(super) fn escaped(letter: char) -> Option<char> {
    Some(match letter {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'a' => '\u{7}',
        'v' => '\u{b}',
        '0' => '\0',
        'e' => '\u{1b}',
        '/' | '\'' | '?' | '^' | '$' | '.' | '*' | '+' | '(' | ')' | '{' | '}' | '|' => letter,
        _ => return None,
    })
}

impl<'t> Reader<'t, '_> {
    /// The options between a rule's name and its sign.
    pub fn options(&mut self) -> Read<Vec<Restriction>> {
        let mut found = Vec::new();
        if !self.source.take("[") {
            return Ok(found);
        }
        while !self.source.take("]") {
            self.space(false);
            let at = self.source.at;
            let option = self.word();
            if option == "max_tokens" {
                let message = "a number of tokens cannot be told exactly: a grammar knows no vocabulary";
                return fail(message, at, "bound the characters with max_chars");
            }
            if !OPTIONS.contains(&option) && !option.starts_with("capture_hidden") {
                let option = if option.is_empty() { self.source.found() } else { option.to_owned() };
                return fail(format!("there is no option {option}"), at, format!("there are {}", OPTIONS.join(", ")));
            }
            let value = if self.source.take("=") { Some(self.value()?) } else { None };
            match (option, value) {
                ("lazy", _) => found.push(Restriction::Shortest(at)),
                ("max_chars", Some(Value::Count(most))) => found.push(Restriction::MaxChars(most, at)),
                ("max_chars", _) => return fail("max_chars is a number", at, ""),
                _ => {}
            }
            self.space(false);
            if self.source.peek() != Some(']') {
                self.source.expect(",", "or ] after an option", "")?;
            }
        }
        Ok(found)
    }

    /// Restricts the body, which is the last node.
    pub fn restrict(&mut self, options: &[Restriction]) {
        for option in options {
            match *option {
                Restriction::Shortest(at) => self.rules.add(BodyNode::Shortest(at as u32), 1),
                Restriction::MaxChars(most, at) => {
                    self.rules.add(BodyNode::Chars([(0, LAST)].into()), 0);
                    self.rules.add(BodyNode::Repeat(0, Some(most)), 1);
                    self.rules.add(BodyNode::Both(at as u32), 2);
                }
            }
        }
    }

    fn word(&mut self) -> &'t str {
        let is_letter = |char: char| char.is_ascii_alphabetic() || char == '_';
        self.source.word(is_letter, |char| is_letter(char) || char.is_ascii_digit())
    }

    /// A text, a number, true or false.
    fn value(&mut self) -> Read<Value> {
        let at = self.source.at;
        match self.source.peek() {
            Some('"') => return Ok(Value::Text(self.literal()?)),
            Some('0'..='9') => {
                let number = self.source.count("");
                if self.source.take(".") {
                    self.source.take_while(|char| char.is_ascii_digit());
                    return Ok(Value::Fraction);
                }
                return number.map(Value::Count);
            }
            _ => {}
        }
        match self.word() {
            "true" => Ok(Value::Truth(true)),
            "false" => Ok(Value::Truth(false)),
            _ => fail("expected a text, a number, true or false", at, ""),
        }
    }

    /// Adds the item of a name that was read: a macro, or a call.
    pub fn named(&mut self, name: &'t str, at: usize) -> Read<()> {
        let is_of_tokens = MACROS_OF_TOKENS.contains(&name);
        if self.source.peek() != Some('(') || !(is_of_tokens || MACROS.contains(&name)) {
            self.rules.call(name, at);
            return Ok(());
        }
        if is_of_tokens {
            let message = format!("{name} names tokens by their numbers, and a grammar knows no vocabulary");
            return fail(message, at, "in GBNF a special token is named by its text, such as <|eot_id|>");
        }
        self.source.next();
        self.space(true);
        self.rules.begin_item();
        match name {
            "Regex" => self.regex(at)?,
            "Substring" => {
                let chunks = self.texts()?.into_iter().filter(|chunk| !chunk.is_empty()).collect();
                self.rules.part(Part::Substring(chunks), at);
            }
            _ => self.dispatch(at)?,
        }
        self.rules.end_item();
        Ok(())
    }

    /// Texts up to the closing bracket, which is read.
    fn texts(&mut self) -> Read<Vec<String>> {
        let mut found = Vec::new();
        while !self.source.take(")") {
            if self.source.peek() != Some('"') {
                return fail(format!("expected a text or ), found {}", self.source.found()), self.source.at, "");
            }
            found.push(self.literal()?);
            self.space(true);
            if self.source.peek() != Some(')') {
                self.source.expect(",", "or ) after a text", "")?;
                self.space(true);
            }
        }
        Ok(found)
    }

    /// `Regex("pattern", flags="i", json_string=true)`; without flags, `.` also matches line breaks.
    fn regex(&mut self, at: usize) -> Read<()> {
        let begin = self.source.at;
        if self.source.peek() != Some('"') {
            return fail(format!("expected a pattern, found {}", self.source.found()), begin, "");
        }
        let pattern = pattern(&mut self.source)?;
        let (mut flags, mut is_json) = ("s".to_owned(), false);
        self.space(true);
        while !self.source.take(")") {
            self.source.expect(",", "or ) after an argument", "")?;
            self.space(true);
            let place = self.source.at;
            let word = self.word();
            if word.is_empty() {
                return fail(format!("expected the name of an argument, found {}", self.source.found()), place, "");
            }
            self.source.expect("=", &format!("after {word}"), "")?;
            match (word, self.value()?) {
                ("flags", Value::Text(text)) if text.chars().all(|flag| "is".contains(flag)) => flags = text,
                ("json_string", Value::Truth(is_true)) => is_json = is_true,
                _ => {
                    let message = format!("Regex has no argument {word} of that kind");
                    return fail(message, place, "there are flags=\"is\" and json_string");
                }
            }
            self.space(true);
        }
        let regex = Regex::of_xgrammar(&pattern, flags, self.python)
            .map_err(|flaw| fault(flaw.message, begin, flaw.hint.unwrap_or_default()))?;
        self.rules.part(Part::Pattern(Rc::new(regex)), begin);
        if is_json {
            self.rules.add(BodyNode::Chars(UNESCAPED.into()), 0);
            self.rules.add(BodyNode::Repeat(0, None), 1);
            self.rules.add(BodyNode::Both(at as u32), 2);
        }
        Ok(())
    }

    /// `TagDispatch(("tag", rule), …)`: free text up to a tag, the tag's rule, and free text again.
    fn dispatch(&mut self, at: usize) -> Read<()> {
        let (mut tags, mut excluded, mut is_loop) = (Vec::new(), Vec::new(), true);
        while !self.source.take(")") {
            let place = self.source.at;
            if self.source.take("(") {
                self.space(true);
                let text = if self.source.peek() == Some('"') { self.literal()? } else { String::new() };
                self.space(true);
                self.source.expect(",", "between a tag and its rule", PAIR)?;
                self.space(true);
                let at = self.source.at;
                let rule = self.name();
                if text.is_empty() || rule.is_empty() {
                    return fail("a pair is a tag and the name of a rule", place, r#"as in ("<tag>", rule)"#);
                }
                tags.push(Tag { text, rule, at });
                self.space(true);
                self.source.expect(")", "after the name of a rule", "")?;
            } else {
                let word = self.word();
                let name = if word.is_empty() { "the tags" } else { word };
                self.source.expect("=", &format!("after {name}"), PAIR)?;
                match word {
                    "loop_after_dispatch" => is_loop = matches!(self.value()?, Value::Truth(true)),
                    "excludes" => {
                        self.source.expect("(", "before the texts", "")?;
                        self.space(true);
                        excluded = self.texts()?;
                    }
                    _ => {
                        let word = if word.is_empty() { "without a name" } else { word };
                        let message = format!("TagDispatch has no argument {word}");
                        return fail(message, place, "there are loop_after_dispatch, excludes");
                    }
                }
            }
            self.space(true);
            if self.source.peek() != Some(')') {
                self.source.expect(",", "or ) after an argument", "")?;
                self.space(true);
            }
        }
        if tags.is_empty() {
            return fail("there is no tag", at, PAIR);
        }
        excluded.retain(|text| !text.is_empty());
        self.dispatched(&tags, &excluded, is_loop, at)
    }

    fn dispatched(&mut self, tags: &[Tag], excluded: &[String], is_loop: bool, at: usize) -> Read<()> {
        let strings: Vec<&str> = tags.iter().map(|tag| &*tag.text).chain(excluded.iter().map(|text| &**text)).collect();
        let length: usize = strings.iter().map(|string| string.len()).sum();
        let squares: usize = strings.iter().map(|string| string.len().pow(2)).sum();
        self.builder.check((length + squares) as u64)?;
        let is_apart = is_each_found(tags, excluded);
        if !is_apart {
            self.builder.check((tags.len() * strings.len()) as u64)?;
        }
        let calls = if is_apart { self.by_texts(tags, excluded, at) } else { self.by_ends(tags, excluded, at) };
        if is_loop {
            self.rules.add(BodyNode::Alt, calls);
            self.rules.add(BodyNode::Repeat(0, None), 1);
        }
        if is_apart {
            self.free(tags, excluded, &BTreeSet::new(), at);
        } else {
            self.any_text();
            self.without(tags.iter().map(|tag| &*tag.text), at);
            self.both_without(excluded, at);
        }
        match is_loop {
            true => self.rules.add(BodyNode::Seq, 2),
            false => self.rules.add(BodyNode::Alt, calls + 1),
        }
        Ok(())
    }

    /// Adds a node for the tags behind each kind of text; how many they are. No tag is in a text up to another one, so
    /// tags that need the same text share its node.
    fn by_texts(&mut self, tags: &[Tag], excluded: &[String], at: usize) -> u32 {
        let avoided = ends_to_avoid(tags, excluded);
        let mut groups: Vec<(&BTreeSet<&str>, Vec<&Tag>)> = Vec::new();
        let mut numbers = FxHashMap::default();
        for (tag, ends) in tags.iter().zip(&avoided) {
            let number = *numbers.entry(ends).or_insert_with(|| {
                groups.push((ends, Vec::new()));
                groups.len() - 1
            });
            groups[number].1.push(tag);
        }
        for (ends, tags_behind) in &groups {
            self.free(tags, excluded, ends, at);
            for tag in tags_behind {
                self.text(&tag.text);
                self.rules.productions.call(tag.rule, tag.at as u32);
                self.rules.add(BodyNode::Seq, 2);
            }
            self.rules.add(BodyNode::Alt, tags_behind.len() as u32);
            self.rules.add(BodyNode::Seq, 2);
        }
        groups.len() as u32
    }

    /// Adds a node for each tag behind its text; how many they are. The tag that ends first counts.
    fn by_ends(&mut self, tags: &[Tag], excluded: &[String], at: usize) -> u32 {
        for tag in tags {
            self.any_text();
            self.any_of(tags.iter().map(|tag| &*tag.text));
            self.rules.add(BodyNode::Seq, 2);
            self.rules.add(BodyNode::Shortest(at as u32), 1);
            self.any_text();
            self.text(&tag.text);
            self.rules.add(BodyNode::Seq, 2);
            self.both_without(excluded, at);
            self.rules.productions.call(tag.rule, tag.at as u32);
            self.rules.add(BodyNode::Seq, 2);
        }
        tags.len() as u32
    }

    fn text(&mut self, text: &str) {
        self.rules.add(BodyNode::Text(text.into()), 0);
    }

    fn any_text(&mut self) {
        self.rules.add(BodyNode::Chars([(0, LAST)].into()), 0);
        self.rules.add(BodyNode::Repeat(0, None), 1);
    }

    fn any_of<'s>(&mut self, texts: impl Iterator<Item = &'s str>) {
        let mut count = 0;
        for text in texts {
            self.text(text);
            count += 1;
        }
        self.rules.add(BodyNode::Alt, count);
    }

    /// Adds a node for what has none of the texts inside.
    fn without<'s>(&mut self, texts: impl Iterator<Item = &'s str>, at: usize) {
        self.any_text();
        self.any_of(texts);
        self.any_text();
        self.rules.add(BodyNode::Seq, 3);
        self.rules.add(BodyNode::Complement(at as u32), 1);
    }

    /// Joins the last two nodes, and that none of the texts is inside: all of that holds.
    fn both_without(&mut self, excluded: &[String], at: usize) {
        for text in excluded {
            self.without([&**text].into_iter(), at);
        }
        self.rules.add(BodyNode::Both(at as u32), 2 + excluded.len() as u32);
    }

    /// Adds the free text before tags: nothing of the tags and of the excluded texts is in it, and none of `ends` at its
    /// end.
    fn free(&mut self, tags: &[Tag], excluded: &[String], ends: &BTreeSet<&str>, at: usize) {
        let mut seen = FxHashSet::default();
        let strings = tags.iter().map(|tag| &tag.text).chain(excluded);
        let without = strings.filter(|&string| seen.insert(string)).cloned().collect();
        let ends = ends.iter().map(|&end| end.to_owned()).collect();
        self.rules.part(Part::Free { without, ends }, at);
    }
}

/// The text of a pattern: this notation's own escapes become characters, all others stay for the pattern.
fn pattern(source: &mut Source) -> Read<String> {
    let at = source.at;
    let unclosed = || fault("the pattern is not closed", at, "close it with \"");
    let begin = at + 1;
    source.next();
    loop {
        match source.next() {
            Some('"') => break,
            Some('\\') if source.next().is_some_and(|char| char != '\n') => {}
            None | Some('\\' | '\r' | '\n') => return Err(unclosed()),
            _ => {}
        }
    }
    let end = source.at - 1;
    let mut inside = Source { text: &source.text[..end], at: begin };
    let mut pattern = String::new();
    while !inside.is_at_end() {
        pattern.push_str(inside.take_while(|char| char != '\\'));
        let place = inside.at;
        inside.next();
        let Some(letter) = inside.next() else { break };
        let rest = inside.rest().as_bytes();
        let is_code = |letter: char| {
            let digits = rest.get(..digits_of(letter));
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        match letter {
            'x' | 'u' | 'U' if is_code(letter) => {
                pattern.push(character(inside.hexadecimal(letter, place)?, place)?);
            }
            '^' | '$' | '.' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '-' | 'b' | 'v' | '0' => {
                pattern.extend(['\\', letter]);
            }
            letter => match gbnf::escaped(letter, true) {
                Some(char) => pattern.push(char),
                None => pattern.extend(['\\', letter]),
            },
        }
    }
    Ok(pattern)
}

/// Whether each tag may come: none has another tag in it that ends before it, or an excluded text.
fn is_each_found(tags: &[Tag], excluded: &[String]) -> bool {
    let texts: Vec<&str> = tags.iter().map(|tag| &*tag.text).collect();
    let excluded: Vec<&str> = excluded.iter().map(|text| &**text).collect();
    let is_found_beside = |others: &[&str], behind: usize| {
        let known: FxHashSet<&[u8]> = others.iter().map(|text| text.as_bytes()).collect();
        let lengths: BTreeSet<usize> = others.iter().map(|text| text.len()).collect();
        texts.iter().all(|text| {
            let (bytes, last) = (text.as_bytes(), text.len() - behind);
            let ends = |at: usize| lengths.iter().map(move |length| at + length).take_while(move |&end| end <= last);
            (0..last).all(|at| !ends(at).any(|end| known.contains(&bytes[at..end])))
        })
    };
    is_found_beside(&texts, 1) && is_found_beside(&excluded, 0)
}

/// For each tag: the ends of a text that make another string together with a beginning of the tag, or with all of it.
/// That string would have ended the text earlier.
fn ends_to_avoid<'s>(tags: &'s [Tag], excluded: &'s [String]) -> Vec<BTreeSet<&'s str>> {
    let longest = tags.iter().map(|tag| tag.text.len()).max().unwrap_or(0);
    let mut by_suffix: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for string in tags.iter().map(|tag| &tag.text).chain(excluded) {
        for cut in string.len().saturating_sub(longest).max(1)..string.len() {
            if let Some((begin, suffix)) = string.split_at_checked(cut) {
                by_suffix.entry(suffix).or_default().push(begin);
            }
        }
    }
    let avoided = tags.iter().map(|tag| {
        let beginnings = (1..=tag.text.len()).filter_map(|end| tag.text.get(..end));
        beginnings.filter_map(|beginning| by_suffix.get(beginning)).flatten().copied().collect()
    });
    avoided.collect()
}

const PAIR: &str = "a pair is (\"tag\", rule)";
