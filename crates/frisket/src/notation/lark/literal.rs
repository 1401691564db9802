//! A cursor in a Lark file × dialect → a text, a pattern, a special token or a JSON value.

use super::tree::{Id, Node};
use super::{Context, Dialect};
use crate::notation::pattern::Regex;
use crate::notation::source::{character, fail, fault, is_token_name, Read, Source};
use crate::notation::{Failure, Fault};
use frisket_regex::python_class;
use serde_json::value::RawValue;
use serde_json::Value;
use std::rc::Rc;

const SUBSTRINGS: [&str; 3] = ["substring_chunks", "substring_words", "substring_chars"];

/// `"a"`, `"a"i` or `"a".."z"`, from the quote on.
pub(super) fn string(cx: &mut Context, source: &mut Source) -> Read<Id> {
    let at = source.at;
    let text = quoted(cx.dialect, source)?;
    let end = source.at;
    source.blanks();
    if source.take("..") {
        source.blanks();
        return span(cx, source, &text, at);
    }
    source.at = end;
    let any_case = source.take("i");
    if any_case && source.rest().starts_with("..") {
        return fail("a range takes no flags", source.at, BOTH_CASES);
    }
    Ok(cx.trees.add(Node::Text { text: text.into(), any_case }, at))
}

const BOTH_CASES: &str = r#"write both cases, as in "a".."z" | "A".."Z""#;

/// The characters from one to another one, which comes next.
fn span(cx: &mut Context, source: &mut Source, low: &str, at: usize) -> Read<Id> {
    let other = source.at;
    if source.peek() != Some('"') {
        let message = format!("expected the last character of the range, found {}", source.found());
        return fail(message, other, r#"as in "a".."z""#);
    }
    let high = quoted(cx.dialect, source)?;
    let point = |text: &str, place| match (text.chars().next(), text.chars().nth(1)) {
        (Some(char), None) => Ok(char as u32),
        _ => fail("a range goes from one character to another one", place, r#"as in "a".."z""#),
    };
    let range = (point(low, at)?, point(&high, other)?);
    if source.peek() == Some('i') {
        return fail("a range takes no flags", source.at, BOTH_CASES);
    }
    if range.1 < range.0 {
        return fail(format!("the range {low}..{high} is in reverse order"), at, "");
    }
    Ok(cx.trees.add(Node::Chars(Rc::new([range])), at))
}

/// The text between quotes.
pub(super) fn quoted(dialect: Dialect, source: &mut Source) -> Read<String> {
    let at = source.at;
    let unclosed = || fault("the text is not closed", at, "close it with \"");
    if !source.take("\"") {
        return Err(unclosed());
    }
    // The end first: a text that is not closed is the greater fault.
    let mut end = None;
    let mut chars = source.rest().char_indices();
    while let Some((place, char)) = chars.next() {
        match char {
            '"' => {
                end = Some(source.at + place);
                break;
            }
            '\\' if chars.next().is_some_and(|(_, escaped)| escaped != '\n') => {}
            '\\' | '\r' | '\n' => break,
            _ => {}
        }
    }
    let end = end.ok_or_else(unclosed)?;
    let mut text = String::new();
    while source.at < end {
        text.push_str(source.take_while(|char| !matches!(char, '\\' | '"')));
        if source.at < end {
            escape(dialect, source, &mut text)?;
        }
    }
    source.at = end + 1;
    Ok(text)
}

/// Reads an escape from the backslash on.
fn escape(dialect: Dialect, source: &mut Source, text: &mut String) -> Read<()> {
    let (at, is_lark) = (source.at, dialect == Dialect::Lark);
    source.at += 1;
    let Some(letter) = source.next() else { return Ok(()) };
    let char = match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'f' => '\u{c}',
        '"' | '\\' => letter,
        'b' if !is_lark => '\u{8}',
        '/' if !is_lark => '/',
        'x' | 'u' => character(source.hexadecimal(letter, at)?, at)?,
        'U' if is_lark => character(source.hexadecimal(letter, at)?, at)?,
        _ if is_lark => {
            text.push('\\');
            letter
        }
        _ => {
            let known = r#"there are \n \r \t \f \b \\ \/ \" \x00 \u0000"#;
            return fail(format!("there is no escape \\{}", letter.to_string().trim()), at, known);
        }
    };
    text.push(char);
    Ok(())
}

/// `/pattern/flags`, from the slash on.
pub(super) fn regex(cx: &mut Context, source: &mut Source) -> Read<Id> {
    let at = source.at;
    let unclosed = || fault("the pattern is not closed", at, r"close it with /; in a pattern / is written \/");
    source.at += 1;
    let begin = source.at;
    loop {
        match source.next().ok_or_else(unclosed)? {
            '/' => break,
            '\\' => drop(source.next().ok_or_else(unclosed)?),
            _ => {}
        }
    }
    let pattern = &source.text[begin..source.at - 1];
    let place = source.at;
    let flags = source.take_while(|char| char.is_ascii_lowercase());
    if pattern.is_empty() || (pattern.contains('\n') && !flags.contains('x')) {
        return Err(unclosed());
    }
    if let Some(unknown) = flags.chars().filter(|flag| !"imslux".contains(*flag)).min() {
        return fail(format!("there is no flag {unknown}"), place, "flags are letters of imsux");
    }
    if flags.contains('l') {
        return fail("the flag l depends on the machine's language", place - 1, "leave it out");
    }
    let regex = Regex::new(pattern, flags, cx.dialect, &cx.python)
        .map_err(|flaw| fault(flaw.message, begin + flaw.at.unwrap_or(0), flaw.hint.unwrap_or_default()))?;
    Ok(cx.trees.add(Node::Regex(Rc::new(regex)), at))
}

/// `<|name|>` or `<[number]>`, from its bracket on.
pub(super) fn special(cx: &mut Context, source: &mut Source) -> Read<Id> {
    let at = source.at;
    let end = source.rest()[1..].find(|char: char| matches!(char, '<' | '>') || char.is_whitespace());
    let name = end.filter(|&end| end > 0 && source.rest()[1 + end..].starts_with('>'));
    let Some(name) = name.map(|end| &source.rest()[..end + 2]) else {
        return fail("the special token is not closed", at, "its name holds no white space, as in <|eot_id|>");
    };
    if !is_token_name(name) {
        let hint = "write one special token by its text or number, <|eot_id|> or <[128009]>, and | between several";
        return fail(format!("{name} is not one token"), at, hint);
    }
    let name: Rc<str> = name.into();
    source.at += name.len();
    Ok(cx.trees.add(Node::Special(name), at))
}

/// The JSON value that comes next, as it is written.
pub(super) fn json<'t>(source: &mut Source<'t>) -> Read<&'t str> {
    source.take_while(char::is_whitespace);
    let mut values = serde_json::Deserializer::from_str(source.rest()).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(value)) => {
            let end = values.byte_offset();
            source.at += end;
            Ok(value.get())
        }
        Some(Err(error)) => {
            let lines = source.rest().split_inclusive('\n').take(error.line().saturating_sub(1));
            let at = source.at + lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
            let mut at = at.min(source.text.len());
            while !source.text.is_char_boundary(at) {
                at -= 1;
            }
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or_default();
            fail(format!("this is no JSON: {said}"), at, "")
        }
        None => fail("this is no JSON: expected value", source.at, ""),
    }
}

