//! Text of a Lark file → its definitions, what it ignores, and its options.
//!
//! Source: lark-parser.readthedocs.io, grammar reference; github.com/guidance-ai/llguidance, docs/syntax.md; xgrammar's
//! documentation, Lark Grammar.

use super::expression::parse_body;
use super::tree::{is_terminal, Attributes, Definition, Id, Module, Node};
use super::{library, literal, Context};
use crate::notation::pattern::Regex;
use crate::notation::source::{fail, Read, Source};
use frisket_schema::similar::nearest;
use serde_json::Value;
use std::rc::Rc;

const ATTRIBUTES: [&str; 7] = ["capture", "lazy", "max_chars", "stop", "stop_capture", "suffix", "temperature"];
const OPTIONS: [&str; 5] = ["allow_initial_skip", "allow_invalid_utf8", "ignore_once", "no_forcing", "skip_repetition"];
/// Deepest nesting of grammars within grammars, which are parsed by recursion.
const DEEPEST: usize = 20;

/// The grammar that a whole text says.
pub(super) fn parse(cx: &mut Context, source: &mut Source) -> Read<Module> {
    let mut parser = Parser { cx, source, depth: 0, module: Module::default() };
    parser.parse()?;
    Ok(parser.module)
}

/// The grammar in `%lark {…}`, from behind its bracket up to the closing one.
pub(super) fn parse_nested(cx: &mut Context, source: &mut Source, depth: usize) -> Read<Module> {
    let at = source.at - 1;
    if depth > DEEPEST {
        return fail("grammars nest too deep", at, "");
    }
    let mut parser = Parser { cx, source, depth, module: Module::default() };
    parser.parse()?;
    let module = parser.module;
    match source.take("}") {
        true => Ok(module),
        false => fail("the nested grammar is not closed", at, "close it with }"),
    }
}

/// A text of definitions and directives.
struct Parser<'r, 'c, 't> {
    cx: &'r mut Context<'c>,
    source: &'r mut Source<'t>,
    depth: usize,
    module: Module,
}

