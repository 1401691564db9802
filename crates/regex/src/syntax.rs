//! The options for reading a pattern: dialect, flags and the running Python's Unicode.

use crate::error::{Error, Flaw, Result};
use crate::quote::quoted;
use crate::unicode::Version;

/// The language whose regular expressions are meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// ECMA-262 with the flag `u`, which JSON Schema prescribes.
    Ecma,
    /// Python's module `re`, for `str`.
    Python,
    /// Rust's crate `regex` between the slashes of a grammar, as llguidance reads it.
    Rust,
}

/// Letters that change the meaning of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Flags(u8);

impl Flags {
    const LETTERS: [char; 7] = ['i', 'm', 's', 'x', 'a', 'u', 'r'];

    /// The flags of these letters: `i`, `m`, `s`, `x`, `a` and `u` as in Python; `r` gives `\d`, `\s` and `\w` their
    /// meaning in Rust. Errors: the alphabetically first letter that is not a flag.
    pub fn new(letters: &str) -> Result<Self> {
        let mut sorted: Vec<char> = letters.chars().collect();
        sorted.sort_unstable();
        sorted.into_iter().try_fold(Flags::default(), |flags, letter| match Flags::LETTERS.contains(&letter) {
            true => Ok(flags.with(letter)),
            false => Err(Error::Syntax(Flaw {
                message: format!("unknown flag {}", quoted(std::iter::once(letter))),
                at: None,
                hint: Some("flags are letters of imsxa".into()),
            })),
        })
    }

    /// Whether the flag is set.
    pub(crate) fn has(self, letter: char) -> bool {
        self.0 & Flags::bit(letter) != 0
    }

    pub(crate) fn with(self, letter: char) -> Self {
        Flags(self.0 | Flags::bit(letter))
    }

    pub(crate) fn without(self, letter: char) -> Self {
        Flags(self.0 & !Flags::bit(letter))
    }

    fn bit(letter: char) -> u8 {
        Flags::LETTERS.iter().position(|known| *known == letter).map_or(0, |index| 1 << index)
    }
}

/// The options for reading a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    /// The language whose regular expressions are meant.
    pub dialect: Dialect,
    /// The flags that hold from its start.
    pub flags: Flags,
    /// Whether to refuse what ECMA-262 itself refuses. Otherwise, harmless escapes and braces that all validators in
    /// use take as literals are literals here, too.
    pub is_strict: bool,
    /// The version of Unicode whose characters have properties in Python's dialect.
    pub python_unicode: Version,
    /// The character of a name, for Python's `\N{…}`.
    pub named: fn(&str) -> Option<char>,
}

impl Syntax {
    /// The dialect without flags, with the newest Unicode and no names of characters.
    pub fn new(dialect: Dialect) -> Self {
        Syntax { dialect, flags: Flags::default(), is_strict: false, python_unicode: None, named: |_| None }
    }

    pub(crate) fn is_ecma(&self) -> bool {
        self.dialect == Dialect::Ecma
    }

    /// Whether the running Python is 3.14 or newer, with Unicode 16: `\B` matches the empty text since then.
    pub(crate) fn is_python_3_14(&self) -> bool {
        self.python_unicode.is_none_or(|version| version >= (16, 0))
    }

    /// The version of Unicode that this dialect means.
    pub(crate) fn unicode(&self) -> Version {
        if self.is_ecma() {
            None
        } else {
            self.python_unicode
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_letters() {
        let flags = Flags::new("sir").unwrap();
        assert!("sir".chars().all(|letter| flags.has(letter)) && !"mxau".chars().any(|letter| flags.has(letter)));
        assert_eq!(flags.without('s').with('s'), flags);
        assert!(!flags.without('i').has('i'));
        let Err(Error::Syntax(flaw)) = Flags::new("zqi") else { panic!() };
        assert_eq!((flaw.message.as_str(), flaw.at), ("unknown flag 'q'", None));
    }
}
