//! hostname (RFC 1123), idn-hostname (RFC 5890).

use super::format::{matching, KnownFormat, Node, Texts};
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use frisket_core::storage::once::Lazy;
use frisket_regex::{property_set, CharSet, Range, Spelling};

/// A label of letters, digits and inner hyphens, 63 at most.
pub(super) const LABEL: &str = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
/// A label without hyphens in both third and fourth place.
pub(super) const PLAIN_LABEL: &str = concat!(
    "[A-Za-z0-9](?:[A-Za-z0-9]|[A-Za-z0-9-][A-Za-z0-9](?:[A-Za-z0-9-]{0,59}[A-Za-z0-9])?",
    "|[A-Za-z0-9-]-[A-Za-z0-9](?:[A-Za-z0-9-]{0,58}[A-Za-z0-9])?)?",
);
/// Most characters of a whole name.
pub(super) const LONGEST_NAME: u64 = 253;

/// Letters beyond ASCII that are valid beside any others: written from left to right, in lower case, the same in every
/// normal form. `SIFTED_BLOCKS` hold other characters, too, and are filtered by property.
const WHOLE_BLOCKS: [Range; 4] = [(0x3041, 0x3096), (0x30A1, 0x30FA), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3)];
const SIFTED_BLOCKS: [Range; 3] = [(0xE0, 0x24F), (0x371, 0x3CF), (0x430, 0x52F)];
/// Letters of the sifted blocks that NFKC takes apart: ĳ, ŀ, dž, lj, nj, dz.
const LIGATURES: [u32; 6] = [0x133, 0x140, 0x1C6, 0x1C9, 0x1CC, 0x1F3];
/// Most digits of Punycode that a letter of these blocks takes, whatever stands before it in a label.
const DIGITS: u32 = 7;

pub(super) const FORMATS: &[KnownFormat] = &[
    KnownFormat::texts(
        "hostname",
        Texts {
            outer: Some(|terms| names(terms, LABEL)),
            ..Texts::exact(Node::Made(|terms, _| names(terms, PLAIN_LABEL)))
        },
    )
    .without("names with a label like xn--… are left out: which of those are valid is Punycode arithmetic"),
    KnownFormat::texts(
        "idn-hostname",
        Texts { outer: Some(international_outer), ..Texts::exact(Node::Made(|terms, _| international(terms))) },
    )
    .without(
        "letters beyond Latin, Greek, Cyrillic, kana, Han and Hangul are left out, and long names: their length is \
         counted in Punycode, which is no regular property",
    ),
];

/// `hostname` in drafts before 7, which have RFC 1034 and 1123 but no IDNA.
pub(super) const LEGACY_HOSTNAME: KnownFormat =
    KnownFormat::exact("hostname", Node::Made(|terms, _| names(terms, LABEL)));

/// Labels with dots between them, within the length of a whole name. Errors: limits.
pub(super) fn names(terms: &Terms<'_>, label: &str) -> Result<TermId> {
    terms.bounded(matching(terms, &format!(r"{label}(?:\.{label})*"))?, 1, Some(LONGEST_NAME))
}

/// Internationalized names that surely are valid, ASCII names among them. Errors: limits.
pub(super) fn international(terms: &Terms<'_>) -> Result<TermId> {
    let mut found = vec![names(terms, PLAIN_LABEL)?];
    // Three labels of 63 octets, or six of 40, fit in a name of 253 octets.
    for (labels, longest) in [(3, 63), (6, 40)] {
        let label = international_label(terms, longest)?;
        let more = terms.cat(&[terms.literal(".")?, label])?;
        found.push(terms.cat(&[label, terms.repeat(more, 0, labels - 1)?])?);
    }
    terms.alt(&found)
}

fn international_label(terms: &Terms<'_>, longest: u32) -> Result<TermId> {
    let chars = |ranges: &[(u32, u32)]| terms.with(|builder| builder.char_class(ranges));
    let letter = chars(&LETTERS)?;
    let ascii = terms.alt(&[terms.byte_range(b'0', b'9')?, terms.byte_range(b'a', b'z')?])?;
    let hyphen = terms.literal("-")?;
    let inner = terms.repeat(terms.alt(&[letter, ascii, hyphen])?, 0, None)?;
    let end = terms.alt(&[letter, ascii])?;
    let shape = terms.alt(&[end, terms.cat(&[end, inner, end])?])?;
    let any = chars(&[(0, 0xD7FF), (0xE000, 0x10FFFF)])?;
    let tagged = terms.cat(&[any, any, terms.literal("--")?, terms.any_text()?])?;
    let shape = terms.and(&[shape, terms.not(tagged)?])?;
    let other = terms.repeat(terms.alt(&[ascii, hyphen])?, 0, None)?;
    let bounded = |most: u32| terms.bounded(shape, 1, Some(u64::from(most)));
    let mut found = vec![terms.and(&[bounded(longest)?, matching(terms, PLAIN_LABEL)?])?];
    // A label in Punycode is `xn--`, its ASCII characters, a hyphen, and digits for each letter: with fewer letters it
    // may be longer.
    for count in [1, 2, 3, 5, 8] {
        let room = (longest - 5).saturating_sub((DIGITS - 1) * count);
        if room >= count {
            let few = terms.repeat(terms.cat(&[letter, other])?, 1, count)?;
            found.push(terms.and(&[bounded(room)?, terms.cat(&[other, few])?])?);
        }
    }
    terms.alt(&found)
}

/// The letters beyond ASCII that a generated name may hold: of `SIFTED_BLOCKS`, those of one case that have no other
/// form (RFC 5892, 2.1 and 2.2).
static LETTERS: Lazy<Vec<Range>> = Lazy::new(|| {
    let of = |name| property_set(name, None, Spelling::Loose, None).unwrap_or_else(CharSet::none);
    let other_forms =
        of("Changes_When_Casefolded").union(&CharSet::new(LIGATURES.map(|point| (point, point)).to_vec()));
    let letters = of("Ll").union(&of("Lo")).difference(&other_forms);
    let sifted = letters.intersection(&CharSet::new(SIFTED_BLOCKS.to_vec()));
    sifted.ranges().iter().copied().chain(WHOLE_BLOCKS).collect()
});

/// A superset of the valid internationalized names: a label has at most 63 characters, as its ASCII form is no shorter.
///
/// Errors: limits.
pub(super) fn international_outer(terms: &Terms<'_>) -> Result<TermId> {
    let char = r"A-Za-z0-9\u0080-\u3001\u3003-\uff0d\uff0f-\uff60\uff62-\u{10FFFF}";
    let label = format!("[{char}](?:[{char}-]{{0,61}}[{char}])?");
    let name = format!(r"{label}(?:[.\u3002\uff0e\uff61]{label})*");
    terms.bounded(matching(terms, &name)?, 1, Some(LONGEST_NAME))
}
