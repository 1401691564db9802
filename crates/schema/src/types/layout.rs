//! Options → the punctuation of one level, with its white space.

use super::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

/// Levels that are indented; deeper ones stand in one line.
pub const INDENTED_LEVELS: u32 = 24;
/// The most blanks and tabs after a line break, where white space is bounded.
const BLANKS: u32 = 40;
/// The most blanks without a line break, where white space is bounded.
const SPACES: u32 = 2;

/// White space between the parts of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whitespace {
    /// A few blanks, or one line break with an indent; at most this many characters at one place, if given.
    Bounded(Option<u32>),
    /// Any white space; at most this many characters at one place, if given.
    Free(Option<u32>),
    /// None, except for one blank that may follow a comma or a colon.
    Line,
    /// Just these separators.
    Exact {
        /// Between two members or items.
        item: String,
        /// Between a key and its value.
        colon: String,
        /// The blanks of each level, if each member or item has its own line.
        indent: Option<u32>,
        /// Between two members or items that lie too deep to be indented.
        deep_item: String,
    },
}

/// Brackets, comma and colon of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Before the first member.
    pub open_object: TermId,
    /// After the last member.
    pub close_object: TermId,
    /// An object without members.
    pub empty_object: TermId,
    /// Before the first item.
    pub open_array: TermId,
    /// After the last item.
    pub close_array: TermId,
    /// An array without items.
    pub empty_array: TermId,
    /// Between a key and its value.
    pub colon: TermId,
    /// Between two members or items.
    pub comma: TermId,
}

impl Layout {
    /// The punctuation of the level at a depth. Errors: limits of the builder.
    pub fn new(terms: &Terms<'_>, whitespace: &Whitespace, depth: u32) -> Result<Self> {
        let (item, colon, indent) = match whitespace {
            Whitespace::Bounded(most) => return Self::with_gap(terms, bounded_gap(terms, *most)?),
            Whitespace::Free(most) => return Self::with_gap(terms, free_gap(terms, *most)?),
            Whitespace::Line => return Self::on_one_line(terms),
            Whitespace::Exact { item, colon, indent, deep_item } => match indent {
                Some(_) if depth >= INDENTED_LEVELS => (deep_item, colon, None),
                _ => (item, colon, *indent),
            },
        };
        let line =
            |levels: u32| indent.map_or(String::new(), |indent| format!("\n{:1$}", "", (indent * levels) as usize));
        let (inner, outer) = (line(depth + 1), line(depth));
        Ok(Layout {
            open_object: terms.literal(format!("{{{inner}"))?,
            close_object: terms.literal(format!("{outer}}}"))?,
            empty_object: terms.literal("{}")?,
            open_array: terms.literal(format!("[{inner}"))?,
            close_array: terms.literal(format!("{outer}]"))?,
            empty_array: terms.literal("[]")?,
            colon: terms.literal(colon)?,
            comma: terms.literal(format!("{item}{inner}"))?,
        })
    }

    fn on_one_line(terms: &Terms<'_>) -> Result<Self> {
        let without = Self::with_gap(terms, terms.epsilon())?;
        Ok(Layout { colon: terms.words([":", ": "])?, comma: terms.words([",", ", "])?, ..without })
    }

    fn with_gap(terms: &Terms<'_>, gap: TermId) -> Result<Self> {
        let sign = |sign: &str| terms.literal(sign);
        Ok(Layout {
            open_object: terms.cat(&[sign("{")?, gap])?,
            close_object: terms.cat(&[gap, sign("}")?])?,
            empty_object: terms.cat(&[sign("{")?, gap, sign("}")?])?,
            open_array: terms.cat(&[sign("[")?, gap])?,
            close_array: terms.cat(&[gap, sign("]")?])?,
            empty_array: terms.cat(&[sign("[")?, gap, sign("]")?])?,
            colon: terms.cat(&[gap, sign(":")?, gap])?,
            comma: terms.cat(&[gap, sign(",")?, gap])?,
        })
    }
}

