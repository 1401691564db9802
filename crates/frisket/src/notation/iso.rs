//! EBNF in the notation of ISO 14977 → rules.
//!
//! `name = body;`, a comma between items, `[a]`, `{a}`, `2 * a`, `A - B`, comments that nest.
//!
//! Source: ISO/IEC 14977:1996, with the alternative characters of its section 7.

use super::rules::Rules;
use super::source::{count, fail, is_space, Read, Source};
use frisket_core::production::BodyNode;

/// The rules of a text.
pub(super) fn read(mut source: Source, mut rules: Rules) -> Read<Rules> {
    space(&mut source)?;
    while !source.is_at_end() {
        let at = source.at;
        let name = name(&mut source);
        if name.is_empty() {
            let message = format!("expected the name of a rule, found {}", source.found());
            return fail(message, at, "a rule is name = body;");
        }
        space(&mut source)?;
        if !source.take("=") {
            let hint = source.peek().map_or("", instead_of);
            return fail(format!("expected = after the name {name}, found {}", source.found()), source.at, hint);
        }
        body(&mut source, &mut rules)?;
        if !source.take(";") && !source.take(".") {
            let message = format!("expected ; at the end of the rule {name}, found {}", source.found());
            return fail(message, source.at, "");
        }
        let name = spaced(name);
        rules.check_new(&source, &name, at)?;
        rules.define(&name, &name, at);
        space(&mut source)?;
    }
    Ok(rules)
}

/// A name, which may contain white space that is ignored: commas separate the items.
fn name<'t>(source: &mut Source<'t>) -> &'t str {
    let is_inner = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let begin = source.at;
    source.word(|char| char.is_ascii_alphabetic(), is_inner);
    let mut end = source.at;
    while end > begin && !source.take_while(is_space).is_empty() && !source.take_while(is_inner).is_empty() {
        end = source.at;
    }
    source.at = end;
    &source.text[begin..end]
}

fn spaced(name: &str) -> String {
    name.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<&str>>().join(" ")
}

/// Skips white space and comments, which nest.
fn space(source: &mut Source) -> Read<()> {
    let mut opened = Vec::new();
    while let Some(char) = source.peek() {
        let at = source.at;
        if source.rest().starts_with("(*") && !source.rest().starts_with("(*)") {
            opened.push(at);
            source.at += 2;
        } else if !opened.is_empty() && source.take("*)") {
            opened.pop();
        } else if !opened.is_empty() || is_space(char) {
            source.next();
        } else {
            break;
        }
    }
    match opened.pop() {
        Some(at) => fail("the comment is not closed", at, "close it with *)"),
        None => Ok(()),
    }
}

/// A sign of one or two characters that is a bracket, and the usual one for it.
fn bracket<'t>(source: &Source<'t>, signs: [(&str, char); 5]) -> Option<(&'t str, char)> {
    let rest = source.rest();
    let found = signs.into_iter().find(|(sign, _)| rest.starts_with(sign));
    found.map(|(sign, usual)| (&rest[..sign.len()], usual))
}

/// The signs that open a group, and those that close one: two characters come before one.
const OPENING: [(&str, char); 5] = [("(/", '['), ("(:", '{'), ("(", '('), ("[", '['), ("{", '{')];
const CLOSING: [(&str, char); 5] = [("/)", '['), (":)", '{'), (")", '('), ("]", '['), ("}", '{')];

fn body(source: &mut Source, rules: &mut Rules) -> Read<()> {
    rules.begin();
    space(source)?;
    // Whether an item may come next: behind an operator or an opening bracket.
    let mut is_free = true;
    while let Some(char) = source.peek() {
        let at = source.at;
        if let Some((sign, usual)) = bracket(source, CLOSING) {
            if rules.opened().is_none_or(|(opened, _)| opened != usual) {
                let hint = format!("the text is written '{sign}'");
                return fail(format!("there is no group to close with {sign}"), at, hint);
            }
            rules.exclude_nothing();
            source.at += sign.len();
            rules.close();
            if usual != '(' {
                rules.repeat(0, (usual == '[').then_some(1));
            }
            rules.end_item();
            is_free = false;
        } else if matches!(char, ';' | '.') {
            break;
        } else if matches!(char, '|' | '/' | '!') {
            rules.exclude_nothing();
            source.next();
            rules.end_alternative();
            is_free = true;
        } else if char == ',' {
            rules.exclude_nothing();
            if is_free {
                rules.item(BodyNode::Seq);
            }
            source.next();
            is_free = true;
        } else if char == '-' {
            if !rules.has_items() || rules.waits() || is_free {
                return fail("there is nothing before the exception", at, "the character is written '-'");
            }
            source.next();
            rules.exclude(at);
            is_free = true;
        } else if !is_free {
            let hint = if matches!(char, '*' | '+' | ':') { instead_of(char) } else { "a comma stands between items" };
            return fail(format!("expected , or | or ; before {}", source.found()), at, hint);
        } else if let Some((sign, usual)) = bracket(source, OPENING) {
            source.at += sign.len();
            rules.open(usual, at);
        } else if let Some(digits) = times(source) {
            if rules.is_counted() {
                return fail("expected what is repeated, found another count", at, "");
            }
            let times = count(digits, at)?;
            rules.repeat_next(times, Some(times));
        } else {
            item(source, rules, char)?;
            is_free = false;
        }
        space(source)?;
    }
    rules.check_closed("")?;
    rules.exclude_nothing();
    rules.close();
    Ok(())
}

/// The digits of `2 *`; None, and nothing is read, if no count comes next.
fn times<'t>(source: &mut Source<'t>) -> Option<&'t str> {
    let begin = source.at;
    let digits = source.take_while(|char| char.is_ascii_digit());
    source.take_while(is_space);
    if !digits.is_empty() && !source.rest().starts_with("*)") && source.take("*") {
        return Some(digits);
    }
    source.at = begin;
    None
}

fn item(source: &mut Source, rules: &mut Rules, char: char) -> Read<()> {
    let at = source.at;
    let name = name(source);
    if !name.is_empty() {
        rules.call(&spaced(name), at);
        return Ok(());
    }
    match char {
        '"' | '\'' => {
            let node = source.quoted()?;
            rules.item(node);
            Ok(())
        }
        '?' => {
            let message = "a special sequence means what its author agreed on";
            fail(message, at, "write the rule that it stands for")
        }
        _ => fail(format!("unexpected {}", source.found()), at, instead_of(char)),
    }
}

/// Advice on a sign of other notations.
fn instead_of(char: char) -> &'static str {
    match char {
        ':' => "a rule is defined by =; the dialect with ::= is w3c",
        '*' => "repetition is {a} or 3 * a; the dialect with a* is w3c",
        '+' => "one or more is a, {a}; the dialect with a+ is w3c",
        _ => "",
    }
}
