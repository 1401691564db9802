//! Rules over texts → rules over the JSON strings that decode to these texts.
//!
//! Each regular part is replaced by its spellings inside a string; the structure of the rules stays. If strings must
//! not contain some texts unescaped, such as the tags around a tool call, the spelling of a part depends on the bytes
//! that may follow it (its FOLLOW set).

use super::Builder;
use crate::bytes::byteset::ByteSet;
use crate::error::{Error, Result};
use crate::json::arena::Arena;
use crate::regular::id::RuleId;
use crate::regular::string_body::StringBody;
use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::transfer::postorder;
use rustc_hash::{FxHashMap, FxHashSet};

/// The FIRST set of a term: the bytes with which its texts begin, and whether the empty text is one of them.
type First = (ByteSet, bool);

/// The terms of some rules, with their FIRST and FOLLOW sets.
struct Parts {
    /// In postorder: a term comes after its parts. The body of a rule does not count as a part of its calls.
    terms: Vec<TermId>,
    bodies: FxHashMap<RuleId, TermId>,
    first: FxHashMap<TermId, First>,
    follow: FxHashMap<TermId, ByteSet>,
}

impl Builder {
    /// The JSON strings that decode to a text of a structural node, in one spelling each.
    pub(super) fn quoted_rules(&mut self, root: TermId, free: bool) -> Result<TermId> {
        if free {
            return Err(Error::Misuse("a text of rules has one JSON string: escapes are raw".into()).into());
        }
        self.begin_call();
        self.check_parts_decide()?;
        let escaped = self.escaped;
        let escaped = self.arena.enumerate(escaped, usize::MAX)?.unwrap_or_default();
        let mut body = StringBody::new(escaped);
        let mut parts = self.parts(root)?;
        parts.find_follow(&mut self.arena, root)?;
        let mut made: FxHashMap<TermId, TermId> = FxHashMap::default();
        for &id in &parts.terms {
            if let Term::Call(rule) = *self.arena.term(id) {
                let name = self.rules.names[rule.index()].clone();
                made.insert(id, self.rule(&name)?);
            }
        }
        let result = self.define_spelled(&parts, &mut body, &mut made);
        for &call in made.values() {
            // After an error the new rules have no bodies. With empty ones, the builder can still build other grammars.
            if matches!(*self.arena.term(call), Term::Call(rule) if result.is_err() && self.rules.body(rule).is_none())
            {
                self.define(call.number(), EMPTY.number())?;
            }
        }
        result?;
        let arena = self.begin_call();
        let quote = arena.literal(b"\"")?;
        let rest = arena.seq(made[&root], quote)?;
        arena.seq(quote, rest)
    }

    /// Makes the spelled twin of each structural term, and defines the twin of each rule.
    fn define_spelled(
        &mut self,
        parts: &Parts,
        body: &mut StringBody,
        made: &mut FxHashMap<TermId, TermId>,
    ) -> Result<()> {
        let is_call = |id: &TermId| matches!(self.arena.term(*id), Term::Call(_));
        let (calls, others): (Vec<TermId>, Vec<TermId>) = parts.terms.iter().partition(|id| is_call(id));
        // The body of a rule may be made of terms that come after its call.
        for id in others.into_iter().chain(calls) {
            let follow = parts.follow.get(&id).copied().unwrap_or_default();
            let mut below = Vec::new();
            for (part, follow) in parts.followed(&self.arena, id, follow) {
                below.push(match made.get(&part) {
                    Some(&known) => known,
                    None => {
                        let texts = self.allowed_part(part)?;
                        body.spelled(&mut self.arena, texts, &follow)?
                    }
                });
            }
            let node = match *self.arena.term(id) {
                _ if !self.arena.info(id).structural => continue,
                Term::Seq(..) => self.arena.seq(below[0], below[1])?,
                Term::Alt(_) => self.arena.alt(below)?,
                Term::Repeat { min, max, .. } => self.arena.repeat(below[0], min, max)?,
                Term::Call(_) => {
                    self.define(made[&id].number(), below[0].number())?;
                    continue;
                }
                _ => return Err(no_text("a special token, an object or an array")),
            };
            made.insert(id, node);
        }
        Ok(())
    }