impl Parser<'_, '_, '_> {
    fn parse(&mut self) -> Read<()> {
        loop {
            self.source.space(true);
            match self.source.peek() {
                None => return Ok(()),
                Some('}') if self.depth > 0 => return Ok(()),
                Some('%') => self.directive()?,
                Some(_) => {
                    let definition = self.definition()?;
                    self.define(definition)?;
                }
            }
            self.source.space(false);
            match self.source.peek() {
                None | Some('\r' | '\n') => {}
                Some('}') if self.depth > 0 => {}
                Some('}') => {
                    return fail("there is no group to close", self.source.at, "the character is written \"}\"");
                }
                Some(_) => {
                    let message = format!("unexpected {}", self.source.found());
                    return fail(message, self.source.at, "a definition or directive ends with its line");
                }
            }
        }
    }

    fn define(&mut self, definition: Definition) -> Read<()> {
        let Definition { name, at, .. } = &definition;
        if let Some(known) = self.module.definitions.get(name) {
            let kind = if is_terminal(name) { "terminal" } else { "rule" };
            let first = self.source.place(known.at);
            let message = format!("the {kind} {name} is defined twice, first at {first}");
            return fail(message, *at, "join the bodies with |");
        }
        self.module.definitions.insert(name.clone(), definition);
        Ok(())
    }

    /// `name{x}.2[lazy]: body`.
    fn definition(&mut self) -> Read<Definition> {
        let modified = self.source.at;
        self.source.take_while(|char| matches!(char, '?' | '!'));
        if !self.source.rest().starts_with(|char: char| char == '_' || char.is_ascii_alphabetic()) {
            self.source.at = modified;
        }
        let at = self.source.at;
        let name = self.source.name();
        if name.is_empty() {
            let hint = "a definition is name: body, and an alternative in a line of its own begins with |";
            return fail(format!("expected the name of a rule or terminal, found {}", self.source.found()), at, hint);
        }
        let parameters = self.parameters()?;
        let behind = self.source.rest().trim_start_matches([' ', '\t']);
        let is_parametric = behind.starts_with("::");
        if is_parametric {
            self.source.at += self.source.rest().len() - behind.len() + 2;
            self.source.space(false);
            self.source.expect("_", &format!("after {name}::"), "a parametric rule is name::_ : body")?;
            if is_terminal(name) {
                return fail("a terminal has no parameter", at, "begin its name with a small letter");
            }
        }
        self.skip_priority();
        self.source.space(false);
        let attributes = if self.source.peek() == Some('[') { self.attributes(name)? } else { Attributes::default() };
        self.source.space(false);
        self.source.expect(":", &format!("after the name {name}"), "a definition is name: body")?;
        let body = parse_body(self.cx, self.source, self.depth)?;
        Ok(Definition { name: name.into(), at, body, parameters, is_parametric, attributes })
    }

    /// Skips a priority: priorities choose between several parses of a text and do not change the language.
    fn skip_priority(&mut self) {
        let Some(behind) = self.source.rest().strip_prefix('.') else { return };
        let signed = behind.strip_prefix(['+', '-']).unwrap_or(behind);
        let rest = signed.trim_start_matches(|char: char| char.is_ascii_digit());
        if rest.len() < signed.len() {
            self.source.at = self.source.text.len() - rest.len();
        }
    }

    /// `{x, y}` behind the name of a template.
    fn parameters(&mut self) -> Read<Vec<Rc<str>>> {
        let mut found: Vec<Rc<str>> = Vec::new();
        if !self.source.take("{") {
            return Ok(found);
        }
        loop {
            self.source.space(false);
            let at = self.source.at;
            let name = self.source.name();
            if name.is_empty() {
                return fail(format!("expected the name of a parameter, found {}", self.source.found()), at, "");
            }
            if found.iter().any(|known| **known == *name) {
                return fail(format!("the parameter {name} is there twice"), at, "");
            }
            found.push(name.into());
            self.source.space(false);
            if self.source.take("}") {
                return Ok(found);
            }
            self.source.expect(",", "or } after a parameter", "")?;
        }
    }

    /// `[lazy, capture="x"]` behind the name of a rule.
    fn attributes(&mut self, name: &str) -> Read<Attributes> {
        if is_terminal(name) {
            return fail("only rules have attributes", self.source.at, "begin the name with a small letter");
        }
        self.source.at += 1;
        let (mut found, mut seen) = (Attributes::default(), Vec::<(&str, usize)>::new());
        loop {
            self.source.space(false);
            let at = self.source.at;
            let key = self.source.name();
            if seen.iter().any(|(known, _)| *known == key) {
                return fail(format!("the attribute {key} is there twice"), at, "");
            }
            seen.push((key, at));
            self.attribute(key, at, &mut found)?;
            self.source.space(false);
            if self.source.take("]") {
                break;
            }
            self.source.expect(",", "or ] after an attribute", "")?;
        }
        let place = |key: &str| seen.iter().find(|(known, _)| *known == key).map(|(_, at)| *at);
        match (place("stop"), place("suffix"), place("stop_capture")) {
            (Some(stop), Some(suffix), _) => fail("a rule has either stop or suffix", stop.max(suffix), ""),
            (None, None, Some(at)) => {
                fail("stop_capture names what stop or suffix matches, and neither is there", at, "")
            }
            _ => Ok(found),
        }
    }

    fn attribute(&mut self, key: &str, at: usize, found: &mut Attributes) -> Read<()> {
        if key == "max_tokens" {
            let message = "a number of tokens cannot be told exactly: a grammar knows no vocabulary";
            return fail(message, at, "bound the characters, as in /.{0,400}/s, or end the rule with suffix");
        }
        if !ATTRIBUTES.contains(&key) {
            let message = match key {
                "" => format!("unexpected {}", self.source.found()),
                key => format!("there is no attribute {key}"),
            };
            return fail(message, at, is_it(key, &mut ATTRIBUTES.iter().copied()));
        }
        self.source.space(false);
        if key == "lazy" {
            found.lazy_at = Some(at);
            return Ok(());
        }
        if key == "capture" && matches!(self.source.peek(), Some(',' | ']')) {
            return Ok(());
        }
        self.source.expect("=", &format!("after the attribute {key}"), "")?;
        self.source.space(false);
        let place = self.source.at;
        match key {
            "stop" | "suffix" => {
                let ending = self.ending(key)?;
                let is_empty = matches!(self.cx.trees.node(ending), Node::Text { text, .. } if text.is_empty());
                match (is_empty, key) {
                    (true, "suffix") => return fail("the suffix is empty", place, "leave it out, or write lazy"),
                    (true, _) => found.is_terminal = true,
                    _ => (found.ending, found.lazy_at) = (Some(ending), Some(at)),
                }
            }
            "max_chars" => {
                let most = self.source.integer("a number of characters")?;
                // No text is longer than the engine's counts.
                found.max_chars = Some(u32::try_from(most).unwrap_or(u32::MAX - 1));
            }
            "temperature" => self.temperature()?,
            _ => {
                if self.source.peek() != Some('"') {
                    let message = format!("expected a text after {key}=, found {}", self.source.found());
                    return fail(message, place, format!("as in [{key}=\"name\"]"));
                }
                let name = literal::quoted(self.cx.dialect, self.source)?;
                let is_known = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-');
                if name.is_empty() || !name.chars().all(is_known) {
                    return fail("the name of a capture has letters, digits, _, - and .", place, "");
                }
            }
        }
        Ok(())
    }

    /// Skips a number: a temperature concerns the sampler and does not change the language.
    fn temperature(&mut self) -> Read<()> {
        let at = self.source.at;
        let digits = |source: &mut Source| !source.take_while(|char| char.is_ascii_digit()).is_empty();
        if !digits(self.source) {
            return fail(format!("expected a number, found {}", self.source.found()), at, "");
        }
        if self.source.take(".") {
            digits(self.source);
        }
        let end = self.source.at;
        if self.source.take("e") || self.source.take("E") {
            let _ = self.source.take("+") || self.source.take("-");
            if !digits(self.source) {
                self.source.at = end;
            }
        }
        Ok(())
    }

    /// The value of `stop` or `suffix`: a text, a pattern or a terminal.
    fn ending(&mut self, key: &str) -> Read<Id> {
        let at = self.source.at;
        match self.source.peek() {
            Some('"') => return literal::string(self.cx, self.source),
            Some('/') => return literal::regex(self.cx, self.source),
            _ => {}
        }
        let name = self.source.name();
        if name.is_empty() || !is_terminal(name) {
            let message = format!("{key} is a text, a pattern or a terminal");
            return fail(message, at, format!("as in [{key}=\"</end>\"]"));
        }
        Ok(self.cx.trees.name(name.into(), at))
    }

    fn directive(&mut self) -> Read<()> {
        let at = self.source.at;
        let word = self.source.keyword();
        self.source.space(false);
        match word {
            "%ignore" => {
                let body = parse_body(self.cx, self.source, self.depth)?;
                self.module.ignored.push(body);
            }
            "%import" => self.imports(at)?,
            "%llguidance" | "%grammar_options" => self.options(word, at)?,
            "%override" => {
                let definition = self.definition()?;
                if !self.module.definitions.contains_key(&definition.name) {
                    return fail(format!("there is no {} to override", definition.name), at, "import it first");
                }
                self.module.definitions.insert(definition.name.clone(), definition);
            }
            "%extend" => {
                let more = self.definition()?;
                let Some(known) = self.module.definitions.get_mut(&more.name) else {
                    return fail(format!("there is no {} to extend", more.name), at, "import it first");
                };
                known.body = self.cx.trees.add(Node::Alt(vec![known.body, more.body]), 0);
            }
            "%declare" => loop {
                // Declared terminals have no texts: a rule that uses one is refused.
                let place = self.source.at;
                let name = declared(self.source.rest());
                if name.is_empty() {
                    break;
                }
                self.source.at += name.len();
                self.module.declared.push((name.into(), place));
                self.source.space(false);
            },
            word => {
                let word = if word.is_empty() { "%" } else { word };
                let hint = "there are %extend, %ignore, %import, %llguidance, %override";
                return fail(format!("there is no directive {word}"), at, hint);
            }
        }
        Ok(())
    }

    /// `%import common.NAME -> OTHER` or `%import common (A, B)`.
    fn imports(&mut self, at: usize) -> Read<()> {
        let path = path(self.source.rest());
        self.source.at += path.len();
        if path != "common" {
            let path = if path.is_empty() { self.source.found() } else { path.to_owned() };
            let hint = "the library `common` is known; copy other definitions here";
            return fail(format!("{path} cannot be imported: nothing is read but this text"), at, hint);
        }
        self.source.space(false);
        if self.source.take("(") {
            loop {
                self.source.space(true);
                let place = self.source.at;
                let name = self.source.name();
                self.import_one(name, name, place)?;
                self.source.space(true);
                if self.source.take(")") {
                    return Ok(());
                }
                self.source.expect(",", "or ) after a name", "")?;
            }
        }
        self.source.expect(".", "after common", "as in %import common.INT")?;
        let place = self.source.at;
        let name = self.source.name();
        self.source.space(false);
        let mut alias = name;
        if self.source.take("->") {
            self.source.space(false);
            alias = self.source.name();
            if alias.is_empty() || !is_terminal(alias) {
                let message = "expected the name of a terminal after ->";
                return fail(message, self.source.at, "its first letter is a capital");
            }
        }
        self.import_one(name, alias, place)
    }

    fn import_one(&mut self, name: &str, alias: &str, at: usize) -> Read<()> {
        let Some(pattern) = library::pattern(name, self.cx.dialect) else {
            let name_or_found = if name.is_empty() { self.source.found() } else { name.to_owned() };
            let message = format!("the library common has no {name_or_found}");
            return fail(message, at, is_it(name, &mut library::names()));
        };
        let is_inside = library::LAZY.iter().any(|(known, _)| *known == name);
        let regex = Regex::of_library(pattern, is_inside, self.cx.dialect, &self.cx.python);
        let body = self.cx.trees.add(Node::Regex(Rc::new(regex)), at);
        let (parameters, attributes) = (Vec::new(), Attributes::default());
        self.define(Definition { name: alias.into(), at, body, parameters, is_parametric: false, attributes })
    }

    fn options(&mut self, word: &str, at: usize) -> Read<()> {
        let Value::Object(options) = literal::value(self.source)? else {
            return fail(format!("{word} takes an object"), at, "");
        };
        for (name, value) in &options {
            match (&**name, value) {
                ("allow_initial_skip", &Value::Bool(value)) => self.module.is_first_ignored = value,
                ("ignore_once", &Value::Bool(value)) => self.module.ignores_once[0] = value,
                ("skip_repetition", Value::String(value)) if value == "once" => self.module.ignores_once[1] = true,
                ("skip_repetition", Value::String(value)) if value == "repeat" => self.module.ignores_once[1] = false,
                ("allow_invalid_utf8", Value::Bool(false)) | ("no_forcing", Value::Bool(_)) => {}
                (name, _) if !OPTIONS.contains(&name) => {
                    let message = format!("{word} has no option {}", name.trim());
                    return fail(message, at, format!("there are {}", OPTIONS.join(", ")));
                }
                (name, _) => {
                    let known = match name {
                        "allow_invalid_utf8" => "False",
                        "skip_repetition" => "'once' or 'repeat'",
                        _ => "True or False",
                    };
                    return fail(format!("the option {name} is {known} here"), at, "");
                }
            }
        }
        Ok(())
    }
}

/// The hint for a name that is not known: the known one that may be meant, or all.
fn is_it(name: &str, known: &mut dyn Iterator<Item = &'static str>) -> String {
    let known: Vec<&str> = known.collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("is it {near}?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// The name of a declared terminal at the begin of a text; empty if there is none.
fn declared(rest: &str) -> &str {
    let letters = rest.strip_prefix('_').unwrap_or(rest);
    if !letters.starts_with(|char: char| char.is_ascii_uppercase()) {
        return "";
    }
    let is_part = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
    let behind = letters.find(|char: char| !is_part(char)).map_or("", |end| &letters[end..]);
    &rest[..rest.len() - behind.len()]
}

/// The path of a module at the begin of a text: points and a name; empty if there is none.
fn path(rest: &str) -> &str {
    let name = rest.trim_start_matches('.');
    if !name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') {
        return "";
    }
    let behind = name.find(|char: char| !(char.is_ascii_alphanumeric() || char == '_')).map_or("", |end| &name[end..]);
    &rest[..rest.len() - behind.len()]
}
