//! Networks and interfaces as Python's module `ipaddress` reads them: an address, a slash, a length or a mask.

use super::format::{matching, KnownFormat, Node, Texts};
use super::ip::{ipv4, ipv6, OCTET};
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

const LENGTH_V4: &str = "(?:/(?:[0-9]|[12][0-9]|3[0-2]))?";
const LENGTH_V6: &str = "(?:/(?:[0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))?";
const OUTER_V6: &str = "[0-9A-Fa-f:.]+(?:%[^/]*)?(?:/[0-9]+)?";
const NO_MASKS: &str = "networks with a written-out mask are left out";

pub(super) const FORMATS: &[KnownFormat] = &[
    some("ipv4network", network_v4, outer_v4, NO_MASKS),
    some("ipv6network", || format!("{}(?:/128)?", ipv6()), outer_v6, "networks of more than one address are left out"),
    some(
        "ipvanynetwork",
        || format!("{}|{}(?:/128)?", network_v4(), ipv6()),
        outer_any,
        "larger IPv6 networks are left out",
    ),
    some("ipv4interface", interface_v4, outer_v4, NO_MASKS),
    KnownFormat::exact("ipv6interface", Node::Pattern(interface_v6)).of_openapi(),
    some("ipvanyinterface", || format!("{}|{}", interface_v4(), interface_v6()), outer_any, NO_MASKS),
];

/// A format with some of its texts left out; `outer` makes a superset of all of them.
const fn some(
    name: &'static str,
    pattern: fn() -> String,
    outer: fn(&Terms<'_>) -> Result<TermId>,
    left_out: &'static str,
) -> KnownFormat {
    let texts = Texts { outer: Some(outer), ..Texts::exact(Node::Pattern(pattern)) };
    KnownFormat::texts(name, texts).without(left_out).of_openapi()
}

/// Addresses whose bits beyond the prefix are 0, in the order of prefix lengths.
fn network_v4() -> String {
    let mut shapes = vec![ipv4()];
    for length in 0..=32usize {
        let (whole, bits) = (length / 8, length % 8);
        let mut parts = vec![OCTET.to_owned(); whole];
        if bits > 0 {
            let values: Vec<String> = (0..256).step_by(1 << (8 - bits)).map(|value| value.to_string()).collect();
            parts.push(format!("(?:{})", values.join("|")));
        }
        parts.resize(4, "0".into());
        shapes.push(format!("{}/{length}", parts.join(r"\.")));
    }
    shapes.join("|")
}

fn interface_v4() -> String {
    ipv4() + LENGTH_V4
}

fn interface_v6() -> String {
    ipv6() + LENGTH_V6
}

fn outer_v4(terms: &Terms<'_>) -> Result<TermId> {
    matching(terms, &format!("{}(?:/[0-9.]+)?", ipv4()))
}

fn outer_v6(terms: &Terms<'_>) -> Result<TermId> {
    matching(terms, OUTER_V6)
}

fn outer_any(terms: &Terms<'_>) -> Result<TermId> {
    matching(terms, &format!("{}(?:/[0-9.]+)?|{OUTER_V6}", ipv4()))
}
