//! Number of characters → the tokens of unescaped text with this number of characters.
//!
//! Inside a string of arbitrary characters, all these tokens lead to the same position.

use crate::vocabulary::token_set::{sorted_words, Words};

/// The tokens of whole characters that a JSON string may hold without escapes, by their number of characters.
pub(crate) struct TextLengths(Vec<Words>);

impl TextLengths {
    /// From (characters, token) of all tokens of unescaped text.
    pub fn new(texts: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut tokens: Vec<Vec<u32>> = Vec::new();
        for (chars, token) in texts {
            let chars = chars as usize;
            if tokens.len() <= chars {
                tokens.resize(chars + 1, Vec::new());
            }
            tokens[chars].push(token);
        }
        TextLengths(tokens.into_iter().map(sorted_words).collect())
    }

    /// Whether some token has `chars` characters.
    pub fn has(&self, chars: usize) -> bool {
        self.0.get(chars).is_some_and(|words| !words.is_empty())
    }

    /// Characters of the longest token.
    pub fn longest(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The tokens of each number of characters, fewest first.
    pub fn lists(&self) -> impl Iterator<Item = (usize, &Words)> {
        self.0.iter().enumerate()
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        self.0.iter().map(|words| size_of::<Words>() + size_of_val(&**words)).sum()
    }
}
