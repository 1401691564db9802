//! Regular node of texts → node of the JSON strings that decode to them and that the builder's string rules allow.

use super::Builder;
use crate::bytes::utf8::is_unescaped;
use crate::error::{Error, Result};
use crate::regular::term::{Escapes, TermId, EMPTY, TOP};

impl Builder {
    /// The JSON strings that decode to a text of a node: every spelling if `free`, otherwise one. Errors: limits;
    /// misuse if a structural node is `free` or consists of more than rules over regular nodes.
    pub fn quoted(&mut self, id: u32, free: bool) -> Result<TermId> {
        let node = self.node(id)?;
        if self.arena.info(node).structural {
            return self.quoted_rules(node, free);
        }
        let node = self.allowed_texts(node)?;
        let escapes = self.escapes_of(node, free)?;
        self.begin_call().quoted(node, escapes)
    }

    /// From now on, no JSON string and no key contains one of these texts unescaped: where one occurs, its first
    /// character is spelled `\u00xx`. Errors: misuse, if a text begins with a character that has no such escape.
    pub fn escape_in_strings(&mut self, texts: &[&str]) -> Result<()> {
        let is_escapable = |text: &&str| text.bytes().next().is_some_and(|byte| byte < 0x80 && is_unescaped(byte));
        if let Some(text) = texts.iter().find(|text| !is_escapable(text)) {
            return Err(
                Error::Misuse(format!("{text:?} does not begin with a character that an escape replaces")).into()
            );
        }
        let words = texts.iter().map(|text| text.as_bytes().into()).collect();
        self.escaped = self.begin_call().words(words)?;
        Ok(())
    }

    /// How strings of these texts are spelled: if no text contains a text to escape, no further escapes are needed.
    pub(crate) fn escapes_of(&mut self, texts: TermId, free: bool) -> Result<Escapes> {
        let escaped = self.escaped;
        if escaped == EMPTY {
            return Ok(free.into());
        }
        let arena = self.begin_call();
        let behind = arena.cat(escaped, TOP)?;
        let holding = arena.cat(TOP, behind)?;
        let has_any = arena.and(vec![texts, holding])? != EMPTY;
        Ok(Escapes { free, escaped: if has_any { escaped } else { EMPTY } })
    }

    /// From now on, JSON strings and the keys of further members hold texts of this regular node only. Errors: misuse.
    pub fn restrict_strings(&mut self, id: u32) -> Result<()> {
        self.string_texts = Some(self.regular(id)?);
        Ok(())
    }

    /// The texts of a regular node that JSON strings may contain under `restrict_strings`.
    pub(crate) fn allowed_texts(&mut self, node: TermId) -> Result<TermId> {
        match self.string_texts {
            Some(allowed) => self.begin_call().and(vec![node, allowed]),
            None => Ok(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;

    #[test]
    fn restricted_strings_hold_allowed_texts_only() {
        let mut builder = Builder::default();
        let (any, letters) = (builder.any_text().unwrap().number(), regex(&mut builder.arena, "[a-c]*").number());
        let before = builder.quoted(any, false).unwrap().number();
        builder.restrict_strings(letters).unwrap();
        let behind = builder.quoted(any, false).unwrap().number();
        for (node, text, expected) in
            [(before, "\"abz\"", true), (behind, "\"ab\"", true), (behind, "\"abz\"", false), (behind, "\"\"", true)]
        {
            assert_eq!(builder.accepts(node, text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn an_escaped_text_stands_in_no_string_as_it_is() {
        let mut builder = Builder::default();
        let [any, few] = ["[<t> ]*", "[a-z]*"].map(|pattern| regex(&mut builder.arena, pattern).number());
        let before = [any, few].map(|texts| builder.quoted(texts, false).unwrap());
        builder.escape_in_strings(&["<t>"]).unwrap();
        let [behind, same] = [any, few].map(|texts| builder.quoted(texts, false).unwrap());
        assert!(behind != before[0] && same == before[1], "letters hold no escaped text");
        for (node, text, expected) in [
            (before[0], r#""<t>""#, true),
            (behind, r#""<t>""#, false),
            (behind, r#""\u003ct>""#, true),
            (behind, r#""\u003ct""#, false),
            (behind, r#""<t >""#, true),
        ] {
            assert_eq!(builder.accepts(node.number(), text.as_bytes()), Ok(expected), "{text}");
        }
        for text in ["", "\"a", "\\a", "\na", "é"] {
            let refused = builder.escape_in_strings(&["<t>", text]).unwrap_err().to_string();
            assert!(refused.ends_with("does not begin with a character that an escape replaces"), "{refused}");
        }
    }
}
