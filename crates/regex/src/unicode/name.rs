//! Names of properties and their values, as the Unicode Character Database spells them.
//!
//! ECMA-262 takes these names only, letter by letter (tables 67 to 70). Elsewhere case, spaces, `_` and `-` do not count.

use unicode_script::Script;

/// General categories: the short name, then the long one and further ones.
pub(super) const CATEGORIES: &[(&str, &str)] = &[
    ("C", "Other"),
    ("Cc", "Control cntrl"),
    ("Cf", "Format"),
    ("Cn", "Unassigned"),
    ("Co", "Private_Use"),
    ("Cs", "Surrogate"),
    ("L", "Letter"),
    ("LC", "Cased_Letter"),
    ("Ll", "Lowercase_Letter"),
    ("Lm", "Modifier_Letter"),
    ("Lo", "Other_Letter"),
    ("Lt", "Titlecase_Letter"),
    ("Lu", "Uppercase_Letter"),
    ("M", "Mark Combining_Mark"),
    ("Mc", "Spacing_Mark"),
    ("Me", "Enclosing_Mark"),
    ("Mn", "Nonspacing_Mark"),
    ("N", "Number"),
    ("Nd", "Decimal_Number digit"),
    ("Nl", "Letter_Number"),
    ("No", "Other_Number"),
    ("P", "Punctuation punct"),
    ("Pc", "Connector_Punctuation"),
    ("Pd", "Dash_Punctuation"),
    ("Pe", "Close_Punctuation"),
    ("Pf", "Final_Punctuation"),
    ("Pi", "Initial_Punctuation"),
    ("Po", "Other_Punctuation"),
    ("Ps", "Open_Punctuation"),
    ("S", "Symbol"),
    ("Sc", "Currency_Symbol"),
    ("Sk", "Modifier_Symbol"),
    ("Sm", "Math_Symbol"),
    ("So", "Other_Symbol"),
    ("Z", "Separator"),
    ("Zl", "Line_Separator"),
    ("Zp", "Paragraph_Separator"),
    ("Zs", "Space_Separator"),
];

/// Binary properties of ECMA-262: the long name, then the short one.
const BINARY: &[(&str, &str)] = &[
    ("ASCII", ""),
    ("ASCII_Hex_Digit", "AHex"),
    ("Alphabetic", "Alpha"),
    ("Any", ""),
    ("Assigned", ""),
    ("Bidi_Control", "Bidi_C"),
    ("Bidi_Mirrored", "Bidi_M"),
    ("Case_Ignorable", "CI"),
    ("Cased", ""),
    ("Changes_When_Casefolded", "CWCF"),
    ("Changes_When_Casemapped", "CWCM"),
    ("Changes_When_Lowercased", "CWL"),
    ("Changes_When_NFKC_Casefolded", "CWKCF"),
    ("Changes_When_Titlecased", "CWT"),
    ("Changes_When_Uppercased", "CWU"),
    ("Dash", ""),
    ("Default_Ignorable_Code_Point", "DI"),
    ("Deprecated", "Dep"),
    ("Diacritic", "Dia"),
    ("Emoji", ""),
    ("Emoji_Component", "EComp"),
    ("Emoji_Modifier", "EMod"),
    ("Emoji_Modifier_Base", "EBase"),
    ("Emoji_Presentation", "EPres"),
    ("Extended_Pictographic", "ExtPict"),
    ("Extender", "Ext"),
    ("Grapheme_Base", "Gr_Base"),
    ("Grapheme_Extend", "Gr_Ext"),
    ("Hex_Digit", "Hex"),
    ("IDS_Binary_Operator", "IDSB"),
    ("IDS_Trinary_Operator", "IDST"),
    ("ID_Continue", "IDC"),
    ("ID_Start", "IDS"),
    ("Ideographic", "Ideo"),
    ("Join_Control", "Join_C"),
    ("Logical_Order_Exception", "LOE"),
    ("Lowercase", "Lower"),
    ("Math", ""),
    ("Noncharacter_Code_Point", "NChar"),
    ("Pattern_Syntax", "Pat_Syn"),
    ("Pattern_White_Space", "Pat_WS"),
    ("Quotation_Mark", "QMark"),
    ("Radical", ""),
    ("Regional_Indicator", "RI"),
    ("Sentence_Terminal", "STerm"),
    ("Soft_Dotted", "SD"),
    ("Terminal_Punctuation", "Term"),
    ("Unified_Ideograph", "UIdeo"),
    ("Uppercase", "Upper"),
    ("Variation_Selector", "VS"),
    ("White_Space", "space WSpace"),
    ("XID_Continue", "XIDC"),
    ("XID_Start", "XIDS"),
];

