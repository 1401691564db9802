//! uri, uri-reference (RFC 3986), iri, iri-reference (RFC 3987), uri-template (RFC 6570).

use super::format::{KnownFormat, Node};
use super::ip::ipv6;

const UNRESERVED: &str = r"A-Za-z0-9._~\-";
const DELIMITERS: &str = "!$&'()*+,;=";
const ENCODED: &str = "%[0-9A-Fa-f]{2}";
const UCS: &str = concat!(
    r"\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF",
    r"\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{4FFFD}\u{50000}-\u{5FFFD}",
    r"\u{60000}-\u{6FFFD}\u{70000}-\u{7FFFD}\u{80000}-\u{8FFFD}\u{90000}-\u{9FFFD}\u{A0000}-\u{AFFFD}",
    r"\u{B0000}-\u{BFFFD}\u{C0000}-\u{CFFFD}\u{D0000}-\u{DFFFD}\u{E1000}-\u{EFFFD}",
);
const PRIVATE: &str = r"\uE000-\uF8FF\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}";

pub(super) const FORMATS: &[KnownFormat] = &[
    KnownFormat::exact("uri", Node::Pattern(|| whole("", ""))),
    KnownFormat::exact("uri-reference", Node::Pattern(|| reference("", ""))),
    KnownFormat::exact("iri", Node::Pattern(|| whole(UCS, PRIVATE))),
    KnownFormat::exact("iri-reference", Node::Pattern(|| reference(UCS, PRIVATE))),
    KnownFormat::exact("uri-template", Node::Pattern(template)),
];

/// The rules of RFC 3986 that its two start symbols share.
struct Rules {
    /// Characters that every part may have.
    base: String,
    authority: String,
    path: String,
    /// A URI that begins with a scheme.
    absolute: String,
    /// Query and fragment.
    tail: String,
}

impl Rules {
    /// `beyond` are the further characters of an IRI, `private` those of its query only.
    fn new(beyond: &str, private: &str) -> Self {
        let base = format!("{UNRESERVED}{DELIMITERS}{beyond}");
        let path = format!("(?:[{base}:@/]|{ENCODED})*");
        let future = format!(r"[Vv][0-9A-Fa-f]+\.[{UNRESERVED}{DELIMITERS}:]+");
        let host = format!(r"(?:\[(?:{}|{future})\]|(?:[{base}]|{ENCODED})*)", ipv6());
        let authority = format!("(?:(?:[{base}:]|{ENCODED})*@)?{host}(?::[0-9]*)?(?:/{path})?");
        let tail = format!(r"(?:\?(?:[{base}:@/?{private}]|{ENCODED})*)?(?:#(?:[{base}:@/?]|{ENCODED})*)?");
        let char = Self::char(&base);
        let absolute = format!(r"[A-Za-z][A-Za-z0-9+.\-]*:(?://{authority}|/?(?:{char}{path})?)");
        Rules { base, authority, path, absolute, tail }
    }

    fn char(base: &str) -> String {
        format!("(?:[{base}:@]|{ENCODED})")
    }
}

fn whole(beyond: &str, private: &str) -> String {
    let Rules { absolute, tail, .. } = Rules::new(beyond, private);
    absolute + &tail
}

fn reference(beyond: &str, private: &str) -> String {
    let Rules { base, authority, path, absolute, tail } = Rules::new(beyond, private);
    let char = Rules::char(&base);
    let relative = format!("//{authority}|/(?:{char}{path})?|(?:[{base}@]|{ENCODED})+(?:/{path})?|");
    format!("(?:{absolute}|{relative}){tail}")
}

fn template() -> String {
    let char = format!("(?:[A-Za-z0-9_]|{ENCODED})");
    let variable = format!(r"{char}(?:\.?{char})*(?:\*|:[1-9][0-9]{{0,3}})?");
    let expression = format!(r"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}}");
    // Erratum 6937 adds the apostrophe.
    format!(r"(?:[!#$&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~{UCS}{PRIVATE}]|{ENCODED}|{expression})*")
}
