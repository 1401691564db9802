//! Lark's notation, as llguidance reads it → rules (`notations/lark`): without templates, parameters, lazy rules.

use super::blank::{is_blank, is_blank_run, BLANKS};
use super::pattern::Pattern;
use super::{library, Cursor, Failure, Fault, Rules};
use frisket_core::grammar::builder::Builder;
use frisket_core::production::BodyNode;
use frisket_core::regular::term::TermId;
use frisket_schema::compile::Prelude;
use serde_json::{Map, Value};

/// The rule of what may stand behind a terminal.
const GAP: &str = "%ignore";

/// The hint of a text that is wrong, or beyond this reader.
pub(super) const BEYOND: &str =
    "templates, parameters, lazy rules and options are read by frisket for Python, which also explains mistakes";

/// The node of a rule of a grammar in Lark's notation. A text with `%json` is beyond this reader unless the builder is a
/// fork of `prelude`.
pub fn lower(builder: &mut Builder, text: &str, start: &str, prelude: Option<&Prelude>) -> Result<TermId, Failure> {
    let mut reader = Reader { has_gap: text.contains(GAP), reads_schemas: prelude.is_some(), ..Reader::new(text, 0) };
    match reader.read() {
        Some(()) => reader.rules.lower(builder, start, prelude),
        None => {
            let at = reader.cursor.at.min(text.len());
            Err(Failure::Unread(Fault::new("this is no Lark, or beyond the native reader", at, BEYOND)))
        }
    }
}

