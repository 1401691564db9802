//! email (RFC 5321, Mailbox), idn-email (RFC 6531).
//!
//! For Python an email is what Pydantic's EmailStr takes: no quotes, no address literals, a name with a public top level.

use super::format::{matching, KnownFormat, Node, Texts};
use super::hostname::{international, international_outer, names, LABEL, LONGEST_NAME, PLAIN_LABEL};
use super::ip::{ipv4, ipv6};
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

const ATOM: &str = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\-";
const BEYOND_ASCII: &str = r"\u0080-\u{10FFFF}";
/// Most octets before the @.
const LONGEST_LOCAL: u32 = 64;
/// Reserved top-level domains, which EmailStr refuses (RFC 6761 and others).
const RESERVED: &str = "(?i:(?:arpa|invalid|local|localhost|onion|test))";
/// Most octets of a whole address, for EmailStr.
const LONGEST_ADDRESS: u64 = 254;

pub(super) const FORMATS: &[KnownFormat] = &[
    KnownFormat::texts("email", Texts { python_narrows: true, ..Texts::exact(Node::Made(email)) }),
    KnownFormat::texts("idn-email", Texts { outer: Some(idn_outer), ..Texts::exact(Node::Made(idn_email)) })
        .without("of the domains only those that are left of idn-hostname"),
];

/// The part before the @; `beyond` holds the characters beyond ASCII that it may have.
fn local(terms: &Terms<'_>, beyond: &str) -> Result<TermId> {
    let atom = format!("[{ATOM}{beyond}]+");
    matching(terms, &format!(r#"{atom}(?:\.{atom})*|"(?:[ !#-\[\]-~{beyond}]|\\[ -~])*""#))
}

fn literal(terms: &Terms<'_>) -> Result<TermId> {
    matching(terms, &format!(r"\[(?:{}|[Ii][Pp][Vv]6:{})\]", ipv4(), ipv6()))
}

fn bounded_local(terms: &Terms<'_>, local: TermId) -> Result<TermId> {
    terms.bounded(local, 1, Some(u64::from(LONGEST_LOCAL)))
}

fn email(terms: &Terms<'_>, for_python: bool) -> Result<TermId> {
    if for_python {
        return python_email(terms);
    }
    let local = local(terms, "")?;
    let literal = literal(terms)?;
    let domain = terms.alt(&[names(terms, LABEL)?, literal])?;
    terms.cat(&[bounded_local(terms, local)?, terms.literal("@")?, domain])
}

fn python_email(terms: &Terms<'_>) -> Result<TermId> {
    let local = matching(terms, &format!(r"[{ATOM}]+(?:\.[{ATOM}]+)*"))?;
    let reserved = terms.not(matching(terms, RESERVED)?)?;
    let top = terms.and(&[matching(terms, "[A-Za-z](?:[A-Za-z0-9]{0,61}[A-Za-z])?")?, reserved])?;
    let name = terms.cat(&[matching(terms, &format!(r"(?:{PLAIN_LABEL}\.)+"))?, top])?;
    let name = terms.bounded(name, 1, Some(LONGEST_NAME))?;
    let address = terms.cat(&[bounded_local(terms, local)?, terms.literal("@")?, name])?;
    terms.bounded(address, 1, Some(LONGEST_ADDRESS))
}

fn idn_email(terms: &Terms<'_>, _: bool) -> Result<TermId> {
    let local = local(terms, BEYOND_ASCII)?;
    let octets = terms.repeat(terms.byte_range(0, 255)?, 1, LONGEST_LOCAL)?;
    let domain = terms.alt(&[international(terms)?, literal(terms)?])?;
    terms.cat(&[terms.and(&[local, octets])?, terms.literal("@")?, domain])
}

fn idn_outer(terms: &Terms<'_>) -> Result<TermId> {
    let local = local(terms, BEYOND_ASCII)?;
    let domain = terms.alt(&[international_outer(terms)?, literal(terms)?])?;
    terms.cat(&[bounded_local(terms, local)?, terms.literal("@")?, domain])
}
