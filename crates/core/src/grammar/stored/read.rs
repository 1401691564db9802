//! The payload of a file → a builder with its terms. Whatever no builder can have made is refused.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::grammar::builder::Builder;
use crate::grammar::stored::bytes::Reader;
use crate::grammar::stored::character::is_character_class;
use crate::grammar::stored::{refusal, tag, Stored};
use crate::regular::arena::Arena;
use crate::regular::id::{RuleId, SpecialId, WordSetId};
use crate::regular::term::{Escapes, Parts, Spelling, Term, TermId, EMPTY, EPSILON, TOP};
use std::sync::Arc;

/// The content of a payload. Errors: a payload that `write` does not make, limits.
pub(super) fn payload(data: &[u8], mut builder: Builder) -> Result<Stored> {
    let mut file = Reader::new(data);
    let fingerprint = file.u128()?;
    builder.specials = file.list(|file| file.text().map(str::to_owned))?;
    let names = file.list(Reader::text)?;
    let rules = Arc::make_mut(&mut builder.rules);
    for name in &names {
        rules.declare(name);
    }
    let knows_any_text = file.bool()?;
    let sets = file.list(|file| file.list(|file| file.bytes().map(Box::from)))?;
    let arena = &mut builder.arena;
    if knows_any_text {
        arena.any_text()?;
    }
    let sets = sets.into_iter().map(|words| word_set(arena, words)).collect::<Result<_>>()?;
    let counts = Counts { rules: names.len(), specials: builder.specials.len() };
    let mut terms = Terms { file, arena, made: vec![EMPTY, EPSILON, TOP], sets, counts };
    for _ in 0..terms.file.u32()? {
        let made = terms.term()?;
        terms.made.push(made);
    }
    let bodies = terms.list(Terms::reference)?;
    let root = terms.reference()?;
    if bodies.len() != names.len() {
        return Err(refusal("has rules without a body"));
    }
    if !terms.file.rest().is_empty() {
        return Err(refusal("goes on behind its end"));
    }
    for (rule, body) in bodies.into_iter().enumerate() {
        rules.define(RuleId::at(rule), body)?;
    }
    Ok(Stored { builder, root, fingerprint })
}

/// The set of two or more sorted words.
fn word_set(arena: &mut Arena, words: Vec<Box<[u8]>>) -> Result<WordSetId> {
    if words.len() < 2 || !words.is_sorted_by(|one, next| one < next) {
        return Err(refusal("has words that are not sorted"));
    }
    arena.spend(words.len() as u64)?;
    arena.word_set(words)
}

struct Counts {
    rules: usize,
    specials: usize,
}

/// The terms of a file, as far as they were read.
pub(super) struct Terms<'a> {
    pub file: Reader<'a>,
    pub arena: &'a mut Arena,
    made: Vec<TermId>,
    sets: Vec<WordSetId>,
    counts: Counts,
}

