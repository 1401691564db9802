//! regex (ECMA-262, Unicode mode), as a regular language: groups nest up to a depth.
//!
//! The language leaves out back-references, named groups, and ranges and counts whose two sides would have to be
//! compared digit by digit. Each of its texts is a regular expression of ECMA-262.

use super::format::{matching, KnownFormat, Node, Texts};
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

pub(super) const FORMATS: &[KnownFormat] = &[KnownFormat::texts(
    "regex",
    Texts { outer: Some(|terms| terms.any_text()), ..Texts::exact(Node::Made(|terms, _| expression(terms))) },
)
.without(
    "back-references, named groups, groups in more than 16 others and ranges of escapes that only differ late are \
     left out",
)];

/// Groups that may stand around a group.
const DEEPEST: usize = 16;
/// A hexadecimal digit.
const HEX: &str = "[0-9A-Fa-f]";
/// Characters of the syntax, as they stand in a class.
const SYNTAX: &str = r"\^$\\.*+?()[\]{}|\/";
const CATEGORIES: &str = "L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfon]?";

/// The regular expressions.
fn expression(terms: &Terms<'_>) -> Result<TermId> {
    let (class, escape, quantifier) = (class(), escape(SYNTAX), quantifier());
    let plain = r"[^\^$\\.*+?()[\]{}|]";
    let term = format!(r"(?:{plain}|\.|\\{escape}|{class}){quantifier}|[|^$]|\\[bB]");
    let (term, looking) = (matching(terms, &term)?, matching(terms, r"\(\?<?[=!]")?);
    let (opening, closing) = (matching(terms, r"\((?:\?:)?")?, terms.literal(")")?);
    let closing_group = matching(terms, &format!(r"\){quantifier}"))?;
    let mut body = terms.repeat(term, 0, None)?;
    for _ in 0..=DEEPEST {
        let group = terms.cat(&[opening, body, closing_group])?;
        let look = terms.cat(&[looking, body, closing])?;
        body = terms.repeat(terms.alt(&[term, group, look])?, 0, None)?;
    }
    Ok(body)
}

/// Nothing, or a quantifier, greedy or lazy. Of two counts the second has more digits, up to four, or as many with a
/// larger first one.
fn quantifier() -> String {
    let number = "(?:0|[1-9][0-9]{0,3})";
    let mut counts = vec![format!("{number},?"), "[0-9],[1-9][0-9]{1,3}".into()];
    counts.extend([2, 3].map(|length| format!("[1-9][0-9]{{{}}},[1-9][0-9]{{{length},3}}", length - 1)));
    counts.extend((0..10).map(|value| format!("{value},[{value}-9]")));
    for length in [1, 2, 3] {
        counts.extend((1..9).map(|value| format!("{value}[0-9]{{{length}}},[{}-9][0-9]{{{length}}}", value + 1)));
    }
    format!(r"(?:(?:[*+?]|\{{(?:{})\}})\??)?", counts.join("|"))
}

/// The rest of an escape in an atom or in a class; `identity` are the characters that stand for themselves.
fn escape(identity: &str) -> String {
    let point = format!("0{{0,2}}{HEX}{{1,5}}|10{HEX}{{4}}");
    let code = format!(r"x{HEX}{{2}}|u{HEX}{{4}}|u\{{(?:{point})\}}");
    format!(r"(?:[dDwWsSfnrtv{identity}]|[pP]\{{(?:{CATEGORIES})\}}|c[A-Za-z]|{code})")
}

/// `[…]`; a hyphen that is no range stands first or last, or is escaped.
fn class() -> String {
    let mut members = vec![r"[^\]\\\-]".to_owned(), format!(r"\\{}", escape(&format!(r"{SYNTAX}\-b")))];
    members.extend(('0'..='9').map(|low| format!("{low}-[{low}-9A-Za-z]")));
    members.extend(('A'..='Z').map(|low| format!("{low}-[{low}-Za-z]")));
    members.extend(('a'..='z').map(|low| format!("{low}-[{low}-z]")));
    // Ranges of \xhh, \uhhhh and \u00hh whose first digits already differ.
    for (lead, length) in [(r"\\x", 1), (r"\\u", 3), (r"\\u00", 1)] {
        for value in 0..15 {
            let (low, high) = (hexadecimal(value, value), hexadecimal(value + 1, 15));
            members.push(format!("{lead}[{low}]{HEX}{{{length}}}-{lead}[{high}]{HEX}{{{length}}}"));
        }
    }
    format!(r"\[\^?-?(?:{})*-?\]", members.join("|"))
}

/// The hexadecimal digits from one value to another, in either case.
fn hexadecimal(low: u32, high: u32) -> String {
    (low..=high).map(|value| format!("{value:x}{value:X}")).collect()
}
