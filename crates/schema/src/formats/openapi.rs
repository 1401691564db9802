//! byte, binary, password, path … and int32, int64, float, double: formats of OpenAPI and Pydantic.
//!
//! JSON Schema has none of these names, but lets an implementation enforce more formats than its own. The integer
//! formats of OpenAPI's registry are enforced wherever formats are: each is a set of integers, its name means nothing
//! else, and readers fail on larger numbers. The others are annotations unless OpenAPI or Pydantic is asked for:
//! `float` and `double` name a precision, to which any number is rounded, and authors mean various things by names such
//! as `path`.

use super::format::{KnownFormat, Language, Node, Vocabulary};
use super::ip::{ipv4, ipv6};

/// Base64 whose padding bits are zero (RFC 4648, 3.5), as some decoders refuse other bits.
pub(super) const BASE64: &str = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?";

pub(super) const FORMATS: &[KnownFormat] = &[
    pattern("byte", || BASE64.into()),
    pattern("base64", || BASE64.into()),
    pattern("base64url", || BASE64.replace("+/", r"_\-")),
    pattern("binary", || r"[\s\S]*".into()),
    pattern("password", || r"[\s\S]*".into()),
    pattern("path", || r"[^\0]*".into()),
    pattern("ipvanyaddress", || format!("{}|{}", ipv4(), ipv6())),
];

pub(super) const NUMBERS: &[KnownFormat] = &[
    integers("int8", "-128", "127"),
    integers("int16", "-32768", "32767"),
    integers("int32", "-2147483648", "2147483647"),
    integers("int64", "-9223372036854775808", "9223372036854775807"),
    integers("uint8", "0", "255"),
    integers("uint16", "0", "65535"),
    integers("uint32", "0", "4294967295"),
    integers("uint64", "0", "18446744073709551615"),
    numbers("float", "-3.4028234663852886e38", "3.4028234663852886e38", false).of_openapi(),
    numbers("double", "-1.7976931348623157e308", "1.7976931348623157e308", false).of_openapi(),
];

const fn pattern(name: &'static str, pattern: fn() -> String) -> KnownFormat {
    KnownFormat::exact(name, Node::Pattern(pattern)).of_openapi()
}

const fn integers(name: &'static str, least: &'static str, most: &'static str) -> KnownFormat {
    numbers(name, least, most, true)
}

const fn numbers(name: &'static str, least: &'static str, most: &'static str, are_integers: bool) -> KnownFormat {
    let language = Language::Numbers(least, most, are_integers);
    KnownFormat { name, vocabulary: Vocabulary::JsonSchema, left_out: None, language }
}
