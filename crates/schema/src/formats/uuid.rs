//! uuid (RFC 4122, any version and variant), uuid1 … uuid8 (of one version).

use super::format::{KnownFormat, Node};

const HEX: &str = "[0-9A-Fa-f]";

pub(super) const FORMATS: &[KnownFormat] = &[
    KnownFormat::exact("uuid", Node::Pattern(|| format!("{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}"))),
    KnownFormat::exact("uuid1", Node::Pattern(|| version(1))).of_openapi(),
    KnownFormat::exact("uuid3", Node::Pattern(|| version(3))).of_openapi(),
    KnownFormat::exact("uuid4", Node::Pattern(|| version(4))).of_openapi(),
    KnownFormat::exact("uuid5", Node::Pattern(|| version(5))).of_openapi(),
    KnownFormat::exact("uuid6", Node::Pattern(|| version(6))).of_openapi(),
    KnownFormat::exact("uuid7", Node::Pattern(|| version(7))).of_openapi(),
    KnownFormat::exact("uuid8", Node::Pattern(|| version(8))).of_openapi(),
];

fn version(version: u8) -> String {
    format!("{HEX}{{8}}-{HEX}{{4}}-{version}{HEX}{{3}}-[89ABab]{HEX}{{3}}-{HEX}{{12}}")
}
