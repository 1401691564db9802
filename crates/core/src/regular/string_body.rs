//! Regular language of texts → language of their spellings inside a JSON string, without its quotes.
//!
//! A `Quoted` term ends with its quote, so nothing can follow it inside of one string. The terminals of a grammar follow
//! each other there. Each byte has one spelling, and no spelling begins another one. So a concatenation, union, repetition
//! or intersection of spelled languages spells that of the languages, and a complement needs the set of all spellings.

use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::UNESCAPED_ASCII;
use crate::error::{Error, Result};
use crate::regular::json_string::{canonical_escape, encode, numbered};
use crate::regular::term::{Term, TermId, EMPTY, EPSILON, MANY, TOP};
use crate::regular::terms::Terms;
use crate::regular::transfer::{children, postorder};
use rustc_hash::FxHashMap;

/// Texts × the byte that follows them in one string → their spellings, for a list of texts to escape.
///
/// Where a text contains a text to escape, such as `</tool>`, the first character of the latter is spelled `\u00xx`.
/// Where a text ends with a beginning such as `</to`, the bytes behind it may complete that: it is then escaped, too.
pub(crate) struct StringBody {
    /// The escaped texts.
    escaped: Vec<Vec<u8>>,
    /// (FOLLOW set, texts) → the spellings.
    known: FxHashMap<([u64; 4], TermId), TermId>,
    plain: ByteCode,
    escaping: ByteCode,
}

impl StringBody {
    /// The spellings under which a string contains none of these texts unescaped.
    pub fn new(escaped: Vec<Vec<u8>>) -> Self {
        let first = ByteSet::from_bytes(escaped.iter().filter_map(|text| text.first().copied()));
        let escaping = ByteCode { escapable: first, known: FxHashMap::default() };
        StringBody { escaped, known: FxHashMap::default(), plain: ByteCode::default(), escaping }
    }

    /// The spellings of a regular term's texts. A byte of `follow` may come behind them, or the end of the string.
    /// Errors: limits, misuse where a term is a state of a JSON string or an object.
    pub fn spelled(&mut self, terms: &mut Terms, texts: TermId, follow: &ByteSet) -> Result<TermId> {
        if let Some(&known) = self.known.get(&(follow.0, texts)) {
            return Ok(known);
        }
        let begun = begun(&self.escaped, follow);
        let mut marked = Vec::new();
        for &(text, is_whole) in &begun {
            let text = terms.literal(text)?;
            let rest = if is_whole { terms.cat(text, TOP)? } else { text };
            marked.push(terms.cat(TOP, rest)?);
        }
        let marked = terms.alt(marked)?;
        let made = match terms.and(vec![texts, marked])? {
            EMPTY => self.plain.spelled(terms, texts)?,
            _ => {
                let wrong = self.escaping.misspelled(terms, &begun)?;
                let spelled = self.escaping.spelled(terms, texts)?;
                let others = terms.not(wrong)?;
                terms.and(vec![spelled, others])?
            }
        };
        self.known.insert((follow.0, texts), made);
        Ok(made)
    }
}

/// The escaped texts, and those of their beginnings that a byte of `follow` continues; each with whether it is whole.
fn begun<'t>(escaped: &'t [Vec<u8>], follow: &ByteSet) -> Vec<(&'t [u8], bool)> {
    let mut begun = Vec::new();
    for text in escaped {
        begun.extend((1..text.len()).filter(|&end| follow.contains(text[end])).map(|end| (&text[..end], false)));
        begun.push((&text[..], true));
    }
    begun
}

/// Byte → its spelling in a JSON string; bytes of `escapable` have a second spelling, `\u00xx`.
#[derive(Default)]
struct ByteCode {
    escapable: ByteSet,
    known: FxHashMap<TermId, TermId>,
}

impl ByteCode {
    /// The spellings of the texts of a regular term.
    fn spelled(&mut self, terms: &mut Terms, texts: TermId) -> Result<TermId> {
        let known = &self.known;
        let order = postorder([texts], |id| known.contains_key(&id), |id, visit| children(terms.term(id), visit));
        for id in order {
            let made = self.made(terms, id)?;
            self.known.insert(id, made);
        }
        Ok(self.known[&texts])
    }

