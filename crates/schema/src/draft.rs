//! `$schema` → the draft of JSON Schema whose rules hold.

use std::fmt;

/// A draft; later drafts compare as greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Draft {
    /// Draft 4; draft 3 is read as draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// Draft 2019-09.
    Draft2019,
    /// Draft 2020-12, the default.
    Draft2020,
}

const METASCHEMAS: [(&str, Draft); 6] = [
    ("json-schema.org/draft-03/schema", Draft::Draft4),
    ("json-schema.org/draft-04/schema", Draft::Draft4),
    ("json-schema.org/draft-06/schema", Draft::Draft6),
    ("json-schema.org/draft-07/schema", Draft::Draft7),
    ("json-schema.org/draft/2019-09/schema", Draft::Draft2019),
    ("json-schema.org/draft/2020-12/schema", Draft::Draft2020),
];

impl Draft {
    /// All drafts, the oldest first.
    pub const ALL: [Draft; 5] = [Self::Draft4, Self::Draft6, Self::Draft7, Self::Draft2019, Self::Draft2020];

    /// The draft whose own metaschema this is, by any scheme, with or without an empty fragment.
    ///
    /// ```
    /// use frisket_schema::draft::Draft;
    /// assert_eq!(Draft::of_metaschema("https://json-schema.org/draft-07/schema#"), Some(Draft::Draft7));
    /// assert_eq!(Draft::of_metaschema("https://example.com/schema"), None);
    /// ```
    pub fn of_metaschema(uri: &str) -> Option<Self> {
        let bare = uri.split_once("://").map_or(uri, |(_, rest)| rest);
        let bare = bare.trim_end_matches('#').trim_end_matches('/');
        METASCHEMAS.iter().find(|(known, _)| *known == bare).map(|&(_, draft)| draft)
    }

    /// The keyword by which a schema names itself.
    pub fn id_keyword(self) -> &'static str {
        if self == Draft::Draft4 {
            "id"
        } else {
            "$id"
        }
    }
}

/// The name in messages and in tables of formats.
impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Draft::Draft4 => "4",
            Draft::Draft6 => "6",
            Draft::Draft7 => "7",
            Draft::Draft2019 => "2019-09",
            Draft::Draft2020 => "2020-12",
        })
    }
}
