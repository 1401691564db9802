//! `JSONSchemaOptions` → the options of the native front end.

use frisket_schema::compile::{Options, PropertyOrder, Spacing};
use frisket_schema::formats::Mode;
use frisket_schema::types::string::Literals;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The options as `JSONSchemaOptions` holds them, which has checked them.
pub fn options_of(options: &Bound<'_, PyAny>, literals: &str) -> PyResult<Options> {
    let word = |name: &str| options.getattr(name)?.extract::<String>();
    let unknown = |name: &str, word: &str| PyValueError::new_err(format!("{name} cannot be {word:?}"));
    let flag = |name: &str| options.getattr(name)?.extract::<bool>();
    let number = |name: &str| options.getattr(name)?.extract::<u32>();
    Ok(Options {
        property_order: match &*word("property_order")? {
            "schema" => PropertyOrder::Schema,
            "declared" => PropertyOrder::Declared,
            "any" => PropertyOrder::Any,
            other => return Err(unknown("property_order", other)),
        },
        closed_objects: flag("closed_objects")?,
        whitespace: match &*word("whitespace")? {
            "bounded" => Spacing::Bounded,
            "compact" => Spacing::Compact,
            "pretty" => Spacing::Pretty,
            "free" => Spacing::Free,
            other => return Err(unknown("whitespace", other)),
        },
        max_whitespace: options.getattr("max_whitespace")?.extract()?,
        separators: options.getattr("separators")?.extract()?,
        leading_space: flag("leading_space")?,
        indent: number("indent")?,
        literals: match literals {
            "json" => Literals::Json,
            "python" => Literals::Python,
            other => return Err(unknown("literals", other)),
        },
        free_escapes: word("escapes")? == "free",
        escape_letters: word("escape_letters")?,
        free_numbers: word("numbers")? == "free",
        max_integer_digits: number("max_integer_digits")?,
        max_fraction_digits: number("max_fraction_digits")?,
        max_exponent_digits: number("max_exponent_digits")?,
        max_second_digits: number("max_second_digits")?,
        max_items: options.getattr("max_items")?.extract()?,
        formats: match &*word("formats")? {
            "assert" => Mode::Assert,
            "annotate" => Mode::Annotate,
            "openapi" => Mode::OpenApi,
            "python" => Mode::Python,
            other => return Err(unknown("formats", other)),
        },
        nullable: flag("nullable")?,
        relaxed: flag("relaxed")?,
        forbidden_texts: texts(&options.getattr("forbidden_texts")?)?,
        escaped_texts: texts(&options.getattr("escaped_texts")?)?,
        max_alternatives: options.getattr("max_alternatives")?.extract()?,
    })
}

/// Texts of an option; half of a surrogate pair stands for a question mark, as UTF-8 cannot write it.
fn texts(texts: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let text = |text: Bound<'_, PyAny>| -> PyResult<String> {
        let bytes: Vec<u8> = text.call_method1("encode", ("utf-8", "replace"))?.extract()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    texts.try_iter()?.map(|one| text(one?)).collect()
}