/// The rule by which a name matches one of the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// Letter by letter.
    Exact,
    /// Case, spaces, `_` and `-` do not count.
    Loose,
}

impl Spelling {
    /// Whether a name stands for the other one.
    pub(crate) fn is(self, name: &str, known: &str) -> bool {
        match self {
            Spelling::Exact => name == known,
            Spelling::Loose => letters(name).eq(letters(known)),
        }
    }
}

fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
    let counts = |char: &char| !matches!(char, '_' | ' ' | '-');
    name.chars().filter(counts).flat_map(char::to_lowercase)
}

/// The short name of a general category.
pub(crate) fn category(name: &str, spelling: Spelling) -> Option<&'static str> {
    let is_known = |&&(short, long): &&(&str, &str)| {
        spelling.is(name, short) || long.split(' ').any(|known| spelling.is(name, known))
    };
    let cased = spelling == Spelling::Loose && matches!(name, "L&" | "l&");
    CATEGORIES.iter().find(is_known).map(|known| known.0).or(cased.then_some("LC"))
}

/// The long name of a binary property.
pub(crate) fn binary(name: &str, spelling: Spelling) -> Option<&'static str> {
    let is_known = |&&(long, short): &&(&str, &str)| {
        spelling.is(name, long) || short.split(' ').any(|known| !known.is_empty() && spelling.is(name, known))
    };
    let found = BINARY.iter().find(is_known)?.0;
    // ECMA-262 does not have this name.
    (spelling == Spelling::Loose || name != "WSpace").then_some(found)
}

/// A name of a script, for the table to look up.
pub(crate) fn script(name: &str, spelling: Spelling) -> Option<String> {
    let is_exact = || match name {
        "Qaac" | "Qaai" => true,
        _ => Script::from_full_name(name).is_some() || Script::from_short_name(name).is_some(),
    };
    let key: String = letters(name).collect();
    // The table's own reader would take `isgreek` for `greek`.
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !key.starts_with("is");
    (is_plain && (spelling == Spelling::Loose || is_exact())).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_are_spelled_as_the_database_spells_them() {
        for (name, short) in [("L", "L"), ("Letter", "L"), ("cntrl", "Cc"), ("Combining_Mark", "M"), ("LC", "LC")] {
            assert_eq!(category(name, Spelling::Exact), Some(short));
        }
        for name in ["l", "letter", "Decimal Number", "L&", ""] {
            assert_eq!(category(name, Spelling::Exact), None, "{name}");
            assert_eq!(category(name, Spelling::Loose).is_some(), !name.is_empty(), "{name}");
        }
        assert_eq!(binary("AHex", Spelling::Exact), Some("ASCII_Hex_Digit"));
        assert_eq!((binary("WSpace", Spelling::Exact), binary("alpha", Spelling::Exact)), (None, None));
        assert_eq!((binary("", Spelling::Exact), binary("", Spelling::Loose)), (None, None));
        assert_eq!(binary("white space", Spelling::Loose), Some("White_Space"));
        for name in ["Greek", "Grek", "Qaac", "Old_Italic", "Nko", "Phags_Pa"] {
            assert!(script(name, Spelling::Exact).is_some(), "{name}");
        }
        for name in ["greek", "Old Italic", "IsGreek", "Klingon", "Gre}ek"] {
            assert_eq!(script(name, Spelling::Exact), None, "{name}");
        }
        assert_eq!(script("Old Italic", Spelling::Loose).as_deref(), Some("olditalic"));
        assert_eq!(script("IsGreek", Spelling::Loose), None);
    }
}
