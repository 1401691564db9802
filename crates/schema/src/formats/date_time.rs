//! date, time, date-time (RFC 3339), true to the calendar.
//!
//! A leap second exists only in the last minute of a UTC day, so its local time follows from the offset. Nobody knows
//! ahead on which days there is one, so it is allowed on all. For Python there are no leap seconds and no year 0, since
//! `datetime` holds neither.
//!
//! RFC 3339 does not bound the fraction of a second, so a text could go on for ever. The options bound its digits in
//! documents.

use super::format::{matching, KnownFormat, Node, Texts, Written};
use super::options::FormatOptions;
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

const DAYS: &str = concat!(
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))",
);
const LEAP_YEAR: &str = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const YEAR_ONE: &str = "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)";
const LEAP_YEAR_ONE: &str = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)";
const HOUR: &str = "(?:[01][0-9]|2[0-3])";
/// Most digits of a second's fraction that Python's `datetime` and `time` hold.
const MICROSECONDS: u32 = 6;

pub(super) const FORMATS: &[KnownFormat] = &[
    KnownFormat::exact("date", Node::Made(date)),
    KnownFormat::texts(
        "time",
        Texts {
            written: Some(Written { node: |terms, options| time(terms, of_python(options), Some(options)), note }),
            ..Texts::exact(Node::Made(|terms, for_python| time(terms, for_python, None)))
        },
    ),
    KnownFormat::texts(
        "date-time",
        Texts {
            written: Some(Written { node: |terms, options| date_time(terms, of_python(options), Some(options)), note }),
            ..Texts::exact(Node::Made(|terms, for_python| date_time(terms, for_python, None)))
        },
    ),
];

fn of_python(options: &FormatOptions) -> bool {
    options.mode.is_python()
}

fn date(terms: &Terms<'_>, for_python: bool) -> Result<TermId> {
    let pattern = match for_python {
        true => format!("(?:{YEAR_ONE}-{DAYS}|{LEAP_YEAR_ONE}-02-29)"),
        false => format!("(?:[0-9]{{4}}-{DAYS}|{LEAP_YEAR}-02-29)"),
    };
    matching(terms, &pattern)
}

/// The pattern of a second's fraction, with any number of digits if there are no `bounds`.
fn fraction(for_python: bool, bounds: Option<&FormatOptions>) -> String {
    let most = bounds.map(|options| if for_python { second_digits(options) } else { options.max_second_digits });
    match most {
        Some(0) => String::new(),
        Some(most) => format!(r"(?:\.[0-9]{{1,{most}}})?"),
        None => r"(?:\.[0-9]{1,})?".into(),
    }
}

/// The most digits of a second's fraction in documents.
fn second_digits(options: &FormatOptions) -> u32 {
    match of_python(options) {
        true => options.max_second_digits.min(MICROSECONDS),
        false => options.max_second_digits,
    }
}

fn note(options: &FormatOptions) -> String {
    format!("a second has at most {} digits after the point", second_digits(options))
}

fn time(terms: &Terms<'_>, for_python: bool, bounds: Option<&FormatOptions>) -> Result<TermId> {
    let fraction = fraction(for_python, bounds);
    let clock = format!("{HOUR}:[0-5][0-9]:[0-5][0-9]{fraction}(?:[Zz]|[+-]{HOUR}:[0-5][0-9])");
    let usual = matching(terms, &clock)?;
    if for_python {
        return Ok(usual);
    }
    terms.alt(&[usual, leap_second(terms, &fraction)?])
}

fn date_time(terms: &Terms<'_>, for_python: bool, bounds: Option<&FormatOptions>) -> Result<TermId> {
    terms.cat(&[date(terms, for_python)?, terms.bytes(b"Tt")?, time(terms, for_python, bounds)?])
}

/// 23:59:60 UTC in local time. The local hour and the local minute each restrict the offset: the intersection of both.
fn leap_second(terms: &Terms<'_>, fraction: &str) -> Result<TermId> {
    let number = |value: usize| terms.literal(format!("{value:02}"));
    let [colon, west_of, east_of] = [":", "-", "+"].map(|sign| terms.literal(sign));
    let (colon, west_of, east_of) = (colon?, west_of?, east_of?);
    let any_number = matching(terms, "[0-9]{2}")?;
    let past_the_hour = matching(terms, "0[1-9]|[1-9][0-9]")?;
    let second = matching(terms, &format!(":60{fraction}"))?;
    // West of Greenwich, local = 23:59 - offset never borrows. East of it, local = offset - 1 minute, which borrows an
    // hour only where the offset's minute is 00.
    let of_hour = |local: usize| {
        let west = terms.cat(&[west_of, number(23 - local)?, colon, any_number])?;
        let east = terms.cat(&[east_of, number(local)?, colon, past_the_hour])?;
        let borrowed = terms.cat(&[east_of, number((local + 1) % 24)?, colon, number(0)?])?;
        let offset = terms.alt(&[west, east, borrowed])?;
        terms.cat(&[number(local)?, colon, any_number, second, offset])
    };
    let of_minute = |local: usize| {
        let west = terms.cat(&[west_of, any_number, colon, number(59 - local)?])?;
        let east = terms.cat(&[east_of, any_number, colon, number((local + 1) % 60)?])?;
        terms.cat(&[number(local)?, second, terms.alt(&[west, east])?])
    };
    let hours = terms.alt(&(0..24).map(of_hour).collect::<Result<Vec<_>>>()?)?;
    let minutes = terms.alt(&(0..60).map(of_minute).collect::<Result<Vec<_>>>()?)?;
    let minutes = terms.cat(&[any_number, colon, minutes])?;
    let zulu = matching(terms, &format!("23:59:60{fraction}[Zz]"))?;
    terms.alt(&[zulu, terms.and(&[hours, minutes])?])
}
