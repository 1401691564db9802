//! What a schema was refused for → what to write instead, in one line.

/// What holds of any refusal.
const RELAXED: &str = "JSONSchemaOptions(relaxed=True) leaves it out, and `value` checks it afterwards";
const REFERENCE: &str = "copy that document into $defs and refer to it as #/$defs/name, or in Python pass registry=";

/// What to write instead of a keyword, for the refusals that are met most.
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

/// One line for the first refused keyword; the same for all refusals of one keyword.
pub(crate) fn advice(keyword: &str) -> String {
    match rewriting(keyword) {
        None => RELAXED.to_owned(),
        // A validator could not read the missing document either.
        Some(REFERENCE) => REFERENCE.to_owned(),
        Some(rewriting) => format!("{rewriting}; or {RELAXED}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_refusal_but_that_of_a_missing_document_can_be_relaxed() {
        assert_eq!(advice("$dynamicRef"), REFERENCE);
        assert_eq!(advice("no keyword"), RELAXED);
        assert!(advice("then").starts_with("give the alternatives") && advice("then").ends_with(RELAXED));
    }
}
