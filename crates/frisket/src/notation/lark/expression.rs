//! A cursor before the body of a definition → its tree.
//!
//! Source: lark-parser.readthedocs.io, grammar reference; github.com/guidance-ai/llguidance, docs/syntax.md.

use super::parameter::{parse_condition, parse_parameter, Formula};
use super::parser::parse_nested;
use super::source::COUNTS;
use super::tree::{Id, Node};
use super::{literal, Context};
use crate::notation::source::{self, fail, Read, Source};
use std::rc::Rc;

/// Deepest nesting of templates within the arguments of templates.
const DEEPEST: usize = 100;

/// An open group: its bracket, what was read of it, and the operators that wait for their operand.
#[derive(Default)]
struct Level {
    bracket: Option<char>,
    at: usize,
    branches: Vec<Id>,
    conjuncts: Vec<Id>,
    items: Vec<Id>,
    /// Places of the negations that still need their operand.
    negations: Vec<usize>,
    /// The place of the last `&`.
    conjoined: Option<usize>,
    condition: Option<Rc<Formula>>,
    /// Whether the last item may be repeated: it has no count yet.
    may_repeat: bool,
    /// The template whose arguments these are, and those that are complete.
    template: Option<Id>,
    arguments: Vec<Id>,
}

/// The body up to the end of the definition, in a grammar that is so deep within others.
pub(super) fn parse_body(cx: &mut Context, source: &mut Source, depth: usize) -> Read<Id> {
    let level = Level { at: source.at, ..Level::default() };
    Bodies { cx, source, depth, levels: Vec::new() }.body(level)
}

/// Reads one body. A stack holds the open groups, so that they may nest however deep.
struct Bodies<'r, 'c, 't> {
    cx: &'r mut Context<'c>,
    source: &'r mut Source<'t>,
    depth: usize,
    /// The groups around the innermost one.
    levels: Vec<Level>,
}