    /// The spellings of a term whose parts are spelled.
    fn made(&self, terms: &mut Terms, id: TermId) -> Result<TermId> {
        terms.spend(1)?;
        let of = |part: &TermId| self.known[part];
        match terms.term(id).clone() {
            Term::Empty | Term::Epsilon => Ok(id),
            Term::Class(set) => self.class(terms, set),
            Term::Literal { literal, position } => {
                let text = terms.literals[literal.index()][position as usize..].to_vec();
                self.text(terms, &text)
            }
            Term::Words { .. } => {
                let words = terms.enumerate(id, usize::MAX)?.unwrap_or_default();
                let is_plain = |word: &Vec<u8>| !word.iter().any(|&byte| self.escapable.contains(byte));
                let (plain, others): (Vec<_>, Vec<_>) = words.into_iter().partition(is_plain);
                let mut parts = vec![terms.words(plain.iter().map(|word| encoded(word).into()).collect())?];
                for word in others {
                    parts.push(self.text(terms, &word)?);
                }
                terms.alt(parts)
            }
            Term::Not(inner) => {
                let byte = self.class(terms, ByteSet::FULL)?;
                let all = terms.repeat(byte, 0, MANY)?;
                let others = terms.not(of(&inner))?;
                terms.and(vec![all, others])
            }
            Term::Bounded { body, min, max } => {
                let mut chars = self.class(terms, ByteSet::range(0, 0x7f))?;
                let others = terms.char_class(&[(0x80, 0x10_ffff)])?;
                chars = terms.alt(vec![chars, others])?;
                let counted = terms.repeat(chars, min, max)?;
                terms.and(vec![of(&body), counted])
            }
            Term::Multiple { .. } if self.escapable.intersection(&terms.first_bytes(id)).is_empty() => Ok(id),
            term => terms.with_parts(&term, |part| self.known[&part])?.ok_or_else(|| {
                Error::Misuse("a part of the rules is JSON, which has no spelling inside a JSON string".into()).into()
            }),
        }
    }

    /// Every spelling that has an escape without a reason, or lacks one where there is a reason.
    fn misspelled(&mut self, terms: &mut Terms, begun: &[(&[u8], bool)]) -> Result<TermId> {
        let any = self.spelled(terms, TOP)?;
        let mut wrong = Vec::new();
        for byte in self.escapable.iter() {
            let mut reasons = Vec::new();
            for (text, is_whole) in begun.iter().filter(|(text, _)| text[0] == byte) {
                let rest = self.text(terms, &text[1..])?;
                reasons.push(if *is_whole { terms.cat(rest, TOP)? } else { rest });
            }
            let reasons = terms.alt(reasons)?;
            let others = terms.not(reasons)?;
            for (spelling, rest) in [(vec![byte], reasons), (numbered(byte), others)] {
                let spelling = terms.literal(&spelling)?;
                let rest = terms.cat(spelling, rest)?;
                wrong.push(terms.cat(any, rest)?);
            }
        }
        terms.alt(wrong)
    }

    fn class(&self, terms: &mut Terms, set: ByteSet) -> Result<TermId> {
        let raw = set.intersection(&UNESCAPED_ASCII.union(&ByteSet::range(0x80, 0xff)));
        let mut escapes: Vec<Box<[u8]>> = Vec::new();
        escapes.extend(set.difference(&raw).iter().map(|byte| canonical_escape(byte).into_bytes().into()));
        escapes.extend(set.intersection(&self.escapable).iter().map(|byte| numbered(byte).into()));
        let parts = vec![terms.class(raw)?, terms.words(escapes)?];
        terms.alt(parts)
    }

    fn text(&self, terms: &mut Terms, text: &[u8]) -> Result<TermId> {
        let mut rest = EPSILON;
        let mut end = text.len();
        for place in (0..text.len()).rev().filter(|&place| self.escapable.contains(text[place])) {
            let behind = terms.literal(&encoded(&text[place + 1..end]))?;
            rest = terms.cat(behind, rest)?;
            let byte = self.class(terms, ByteSet::range(text[place], text[place]))?;
            rest = terms.cat(byte, rest)?;
            end = place;
        }
        let before = terms.literal(&encoded(&text[..end]))?;
        terms.cat(before, rest)
    }
}

