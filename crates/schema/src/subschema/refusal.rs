//! Omissions → the error that names their places, and what to write instead.

use super::table::Subschemas;
use crate::error::{Error, Kind};

const REFERENCE: &str = "copy that document into $defs and refer to it as #/$defs/name, or in Python pass registry=";

/// What may be written in place of a keyword that cannot be exact, for those that are met most.
fn rewriting(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "$ref" | "$dynamicRef" | "$recursiveRef" => REFERENCE,
        "pattern" | "patternProperties" => "write the pattern without that part, or list the texts with enum",
        "format" => "leave the format out, or say with a pattern what the text looks like",
        "format regex" => "leave the format out, or let it stand alone, as the only condition on a value",
        "multipleOf" => "bound the number with minimum and maximum, or take a step of fewer digits",
        "uniqueItems" => "leave out that items must be equal; say with const or enum which items may come",
        "contentMediaType" => "leave contentEncoding out, or describe the text with a pattern",
        "oneOf" | "anyOf" | "allOf" | "not" | "if" | "then" | "else" => {
            "give the alternatives a required property with different constants, or raise max_alternatives"
        }
        _ => return None,
    })
}

/// One line for a keyword; the same for all places of the keyword.
fn advice(keyword: &str) -> String {
    let relaxed = "JSONSchemaOptions(relaxed=True) leaves it out, and `value` checks it afterwards";
    match rewriting(keyword) {
        None => relaxed.into(),
        // A validator could not read the missing document either.
        Some(REFERENCE) => REFERENCE.into(),
        Some(rewriting) => format!("{rewriting}; or {relaxed}"),
    }
}

impl Subschemas<'_> {
    /// The error of a schema that must be exact and is not; None if nothing is omitted.
    pub fn refusal(&self) -> Option<Box<Error>> {
        let first = self.omissions.first()?;
        let told: Vec<String> = self
            .omissions
            .iter()
            .take(5)
            .map(|omission| match &*omission.pointer {
                "" => format!("(root): {}", omission.slips),
                pointer => format!("{pointer}: {}", omission.slips),
            })
            .collect();
        let mut message = format!("cannot be enforced exactly: {}", told.join("; "));
        if self.omissions.len() > told.len() {
            message += &format!(" and {} more", self.omissions.len() - told.len());
        }
        let places = self.omissions.iter().map(|omission| (omission.pointer.clone(), omission.slips.clone())).collect();
        let error = Error::new(Kind::Unsupported(places), message).at(first.pointer.clone());
        Some(error.with_hint(advice(&first.keyword)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::resolve::Documents;
    use crate::subschema::Options;
    use std::sync::Arc;

    #[test]
    fn a_refusal_names_five_places_and_what_to_write_instead_of_the_first() {
        let documents = Documents::new(Arc::new(parse("{}").unwrap()), None).unwrap();
        let mut subschemas = Subschemas::new(documents, Options::default());
        assert_eq!(subschemas.refusal(), None);
        for place in 0..6 {
            let pointer = if place == 0 { String::new() } else { format!("/items/{place}/pattern") };
            subschemas.omit(pointer, "pattern", "any text".into());
        }
        let error = subschemas.refusal().unwrap();
        let message =
            "cannot be enforced exactly: (root): any text; /items/1/pattern: any text; /items/2/pattern: any \
                       text; /items/3/pattern: any text; /items/4/pattern: any text and 1 more";
        assert_eq!((&*error.message, error.place.as_deref()), (message, Some("")));
        assert!(error
            .hint
            .unwrap()
            .starts_with("write the pattern without that part, or list the texts with enum; or"));
        assert!(matches!(error.kind, Kind::Unsupported(places) if places.len() == 6));
    }

    #[test]
    fn advice_of_a_missing_document_names_no_option() {
        assert_eq!(advice("$dynamicRef"), REFERENCE);
        assert!(advice("minItems").starts_with("JSONSchemaOptions(relaxed=True)"));
    }
}
