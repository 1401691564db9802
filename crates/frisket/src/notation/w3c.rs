//! EBNF in the notation of the W3C → rules.
//!
//! `name ::= body`, white space between items, `?`, `*` and `+` after them, `#x41`, classes, `A - B`. The next rule begins
//! at a name with `::=` after it.
//!
//! Source: Extensible Markup Language 1.0 (fifth edition), section 6.

use super::rules::Rules;
use super::source::{character, fail, is_space, ClassHints, Read, Source};
use frisket_core::production::BodyNode;

const CLASS: ClassHints = ClassHints {
    close: "close it with ]",
    hyphen: "the hyphen itself comes last",
    empty: "] in a class is #x5D, and the empty text is ''",
};

/// The rules of a text.
pub(super) fn read(mut source: Source, mut rules: Rules) -> Read<Rules> {
    space(&mut source)?;
    while !source.is_at_end() {
        let Some((begin, name)) = definition(&mut source) else {
            let message = format!("expected a rule, found {}", source.found());
            return fail(message, source.at, "a rule is name ::= body");
        };
        body(&mut source, &mut rules)?;
        rules.check_new(&source, name, begin)?;
        rules.define(name, name, begin);
    }
    Ok(rules)
}

/// The place and the name of the rule that is defined next, perhaps behind its number in a standard; None, and nothing
/// is read, if none is.
fn definition<'t>(source: &mut Source<'t>) -> Option<(usize, &'t str)> {
    let begin = source.at;
    let found = defined(source);
    source.at = if found.is_some() { source.at } else { begin };
    found
}

fn defined<'t>(source: &mut Source<'t>) -> Option<(usize, &'t str)> {
    if source.take("[") {
        let digits = source.take_while(|char| char.is_ascii_digit());
        if source.peek().is_some_and(|char| char.is_ascii_lowercase()) {
            source.next();
        }
        if digits.is_empty() || !source.take("]") {
            return None;
        }
        source.take_while(is_space);
    }
    let begin = source.at;
    let name = name(source);
    source.take_while(is_space);
    (!name.is_empty() && source.take("::=")).then_some((begin, name))
}

fn name<'t>(source: &mut Source<'t>) -> &'t str {
    let is_first = |char: char| char.is_ascii_alphabetic() || char == '_';
    source.word(is_first, |char| is_first(char) || char.is_ascii_digit() || matches!(char, '.' | '-'))
}

/// Skips white space, comments, and the notes on well-formedness and validity in the rules of the XML standard.
fn space(source: &mut Source) -> Read<()> {
    loop {
        source.take_while(is_space);
        let begin = source.at;
        if source.take("/*") {
            if source.take_up_to("*/").is_none() {
                return fail("the comment is not closed", begin, "close it with */");
            }
        } else if !(source.take("[") && is_note(source)) {
            source.at = begin;
            return Ok(());
        }
    }
}

/// Reads a note from behind its bracket on, if it is one.
fn is_note(source: &mut Source) -> bool {
    source.take_while(is_space);
    let is_named = ["wfc", "vc", "WFC", "VC"].iter().any(|kind| source.take(kind));
    source.take_while(is_space);
    is_named && source.take(":") && source.take_up_to("]").is_some()
}

fn body(source: &mut Source, rules: &mut Rules) -> Read<()> {
    rules.begin();
    space(source)?;
    while let Some(char) = source.peek() {
        let at = source.at;
        if definition(source).is_some() {
            source.at = at;
            break;
        }
        let nothing_before = |what: &str| {
            let hint = format!("the character is written '{char}'");
            fail(format!("there is nothing {what}"), at, hint)
        };
        match char {
            '|' => {
                rules.check_operand(source)?;
                source.next();
                rules.end_alternative();
            }
            '(' => {
                source.next();
                rules.open('(', at);
            }
            ')' if rules.opened().is_some() => {
                rules.check_operand(source)?;
                source.next();
                rules.close();
                rules.end_item();
            }
            '*' | '+' | '?' => {
                if !rules.has_items() || rules.waits() {
                    return nothing_before(&format!("to repeat before {char}"));
                }
                source.next();
                rules.repeat(u32::from(char == '+'), (char == '?').then_some(1));
            }
            '-' => {
                if !rules.has_items() || rules.waits() {
                    return nothing_before("before the exception");
                }
                source.next();
                rules.exclude(at);
            }
            _ => item(source, rules, char)?,
        }
        space(source)?;
    }
    rules.check_closed("")?;
    rules.check_operand(source)?;
    rules.close();
    Ok(())
}

fn item(source: &mut Source, rules: &mut Rules, char: char) -> Read<()> {
    let at = source.at;
    let name = name(source);
    if !name.is_empty() {
        rules.call(name, at);
        return Ok(());
    }
    let node = match char {
        '"' | '\'' => source.quoted()?,
        '[' => source.class(&CLASS, |source| match code(source) {
            Some(point) => point,
            None => Ok(source.next().map_or(0, u32::from)),
        })?,
        ')' => return fail("there is no group to close", at, "the character is written ')'"),
        _ => match code(source) {
            Some(point) => BodyNode::Text(character(point?, at)?.to_string().into()),
            None => return fail(format!("unexpected {}", source.found()), at, instead_of(char)),
        },
    };
    rules.item(node);
    Ok(())
}

/// The code point of `#x41`; None, and nothing is read, if none comes next.
fn code(source: &mut Source) -> Option<Read<u32>> {
    let at = source.at;
    let digits = source.rest().strip_prefix("#x")?;
    if !digits.starts_with(|char: char| char.is_ascii_hexdigit()) {
        return None;
    }
    source.at += 2;
    Some(source.code_point(16, at))
}

/// Advice on a sign of other notations.
fn instead_of(char: char) -> &'static str {
    match char {
        ',' => "items stand one after the other without a comma; the dialect with commas is iso",
        ';' => "rules have no end mark; the dialect with ; is iso",
        '{' => "repetition is a* or a+; the dialect with {a} is iso",
        '=' => "a rule is defined by ::=; the dialect with = is iso",
        '#' => "a character by number is #x41; comments are /* … */",
        _ => "",
    }
}
