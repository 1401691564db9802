//! Name, draft and mode → the format, if it is asserted.

use super::format::{KnownFormat, Vocabulary};
use super::{date_time, duration, email, hostname, ip, network, openapi, pointer, regex, uri, uuid, Mode};
use crate::draft::Draft;

const FAMILIES: [&[KnownFormat]; 12] = [
    date_time::FORMATS,
    duration::FORMATS,
    email::FORMATS,
    hostname::FORMATS,
    ip::FORMATS,
    uri::FORMATS,
    pointer::FORMATS,
    uuid::FORMATS,
    regex::FORMATS,
    openapi::FORMATS,
    network::FORMATS,
    openapi::NUMBERS,
];
static LEGACY_HOSTNAME: KnownFormat = hostname::LEGACY_HOSTNAME;

/// Every format, asserted or not.
pub fn all() -> impl Iterator<Item = &'static KnownFormat> {
    FAMILIES.into_iter().flatten()
}

/// The format of this name, asserted or not.
pub fn named(name: &str) -> Option<&'static KnownFormat> {
    all().find(|format| format.name == name)
}

/// The format of this name, if the mode asserts it; otherwise the name is an annotation.
///
/// In drafts before 7, `hostname` has no IDNA and is exact.
///
/// ```
/// use frisket_schema::draft::Draft;
/// use frisket_schema::formats::{find, Mode};
/// assert!(find("uuid", Draft::Draft2020, Mode::Assert).is_some());
/// assert!(find("uuid4", Draft::Draft2020, Mode::Assert).is_none());
/// assert!(find("hostname", Draft::Draft6, Mode::Assert).unwrap().is_exact());
/// ```
pub fn find(name: &str, draft: Draft, mode: Mode) -> Option<&'static KnownFormat> {
    if mode == Mode::Annotate {
        return None;
    }
    if name == LEGACY_HOSTNAME.name && draft <= Draft::Draft6 {
        return Some(&LEGACY_HOSTNAME);
    }
    named(name).filter(|format| mode.is_wide() || format.vocabulary == Vocabulary::JsonSchema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_mode() {
        let is_known = |name, mode| find(name, Draft::Draft2020, mode).is_some();
        assert!(
            is_known("int32", Mode::Assert) && !is_known("double", Mode::Assert) && is_known("double", Mode::OpenApi)
        );
        assert!(is_known("byte", Mode::Python) && !is_known("byte", Mode::Assert) && !is_known("phone", Mode::OpenApi));
        assert!(all().all(|format| find(format.name, Draft::Draft7, Mode::Annotate).is_none()));
        assert!(!find("hostname", Draft::Draft7, Mode::Assert).unwrap().is_exact());
    }

    #[test]
    fn each_name_stands_once() {
        let mut names: Vec<_> = all().map(|format| format.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn what_is_not_exact_in_json_schema_is_known() {
        let inexact = all().filter(|format| !format.is_exact() && format.vocabulary == Vocabulary::JsonSchema);
        let names: Vec<_> = inexact.map(|format| format.name).collect();
        assert_eq!(names, ["idn-email", "hostname", "idn-hostname", "regex"]);
    }
}
