//! contentEncoding: base64, contentMediaType: application/json → their texts, which draft 7 asserts.

use super::format::{matching, KnownFormat, Node, Texts};
use super::openapi::BASE64;
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

pub(super) static CONTENTS: [KnownFormat; 2] = [
    KnownFormat::exact("base64", Node::Pattern(|| BASE64.into())),
    KnownFormat::texts(
        "application/json",
        Texts { outer: Some(|terms| terms.any_text()), ..Texts::exact(Node::Made(|terms, _| json(terms))) },
    )
    .without("arrays and objects in more than 16 others are left out"),
];

/// Arrays and objects that may stand around one.
const DEEPEST: usize = 16;
const GAP: &str = r"[ \t\n\r]*";
const STRING: &str = r#""(?:[^\0-\x1f"\\]|\\(?:["\\\/bfnrt]|u[0-9A-Fa-f]{4}))*""#;
const NUMBER: &str = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?";

/// JSON documents (RFC 8259).
fn json(terms: &Terms<'_>) -> Result<TermId> {
    let gap = matching(terms, GAP)?;
    let scalar = matching(terms, &format!("null|true|false|{NUMBER}|{STRING}"))?;
    let (name, comma) = (matching(terms, &format!("{STRING}{GAP}:{GAP}"))?, matching(terms, &format!("{GAP},{GAP}"))?);
    let mut value = scalar;
    for _ in 0..=DEEPEST {
        let mut kinds = vec![scalar];
        for (opening, item, closing) in [("[", value, "]"), ("{", terms.cat(&[name, value])?, "}")] {
            let further = terms.repeat(terms.cat(&[comma, item])?, 0, None)?;
            let items = terms.optional(terms.cat(&[item, further, gap])?)?;
            kinds.push(terms.cat(&[terms.literal(opening)?, gap, items, terms.literal(closing)?])?);
        }
        value = terms.alt(&kinds)?;
    }
    terms.cat(&[gap, value, gap])
}
