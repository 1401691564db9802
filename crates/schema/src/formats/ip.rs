//! ipv4 (RFC 2673, no leading zeros), ipv6 (RFC 4291, no zone).

use super::format::{KnownFormat, Node};

/// A number up to 255.
pub(super) const OCTET: &str = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
const GROUP: &str = "[0-9A-Fa-f]{1,4}";

pub(super) const FORMATS: &[KnownFormat] =
    &[KnownFormat::exact("ipv4", Node::Pattern(ipv4)), KnownFormat::exact("ipv6", Node::Pattern(ipv6))];

/// The pattern of IPv4 addresses.
pub(super) fn ipv4() -> String {
    format!(r"(?:{OCTET}\.){{3}}{OCTET}")
}

/// The pattern of IPv6 addresses.
pub(super) fn ipv6() -> String {
    let last_two = format!("(?:{GROUP}:{GROUP}|{})", ipv4());
    let mut shapes = vec![
        format!("(?:{GROUP}:){{6}}{last_two}"),
        format!("::(?:{GROUP}:){{5}}{last_two}"),
        format!("(?:{GROUP})?::(?:{GROUP}:){{4}}{last_two}"),
    ];
    for before in 1..=4 {
        shapes.push(format!("(?:(?:{GROUP}:){{0,{before}}}{GROUP})?::(?:{GROUP}:){{{}}}{last_two}", 4 - before));
    }
    shapes.push(format!("(?:(?:{GROUP}:){{0,5}}{GROUP})?::{GROUP}"));
    shapes.push(format!("(?:(?:{GROUP}:){{0,6}}{GROUP})?::"));
    format!("(?:{})", shapes.join("|"))
}
