//! Base URI and reference → the resolved URI (RFC 3986, section 5.2).
//!
//! Base URIs of schemas may be relative, or of schemes without paths, such as urn. Libraries of URIs refuse the former
//! or normalise the result, while a registry finds documents by the exact text of their URIs.

use crate::error::{Error, Result};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::net::Ipv6Addr;

/// Schemes whose URIs have an authority, even if it is empty.
const WITH_AUTHORITY: [&str; 25] = [
    "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp", "snews", "prospero",
    "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs", "git", "git+ssh", "ws", "wss",
];

/// Schemes whose paths are no hierarchy: a reference to another path replaces the whole base.
const NOT_RELATIVE: [&str; 6] = ["telnet", "snews", "rsync", "nfs", "git", "git+ssh"];

struct Parts<'a> {
    scheme: Cow<'a, str>,
    authority: &'a str,
    path: &'a str,
    query: &'a str,
    fragment: &'a str,
}

/// The URI of a reference, resolved against a base; without a base, the reference itself.
///
/// ```
/// use frisket_schema::resolve::uri;
/// assert_eq!(uri::join("http://x.org/a/b.json", "../c.json#/d").unwrap(), "http://x.org/c.json#/d");
/// assert_eq!(uri::join("", "b.json").unwrap(), "b.json");
/// ```
///
/// Errors: the text is no URI reference.
pub fn join(base: &str, reference: &str) -> Result<String> {
    if base.is_empty() {
        return Ok(reference.into());
    }
    if reference.is_empty() {
        return Ok(base.into());
    }
    if reference.starts_with('#') {
        return Ok(without_fragment(base)?.0 + reference);
    }
    let (base_text, text) = (cleaned(base), cleaned(reference));
    let base = split(&base_text, "", reference)?;
    let found = split(&text, &base.scheme, reference)?;
    let is_relative =
        |scheme: &str| scheme.is_empty() || (WITH_AUTHORITY.contains(&scheme) && !NOT_RELATIVE.contains(&scheme));
    if found.scheme != base.scheme || !is_relative(&found.scheme) {
        return Ok(reference.into());
    }
    if !found.authority.is_empty() {
        return Ok(unsplit(&found));
    }
    if found.path.is_empty() {
        let query = if found.query.is_empty() { base.query } else { found.query };
        return Ok(unsplit(&Parts { query, authority: base.authority, path: base.path, ..found }));
    }
    let path = merged(base.path, found.path);
    Ok(unsplit(&Parts { path: &path, authority: base.authority, ..found }))
}

/// (the URI without its fragment, the fragment)
///
/// Errors: the text is no URI reference.
pub fn without_fragment(uri: &str) -> Result<(String, String)> {
    if !uri.contains('#') {
        return Ok((uri.into(), String::new()));
    }
    let text = cleaned(uri);
    let parts = split(&text, "", uri)?;
    let fragment = parts.fragment.into();
    Ok((unsplit(&Parts { fragment: "", ..parts }), fragment))
}

/// The text with its percent-encoded octets decoded.
pub fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

/// The text as the URL standard reads it, without leading blanks, tabs and line breaks.
fn cleaned(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches(|char| char <= ' ');
    match text.contains(['\t', '\r', '\n']) {
        true => Cow::Owned(text.replace(['\t', '\r', '\n'], "")),
        false => Cow::Borrowed(text),
    }
}

fn split<'a>(text: &'a str, scheme: &str, whole: &str) -> Result<Parts<'a>> {
    let mut parts = Parts { scheme: Cow::Owned(scheme.into()), authority: "", path: "", query: "", fragment: "" };
    let mut rest = text;
    if let Some((before, after)) = text.split_once(':') {
        let is_scheme = before.starts_with(|char: char| char.is_ascii_alphabetic())
            && before.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
        if is_scheme {
            (parts.scheme, rest) = (Cow::Owned(before.to_ascii_lowercase()), after);
        }
    }
    if let Some(after) = rest.strip_prefix("//") {
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        (parts.authority, rest) = after.split_at(end);
        check_authority(parts.authority, whole)?;
    }
    if let Some((before, fragment)) = rest.split_once('#') {
        (rest, parts.fragment) = (before, fragment);
    }
    if let Some((before, query)) = rest.split_once('?') {
        (rest, parts.query) = (before, query);
    }
    parts.path = rest;
    Ok(parts)
}