    /// The texts of a part that strings may hold. Errors: misuse, if it has bytes that are no characters.
    fn allowed_part(&mut self, part: TermId) -> Result<TermId> {
        let any = self.arena.any_text()?;
        let others = self.arena.not(any)?;
        if !self.arena.info(part).utf8 && self.arena.and(vec![part, others])? != EMPTY {
            return Err(no_text("a byte that is no character"));
        }
        self.allowed_texts(part)
    }

    /// Error: misuse, if two texts that strings may hold make up one that they may not.
    fn check_parts_decide(&mut self) -> Result<()> {
        let Some(allowed) = self.string_texts else { return Ok(()) };
        let twice = self.arena.cat(allowed, allowed)?;
        let others = self.arena.not(allowed)?;
        if self.arena.and(vec![twice, others])? == EMPTY {
            return Ok(());
        }
        let reason = "strings must not hold some texts here, and parts of the rules may make up one together";
        Err(Error::Misuse(reason.into()).into())
    }

    /// The terms of a node and of the rules that it calls. Errors: undefined rules.
    fn parts(&self, root: TermId) -> Result<Parts> {
        let mut parts = Parts {
            terms: Vec::new(),
            bodies: FxHashMap::default(),
            first: FxHashMap::default(),
            follow: FxHashMap::default(),
        };
        let (mut seen, mut roots) = (FxHashSet::default(), vec![root]);
        while let Some(root) = roots.pop() {
            let structural = |id: TermId, visit: &mut dyn FnMut(TermId)| {
                if self.arena.info(id).structural {
                    self.arena.visit_parts(id, visit);
                }
            };
            for id in postorder([root], |id| seen.contains(&id), structural) {
                seen.insert(id);
                parts.terms.push(id);
                if let Term::Call(rule) = *self.arena.term(id) {
                    let name = || self.rules.names[rule.index()].clone();
                    let body = self.rules.body(rule).ok_or_else(|| Error::UndefinedRule(name()))?;
                    parts.bodies.insert(rule, body);
                    roots.push(body);
                }
            }
        }
        Ok(parts)
    }
}

impl Parts {
    /// Finds the FOLLOW set of each term; nothing follows the root.
    fn find_follow(&mut self, arena: &mut Arena, root: TermId) -> Result<()> {
        loop {
            let mut is_new = false;
            for &id in &self.terms {
                arena.spend(1)?;
                let first = self.first_of(arena, id);
                is_new |= self.first.insert(id, first) != Some(first);
            }
            if !is_new {
                break;
            }
        }
        self.follow.insert(root, ByteSet::EMPTY);
        loop {
            let mut is_new = false;
            for &id in self.terms.iter().rev() {
                arena.spend(1)?;
                let follow = self.follow.get(&id).copied().unwrap_or_default();
                for (part, bytes) in self.followed(arena, id, follow) {
                    let known = self.follow.entry(part).or_default();
                    let all = known.union(&bytes);
                    is_new |= std::mem::replace(known, all) != all;
                }
            }
            if !is_new {
                return Ok(());
            }
        }
    }

    /// The FIRST set of a term, from the sets of its parts as far as they are known.
    fn first_of(&self, arena: &mut Arena, id: TermId) -> First {
        let of = |part: TermId| self.first.get(&part).copied().unwrap_or_default();
        match arena.term(id) {
            _ if !arena.info(id).structural => (arena.first_bytes(id), arena.info(id).nullable),
            Term::Seq(left, right) => {
                let ((left, is_nullable), (right, is_rest_nullable)) = (of(*left), of(*right));
                (if is_nullable { left.union(&right) } else { left }, is_nullable && is_rest_nullable)
            }
            Term::Alt(options) => options.iter().fold(First::default(), |(all, is_nullable), &option| {
                let (bytes, is_empty) = of(option);
                (all.union(&bytes), is_nullable || is_empty)
            }),
            Term::Repeat { body, min, .. } => {
                let (bytes, is_nullable) = of(*body);
                (bytes, is_nullable || *min == 0)
            }
            Term::Call(rule) => of(self.bodies[rule]),
            _ => First::default(),
        }
    }

