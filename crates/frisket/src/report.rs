//! The report on a schema's grammar.

pub use frisket_schema::note::Note;
pub use frisket_schema::report::{Entry, Status};

/// The outcome for each keyword of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// An entry for each keyword at each place, in order.
    pub entries: Vec<Entry>,
    /// Facts about the language as a whole.
    pub notes: Vec<Note>,
}

impl Report {
    /// Whether the texts of the grammar are exactly those of the schema, as the options spell them: nothing comes through
    /// that it forbids, and nothing is left out that it allows.
    pub fn is_exact(&self) -> bool {
        self.entries.iter().all(|entry| !matches!(entry.status, Status::Loosened | Status::Narrowed))
    }

    /// The report as a JSON object: `entries` with `pointer`, `keyword`, `status`, `slips` and `note`; `notes` with `code`,
    /// `text` and `pointers`.
    pub fn to_json(&self) -> String {
        let entry = |entry: &Entry| {
            let Entry { pointer, keyword, status, slips, note } = entry;
            serde_json::json!({
                "pointer": pointer, "keyword": keyword, "status": status.name(), "slips": slips, "note": note,
            })
        };
        let note = |Note { code, text, pointers }: &Note| serde_json::json!({"code": code, "text": text, "pointers": pointers});
        let entries: Vec<_> = self.entries.iter().map(entry).collect();
        let notes: Vec<_> = self.notes.iter().map(note).collect();
        serde_json::json!({"entries": entries, "notes": notes}).to_string()
    }
}
