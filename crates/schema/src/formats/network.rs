//! Networks and interfaces as Python's module `ipaddress` reads them: an address, a slash, a length or a mask.

use super::format::{matching, KnownFormat, Node, Texts};
use super::ip::{ipv4, ipv6, OCTET};
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use std::net::{Ipv4Addr, Ipv6Addr};

const LENGTH_V4: &str = "(?:/(?:[0-9]|[12][0-9]|3[0-2]))?";
const LENGTH_V6: &str = "(?:/(?:[0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))?";
const OUTER_V6: &str = "[0-9A-Fa-f:.]+(?:%[^/]*)?(?:/[0-9]+)?";
const NO_MASKS: &str = "networks with a written-out mask are left out";

pub(super) const FORMATS: &[KnownFormat] = &[
    some("ipv4network", network_v4, outer_v4, is_network_v4, NO_MASKS),
    some(
        "ipv6network",
        || format!("{}(?:/128)?", ipv6()),
        outer_v6,
        is_network_v6,
        "networks of more than one address are left out",
    ),
    some(
        "ipvanynetwork",
        || format!("{}|{}(?:/128)?", network_v4(), ipv6()),
        outer_any,
        |text| is_network_v4(text) || is_network_v6(text),
        "larger IPv6 networks are left out",
    ),
    some("ipv4interface", interface_v4, outer_v4, is_interface_v4, NO_MASKS),
    KnownFormat::exact("ipv6interface", Node::Pattern(interface_v6)).of_openapi(),
    some(
        "ipvanyinterface",
        || format!("{}|{}", interface_v4(), interface_v6()),
        outer_any,
        |text| is_interface_v4(text) || is_interface_v6(text),
        NO_MASKS,
    ),
];

/// Some of the texts that `check` takes; `outer` makes the node of more than those.
const fn some(
    name: &'static str,
    pattern: fn() -> String,
    outer: fn(&Terms<'_>) -> Result<TermId>,
    check: fn(&str) -> bool,
    left_out: &'static str,
) -> KnownFormat {
    let texts = Texts {
        node: Node::Pattern(pattern),
        written: None,
        outer: Some(outer),
        check: Some(check),
        python_narrows: false,
    };
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

/// The address and its prefix's length.
fn read_v4(text: &str) -> Option<(u32, u32)> {
    let (address, mask) = split(text)?;
    let address = u32::from(address.parse::<Ipv4Addr>().ok()?);
    let length = match mask {
        None => 32,
        Some(mask) => read_length(mask, 32).or_else(|| read_mask(mask))?,
    };
    Some((address, length))
}

/// The address, whose zone is left aside, and its prefix's length.
fn read_v6(text: &str) -> Option<(u128, u32)> {
    let (address, mask) = split(text)?;
    let (address, zone) = address.split_once('%').map_or((address, None), |(address, zone)| (address, Some(zone)));
    if zone.is_some_and(|zone| zone.is_empty() || zone.contains('%')) {
        return None;
    }
    let address = u128::from(address.parse::<Ipv6Addr>().ok()?);
    Some((address, mask.map_or(Some(128), |mask| read_length(mask, 128))?))
}

/// The parts before the only slash and behind it.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    match text.split_once('/') {
        None => Some((text, None)),
        Some((address, mask)) => (!mask.contains('/')).then_some((address, Some(mask))),
    }
}

fn read_length(text: &str, most: u32) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let length = text.trim_start_matches('0');
    let length = if length.is_empty() { 0 } else { length.parse().ok()? };
    (is_number && length <= most).then_some(length)
}

/// The length that a mask means: ones before zeros, or the other way round.
fn read_mask(text: &str) -> Option<u32> {
    let mask = u32::from(text.parse::<Ipv4Addr>().ok()?);
    let length = |mask: u32| (mask.leading_ones() + mask.trailing_zeros() == 32).then_some(mask.leading_ones());
    length(mask).or_else(|| length(!mask))
}

fn is_network_v4(text: &str) -> bool {
    read_v4(text).is_some_and(|(address, length)| address.checked_shl(length).unwrap_or(0) == 0)
}

fn is_network_v6(text: &str) -> bool {
    read_v6(text).is_some_and(|(address, length)| address.checked_shl(length).unwrap_or(0) == 0)
}

fn is_interface_v4(text: &str) -> bool {
    read_v4(text).is_some()
}

fn is_interface_v6(text: &str) -> bool {
    read_v6(text).is_some()
}
