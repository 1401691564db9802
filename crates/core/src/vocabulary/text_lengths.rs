//! Number of characters → the tokens of unescaped text with this number of characters.
//!
//! Inside a string of arbitrary characters, all these tokens lead to the same position.

use crate::vocabulary::token_set::{sorted_words, Words};

/// The tokens of whole characters that a JSON string may hold without escapes, by their number of characters.
pub(crate) struct TextLengths {
    lists: Vec<Words>,
    all: Words,
}

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
        let all = sorted_words(tokens.concat());
        TextLengths { lists: tokens.into_iter().map(sorted_words).collect(), all }
    }

    /// Whether some token has `chars` characters.
    pub fn has(&self, chars: usize) -> bool {
        self.lists.get(chars).is_some_and(|words| !words.is_empty())
    }

    /// Characters of the longest token.
    pub fn longest(&self) -> usize {
        self.lists.len().saturating_sub(1)
    }

    /// The tokens of each number of characters, fewest first.
    pub fn lists(&self) -> impl Iterator<Item = (usize, &Words)> {
        self.lists.iter().enumerate()
    }

    /// The tokens of any number of characters.
    pub fn all(&self) -> &Words {
        &self.all
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        let lists = self.lists.iter().chain([&self.all]);
        lists.map(|words| size_of::<Words>() + size_of_val(&**words)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_stand_with_those_of_as_many_characters() {
        let lengths = TextLengths::new([(1, 0), (3, 1), (1, 33), (1, 2)].into_iter());
        let found: Vec<(usize, Vec<(u32, u32)>)> =
            lengths.lists().map(|(chars, words)| (chars, words.to_vec())).collect();
        assert_eq!(found, [(0, vec![]), (1, vec![(0, 5), (1, 2)]), (2, vec![]), (3, vec![(0, 2)])]);
        assert_eq!(**lengths.all(), [(0, 7), (1, 2)]);
        assert_eq!([0, 1, 2, 3, 4].map(|chars| lengths.has(chars)), [false, true, false, true, false]);
        assert!(lengths.longest() == 3 && lengths.memory_bytes() > 0);
        assert_eq!(TextLengths::new(std::iter::empty()).longest(), 0);
    }
}
