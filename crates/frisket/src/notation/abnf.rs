//! ABNF, the notation of Internet standards → rules.
//!
//! Names and quoted texts ignore case, `%s"…"` does not. A rule continues in lines that are indented more than its first.
//! The core rules (ALPHA, DIGIT, CRLF …) exist unless the grammar defines them itself.
//!
//! Sources: RFC 5234 (the notation and its core rules), RFC 7405 (texts with case).

use super::rules::Rules;
use super::source::{character, count, counts, fail, is_space, Read, Source};
use super::AbnfValues;
use frisket_core::production::BodyNode;
use frisket_regex::quoted;
use std::collections::BTreeMap;
use std::ops::Range;

/// RFC 5234, appendix B.1.
const CORE: [(&str, &str); 16] = [
    ("ALPHA", "%x41-5A / %x61-7A"),
    ("BIT", r#""0" / "1""#),
    ("CHAR", "%x01-7F"),
    ("CR", "%x0D"),
    ("CRLF", "CR LF"),
    ("CTL", "%x00-1F / %x7F"),
    ("DIGIT", "%x30-39"),
    ("DQUOTE", "%x22"),
    ("HEXDIG", r#"DIGIT / "A" / "B" / "C" / "D" / "E" / "F""#),
    ("HTAB", "%x09"),
    ("LF", "%x0A"),
    ("LWSP", "*(WSP / CRLF WSP)"),
    ("OCTET", "%x00-FF"),
    ("SP", "%x20"),
    ("VCHAR", "%x21-7E"),
    ("WSP", "SP / HTAB"),
];

/// The rules of a text.
pub(super) fn read(source: Source, rules: Rules, values: AbnfValues) -> Read<Rules> {
    let mut reader = Reader { source, rules, is_bytes: values == AbnfValues::Bytes, margin: 0 };
    reader.read()?;
    reader.add_core()?;
    Ok(reader.rules)
}

struct Reader<'t> {
    source: Source<'t>,
    rules: Rules,
    is_bytes: bool,
    /// The indentation of all rules, as in the text of a standard.
    margin: usize,
}

impl<'t> Reader<'t> {
    fn read(&mut self) -> Read<()> {
        // The bodies that `=/` adds to a rule, by its number.
        let mut more: BTreeMap<u32, Vec<Range<usize>>> = BTreeMap::new();
        self.blank_lines();
        self.margin = self.source.blanks();
        while !self.source.is_at_end() {
            self.rule(&mut more)?;
            self.space();
        }
        for (rule, bodies) in more {
            let productions = &mut self.rules.productions;
            let count = bodies.len() as u32 + 1;
            productions.copy(productions.nodes(rule));
            bodies.into_iter().for_each(|body| productions.copy(body));
            productions.add(BodyNode::Alt, count);
            productions.redefine(rule);
        }
        Ok(())
    }

    /// Adds the core rules that are called and not defined.
    fn add_core(&mut self) -> Read<()> {
        let mut rule = 0;
        while rule < self.rules.all().end {
            for node in self.rules.productions.nodes(rule) {
                let BodyNode::Call(name, _) = *self.rules.productions.node(node) else { continue };
                let name = self.rules.productions.spelled(name);
                let core = CORE.iter().find(|(title, _)| title.eq_ignore_ascii_case(name));
                let Some((title, body)) = core.filter(|_| self.rules.productions.rule(name).is_none()) else {
                    continue;
                };
                self.source = Source { text: body, at: 0 };
                self.body()?;
                self.rules.define(&title.to_ascii_lowercase(), title, 0);
            }
            rule += 1;
        }
        Ok(())
    }

    fn name(&mut self) -> &'t str {
        self.source.word(|char| char.is_ascii_alphabetic(), |char| char.is_ascii_alphanumeric() || char == '-')
    }

    fn rule(&mut self, more: &mut BTreeMap<u32, Vec<Range<usize>>>) -> Read<()> {
        let at = self.source.at;
        let name = self.name();
        if name.is_empty() {
            let hint = "a name begins with a letter; lines that go on with a rule are indented";
            return fail(format!("expected the name of a rule, found {}", self.source.found()), at, hint);
        }
        self.goes_on();
        let sign = self.source.at;
        self.source.expect("=", &format!("after the name {name}"), "a name has letters, digits and -")?;
        let is_more = self.source.take("/");
        self.body()?;
        let key = name.to_ascii_lowercase();
        match (self.rules.productions.rule(&key), is_more) {
            (None, true) => {
                let message = format!("there is no rule {name} that could have more alternatives");
                fail(message, sign, "define it by = first")
            }
            (Some(rule), true) => {
                more.entry(rule).or_default().push(self.rules.productions.end().0);
                Ok(())
            }
            (Some(rule), false) => {
                let first = self.source.place(self.rules.places[rule as usize]);
                let message = format!("the rule {name} is defined twice, first at {first}");
                fail(message, at, "further alternatives come by =/")
            }
            (None, false) => {
                self.rules.define(&key, name, at);
                Ok(())
            }
        }
    }

    /// Skips white space and comments up to the end of the line.
    fn space(&mut self) {
        self.source.blanks();
        if self.source.peek() == Some(';') {
            self.source.skip_line();
        }
    }

    /// Skips lines without a rule.
    fn blank_lines(&mut self) {
        loop {
            let begin = self.source.at;
            self.space();
            if !(self.source.take("\r\n") || self.source.take("\r") || self.source.take("\n")) {
                self.source.at = begin;
                return;
            }
        }
    }

    /// Skips white space; whether the same rule continues behind it.
    fn goes_on(&mut self) -> bool {
        self.space();
        if !matches!(self.source.peek(), None | Some('\r' | '\n')) {
            return true;
        }
        self.blank_lines();
        let indentation = self.source.blanks();
        // A comment in the last line.
        self.space();
        !self.source.is_at_end() && indentation > self.margin
    }

    fn body(&mut self) -> Read<()> {
        self.rules.begin();
        let mut goes_on = self.goes_on();
        while let Some(char) = self.source.peek().filter(|_| goes_on) {
            let at = self.source.at;
            match char {
                '/' => {
                    if !self.rules.has_items() || self.rules.waits() {
                        return fail("there is no alternative before /", at, EMPTY_TEXT);
                    }
                    self.source.next();
                    self.rules.end_alternative();
                }
                '(' | '[' => {
                    self.source.next();
                    self.rules.open(char, at);
                }
                ')' | ']' => {
                    let opening = if char == ')' { '(' } else { '[' };
                    if self.rules.opened().is_none_or(|(bracket, _)| bracket != opening) {
                        let hint = format!("the character is written \"{char}\"");
                        return fail(format!("there is no group to close with {char}"), at, hint);
                    }
                    self.check_full()?;
                    self.source.next();
                    self.rules.close();
                    if char == ']' {
                        self.rules.repeat(0, Some(1));
                    }
                    self.rules.end_item();
                }
                '0'..='9' | '*' => {
                    if self.rules.waits() {
                        return fail("expected what is repeated, found another count", at, "");
                    }
                    let (low, high) = self.counts()?;
                    self.rules.repeat_next(low, high);
                    if matches!(self.source.peek(), None | Some(' ' | '\t' | ';' | '\r' | '\n')) {
                        return fail("a count stands next to what it repeats", at, "leave no white space between them");
                    }
                }
                _ => self.element(char)?,
            }
            goes_on = self.goes_on();
        }
        self.rules.check_closed("; lines that go on with a rule are indented")?;
        self.check_full()?;
        self.rules.close();
        Ok(())
    }

    fn check_full(&self) -> Read<()> {
        if self.rules.has_items() && !self.rules.waits() {
            return Ok(());
        }
        fail(format!("expected an element, found {}", self.source.found()), self.source.at, EMPTY_TEXT)
    }

    fn counts(&mut self) -> Read<(u32, Option<u32>)> {
        let begin = self.source.at;
        let number = |source: &mut Source<'t>| {
            let at = source.at;
            let digits = source.take_while(|char| char.is_ascii_digit());
            (!digits.is_empty()).then(|| count(digits, at)).transpose()
        };
        let low = number(&mut self.source);
        if !self.source.take("*") {
            let exact = low?;
            return Ok((exact.unwrap_or(0), exact));
        }
        let low = low?.unwrap_or(0);
        let high = number(&mut self.source)?;
        counts(low, high, begin)
    }

    fn element(&mut self, char: char) -> Read<()> {
        let at = self.source.at;
        let name = self.name();
        if !name.is_empty() {
            self.rules.call(&name.to_ascii_lowercase(), at);
            return Ok(());
        }
        match char {
            '"' => self.text(false),
            '%' => {
                self.source.next();
                let letter =
                    self.source.next().map(|letter| letter.to_lowercase().collect::<String>()).unwrap_or_default();
                let is_text = self.source.peek() == Some('"');
                match &*letter {
                    "s" | "i" if is_text => self.text(letter == "s"),
                    "b" => self.number(2, at),
                    "d" => self.number(10, at),
                    "x" => self.number(16, at),
                    letter => {
                        let hint = r#"there are %x41, %d65, %b1000001, %s"…" and %i"…""#;
                        fail(format!("there is no %{}", letter.trim_matches(is_space)), at, hint)
                    }
                }
            }
            '<' => {
                let message = "a description in words cannot be enforced";
                fail(message, at, "write the rule that the words describe")
            }
            _ => fail(format!("unexpected {}", self.source.found()), at, instead_of(char)),
        }
    }

    fn text(&mut self, is_cased: bool) -> Read<()> {
        let at = self.source.at;
        let rest = &self.source.rest()[1..];
        let end = rest.find(['"', '\r', '\n']).filter(|&end| rest[end..].starts_with('"'));
        let Some(text) = end.map(|end| &rest[..end]) else {
            return fail("the text is not closed", at, "close it with \" in the same line");
        };
        if let Some((offset, char)) = text.char_indices().find(|(_, char)| !matches!(char, ' '..='~')) {
            let message = format!("ABNF has no {} between quotes", quoted(std::iter::once(char)));
            return fail(message, at + 1 + offset, format!("write the character as %x{:X}", u32::from(char)));
        }
        self.source.at += text.len() + 2;
        if is_cased {
            self.rules.item(BodyNode::Text(text.into()));
        } else {
            self.caseless(text);
        }
        Ok(())
    }

    /// Adds a text that ignores the case of its letters.
    fn caseless(&mut self, mut text: &str) {
        let mut nodes = Vec::new();
        while let Some(char) = text.chars().next() {
            if char.is_ascii_alphabetic() {
                let cases = [char.to_ascii_uppercase(), char.to_ascii_lowercase()].map(u32::from);
                nodes.push(BodyNode::Chars(cases.map(|point| (point, point)).into()));
                text = &text[1..];
            } else {
                let (plain, rest) =
                    text.split_at(text.find(|char: char| char.is_ascii_alphabetic()).unwrap_or(text.len()));
                nodes.push(BodyNode::Text(plain.into()));
                text = rest;
            }
        }
        self.sequence(nodes);
    }

    /// Adds the nodes in sequence as an item.
    fn sequence(&mut self, nodes: Vec<BodyNode>) {
        let count = nodes.len() as u32;
        self.rules.begin_item();
        nodes.into_iter().for_each(|node| self.rules.add(node, 0));
        if count != 1 {
            self.rules.add(BodyNode::Seq, count);
        }
        self.rules.end_item();
    }

    /// Reads `41-5A`, `41` or `41.42`.
    fn number(&mut self, base: u32, at: usize) -> Read<()> {
        let first = self.digits(base)?;
        let mut nodes = Vec::new();
        if self.source.take("-") {
            let last = self.digits(base)?;
            if last < first {
                return fail("the range is in reverse order", at, "the smaller value comes first");
            }
            nodes.push(self.values(first, last, at)?);
        } else {
            nodes.push(self.values(first, first, at)?);
            while self.source.take(".") {
                let value = self.digits(base)?;
                nodes.push(self.values(value, value, at)?);
            }
        }
        self.sequence(nodes);
        Ok(())
    }

    fn digits(&mut self, base: u32) -> Read<u32> {
        let at = self.source.at;
        if !self.source.peek().is_some_and(|char| char.is_digit(base)) {
            return fail(format!("expected a digit of base {base}, found {}", self.source.found()), at, "");
        }
        let value = self.source.code_point(base, at)?;
        if self.is_bytes && value > 0xff {
            let hint = "with values=\"characters\" numbers are those of characters";
            return fail("no byte has this value", at, hint);
        }
        Ok(value)
    }

    fn values(&self, low: u32, high: u32, at: usize) -> Read<BodyNode> {
        if self.is_bytes {
            return Ok(BodyNode::Octets([(low as u8, high as u8)].into()));
        }
        if low >= 0xd800 && high <= 0xdfff {
            character(low, at)?;
        }
        Ok(BodyNode::Chars([(low, high)].into()))
    }
}

const EMPTY_TEXT: &str = "the empty text is \"\"";

/// Advice on a sign of other notations.
fn instead_of(char: char) -> &'static str {
    match char {
        '|' => "alternatives are separated by /",
        '\'' => "a text has double quotes: \"…\"",
        '{' => "repetition stands before what is repeated: *a, 1*a, 2*5a",
        '+' => "repetition stands before what is repeated: 1*a",
        '?' => "an optional part stands in brackets: [a]",
        '#' => "comments begin with ;",
        _ => "",
    }
}