/// The JSON value that comes next.
pub(super) fn value(source: &mut Source) -> Read<Value> {
    let at = source.at;
    // The text is JSON: what is left to fail are its depth and its numbers.
    serde_json::from_str(json(source)?).map_err(|error| match error.to_string().starts_with("recursion limit") {
        true => Failure::Limit(Fault::new("this JSON nests too deep", at, "use fewer levels")),
        false => fault(format!("this is no JSON: {error}"), at, ""),
    })
}

/// The value of `%regex`.
pub(super) fn substring(cx: &mut Context, source: &mut Source, at: usize) -> Read<Id> {
    let value = value(source)?;
    let known = format!("there are {}", SUBSTRINGS.join(", "));
    let member = value.as_object().filter(|members| members.len() == 1).and_then(|members| members.iter().next());
    let Some((name, said)) = member else { return fail("%regex takes an object with one member", at, known) };
    if !SUBSTRINGS.contains(&&**name) {
        return fail(format!("%regex has no member {name}"), at, known);
    }
    let chunks: Vec<String> = if name == "substring_chunks" {
        let chunks = said.as_array().and_then(|chunks| chunks.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        let Some(chunks) = chunks else { return fail("substring_chunks is a list of texts", at, "") };
        chunks.into_iter().filter(|chunk| !chunk.is_empty()).map(str::to_owned).collect()
    } else {
        let Some(text) = said.as_str() else { return fail(format!("{name} is a text"), at, "") };
        match &**name {
            "substring_words" => words(cx, text),
            _ => text.chars().map(String::from).collect(),
        }
    };
    Ok(cx.trees.add(Node::Substring(chunks.into()), at))
}

/// Runs of letters and digits, runs of white space, and other characters one by one.
fn words(cx: &Context, text: &str) -> Vec<String> {
    let kinds = ['w', 's'].map(|letter| python_class(letter, cx.python.python_unicode));
    let mut found: Vec<String> = Vec::new();
    let mut last = None;
    for char in text.chars() {
        let kind = kinds.iter().position(|set| set.contains(char as u32));
        match found.last_mut() {
            Some(chunk) if kind.is_some() && kind == last => chunk.push(char),
            _ => found.push(char.into()),
        }
        last = kind;
    }
    found
}