/// Nothing is the answer of all its methods to what is wrong, or beyond them.
struct Reader<'a> {
    cursor: Cursor<'a>,
    rules: Rules<'a>,
    has_gap: bool,
    reads_schemas: bool,
    /// Whether the body under way is a terminal's, which is one regular language.
    in_terminal: bool,
    /// The definition under way.
    owner: &'a str,
    /// By pattern: the definition that holds it.
    owners: Vec<&'a str>,
    /// The definitions that hold a fixed text or a complement that may begin with white space.
    blank: Vec<&'a str>,
    /// The definitions and their bodies; of imports, those of white space alone.
    definitions: Vec<(&'a str, &'a str)>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        Reader {
            cursor: Cursor { text, at },
            rules: Rules::default(),
            has_gap: false,
            reads_schemas: false,
            in_terminal: false,
            owner: GAP,
            owners: Vec::new(),
            blank: Vec::new(),
            definitions: Vec::new(),
        }
    }

    fn read(&mut self) -> Option<()> {
        // Ignored texts are one rule, whose alternatives are spread over the text.
        let mut ignored = Vec::new();
        loop {
            self.space(true)?;
            match self.cursor.peek() {
                None => break,
                Some('%') => ignored.extend(self.directive()?),
                Some(_) => self.definition()?,
            }
            self.space(false)?;
            if !matches!(self.cursor.peek(), None | Some('\r' | '\n')) {
                return None;
            }
        }
        if self.has_gap {
            self.in_terminal = true;
            let end = self.cursor.at;
            self.owner = GAP;
            for &(begin, _) in &ignored {
                self.cursor.at = begin;
                self.body()?;
            }
            self.cursor.at = end;
            self.only_blanks_are_ignored(&ignored)?;
            self.rules.join(BodyNode::Alt, ignored.len() as u32);
            self.rules.productions.add(BodyNode::Repeat(0, None), 1);
            self.rules.productions.define(GAP, GAP).then_some(())?;
        }
        self.check(!ignored.is_empty())
    }

    /// Where runs of white space are ignored, and no terminal begins with any, each run is the longest by itself.
    /// All other ignored terminals are beyond this reader.
    fn only_blanks_are_ignored(&mut self, ignored: &[(usize, usize)]) -> Option<()> {
        let mut owners = vec![GAP];
        for &(begin, end) in ignored {
            let body = self.cursor.text[begin..end].trim();
            let definition = self.definitions.iter().find(|(name, _)| *name == body);
            owners.extend(definition.map(|&(name, _)| name));
            is_blank_run(definition.map_or(body, |(_, body)| body)).then_some(())?;
        }
        let is_called = owners[1..].iter().any(|name| self.rules.productions.is_called(name));
        let begins_blank = self.blank.iter().any(|owner| !owners.contains(owner));
        self.rules.solid = self.owners.iter().map(|owner| !owners.contains(owner)).collect();
        (!is_called && !begins_blank).then_some(())
    }

    /// Checks of terminals: none leads back to itself, and behind none that is empty comes a gap.
    fn check(&self, has_gap: bool) -> Option<()> {
        let productions = &self.rules.productions;
        if has_gap != self.has_gap || (has_gap && productions.nullable().any(is_terminal)) {
            return None;
        }
        productions.are_regular(is_terminal).then_some(())
    }

    /// Skips white space, comments, and line ends behind a backslash.
    fn space(&mut self, lines: bool) -> Option<()> {
        loop {
            self.cursor.take_while(|char| matches!(char, ' ' | '\t') || (lines && matches!(char, '\r' | '\n')));
            if self.cursor.peek() == Some('#') || self.cursor.rest().starts_with("//") {
                self.cursor.skip_line();
            } else if self.cursor.peek() == Some('\\') {
                return None;
            } else {
                return Some(());
            }
        }
    }

    fn name(&mut self) -> &'a str {
        let rest = self.cursor.rest();
        let mut end = rest.len() - rest.trim_start_matches('_').len();
        if !rest[end..].starts_with(|char: char| char.is_ascii_alphabetic()) {
            return "";
        }
        while let Some(char) = rest[end..].chars().next() {
            if !(char.is_ascii_alphanumeric() || char == '_' || (char == '-' && !rest[end..].starts_with("->"))) {
                break;
            }
            end += 1;
        }
        self.cursor.at += end;
        &rest[..end]
    }

    fn definition(&mut self) -> Option<()> {
        self.cursor.take_while(|char| matches!(char, '?' | '!'));
        let name = self.name();
        if self.cursor.take(".") {
            // Priorities change no text's membership.
            self.cursor.take_while(|char| matches!(char, '+' | '-'));
            self.cursor.number()?;
        }
        self.space(false)?;
        if name.is_empty() || !self.cursor.take(":") || self.cursor.peek() == Some(':') {
            return None;
        }
        self.in_terminal = is_terminal(name);
        self.owner = name;
        let begin = self.cursor.at;
        self.body()?;
        self.definitions.push((name, self.cursor.text[begin..self.cursor.at].trim()));
        self.rules.productions.define(name, name).then_some(())
    }

    /// Reads a directive; where the body begins of one that says what is ignored.
    #[allow(clippy::option_option)]
    fn directive(&mut self) -> Option<Option<(usize, usize)>> {
        let word = self.cursor.take_while(|char| matches!(char, '%' | 'a'..='z' | '_'));
        if word == GAP {
            let at = self.cursor.at;
            // Read as a rule that nothing calls, to find its end; what it is comes when all definitions are known.
            self.skip_body()?;
            return Some(Some((at, self.cursor.at)));
        }
        if word == "%llguidance" {
            return changes_nothing(self.cursor.json()?).then_some(None);
        }
        if word != "%import" {
            return None;
        }
        self.space(false)?;
        if !self.cursor.take("common") {
            return None;
        }
        self.space(false)?;
        if self.cursor.take("(") {
            loop {
                self.space(true)?;
                let name = self.name();
                self.import(name, name)?;
                self.space(true)?;
                if self.cursor.take(")") {
                    return Some(None);
                }
                self.cursor.take(",").then_some(())?;
            }
        }
        self.cursor.take(".").then_some(())?;
        let name = self.name();
        self.space(false)?;
        let mut alias = name;
        if self.cursor.take("->") {
            self.space(false)?;
            alias = self.name();
        }
        self.import(name, alias)?;
        Some(None)
    }

    fn import(&mut self, name: &str, alias: &'a str) -> Option<()> {
        let pattern = Pattern::rust(&library::pattern(name)?, "")?;
        self.owner = alias;
        if matches!(name, "WS" | "WS_INLINE" | "CR" | "LF") {
            self.definitions.push((alias, "/[ ]+/"));
        }
        self.pattern(pattern);
        (is_terminal(alias) && self.rules.productions.define(alias, alias)).then_some(())
    }

    /// The end of a body that is read later.
    fn skip_body(&mut self) -> Option<()> {
        let begin = self.cursor.at;
        let mut other = Reader { in_terminal: true, ..Reader::new(self.cursor.text, begin) };
        other.body()?;
        self.cursor.at = other.cursor.at;
        Some(())
    }

    /// All up to the end of the definition.
    fn body(&mut self) -> Option<()> {
        self.rules.open(' ');
        loop {
            self.space(self.rules.levels.len() > 1)?;
            match self.cursor.peek() {
                None => break,
                Some('\r' | '\n') => {
                    let end = self.cursor.at;
                    self.space(true)?;
                    if self.cursor.peek() != Some('|') {
                        self.cursor.at = end;
                        break;
                    }
                }
                Some(char) => self.step(char)?,
            }
        }
        (self.rules.levels.len() == 1).then_some(())?;
        self.rules.close()
    }

    /// Reads one sign or item.
    fn step(&mut self, char: char) -> Option<()> {
        match char {
            '|' => {
                self.cursor.next();
                self.rules.end_alternative()
            }
            '&' if self.in_terminal => {
                self.cursor.next();
                self.rules.conjoin()
            }
            '*' | '+' | '?' => {
                self.cursor.next();
                let (low, high) = match char {
                    '*' => (0, None),
                    '+' => (1, None),
                    _ => (0, Some(1)),
                };
                self.rules.level()?.may_repeat.then_some(())?;
                self.rules.repeat(low, high)
            }
            '~' | '{' if self.rules.level()?.may_repeat => {
                let (low, high) = self.counts(char)?;
                self.rules.repeat(low, high)
            }
            '~' if self.in_terminal => {
                self.cursor.next();
                if self.rules.level()?.conjuncts == 0 {
                    self.blank.push(self.owner);
                }
                self.rules.level()?.negations += 1;
                Some(())
            }
            '(' | '[' => {
                self.cursor.next();
                self.rules.open(char);
                Some(())
            }
            ')' | ']' => {
                self.cursor.next();
                let opened = if char == ')' { '(' } else { '[' };
                (self.rules.level()?.bracket == opened).then_some(())?;
                self.rules.close()?;
                if opened == '[' {
                    self.rules.productions.add(BodyNode::Repeat(0, Some(1)), 1);
                }
                self.rules.item()
            }
            '-' => {
                self.cursor.take("->").then_some(())?;
                self.space(false)?;
                (!self.name().is_empty()).then_some(())
            }
            _ => {
                self.item(char)?;
                self.rules.item()
            }
        }
    }

    /// `~2`, `~2..4`, `{2}`, `{2,4}`, `{2,}` or `{,4}`.
    fn counts(&mut self, sign: char) -> Option<(u32, Option<u32>)> {
        self.cursor.next();
        self.space(false)?;
        let low = if self.cursor.peek() == Some(',') { 0 } else { self.cursor.number()? };
        self.space(false)?;
        let mut high = Some(low);
        if sign == '~' {
            if self.cursor.take("..") {
                high = Some(self.cursor.number()?);
            }
        } else {
            if self.cursor.take(",") {
                self.space(false)?;
                high = if self.cursor.peek() == Some('}') { None } else { Some(self.cursor.number()?) };
                self.space(false)?;
            }
            self.cursor.take("}").then_some(())?;
        }
        high.is_none_or(|high| low <= high).then_some((low, high))
    }

    fn item(&mut self, char: char) -> Option<()> {
        match char {
            '"' => self.text()?,
            '/' => {
                let pattern = self.regex()?;
                if self.has_gap && !self.in_terminal && pattern.may_be_empty() {
                    return None;
                }
                self.pattern(pattern);
                self.gap();
            }
            '<' => {
                let rest = self.cursor.rest();
                let name = &rest[..=rest.find('>')?];
                if self.in_terminal
                    || name.len() < 3
                    || name[1..].contains(['<', '['])
                    || name.contains(char::is_whitespace)
                {
                    return None;
                }
                self.cursor.at += name.len();
                self.rules.leaf(BodyNode::Token(name.into()));
                self.gap();
            }
            '%' if self.reads_schemas && !self.in_terminal => {
                self.cursor.take("%json").then_some(())?;
                let schema = self.cursor.json()?;
                self.rules.schema(schema);
                self.gap();
            }
            _ => {
                let at = self.cursor.at as u32;
                let name = self.name();
                if name.is_empty() || self.cursor.rest().starts_with("::") {
                    return None;
                }
                let is_terminal = is_terminal(name);
                if self.in_terminal && !is_terminal {
                    return None;
                }
                self.rules.productions.call(name, at);
                if is_terminal {
                    self.gap();
                }
            }
        }
        Some(())
    }

    fn pattern(&mut self, pattern: Pattern) {
        self.owners.push(self.owner);
        self.rules.pattern(pattern);
    }

    /// Suffixes of the terminal that was added last.
    fn gap(&mut self) {
        if self.has_gap && !self.in_terminal {
            self.rules.productions.call(GAP, 0);
            self.rules.productions.add(BodyNode::Seq, 2);
        }
    }

    /// `"a"`, `"a"i` or `"a".."z"`.
    fn text(&mut self) -> Option<()> {
        let text = self.quoted()?;
        let end = self.cursor.at;
        self.cursor.take_while(|char| matches!(char, ' ' | '\t'));
        if self.cursor.take("..") {
            self.cursor.take_while(|char| matches!(char, ' ' | '\t'));
            let other = self.quoted()?;
            let (mut low, mut high) = (text.chars(), other.chars());
            let range = (low.next()? as u32, high.next()? as u32);
            if low.next().is_some() || high.next().is_some() || range.1 < range.0 || self.cursor.peek() == Some('i') {
                return None;
            }
            if BLANKS.iter().any(|&blank| (range.0..=range.1).contains(&blank.into())) {
                self.blank.push(self.owner);
            }
            self.rules.leaf(BodyNode::Chars([range].into()));
            self.gap();
            return Some(());
        }
        self.cursor.at = end;
        let any_case = self.cursor.take("i");
        if any_case && self.cursor.rest().starts_with("..") {
            return None;
        }
        if text.is_empty() {
            self.rules.leaf(BodyNode::Seq);
            return Some(());
        }
        if text.starts_with(is_blank) {
            self.blank.push(self.owner);
        }
        match any_case {
            true => self.pattern(Pattern::any_case(&text)?),
            false => self.rules.leaf(BodyNode::Text(text.into())),
        }
        self.gap();
        Some(())
    }

    fn quoted(&mut self) -> Option<String> {
        self.cursor.take("\"").then_some(())?;
        let mut text = String::new();
        loop {
            match self.cursor.next()? {
                '"' => return Some(text),
                '\r' | '\n' => return None,
                '\\' => text.push(match self.cursor.next()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'f' => '\u{c}',
                    'b' => '\u{8}',
                    char @ ('"' | '\\' | '/') => char,
                    'x' => self.cursor.hexadecimal(2)?,
                    'u' => self.cursor.hexadecimal(4)?,
                    _ => return None,
                }),
                char => text.push(char),
            }
        }
    }

    /// `/pattern/flags`.
    fn regex(&mut self) -> Option<Pattern> {
        self.cursor.next();
        let begin = self.cursor.at;
        loop {
            match self.cursor.next()? {
                '/' => break,
                '\\' => drop(self.cursor.next()?),
                '\n' => return None,
                _ => {}
            }
        }
        let pattern = &self.cursor.text[begin..self.cursor.at - 1];
        let flags = self.cursor.take_while(|char| char.is_ascii_lowercase());
        (!pattern.is_empty()).then_some(())?;
        Pattern::rust(pattern, flags)
    }
}

/// Whether these options of `%llguidance` leave the texts of the grammar as they are.
fn changes_nothing(options: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(options).is_ok_and(|options| {
        options.iter().all(|(name, value)| match name.as_str() {
            "no_forcing" => value.is_boolean(),
            "allow_initial_skip" | "allow_invalid_utf8" => *value == Value::Bool(false),
            _ => false,
        })
    })
}

/// Whether a name is a terminal's: its first letter is a capital.
fn is_terminal(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
