//! Back-references → a refusal: the texts of a group and its references together are no regular language.
//!
//! ECMA-262 takes them, so that one who asks whether a pattern is valid gets their names checked.

use super::Parser;
use crate::error::{Error, Flaw, Result};
use crate::tree::Node;

impl Parser<'_> {
    /// Whether there is a group of this name or number.
    fn has_group(&self, name: &str) -> bool {
        self.names.contains(name) || name.parse().is_ok_and(|number: usize| (1..=self.groups).contains(&number))
    }

    /// The back-reference that begins here; its node is never used.
    pub(super) fn reference(&mut self) -> Result<Node> {
        let at = self.at;
        let (name, end) = if self.starts_with("(?P=") {
            let Some(close) = self.find(')') else { return self.fail("this group is never closed", at, None) };
            (self.text(at + 4, close), close + 1)
        } else if self.peek_at(at + 1) == Some('k') {
            let close = self.find('>').filter(|_| self.peek_at(at + 2) == Some('<'));
            let Some(close) = close else { return self.fail("\\k takes a name", at, None) };
            (self.text(at + 3, close), close + 1)
        } else {
            let end = (at + 1..self.end).find(|&at| !self.pattern[at].is_ascii_digit()).unwrap_or(self.end);
            (self.text(at + 1, end), end)
        };
        self.references.push((name, at));
        self.at = end;
        Ok(Node::empty())
    }

    /// Refuses the first reference; if the pattern is read strictly, the first one to a group that is missing.
    pub(super) fn check_references(&self) -> Result<()> {
        if self.syntax.is_strict {
            return match self.references.iter().find(|(name, _)| !self.has_group(name)) {
                Some((name, at)) => self.fail(&format!("there is no group {name}"), *at, None),
                None => Ok(()),
            };
        }
        let Some((_, at)) = self.references.first() else { return Ok(()) };
        let message = "a back-reference is not a regular language";
        let hint = "spell out the alternatives, as '[^']*'|\"[^\"]*\" for (['\"]).*?\\1";
        Err(Error::Irregular(Flaw::of(self.pattern, message, *at, hint)))
    }
}
