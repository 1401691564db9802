//! The caller's options: how documents spell the values that the schema allows.
//!
//! Except for `literals`, they are those of Python's `JSONSchemaOptions`, which checks and documents them.

use crate::formats::{FormatOptions, Mode};
use crate::subschema;
use crate::types::number::Notation;
use crate::types::string::{Escapes, Literals};
use crate::types::{Spelling, Whitespace};

/// The order in which the properties of an object come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PropertyOrder {
    /// The order of the schema, unless a tool sorted it.
    #[default]
    Schema,
    /// The order of the schema.
    Declared,
    /// Any order.
    Any,
}

/// The white space of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Spacing {
    /// At most a few characters, beside every sign.
    #[default]
    Bounded,
    /// None.
    Compact,
    /// Lines with one member or item each.
    Pretty,
    /// Any, also before and after the document.
    Free,
}

/// How the documents of a schema are spelled, and how far a compile may go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Options {
    /// The order in which the properties of an object come.
    pub property_order: PropertyOrder,
    /// Whether objects have only listed members where the schema says nothing of others.
    pub closed_objects: bool,
    /// The white space of a document.
    pub whitespace: Spacing,
    /// The most characters of white space at one place, if it is bounded or free.
    pub max_whitespace: Option<u32>,
    /// The text between items, and between a key and its value.
    pub separators: Option<(String, String)>,
    /// Whether one blank may come before the document.
    pub leading_space: bool,
    /// Blanks for each level of `Spacing::Pretty`.
    pub indent: u32,
    /// The language of literals. Python's stand in one line, as the arguments of a call.
    pub literals: Literals,
    /// Whether every escape of RFC 8259 may be used.
    pub free_escapes: bool,
    /// The letters that may follow a backslash.
    pub escape_letters: String,
    /// Whether integers may be written as `1.0` and `1e2`.
    pub free_numbers: bool,
    /// The most digits before the point of an unbounded number.
    pub max_integer_digits: u32,
    /// About the most digits after the point.
    pub max_fraction_digits: u32,
    /// The most digits of an exponent.
    pub max_exponent_digits: u32,
    /// The most digits of a second after the point.
    pub max_second_digits: u32,
    /// The most items of an array whose schema gives no number.
    pub max_items: Option<u64>,
    /// Which formats are asserted.
    pub formats: Mode,
    /// Whether OpenAPI's `nullable: true` adds null to `type`.
    pub nullable: bool,
    /// Whether keywords that cannot be enforced exactly are left out; by default, their schema is refused.
    pub relaxed: bool,
    /// Texts that no string of a document holds.
    pub forbidden_texts: Vec<String>,
    /// Texts that stand in no string or key as they are: where one occurs, its first character is spelled `\\u00xx`.
    pub escaped_texts: Vec<String>,
    /// How many alternatives one value may split into.
    pub max_alternatives: u64,
}

impl Default for Options {
    fn default() -> Self {
        let Notation { whole, fraction, exponent, .. } = Notation::default();
        Options {
            property_order: PropertyOrder::Schema,
            closed_objects: false,
            whitespace: Spacing::Bounded,
            max_whitespace: None,
            separators: None,
            leading_space: false,
            indent: 2,
            literals: Literals::Json,
            free_escapes: false,
            escape_letters: Escapes::default().letters,
            free_numbers: false,
            max_integer_digits: whole,
            max_fraction_digits: fraction,
            max_exponent_digits: exponent,
            max_second_digits: FormatOptions::default().max_second_digits,
            max_items: None,
            formats: Mode::Assert,
            nullable: false,
            relaxed: false,
            forbidden_texts: Vec::new(),
            escaped_texts: Vec::new(),
            max_alternatives: 4000,
        }
    }
}

impl Options {
    /// How values are spelled. A schema with sorted properties sets `any_order` later.
    pub fn spelling(&self) -> Spelling {
        Spelling {
            numbers: Notation {
                free: self.free_numbers,
                whole: self.max_integer_digits,
                fraction: self.max_fraction_digits,
                exponent: self.max_exponent_digits,
            },
            escapes: Escapes { free: self.free_escapes, letters: self.escape_letters.clone() },
            literals: self.literals,
            forbidden_texts: self.forbidden_texts.iter().chain(&self.escaped_texts).cloned().collect(),
            max_items: self.max_items,
            any_order: self.property_order == PropertyOrder::Any,
            closed_objects: self.closed_objects,
        }
    }

    /// Whether the layout of a value depends on its level.
    pub fn is_indented(&self) -> bool {
        self.whitespace == Spacing::Pretty && self.literals == Literals::Json
    }

    /// The white space between the parts of a document.
    pub fn layout(&self) -> Whitespace {
        if self.literals == Literals::Python {
            return Whitespace::Line;
        }
        let is_pretty = self.is_indented();
        match (self.whitespace, &self.separators) {
            (Spacing::Free, None) => Whitespace::Free(self.max_whitespace),
            (Spacing::Bounded, None) => Whitespace::Bounded(self.max_whitespace),
            (_, separators) => {
                let (item, colon) = separators.clone().unwrap_or_else(|| {
                    let colon = if is_pretty { ": " } else { ":" };
                    (",".to_owned(), colon.to_owned())
                });
                let deep_item = if separators.is_none() && is_pretty { ", ".to_owned() } else { item.clone() };
                Whitespace::Exact { item, colon, indent: is_pretty.then_some(self.indent), deep_item }
            }
        }
    }

    /// The options that change the meaning of formats.
    pub fn formats(&self) -> FormatOptions {
        FormatOptions {
            mode: self.formats,
            max_integer_digits: self.max_integer_digits,
            max_second_digits: self.max_second_digits,
        }
    }

    /// The options that change the meaning of subschemas.
    pub fn subschemas(&self, has_scopes: bool) -> subschema::Options {
        subschema::Options { is_nullable: self.nullable, has_closed_objects: self.closed_objects, has_scopes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_and_lines_are_as_exact_as_the_caller_says() {
        let layout = |whitespace, separators: Option<(&str, &str)>| {
            let separators = separators.map(|(item, colon)| (item.to_owned(), colon.to_owned()));
            Options { whitespace, separators, ..Options::default() }.layout()
        };
        let exact = |item: &str, colon: &str, indent, deep: &str| Whitespace::Exact {
            item: item.into(),
            colon: colon.into(),
            indent,
            deep_item: deep.into(),
        };
        assert_eq!(layout(Spacing::Bounded, None), Whitespace::Bounded(None));
        assert_eq!(layout(Spacing::Bounded, Some((", ", ": "))), exact(", ", ": ", None, ", "));
        assert_eq!(layout(Spacing::Compact, None), exact(",", ":", None, ","));
        assert_eq!(layout(Spacing::Pretty, None), exact(",", ": ", Some(2), ", "));
        assert_eq!(layout(Spacing::Pretty, Some((",", ":"))), exact(",", ":", Some(2), ","));
        assert_eq!(layout(Spacing::Free, None), Whitespace::Free(None));
        let call = Options { whitespace: Spacing::Pretty, literals: Literals::Python, ..Options::default() };
        assert_eq!((call.layout(), call.is_indented()), (Whitespace::Line, false));
    }
}