impl Bodies<'_, '_, '_> {
    fn body(&mut self, mut level: Level) -> Read<Id> {
        loop {
            self.source.space(!self.levels.is_empty());
            let at = self.source.at;
            match self.source.peek() {
                None => break,
                Some('\r' | '\n') if !self.source.next_alternative() => break,
                Some('\r' | '\n') => {}
                // The end of the grammar that this one is nested in.
                Some('}') if self.levels.is_empty() => break,
                Some(char) => level = self.step(level, char, at)?,
            }
        }
        match level.bracket {
            Some('(') => fail("the group is not closed", level.at, "close it with )"),
            Some('[') => fail("the group is not closed", level.at, "close it with ]"),
            Some(_) => fail("the group is not closed", level.at, "close it with }"),
            None => self.ended(&mut level),
        }
    }

    /// Reads one sign or item; the innermost group behind it.
    fn step(&mut self, mut level: Level, char: char, at: usize) -> Read<Level> {
        let opened = |bracket| Level { bracket: Some(bracket), at, ..Level::default() };
        match char {
            '|' => {
                self.source.next();
                self.end_branch(&mut level)?;
            }
            '&' => {
                self.source.next();
                if level.items.is_empty() || !level.negations.is_empty() {
                    return fail("there is nothing before &", at, "");
                }
                let items = std::mem::take(&mut level.items);
                level.conjuncts.push(self.cx.trees.sequence(items));
                (level.conjoined, level.may_repeat) = (Some(at), false);
            }
            '*' | '+' | '?' => self.repeat(&mut level, char, at)?,
            '~' | '{' if self.begins_count(&level, char) => self.repeat(&mut level, char, at)?,
            '~' => {
                self.source.next();
                level.negations.push(at);
                level.may_repeat = false;
            }
            '(' | '[' => {
                self.source.next();
                self.levels.push(std::mem::replace(&mut level, opened(char)));
            }
            ')' | ']' | '}' if level.bracket == Some(opening(char)) => {
                self.source.next();
                let node = self.ended(&mut level)?;
                let node = match (level.template, level.bracket) {
                    (Some(template), _) => self.call(template, level.arguments, node),
                    (None, Some('[')) => self.cx.trees.add(Node::Repeat(node, 0, Some(1)), 0),
                    _ => node,
                };
                let Some(outer) = self.levels.pop() else { return fail("there is no group to close", at, "") };
                level = outer;
                self.add(&mut level, node);
            }
            ',' if level.template.is_some() => {
                self.source.next();
                let node = self.ended(&mut level)?;
                level.arguments.push(node);
                let Level { at, template, arguments, .. } = level;
                level = Level { bracket: Some('{'), at, template, arguments, ..Level::default() };
            }
            '-' if self.source.take("->") => {
                self.source.space(false);
                if self.source.name().is_empty() {
                    let message =
                        format!("expected the name of the alternative after ->, found {}", self.source.found());
                    return fail(message, self.source.at, "");
                }
            }
            '{' if level.may_repeat && level.items.last().is_some_and(|&item| self.is_name(item)) => {
                self.source.next();
                if self.levels.iter().filter(|level| level.template.is_some()).count() >= DEEPEST {
                    return fail("templates nest too deep", at, "name some of them");
                }
                let template = level.items.pop();
                self.levels.push(std::mem::replace(&mut level, Level { template, ..opened('{') }));
            }
            _ => self.item(&mut level, char, at)?,
        }
        Ok(level)
    }

    fn is_name(&self, item: Id) -> bool {
        matches!(self.cx.trees.node(item), Node::Name { .. })
    }

    /// The template with its arguments, the last of which is `node`.
    fn call(&mut self, template: Id, mut arguments: Vec<Id>, node: Id) -> Id {
        arguments.push(node);
        match self.cx.trees.node(template) {
            Node::Name { name, .. } => {
                let node = Node::Name { name: name.clone(), arguments, parameter: None };
                let at = self.cx.trees.at(template);
                self.cx.trees.add(node, at)
            }
            _ => template,
        }
    }

    fn item(&mut self, level: &mut Level, char: char, at: usize) -> Read<()> {
        if level.condition.is_some() {
            return fail("a condition is the last part of an alternative", at, "");
        }
        let (cx, source) = (&mut *self.cx, &mut *self.source);
        let node = match char {
            '"' => literal::string(cx, source)?,
            '/' => literal::regex(cx, source)?,
            '<' => literal::special(cx, source)?,
            '%' => match self.keyword(level, at)? {
                Some(node) => node,
                None => return Ok(()),
            },
            _ => {
                let name = source.name();
                if name.is_empty() {
                    return self.unexpected(char, at);
                }
                let parameter = if source.take("::") { Some(Rc::new(parse_parameter(source)?)) } else { None };
                cx.trees.add(Node::Name { name: name.into(), arguments: Vec::new(), parameter }, at)
            }
        };
        self.add(level, node);
        Ok(())
    }

    fn unexpected(&self, char: char, at: usize) -> Read<()> {
        let hint = match char {
            '\'' => "Lark has double quotes: \"…\"",
            ';' => "a definition ends with its line",
            '=' => "a definition is name: body",
            ':' => "a definition begins in a line of its own",
            '@' => {
                let hint = "write the other grammar in place, as %lark { start: … }";
                return fail("there is no other grammar to refer to", at, hint);
            }
            ')' | ']' | '}' => {
                return fail("there is no group to close", at, format!("the character is written \"{char}\""));
            }
            _ => "",
        };
        fail(format!("unexpected {}", self.source.found()), at, hint)
    }

    /// The item that a keyword begins; nothing for a condition, which is a mark on the alternative.
    fn keyword(&mut self, level: &mut Level, at: usize) -> Read<Option<Id>> {
        let (cx, source) = (&mut *self.cx, &mut *self.source);
        Ok(Some(match source.keyword() {
            "%json" => {
                let schema = literal::json(source)?.into();
                cx.trees.add(Node::Schema(schema), at)
            }
            "%regex" => literal::substring(cx, source, at)?,
            "%lark" => {
                source.space(true);
                source.expect("{", "after %lark", "")?;
                let begin = source.at;
                let module = parse_nested(cx, source, self.depth + 1)?;
                let text = source.text[begin..source.at - 1].into();
                cx.trees.add(Node::Nested(Rc::new(module), text), at)
            }
            "%if" => {
                source.space(false);
                level.condition = Some(parse_condition(source)?);
                return Ok(None);
            }
            word => {
                let word = if word.is_empty() { "%" } else { word };
                let hint = "there are %json, %regex, %lark and %if";
                return fail(format!("{word} does not stand in a body"), at, hint);
            }
        }))
    }

    /// Whether a tilde or a bracket begins a count.
    fn begins_count(&self, level: &Level, char: char) -> bool {
        let next = self.source.rest()[1..].trim_start_matches([' ', '\t']).chars().next();
        match char {
            '~' => level.may_repeat && next.is_some_and(|next| next.is_ascii_digit() || next == '-'),
            _ => next.is_some_and(|next| next.is_ascii_digit() || matches!(next, ',' | '-')),
        }
    }

    fn repeat(&mut self, level: &mut Level, char: char, at: usize) -> Read<()> {
        let Some(item) = level.items.last_mut().filter(|_| level.may_repeat) else {
            let hint = match level.items.is_empty() {
                true => format!("the sign is written \"{char}\""),
                false => "one sign repeats an item; put it in parentheses".into(),
            };
            return fail(format!("there is nothing to repeat before {char}"), at, hint);
        };
        self.source.next();
        let (low, high) = match char {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => counts(self.source, char, at)?,
        };
        *item = self.cx.trees.add(Node::Repeat(*item, low, high), 0);
        level.may_repeat = false;
        Ok(())
    }

    fn add(&mut self, level: &mut Level, mut node: Id) {
        for at in std::mem::take(&mut level.negations).into_iter().rev() {
            node = self.cx.trees.add(Node::Not(node), at);
        }
        level.items.push(node);
        level.may_repeat = true;
    }

    fn end_branch(&mut self, level: &mut Level) -> Read<()> {
        let waits = |operator: &str, source: &Source| {
            fail(format!("expected an operand of {operator}, found {}", source.found()), source.at, "")
        };
        if !level.negations.is_empty() {
            return waits("~", self.source);
        }
        let items = std::mem::take(&mut level.items);
        if level.conjoined.is_some() && items.is_empty() {
            return waits("&", self.source);
        }
        let mut node = self.cx.trees.sequence(items);
        if let Some(at) = level.conjoined.take() {
            level.conjuncts.push(node);
            node = self.cx.trees.add(Node::Both(std::mem::take(&mut level.conjuncts)), at);
        }
        if let Some(condition) = level.condition.take() {
            node = self.cx.trees.add(Node::If(condition, node), 0);
        }
        level.branches.push(node);
        level.may_repeat = false;
        Ok(())
    }

    /// The tree of a group that ends.
    fn ended(&mut self, level: &mut Level) -> Read<Id> {
        self.end_branch(level)?;
        let branches = std::mem::take(&mut level.branches);
        let is_plain = branches.len() == 1 && !matches!(self.cx.trees.node(branches[0]), Node::If(..));
        Ok(if is_plain { branches[0] } else { self.cx.trees.add(Node::Alt(branches), 0) })
    }
}

/// `~2`, `~2..4`, `{2}`, `{2,4}`, `{2,}` or `{,4}`, behind the first sign.
fn counts(source: &mut Source, char: char, at: usize) -> Read<(u32, Option<u32>)> {
    source.space(false);
    let low = if source.peek() == Some(',') { 0 } else { source.count(COUNTS)? };
    source.space(false);
    let mut high = Some(low);
    if char == '~' {
        if source.take("..") {
            high = Some(source.count(COUNTS)?);
        }
    } else {
        if source.take(",") {
            source.space(false);
            high = if source.peek() == Some('}') { None } else { Some(source.count(COUNTS)?) };
            source.space(false);
        }
        source.expect("}", "after the counts", "")?;
    }
    source::counts(low, high, at)
}

/// The bracket that begins the group that another one closes.
fn opening(close: char) -> char {
    match close {
        ')' => '(',
        ']' => '[',
        _ => '{',
    }
}