impl Terms<'_> {
    fn term(&mut self) -> Result<TermId> {
        self.arena.spend(1)?;
        match self.file.u8()? {
            tag::CLASS => self.class(),
            tag::LITERAL => self.literal(),
            tag::WORDS => self.words(),
            tag::CAT => self.cat(),
            tag::SEQ => self.seq(),
            tag::ALT => {
                let parts = self.parts(Self::reference)?;
                self.arena.intern_alt(&parts)
            }
            tag::AND => {
                let parts = self.parts(Self::regular)?;
                let made = self.arena.intern_and(&parts)?;
                self.nonempty(made)
            }
            tag::NOT => self.not(),
            tag::REPEAT => self.repeat(),
            tag::BOUNDED => self.bounded(),
            tag::MULTIPLE => self.multiple(),
            tag::QUOTED => self.quoted(),
            tag::CALL => {
                let rule = self.number_below(self.counts.rules)?;
                self.arena.call(RuleId::new(rule))
            }
            tag::SPECIAL => {
                let special = self.number_below(self.counts.specials)?;
                self.arena.special(SpecialId::new(special))
            }
            tag::OBJECT => self.object(),
            tag::UNIQUE => self.unique(),
            tag::CHARACTERS => self.characters(),
            _ => Err(refusal("has a term of no known kind")),
        }
    }

    /// The elements of a list, each read by `each`.
    pub fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        // An element takes at least a byte. The vector grows as elements are there.
        (0..self.file.u32()?).map(|_| each(self)).collect()
    }

    /// A term that was read before.
    pub fn reference(&mut self) -> Result<TermId> {
        let place = self.file.u32()?;
        self.made.get(place as usize).copied().ok_or_else(|| refusal("names a term before it says what it is"))
    }

    /// A regular term that was read before.
    pub fn regular(&mut self) -> Result<TermId> {
        let id = self.reference()?;
        check(!self.arena.info(id).structural, "has a structural term where only a regular one may stand")?;
        Ok(id)
    }

    /// A regular term of whole characters, not empty.
    pub fn text(&mut self) -> Result<TermId> {
        let id = self.regular()?;
        check(self.arena.info(id).utf8 && id != EMPTY, "has bytes where only texts may stand")?;
        Ok(id)
    }

    /// A term that is neither empty nor the empty text.
    fn proper(&mut self) -> Result<TermId> {
        let id = self.reference()?;
        check(id != EMPTY && id != EPSILON, "has a term that is not in normal form")?;
        Ok(id)
    }

    fn number_below(&mut self, count: usize) -> Result<u32> {
        let number = self.file.u32()?;
        check((number as usize) < count, "has a number beyond its list")?;
        Ok(number)
    }

    /// (min, max) of a counter.
    pub fn bounds(&mut self) -> Result<(u32, u32)> {
        let (min, max) = (self.file.u32()?, self.file.u32()?);
        check(min <= max, "has a counter whose bounds exclude each other")?;
        Ok((min, max))
    }

    /// Two or more operands, sorted.
    fn parts(&mut self, each: impl FnMut(&mut Self) -> Result<TermId>) -> Result<Parts> {
        let mut parts = Parts::from_vec(self.list(each)?);
        self.arena.spend(parts.len() as u64)?;
        parts.sort_unstable();
        parts.dedup();
        check(parts.len() >= 2 && parts[0] != EMPTY, "has a term that is not in normal form")?;
        Ok(parts)
    }

    /// The term, if some text matches it: no state may be a dead end.
    fn nonempty(&mut self, id: TermId) -> Result<TermId> {
        check(self.arena.is_nonempty(id)?, "has a term that matches nothing")?;
        Ok(id)
    }

    /// The term that follows, whose texts are one character each.
    fn characters(&mut self) -> Result<TermId> {
        let made = match self.file.u8()? {
            tag::CAT => self.cat()?,
            tag::ALT => {
                let parts = self.parts(Self::reference)?;
                self.arena.intern_alt(&parts)?
            }
            _ => return Err(refusal("has characters that are neither a sequence of bytes nor a choice")),
        };
        check(is_character_class(self.arena, made), "has bytes where only characters may stand")?;
        self.arena.mark_text(made);
        Ok(made)
    }

    fn class(&mut self) -> Result<TermId> {
        let mut set = ByteSet::EMPTY;
        for word in &mut set.0 {
            *word = self.file.u64()?;
        }
        check(!set.is_empty(), "has a class without a byte")?;
        self.arena.class(set)
    }

    fn literal(&mut self) -> Result<TermId> {
        let text = self.file.bytes()?;
        check(text.len() >= 2, "has a term that is not in normal form")?;
        self.arena.literal(text)
    }

    fn words(&mut self) -> Result<TermId> {
        let set = self.number_below(self.sets.len())?;
        let [low, high, depth] = [self.file.u32()?, self.file.u32()?, self.file.u32()?];
        let set = self.sets[set as usize];
        self.arena.spend(u64::from(depth) / 16)?;
        let words = &self.arena.terms.word_sets[set.index()].words;
        check(high as usize <= words.len() && high.saturating_sub(low) >= 2, "has a number beyond its list")?;
        // The words are sorted: those between have the prefix that the first and the last share.
        let prefix = words[low as usize].get(..depth as usize);
        let shared = prefix.is_some_and(|prefix| words[high as usize - 1].starts_with(prefix));
        check(shared, "has words without a common prefix")?;
        self.arena.words_rest(set, low, high, depth)
    }

    fn cat(&mut self) -> Result<TermId> {
        let (left, right) = (self.proper()?, self.proper()?);
        let regular = [left, right].iter().all(|&part| !self.arena.info(part).structural);
        check(regular, "has a structural term where only a regular one may stand")?;
        check(!matches!(self.arena.term(left), Term::Cat(..)), "has a term that is not in normal form")?;
        self.arena.intern_cat(left, right)
    }

    fn seq(&mut self) -> Result<TermId> {
        let (left, right) = (self.proper()?, self.proper()?);
        check(!matches!(self.arena.term(left), Term::Seq(..)), "has a term that is not in normal form")?;
        self.arena.intern_seq(left, right)
    }

    fn not(&mut self) -> Result<TermId> {
        let inner = self.regular()?;
        let proper = inner != EMPTY && !matches!(self.arena.term(inner), Term::Not(_));
        check(proper, "has a term that is not in normal form")?;
        let made = self.arena.intern_not(inner)?;
        self.nonempty(made)
    }

    fn repeat(&mut self) -> Result<TermId> {
        let (body, (min, max)) = (self.proper()?, self.bounds()?);
        let proper = max > 0 && (min == 0 || !self.arena.info(body).nullable);
        check(proper, "has a term that is not in normal form")?;
        self.arena.intern_repeat(body, min, max)
    }

    fn bounded(&mut self) -> Result<TermId> {
        let (body, (min, max)) = (self.text()?, self.bounds()?);
        let made = self.arena.intern_bounded(body, min, max)?;
        self.nonempty(made)
    }

    fn multiple(&mut self) -> Result<TermId> {
        let (of, rest, point) = (self.file.u32()?, self.file.u32()?, self.file.bool()?);
        check(rest < of, "has a remainder beyond its divisor")?;
        self.arena.multiple_rest(of, rest, point)
    }

    fn quoted(&mut self) -> Result<TermId> {
        let (text, escapes) = (self.text()?, self.escapes()?);
        self.arena.intern_quoted(text, Spelling::Start, escapes)
    }

    /// How characters of strings are spelled.
    pub(super) fn escapes(&mut self) -> Result<Escapes> {
        Ok(Escapes { free: self.file.bool()?, escaped: self.regular()? })
    }
}

