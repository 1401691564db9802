//! Group in parentheses → nodes, names and flags.

use super::{Parser, DEEPEST};
use crate::error::{Error, Flaw, Result};
use crate::syntax::Dialect;
use crate::tree::Node;
use crate::unicode::name::Spelling;
use crate::unicode::property::property_set;

impl Parser<'_> {
    /// The node of the group that begins here; None for a comment or for flags.
    pub(super) fn group(&mut self) -> Result<Option<Node>> {
        let at = self.at;
        if !self.is_ecma() && self.starts_with("(?P=") {
            return self.reference().map(Some);
        }
        self.at += 1;
        if !self.take("?") {
            return self.capture(at).map(Some);
        }
        if self.take(":") {
            return self.enclosed(at).map(Some);
        }
        for (mark, ahead, negative) in
            [("=", true, false), ("!", true, true), ("<=", false, false), ("<!", false, true)]
        {
            if self.take(mark) {
                let item = Box::new(self.enclosed(at)?);
                return Ok(Some(Node::Look { item, ahead, negative, at }));
            }
        }
        if !self.is_ecma() {
            if self.take("#") {
                let Some(close) = self.find(')') else { return self.fail("this comment is never closed", at, None) };
                self.at = close + 1;
                return Ok(None);
            }
            if self.starts_with(">") {
                return self.gives_nothing_back("an atomic group", at);
            }
            if self.starts_with("P>") {
                return self.fail("recursion inside a pattern is not supported", at, "write a grammar");
            }
            if self.starts_with("(") {
                return self.fail("a conditional group is not supported", at, "spell out the alternatives");
            }
        }
        if matches!(self.peek(), Some('R' | '&' | '0'..='9')) {
            return self.fail("recursion inside a pattern is not supported", at, "write a grammar");
        }
        if self.names_a_group() {
            self.name(at)?;
            return self.capture(at).map(Some);
        }
        if self.starts_with("<") {
            return self.fail("unknown kind of group", at, "Python spells it (?P<name>…)");
        }
        if self.starts_with("P<") {
            return self.fail("unknown kind of group", at, "ECMA-262 spells it (?<name>…)");
        }
        self.flagged(at)
    }

    /// A capturing group, behind its parenthesis and its name.
    fn capture(&mut self, at: usize) -> Result<Node> {
        self.groups += 1;
        self.enclosed(at)
    }

    /// Reads the sign before a group's name, if there is one. `(?P<name>…)` is no ECMA-262, but all validators that
    /// read it mean the same.
    fn names_a_group(&mut self) -> bool {
        match self.syntax.dialect {
            Dialect::Ecma => self.take("<") || (!self.syntax.is_strict && self.take("P<")),
            Dialect::Python => self.take("P<"),
            Dialect::Rust => self.take("<") || self.take("P<"),
        }
    }

    /// The body of a group up to its parenthesis; a quantifier inside does not count as one on the group.
    pub(super) fn enclosed(&mut self, at: usize) -> Result<Node> {
        let flags = self.flags;
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("groups nested more than {DEEPEST} deep");
            return Err(Error::Limit(Flaw::of(self.pattern, &message, at, None)));
        }
        let node = self.alternatives()?;
        self.depth -= 1;
        self.flags = flags;
        if !self.take(")") {
            return self.fail("this group is never closed", at, None);
        }
        // A quantifier may follow a group whatever it holds: `(?:a*)*`, `(?:\b)?`.
        Ok(match node {
            Node::Text(_) | Node::Chars(_) | Node::Seq(_) | Node::Alt(_) => node,
            _ => Node::Seq(vec![node]),
        })
    }

    fn name(&mut self, at: usize) -> Result<()> {
        let close = self.find('>');
        let name = close.map_or(String::new(), |close| self.text(self.at, close));
        if !is_identifier(&name.replace('$', "_")) {
            return self.fail("this group's name is not an identifier", at, None);
        }
        let may_repeat = self.is_ecma() && !self.syntax.is_strict;
        if !may_repeat && self.names.contains(&name) {
            return self.fail(&format!("the name {name} is taken"), at, None);
        }
        self.names.insert(name);
        self.at = close.map_or(self.end, |close| close + 1);
        Ok(())
    }

    fn flagged(&mut self, at: usize) -> Result<Option<Node>> {
        let start = self.at;
        while self.peek().is_some_and(|char| char.is_alphabetic() || char == '-') {
            self.at += 1;
        }
        let letters = self.text(start, self.at);
        let (on, off) = letters.split_once('-').unwrap_or((&letters, ""));
        let known = if self.syntax.is_strict { "ims" } else { "imsxau" };
        if (on.is_empty() && off.is_empty()) || !on.chars().chain(off.chars()).all(|letter| known.contains(letter)) {
            return self.fail("unknown kind of group", at, None);
        }
        let mut flags = on.chars().fold(self.flags, |flags, letter| flags.with(letter));
        flags = off.chars().fold(flags, |flags, letter| flags.without(letter));
        if on.contains('u') {
            flags = flags.without('a');
        }
        if self.take(")") {
            if !off.is_empty() || self.syntax.is_strict || at != self.head {
                let hint = "write (?i:…) around a part";
                return self.fail("flags for the whole pattern belong at its start", at, hint);
            }
            self.head = self.at;
            self.flags = flags;
            return Ok(None);
        }
        if !self.take(":") {
            return self.fail("unknown kind of group", at, None);
        }
        let outer = std::mem::replace(&mut self.flags, flags);
        let node = self.enclosed(at)?;
        self.flags = outer;
        Ok(Some(node))
    }
}

/// Whether a name is an identifier in Python, which is close to one in ECMA-262.
fn is_identifier(name: &str) -> bool {
    let is = |char: char, property| {
        property_set(property, None, Spelling::Exact, None).is_some_and(|set| set.contains(char as u32))
    };
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first == '_' || first.is_ascii_alphabetic() || is(first, "XID_Start"))
        && chars.all(|char| char == '_' || char.is_ascii_alphanumeric() || is(char, "XID_Continue"))
}
