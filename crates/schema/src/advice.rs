//! Refused keyword → advice on what to write instead, in one line.

/// Advice for any refusal.
const RELAXED: &str = "JSONSchemaOptions(relaxed=True) leaves it out, and `value` checks it afterwards";
const REFERENCE: &str = "copy that document into $defs and refer to it as #/$defs/name, or in Python pass registry=";

/// Keyword → what to write instead, for the most frequent refusals.
fn rewriting(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "$ref" | "$dynamicRef" | "$recursiveRef" => REFERENCE,
        "pattern" | "patternProperties" => "write the pattern without that part, or list the texts with enum",
        "format" => "leave the format out, or say with a pattern what the text looks like",
        "multipleOf" => "bound the number with minimum and maximum, or take a step of fewer digits",
        "uniqueItems" => "leave out that items must be equal; say with const or enum which items may come",
        "contentMediaType" => "leave contentEncoding out, or describe the text with a pattern",
        "if" | "then" | "else" => "let each `if` compare the same property with other constants",
        "oneOf" | "anyOf" => "give the alternatives a required property with different constants",
        "not" => "say what may come, in place of what may not",
        "dependentSchemas" | "dependencies" => {
            "list the alternatives with oneOf and a property with different constants"
        }
        _ => return None,
    })
}

/// One line for a value that splits too far, by the keywords that split it.
pub(crate) fn splitting_advice(keywords: &[&'static str]) -> String {
    let splitting = ["if", "oneOf", "anyOf", "not", "dependentSchemas", "dependencies", "patternProperties"];
    let mut found: Vec<&str> = Vec::new();
    for keyword in splitting.into_iter().filter(|keyword| keywords.contains(keyword)) {
        let rewriting = match keyword {
            "patternProperties" => "anchor the patterns of patternProperties, or give them different first characters",
            _ => rewriting(keyword).unwrap_or_default(),
        };
        if !found.contains(&rewriting) {
            found.push(rewriting);
        }
    }
    found.push("raise JSONSchemaOptions(max_alternatives=…)");
    found.push("relaxed=True leaves out what splits further, and reports it");
    found.join("; ")
}

/// One line for the first refused keyword; the same for all refusals of one keyword.
pub(crate) fn advice(keyword: &str) -> String {
    match rewriting(keyword) {
        None => RELAXED.to_owned(),
        // Relaxing does not help: a validator needs the missing document, too.
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
        assert!(advice("oneOf").starts_with("give the alternatives") && advice("oneOf").ends_with(RELAXED));
    }

    #[test]
    fn a_value_that_splits_is_told_of_by_the_keywords_that_split_it() {
        let conditions = splitting_advice(&["type", "if", "then"]);
        assert!(conditions.starts_with("let each `if`") && !conditions.contains("oneOf"));
        let both = splitting_advice(&["anyOf", "oneOf"]);
        assert_eq!(both.matches("give the alternatives").count(), 1);
        assert!(both.ends_with("and reports it"));
    }
}
