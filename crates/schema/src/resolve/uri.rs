//! Base URI and reference → the resolved URI (RFC 3986, section 5.2).
//!
//! Nothing is checked or normalised: a registry finds documents by the exact text of their URIs.

use oxiri::IriRef;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// The URI of a reference, resolved against a base, which may be relative; without a base, the reference itself.
///
/// ```
/// use frisket_schema::resolve::uri;
/// assert_eq!(uri::join("http://x.org/a/b.json", "../c.json#/d"), "http://x.org/c.json#/d");
/// assert_eq!(uri::join("a/b.json", "../c.json"), "c.json");
/// assert_eq!(uri::join("", "b.json"), "b.json");
/// ```
pub fn join(base: &str, reference: &str) -> String {
    if base.is_empty() {
        return reference.into();
    }
    let found = IriRef::parse_unchecked(base);
    if found.is_absolute() {
        return found.resolve_unchecked(&IriRef::parse_unchecked(reference)).into_inner();
    }
    // The algorithm asks for a base with a scheme, so a relative one is resolved below a root that no document has.
    let root = if base.starts_with('/') || reference.starts_with('/') { "none:" } else { "none:/" };
    let joined = join(&format!("{root}{base}"), reference);
    joined.strip_prefix(root).unwrap_or(&joined).into()
}

/// (the URI without its fragment, the fragment)
pub fn without_fragment(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

/// The text with its percent-encoded octets decoded.
pub fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_the_standard_shows() {
        // RFC 3986, sections 5.4.1 and 5.4.2.
        let base = "http://a/b/c/d;p?q";
        for (reference, uri) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"),
            ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("g..", "http://a/b/c/g.."),
            ("./../g", "http://a/b/g"),
            ("g/../h", "http://a/b/c/h"),
        ] {
            assert_eq!(join(base, reference), uri, "{reference}");
        }
    }

    #[test]
    fn bases_may_be_relative_or_know_no_paths() {
        for (base, reference, uri) in [
            ("a/b.json", "c.json", "a/c.json"),
            ("/a", "b", "/b"),
            ("a", "/b", "/b"),
            ("a", "//b/c", "//b/c"),
            ("//a/b", "c", "//a/c"),
            ("a/b.json", "../c.json", "c.json"),
            ("a/b.json", "none:c", "none:c"),
            ("urn:x:y", "other.json", "urn:other.json"),
            ("urn:x:y#z", "#w", "urn:x:y#w"),
            ("file:///a/b", "c", "file:///a/c"),
            ("HTTP://a/b", "c", "HTTP://a/c"),
        ] {
            assert_eq!(join(base, reference), uri, "{base} {reference}");
        }
        assert_eq!(without_fragment("urn:x#/a/b"), ("urn:x", "/a/b"));
        assert_eq!(decoded("a%25b%zz%c3%a9"), "a%b%zzé");
    }

    #[test]
    fn what_is_no_uri_is_joined_as_a_text() {
        for (base, reference, uri) in [
            ("http://a/b", "x y#z w", "http://a/x y#z w"),
            ("http://a/", "http://[::1/x", "http://[::1/x"),
            ("http://[", "#a", "http://[#a"),
            ("é", "b#é", "b#é"),
            ("?q", "#a", "?q#a"),
        ] {
            assert_eq!(join(base, reference), uri, "{base} {reference}");
        }
    }
}