    /// The FOLLOW set of each part of a term whose own FOLLOW set is `follow`.
    fn followed(&self, arena: &Arena, id: TermId, follow: ByteSet) -> Vec<(TermId, ByteSet)> {
        match arena.term(id) {
            _ if !arena.info(id).structural => Vec::new(),
            &Term::Seq(left, right) => {
                let (bytes, is_nullable) = self.first[&right];
                vec![(left, if is_nullable { bytes.union(&follow) } else { bytes }), (right, follow)]
            }
            Term::Alt(options) => options.iter().map(|&option| (option, follow)).collect(),
            &Term::Repeat { body, .. } => vec![(body, follow.union(&self.first[&body].0))],
            Term::Call(rule) => vec![(self.bodies[rule], follow)],
            _ => Vec::new(),
        }
    }
}

/// The error of rules that have no JSON strings.
fn no_text(what: &str) -> Box<Error> {
    Error::Misuse(format!("a JSON string holds characters alone, and the rules name {what}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::recognizer::Recognizer;
    use crate::grammar::fixture::{literal, rules};
    use crate::regular::fixture::regex;

    fn accepted(builder: Builder, root: TermId, texts: &[&str]) -> Vec<bool> {
        let grammar = builder.build(root.number()).unwrap();
        let recognizer = Recognizer::new(grammar);
        texts.iter().map(|text| recognizer.accepts(text.as_bytes(), None).unwrap()).collect()
    }

    #[test]
    fn rules_keep_their_shape_inside_of_a_string() {
        let mut builder = Builder::default();
        let root = rules(&mut builder, &[("A", &["( A )", "\\ A \u{1}", "\"é", ""])])[0];
        let quoted = builder.quoted(root.number(), false).unwrap();
        let (kept, others) = (
            [r#""(\\\"é\u0001)""#, r#""()""#, r#""""#],
            [r#""(\\)\u0001""#, r#""(""#, "\"(\\\\\u{1})\"", r#""(\u0028)""#],
        );
        let texts = [&kept[..], &others[..]].concat();
        assert_eq!(accepted(builder, quoted, &texts), [true, true, true, false, false, false, false]);
    }

    #[test]
    fn no_escaped_text_stands_across_parts() {
        let strings = |texts: &[&str]| {
            let mut builder = Builder::default();
            builder.escape_in_strings(&["<t>"]).unwrap();
            let call = builder.rule("A").unwrap().number();
            let parts: Vec<u32> = ["<", "t[a>]"].map(|part| regex(&mut builder.arena, part).number()).into();
            let more = builder.seq(&[parts[0], call]).unwrap().number();
            let bracket = literal(&mut builder, "(").number();
            let opened = builder.seq(&[bracket, parts[0]]).unwrap().number();
            let body = builder.alt(&[more, opened, parts[1]]).unwrap();
            builder.define(call, body.number()).unwrap();
            let quoted = builder.quoted(call, false).unwrap();
            accepted(builder, quoted, texts)
        };
        // After the first `<` may come `t`, after the other one the end of the string.
        assert_eq!(strings(&[r#""(<""#, r#""\u003cta""#, r#""ta""#, r#""t>""#]), [true; 4]);
        assert_eq!(strings(&[r#""\u003ct>""#, r#""\u003c\u003ct>""#, r#""\u003c(<""#]), [true; 3]);
        assert_eq!(strings(&[r#""<t>""#, r#""\u003c<t>""#, r#""(\u003c""#, r#""<ta""#]), [false; 4]);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let mut builder = Builder::default();
        let special = builder.special("<s>").unwrap().number();
        let call = builder.rule("A").unwrap().number();
        assert!(matches!(*builder.quoted(call, false).unwrap_err(), Error::UndefinedRule(_)));
        let byte = builder.byte_class(&[(0x80, 0xff)]).unwrap().number();
        let with_byte = builder.seq(&[byte, call]).unwrap().number();
        builder.define(call, EMPTY.number()).unwrap();
        let free = builder.quoted(call, true).map(drop);
        let refused = [free, builder.quoted(special, false).map(drop), builder.quoted(with_byte, false).map(drop)];
        let said = refused.map(|result| result.unwrap_err().to_string());
        let expected = ["escapes are raw", "a special token, an object or an array", "a byte that is no character"];
        assert!(said.iter().zip(expected).all(|(said, end)| said.ends_with(end)), "{said:?}");
        let not_two = regex(&mut builder.arena, "a?").number();
        builder.restrict_strings(not_two).unwrap();
        let letter = literal(&mut builder, "a").number();
        let more = builder.seq(&[letter, call]).unwrap().number();
        assert!(builder.quoted(more, false).is_err());
    }
}