/// Checks that brackets hold an address of IPv6 or of a later version.
fn check_authority(authority: &str, whole: &str) -> Result<()> {
    let inside = match (authority.split_once('['), authority.contains(']')) {
        (None, false) => return Ok(()),
        (Some((_, rest)), true) => rest.split_once(']').map_or("", |(inside, _)| inside),
        _ => "",
    };
    let address = inside.split_once('%').map_or(inside, |(address, _)| address);
    if address.parse::<Ipv6Addr>().is_ok() || inside.starts_with('v') {
        return Ok(());
    }
    Err(Error::invalid(format!("not a URI reference: {whole:?}")).with_hint("brackets hold an IPv6 address"))
}

fn unsplit(parts: &Parts<'_>) -> String {
    let Parts { scheme, authority, path, query, fragment } = parts;
    let mut text = String::new();
    if !scheme.is_empty() {
        text += scheme;
        text += ":";
    }
    if !authority.is_empty() || (WITH_AUTHORITY.contains(&&**scheme) && !path.starts_with("//")) {
        text += "//";
        text += authority;
        if !path.is_empty() && !path.starts_with('/') {
            text += "/";
        }
    }
    text += path;
    for (mark, part) in [('?', query), ('#', fragment)] {
        if !part.is_empty() {
            text.push(mark);
            text += part;
        }
    }
    text
}

/// The path of a reference, resolved against that of the base, without `.` and `..`.
fn merged(base: &str, path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    if !path.starts_with('/') {
        segments.extend(base.split('/'));
        if segments.last().is_some_and(|last| !last.is_empty()) {
            segments.pop();
        }
        segments.extend(path.split('/'));
        let last = segments.len() - 1;
        let mut place = 0;
        segments.retain(|segment| {
            place += 1;
            place == 1 || place == last + 1 || !segment.is_empty()
        });
    } else {
        segments.extend(path.split('/'));
    }
    let mut resolved: Vec<&str> = Vec::new();
    for &segment in &segments {
        match segment {
            ".." => drop(resolved.pop()),
            "." => {}
            _ => resolved.push(segment),
        }
    }
    if matches!(segments.last(), Some(&("." | ".."))) {
        resolved.push("");
    }
    let joined = resolved.join("/");
    if joined.is_empty() {
        "/".into()
    } else {
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_the_standard_shows() {
        // RFC 3986, sections 5.4.1 and 5.4.2; a reference with a scheme of its own is taken as it is.
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
            assert_eq!(join(base, reference).unwrap(), uri, "{reference}");
        }
    }

    #[test]
    fn bases_may_be_relative_or_know_no_paths() {
        for (base, reference, uri) in [
            ("a/b.json", "c.json", "a/c.json"),
            ("/a", "b", "/b"),
            ("urn:x:y", "other.json", "other.json"),
            ("urn:x:y#z", "#w", "urn:x:y#w"),
            ("file:///a/b", "c", "file:///a/c"),
            ("HTTP://a/b", "c", "http://a/c"),
        ] {
            assert_eq!(join(base, reference).unwrap(), uri, "{base} {reference}");
        }
        assert_eq!(without_fragment("urn:x#/a/b").unwrap(), ("urn:x".into(), "/a/b".into()));
        assert_eq!(decoded("a%25b%zz%c3%a9"), "a%b%zzé");
    }

    #[test]
    fn brackets_without_an_address_are_refused() {
        let error = join("http://a/", "http://[::1/x").unwrap_err();
        assert_eq!(error.message, "not a URI reference: \"http://[::1/x\"");
        assert!(join("http://a/", "http://[::1]/x").is_ok());
    }
}
