//! duration (RFC 3339, appendix A).
//!
//! Its numbers have no bound, so a text could go on for ever. The options bound their digits in documents.

use super::format::{matching, KnownFormat, Node, Texts, Written};
use super::options::FormatOptions;
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

/// Digits of a duration's numbers that Python's `timedelta` holds, whatever the unit.
const PYTHON_DIGITS: u32 = 4;

pub(super) const FORMATS: &[KnownFormat] = &[KnownFormat::texts(
    "duration",
    Texts {
        written: Some(Written {
            node: |terms, options| duration(terms, Some(digits(options))),
            note: |options| format!("each number has at most {} digits", digits(options)),
        }),
        python_narrows: true,
        ..Texts::exact(Node::Made(|terms, for_python| duration(terms, for_python.then_some(PYTHON_DIGITS))))
    },
)];

/// The most digits of each number in documents.
fn digits(options: &FormatOptions) -> u32 {
    match options.mode.is_python() {
        true => options.max_integer_digits.min(PYTHON_DIGITS),
        false => options.max_integer_digits,
    }
}

/// Durations whose numbers have at most `digits` digits, if given.
fn duration(terms: &Terms<'_>, digits: Option<u32>) -> Result<TermId> {
    let n = digits.map_or("[0-9]+".to_owned(), |most| format!("[0-9]{{1,{most}}}"));
    let clock = format!("T(?:{n}H(?:{n}M(?:{n}S)?)?|{n}M(?:{n}S)?|{n}S)");
    let pattern = format!("P(?:(?:{n}D|{n}M(?:{n}D)?|{n}Y(?:{n}M(?:{n}D)?)?)(?:{clock})?|{clock}|{n}W)");
    matching(terms, &pattern)
}