/// Any white space of JSON. Errors: limits of the builder.
pub fn free_gap(terms: &Terms<'_>, most: Option<u32>) -> Result<TermId> {
    terms.repeat(terms.bytes(b"\t\n\r ")?, 0, most)
}

/// A few blanks, or a line break with an indent.
fn bounded_gap(terms: &Terms<'_>, most: Option<u32>) -> Result<TermId> {
    let spaces = terms.repeat(terms.literal(" ")?, 0, SPACES.min(most.unwrap_or(SPACES)))?;
    let blank = terms.bytes(b" \t")?;
    let indent = |most: u32| terms.repeat(blank, 0, most.min(BLANKS));
    let Some(most) = most.filter(|&most| most != BLANKS + 2) else {
        let ends = terms.words(["\n", "\r\n"])?;
        return terms.alt(&[spaces, terms.cat(&[ends, indent(BLANKS)?])?]);
    };
    let mut nodes = vec![spaces];
    for end in ["\n", "\r\n"] {
        if let Some(left) = most.checked_sub(end.len() as u32) {
            nodes.push(terms.cat(&[terms.literal(end)?, indent(left)?])?);
        }
    }
    terms.alt(&nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frisket_core::builder::Builder;

    fn accepted<'a>(
        whitespace: &Whitespace,
        depth: u32,
        part: fn(&Layout) -> TermId,
        texts: &[&'a str],
    ) -> Vec<&'a str> {
        let mut builder = Builder::default();
        let layout = Layout::new(&Terms::new(&mut builder), whitespace, depth).unwrap();
        let node = part(&layout).number();
        texts.iter().copied().filter(|text| builder.accepts(node, text.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn white_space_is_as_wide_as_the_options_say() {
        let long = format!(",\n{}", " ".repeat(40));
        let longer = format!(",\n{}", " ".repeat(41));
        let texts = [",", ", ", ",  ", ",   ", ",\n \t", " ,\r\n", &long, &longer];
        let comma: fn(&Layout) -> TermId = |layout| layout.comma;
        assert_eq!(
            accepted(&Whitespace::Bounded(None), 0, comma, &texts),
            [",", ", ", ",  ", ",\n \t", " ,\r\n", long.as_str()]
        );
        assert_eq!(accepted(&Whitespace::Bounded(Some(1)), 0, comma, &texts), [",", ", "]);
        assert_eq!(accepted(&Whitespace::Bounded(Some(2)), 0, comma, &texts), [",", ", ", ",  ", " ,\r\n"]);
        assert_eq!(accepted(&Whitespace::Free(None), 0, comma, &texts), texts);
        assert_eq!(accepted(&Whitespace::Free(Some(0)), 0, comma, &texts), [","]);
        assert_eq!(accepted(&Whitespace::Line, 3, comma, &texts), [",", ", "]);
        assert_eq!(accepted(&Whitespace::Line, 3, |layout| layout.open_array, &["[", "[ ", "[\n"]), ["["]);
    }

    #[test]
    fn lines_are_indented_level_by_level() {
        let exact = |item: &str, indent| Whitespace::Exact {
            item: item.into(),
            colon: ": ".into(),
            indent,
            deep_item: ", ".into(),
        };
        let texts = ["[", "[\n  ", "[\n    ", "[\n"];
        let open: fn(&Layout) -> TermId = |layout| layout.open_array;
        assert_eq!(accepted(&exact(",", Some(2)), 0, open, &texts), ["[\n  "]);
        assert_eq!(accepted(&exact(",", Some(2)), 1, open, &texts), ["[\n    "]);
        assert_eq!(accepted(&exact(",", Some(0)), 9, open, &texts), ["[\n"]);
        assert_eq!(accepted(&exact(",", Some(2)), INDENTED_LEVELS, open, &texts), ["["]);
        assert_eq!(accepted(&exact(",", None), 1, open, &texts), ["["]);
        let comma: fn(&Layout) -> TermId = |layout| layout.comma;
        assert_eq!(accepted(&exact(",", Some(2)), INDENTED_LEVELS, comma, &[",", ", "]), [", "]);
    }
}
