//! Conditions on a number's value → the node of the numerals that spell such values.
//!
//! Conditions speak of values; how a value may be spelled is decided here.
//!
//! ```text
//! interval   conditions        → one interval with its exceptions
//! notation   how numbers may be spelled
//! digits     ranges            → digits before the point, and behind it
//! exponent   ranges            → numerals with an exponent
//! multiple   a step            → the numerals of its multiples
//! spelling   single values     → all their spellings
//! numerals   an interval       → its numerals
//! ```

mod digits;
mod exponent;
pub mod interval;
mod multiple;
mod notation;
mod numerals;
mod spelling;

pub use multiple::TooManyRemainders;
pub use notation::Notation;

use crate::condition::{NumberCondition, Types};
use crate::types::Terms;
use frisket_core::error::Error;
use frisket_core::regular::term::TermId;
use interval::Interval;
use numerals::Numerals;
use rustc_hash::FxHashMap;

/// Why conditions on numbers have no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumberError {
    /// A limit of the builder.
    Engine(Box<Error>),
    /// A step whose remainders need too many states.
    TooManyRemainders(TooManyRemainders),
}

impl From<Box<Error>> for NumberError {
    fn from(error: Box<Error>) -> Self {
        NumberError::Engine(error)
    }
}

/// The result of lowering numbers.
pub type Result<T> = std::result::Result<T, NumberError>;

/// Parts of numerals that many conditions share, made once for each builder.
#[derive(Debug, Clone, Default)]
pub struct NumeralParts {
    exponents: FxHashMap<(i64, i64), TermId>,
    /// Most digits behind the point → the numerals with the exponent of the largest double.
    tops: FxHashMap<u32, TermId>,
}

/// The regular node of the numerals of some types that meet all conditions, or None if there are none.
///
/// ```
/// use frisket_core::builder::Builder;
/// use frisket_schema::condition::{NumberCondition, Types};
/// use frisket_schema::decimal::Decimal;
/// use frisket_schema::types::{number, Terms};
///
/// let mut builder = Builder::default();
/// let positive = NumberCondition::AtLeast { bound: Decimal::zero(), strict: true };
/// let notation = number::Notation::default();
/// let parts = &mut number::NumeralParts::default();
/// let node = number::lower(&Terms::new(&mut builder), notation, Types::NUMBER, &[positive], parts);
/// let node = node.unwrap().unwrap().number();
/// assert!(builder.accepts(node, b"5e-3").unwrap() && !builder.accepts(node, b"-1").unwrap());
/// ```
///
/// Errors: limits of the builder, and steps with too many remainders.
pub fn lower(
    terms: &Terms<'_>,
    notation: Notation,
    types: Types,
    conditions: &[NumberCondition],
    parts: &mut NumeralParts,
) -> Result<Option<TermId>> {
    let interval = Interval::new(types, conditions);
    if interval.is_empty() {
        return Ok(None);
    }
    let free = notation.free && !interval.is_plain;
    let mut numerals = Numerals::new(terms, Notation { free, ..notation }, parts)?;
    let node = numerals.lower(&interval)?;
    match node {
        Some(node) if interval.is_marked => Ok(Some(numerals.marked(node)?)),
        _ => Ok(node),
    }
}
