//! `\p{…}` → code points.

use super::name::{self, Spelling};
use super::{assigned, cached, table, Version};
use crate::char_set::CharSet;

/// Code points that no character can have.
pub(crate) const SURROGATES: (u32, u32) = (0xd800, 0xdfff);

/// `\p{name}` or `\p{name=value}`; None where there is no exact table, or no such name in that spelling.
pub fn property_set(name: &str, value: Option<&str>, spelling: Spelling, version: Version) -> Option<CharSet> {
    let Some(value) = value else {
        return category_set(name, spelling, version)
            .or_else(|| binary_set(name, spelling, version))
            // ECMA-262 has scripts with `Script=` alone.
            .or_else(|| if spelling == Spelling::Loose { script_set("sc", name, spelling) } else { None });
    };
    let is = |known: &[&str]| known.iter().any(|known| spelling.is(name, known));
    if is(&["gc", "General_Category"]) {
        category_set(value, spelling, version)
    } else if is(&["sc", "Script"]) {
        script_set("sc", value, spelling)
    } else if is(&["scx", "Script_Extensions"]) {
        script_set("scx", value, spelling)
    } else {
        None
    }
}

/// A general category by its short name, in the newest version.
pub(crate) fn category(name: &str) -> Option<CharSet> {
    category_set(name, Spelling::Exact, None)
}

fn category_set(name: &str, spelling: Spelling, version: Version) -> Option<CharSet> {
    let short = name::category(name, spelling)?;
    cached(short, version, || {
        let surrogates = CharSet::new(vec![SURROGATES]);
        let newest = if short == "Cs" { CharSet::none() } else { table(&format!(r"\p{{gc={short}}}"))? };
        let assigned = assigned(version);
        let of_version = match short {
            // Younger characters are not assigned yet.
            "C" | "Cn" => newest.union(&assigned.complement()).difference(&surrogates),
            _ => newest.intersection(&assigned),
        };
        Some(if matches!(short, "C" | "Cs") { of_version.union(&surrogates) } else { of_version })
    })
}

fn binary_set(name: &str, spelling: Spelling, version: Version) -> Option<CharSet> {
    match name::binary(name, spelling)? {
        "Any" => Some(CharSet::all()),
        "ASCII" => Some(CharSet::new(vec![(0, 0x7f)])),
        "Assigned" => Some(category_set("Cn", Spelling::Exact, version)?.complement()),
        known => {
            let newest = table(&format!(r"\p{{{known}}}"))?;
            // Other properties hold for code points that are reserved for later characters.
            let grows = matches!(known, "Uppercase" | "Lowercase" | "XID_Start" | "XID_Continue");
            Some(if grows && version.is_some() { newest.intersection(&assigned(version)) } else { newest })
        }
    }
}

fn script_set(property: &str, name: &str, spelling: Spelling) -> Option<CharSet> {
    table(&format!(r"\p{{{property}={}}}", name::script(name, spelling)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose(name: &str, value: Option<&str>) -> Option<CharSet> {
        property_set(name, value, Spelling::Loose, None)
    }

    #[test]
    fn categories_part_all_code_points() {
        for version in [None, Some((14, 0)), Some((13, 0))] {
            let set = |name: &str| property_set(name, None, Spelling::Exact, version).unwrap();
            let names = || name::CATEGORIES.iter().map(|known| known.0).filter(|name| name.len() == 2 && *name != "LC");
            for group in ["C", "L", "M", "N", "P", "S", "Z"] {
                let members: Vec<CharSet> = names().filter(|name| name.starts_with(group)).map(set).collect();
                assert_eq!(set(group), CharSet::union_of(&members), "{group}");
            }
            assert_eq!(set("LC"), CharSet::union_of(&["Lu", "Ll", "Lt"].map(set)));
            let parts: Vec<CharSet> = names().map(set).collect();
            assert_eq!(parts.len(), 30);
            assert_eq!(CharSet::union_of(&parts), CharSet::all());
            let size = |set: &CharSet| set.ranges().iter().map(|range| range.1 - range.0 + 1).sum::<u32>();
            assert_eq!(parts.iter().map(size).sum::<u32>(), 0x11_0000, "no two have a code point in common");
        }
    }

    #[test]
    fn younger_characters_have_no_properties_in_an_older_version() {
        // U+1DF25 came with Unicode 15.0.
        let letter = |version| property_set("L", None, Spelling::Exact, version).unwrap().contains(0x1df25);
        assert_eq!((letter(None), letter(Some((15, 0))), letter(Some((14, 0)))), (true, true, false));
        let unassigned = property_set("Cn", None, Spelling::Exact, Some((14, 0))).unwrap();
        assert!(unassigned.contains(0x1df25) && !unassigned.contains(0xd800));
        assert!(property_set("L", None, Spelling::Exact, Some((99, 0))).is_some(), "an unknown version is the newest");
    }

    #[test]
    fn every_name_of_a_script_or_category_finds_its_table() {
        assert_eq!(loose("Letter", None), loose("gc", Some("L")));
        assert_eq!(loose("Script", Some("Greek")), loose("Grek", None));
        assert_eq!(loose("scx", Some("Zinh")), loose("Script_Extensions", Some("Inherited")));
        assert_ne!(loose("scx", Some("Deva")), loose("sc", Some("Deva")));
        for name in ["Klingon", "isgreek", "", "^L", "Gre}ek"] {
            assert_eq!(loose(name, None), None, "{name}");
        }
        assert_eq!((loose("Block", Some("Arrows")), loose("any", Some("L"))), (None, None));
        for name in ["Any", "ASCII", "Assigned", "AHex", "White_Space", "ID_Start", "Emoji", "Bidi_M", "VS"] {
            assert!(property_set(name, None, Spelling::Exact, None).is_some_and(|set| !set.is_empty()), "{name}");
        }
    }
}