/// Refuses the file unless `holds`.
pub(super) fn check(holds: bool, otherwise: &str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(refusal(otherwise))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::stored::bytes::Writer;

    /// The payload of a grammar without names, any text or sets of words, of these terms, whose root is the last one.
    fn refusal_of(terms: &[&[u8]]) -> Option<String> {
        let mut out = Writer::default();
        out.u128(0);
        (0..2).for_each(|_| out.u32(0));
        out.bool(false);
        out.u32(0);
        out.list(terms, |out, term| out.raw(term));
        out.u32(0);
        out.u32(2 + terms.len() as u32);
        payload(&out.finish(), Builder::default()).err().map(|error| error.to_string())
    }

    fn class(bytes: &[u8]) -> Vec<u8> {
        let set = ByteSet::from_bytes(bytes.iter().copied());
        [tag::CLASS].into_iter().chain(set.0.iter().flat_map(|word| word.to_le_bytes())).collect()
    }

    fn pair(kind: u8, left: u8, right: u8) -> Vec<u8> {
        vec![kind, left, 0, 0, 0, right, 0, 0, 0]
    }

    #[test]
    fn terms_refer_to_earlier_terms_only() {
        assert_eq!(refusal_of(&[&class(b"a"), &class(b"b"), &pair(tag::CAT, 3, 4)]), None);
        let refused = refusal_of(&[&class(b"a"), &pair(tag::CAT, 3, 4)]).unwrap();
        assert!(refused.contains("names a term before it says what it is"), "{refused}");
        assert!(refusal_of(&[&[99]]).unwrap().contains("of no known kind"));
        assert!(refusal_of(&[&class(b"")]).unwrap().contains("a class without a byte"));
    }

    #[test]
    fn what_is_said_to_be_characters_is_looked_at() {
        let marked: Vec<u8> = [tag::CHARACTERS].into_iter().chain(pair(tag::CAT, 3, 4)).collect();
        assert_eq!(refusal_of(&[&class(b"\xc3\xc4"), &class(b"\xa9"), &marked]), None);
        let refused = refusal_of(&[&class(b"\xc3\xe0"), &class(b"\xa9"), &marked]).unwrap();
        assert!(refused.contains("bytes where only characters may stand"), "{refused}");
    }
}