/// The spelling of a text with the escapes that JSON asks for.
fn encoded(text: &[u8]) -> Vec<u8> {
    let string = encode(text);
    string[1..string.len() - 1].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::{regex, words};
    use crate::regular::json_string::encode;

    const PATTERNS: [&str; 8] =
        ["a*", "[a\"<]*", "(<t>|b)*", "[^\n]*", "<", "\\\\u003c|<t", "(?s-u:.)*", "[\\x00-\\x1f\\\\]+<"];

    fn all_texts(alphabet: &[u8], length: usize) -> Vec<Vec<u8>> {
        let (mut all, mut layer) = (Vec::new(), vec![Vec::new()]);
        for _ in 0..=length {
            all.extend(layer.iter().cloned());
            let longer =
                |text: &Vec<u8>| alphabet.iter().map(|&byte| [&text[..], &[byte]].concat()).collect::<Vec<_>>();
            layer = layer.iter().flat_map(longer).collect();
        }
        all
    }

    #[test]
    fn without_escaped_texts_a_spelling_is_a_json_string_without_its_quotes() {
        let mut terms = Terms::new();
        let mut ids: Vec<TermId> = PATTERNS.iter().map(|pattern| regex(&mut terms, pattern)).collect();
        ids.push(words(&mut terms, &["a", "a\"", "<t>", "\n"]));
        let (some, others) = (ids[1], ids[2]);
        let not = terms.not(others).unwrap();
        ids.push(terms.and(vec![some, not]).unwrap());
        ids.push(terms.bounded(some, 1, 2).unwrap());
        ids.push(terms.multiple(7, true).unwrap());
        let texts = all_texts(b"a\"<t>\\\n7", 4);
        let mut code = StringBody::new(Vec::new());
        for id in ids {
            let spelled = code.spelled(&mut terms, id, &ByteSet::FULL).unwrap();
            for text in &texts {
                let string = encode(text);
                let body = &string[1..string.len() - 1];
                assert_eq!(terms.matches(spelled, body), terms.matches(id, text), "{id:?} {text:?}");
                // Now the text itself is taken for a spelling: it must match exactly if its decoded text does.
                let string = [b"\"", &text[..], b"\""].concat();
                let decoded = serde_json::from_slice::<String>(&string).ok();
                let decoded = decoded.filter(|decoded| encode(decoded.as_bytes()) == string);
                let expected = decoded.is_some_and(|decoded| terms.matches(id, decoded.as_bytes()).unwrap());
                assert_eq!(terms.matches(spelled, text), Ok(expected), "{id:?} {text:?}");
            }
        }
    }

    #[test]
    fn an_escaped_text_is_never_whole_and_what_follows_cannot_complete_it() {
        let mut terms = Terms::new();
        let texts = regex(&mut terms, "[a<t>\"]*");
        let mut code = StringBody::new(vec![b"<t>".to_vec(), b"<<".to_vec()]);
        for (follow, spellings) in [
            (&b""[..], &["<", "<t", "a<t", r"\u003ct>", r"\u003c<a", r"\u003c<", r#"<\""#][..]),
            (b"t", &[r"\u003c", "<t", r"\u003c\u003c", "<a"]),
            (b"<", &[r"\u003c", "<t", r"a\u003c"]),
            (b">a", &["<", r"\u003ct", "<ta"]),
        ] {
            let follow = ByteSet::from_bytes(follow.iter().copied());
            let spelled = code.spelled(&mut terms, texts, &follow).unwrap();
            for spelling in spellings {
                assert_eq!(terms.matches(spelled, spelling.as_bytes()), Ok(true), "{spelling}");
                let other = match spelling.contains(r"\u003c") {
                    true => spelling.replacen(r"\u003c", "<", 1),
                    false => spelling.replacen('<', r"\u003c", 1),
                };
                assert_eq!(terms.matches(spelled, other.as_bytes()), Ok(false), "{other}");
            }
        }
    }
}
