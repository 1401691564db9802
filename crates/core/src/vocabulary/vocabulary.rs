//! Token ids with bytes → `Vocabulary`: a trie and indexes, built once per tokenizer and shared by every grammar.
//!
//! One file, so that all indexes are built from the same tokens and reached through one type.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::bytes::utf8::is_unescaped;
use crate::error::{Error, Result};
use crate::storage::cache::Cache;
use crate::storage::once::Once;
use crate::vocabulary::byte_index::{ByteIndex, Occurrence, Single};
use crate::vocabulary::code_points::CodePoints;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::key_prefixes::KeyPrefixes;
use crate::vocabulary::text_lengths::TextLengths;
use crate::vocabulary::token_bytes::TokenBytes;
use crate::vocabulary::token_set::TokenSet;
use crate::vocabulary::tokens_by_byte::TokensByByte;
use crate::vocabulary::trie::Trie;

/// Bytes of a token. Real tokens have at most a few hundred; walks recurse once per byte.
const MAX_TOKEN_BYTES: usize = 4_096;

/// Token ids. Every token set has a bit per id; the largest vocabulary known has a sixtieth of this.
const MAX_IDS: usize = 1 << 24;

/// Bytes are frequent if they lead to more than one in this many nodes of the trie: a look at each of these nodes takes
/// longer than a walk of all from an eighth on.
const FREQUENT_RATIO: usize = 16;

/// Fewer nodes are looked at one by one.
const FREQUENT_FROM: usize = 1_000;

/// Bytes of the cache of token sets by character class: some hundred classes.
const CLASS_CACHE_BYTES: usize = 4 << 20;

/// The tokens of one tokenizer with a trie and indexes of them; immutable.
pub struct Vocabulary {
    tokens: TokenBytes,
    size: usize,
    /// The ids that end a text, ascending.
    pub eos: Vec<u32>,
    /// (name, id) of the special tokens that a grammar may name.
    pub special: Vec<(String, u32)>,
    /// All tokens with text.
    pub trie: Trie,
    lengths: CodePoints,
    by_byte: TokensByByte,
    occurrences: ByteIndex,
    classes: Cache<CharClass, (TokenSet, usize)>,
    text_lengths: Once<TextLengths>,
    places: Once<Box<[u32]>>,
    /// The first bytes of all tokens.
    pub(crate) begins: ByteSet,
    /// The bytes that are tokens by themselves.
    pub(crate) byte_tokens: ByteSet,
    /// Code points of the longest token.
    pub longest: u32,
    /// The beginnings of JSON keys inside tokens.
    pub(crate) key_prefixes: KeyPrefixes,
}

impl Vocabulary {
    /// A vocabulary of `size` logits; `tokens[i]` is the text of token i, `None` if it never matches text.
    ///
    /// Errors if `size` is too small or too large, or if an id or a token is beyond the limits.
    pub fn new(
        tokens: Vec<Option<Box<[u8]>>>,
        special: Vec<(String, u32)>,
        eos: Vec<u32>,
        size: usize,
    ) -> Result<Self> {
        let texts = tokens.iter().map(|token| token.as_deref().unwrap_or_default());
        let block: Vec<u8> = texts.clone().flatten().copied().collect();
        Self::from_block(texts.map(|text| text.len() as u32), &block, special, eos, size)
    }

    /// As `new`, from the texts of all tokens in one block and the length of each, 0 for none.
    pub fn from_block(
        lengths: impl ExactSizeIterator<Item = u32>,
        block: &[u8],
        special: Vec<(String, u32)>,
        mut eos: Vec<u32>,
        size: usize,
    ) -> Result<Self> {
        if size < lengths.len() {
            return Err(Error::Vocabulary(format!("size is {size}, but there are {} tokens", lengths.len())).into());
        }
        if size > MAX_IDS {
            return Err(Error::Vocabulary(format!("size is {size}; more than {MAX_IDS} ids are a mistake")).into());
        }
        eos.sort_unstable();
        eos.dedup();
        if let Some(&id) = eos.iter().chain(special.iter().map(|(_, id)| id)).find(|&&id| id as usize >= size) {
            return Err(Error::Vocabulary(format!("token id {id} is beyond the vocabulary of {size}")).into());
        }
        let without_text: Vec<u32> = eos.iter().copied().chain(special.iter().map(|&(_, id)| id)).collect();
        let tokens = TokenBytes::new(lengths, block, &without_text)?;
        if let Some(id) = tokens.iter().position(|text| text.len() > MAX_TOKEN_BYTES) {
            return Err(Error::Vocabulary(format!("token {id} is longer than {MAX_TOKEN_BYTES} bytes")).into());
        }
        let build_indexes = || {
            let (by_byte, chars) = TokensByByte::new(&tokens, size);
            let firsts = tokens.iter().map(|text| text.first().copied());
            let key_prefixes = KeyPrefixes::new(by_byte.holding(b'"').filter_map(|id| tokens.get(id)));
            (by_byte, key_prefixes, CodePoints::new(chars, firsts, size.div_ceil(32)))
        };
        let build_trie = || {
            let with_text = (0..tokens.len() as u32).filter(|&id| tokens.get(id).is_some());
            let trie = Trie::new(with_text, |id| tokens.get(id).unwrap_or_default());
            let occurrences = ByteIndex::new(&trie);
            (trie, occurrences)
        };
        // Both halves are independent, so two threads build them.
        let ((trie, occurrences), (by_byte, key_prefixes, lengths)) = std::thread::scope(|scope| {
            let helper = std::thread::Builder::new().spawn_scoped(scope, build_indexes);
            (build_trie(), helper.ok().and_then(|helper| helper.join().ok()).unwrap_or_else(build_indexes))
        });
        let begins = ByteSet::from_bytes(trie.children(NodeId::ROOT).map(|(byte, _)| byte));
        let alone = trie.children(NodeId::ROOT).filter(|&(_, node)| !trie.tokens_at(node).is_empty());
        let byte_tokens = ByteSet::from_bytes(alone.map(|(byte, _)| byte));
        let longest = lengths.longest;
        let classes = Cache::new(CLASS_CACHE_BYTES);
        Ok(Vocabulary {
            tokens,
            size,
            eos,
            special,
            trie,
            lengths,
            by_byte,
            occurrences,
            classes,
            text_lengths: Once::new(),
            places: Once::new(),
            begins,
            byte_tokens,
            longest,
            key_prefixes,
        })
    }

    /// The number of logits.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of 32-bit words of a mask.
    pub fn mask_words(&self) -> usize {
        self.size.div_ceil(32)
    }

    /// The text of a token, or `None` if it never matches text.
    pub fn token(&self, id: u32) -> Option<&[u8]> {
        self.tokens.get(id)
    }

    /// Whether a token consists of whole characters that a JSON string may hold without escapes.
    pub(crate) fn is_text(&self, id: u32) -> bool {
        let text = self.tokens.get(id);
        text.is_some_and(|text| text.iter().all(|&byte| is_unescaped(byte)) && std::str::from_utf8(text).is_ok())
    }

    /// Code points of a token.
    pub(crate) fn chars(&self, token: u32) -> u32 {
        self.lengths.chars(token)
    }

    /// Code points of the longest token that begins with one of these bytes.
    pub(crate) fn longest_of(&self, begins: &ByteSet) -> u32 {
        self.lengths.longest_of(begins)
    }

    /// The number of tokens, at most `size`.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a special token by name; `<[7]>` names token 7, as in llama.cpp's GBNF, if it has no text.
    pub fn special_id(&self, name: &str) -> Option<u32> {
        let named = self.special.iter().find(|(other, _)| other == name).map(|&(_, id)| id);
        named.or_else(|| numbered(name).filter(|&id| (id as usize) < self.size() && self.token(id).is_none()))
    }

    /// Heap bytes of the vocabulary and its caches.
    pub fn memory_bytes(&self) -> usize {
        self.tokens.memory_bytes()
            + self.occurrences.memory_bytes()
            + self.lengths.memory_bytes()
            + self.by_byte.memory_bytes()
            + self.trie.memory_bytes()
            + self.classes.memory_bytes()
            + self.text_lengths.get().map_or(0, TextLengths::memory_bytes)
            + self.places.get().map_or(0, |places| 4 * places.len())
    }

    /// The place of each token in the order of the trie, found when it is first asked for; 0 for tokens without text.
    pub(crate) fn places(&self) -> &[u32] {
        self.places.get_or_init(|| {
            let mut places = vec![0; self.size];
            let tokens = self.trie.tokens_between(0, self.trie.tokens_before(NodeId::at(self.trie.len())));
            (0..).zip(tokens).for_each(|(place, &token)| places[token as usize] = place);
            places.into()
        })
    }

    /// The tokens of unescaped text by their number of characters, found when they are first asked for.
    pub(crate) fn text_lengths(&self) -> &TextLengths {
        self.text_lengths.get_or_init(|| {
            let texts = (0..self.size as u32).filter(|&token| self.is_text(token));
            TextLengths::new(texts.map(|token| (self.chars(token), token)))
        })
    }

    /// Whether some token begins with a byte of `low..=high`.
    pub fn begins_between(&self, low: u8, high: u8) -> bool {
        (low..=high).any(|byte| self.begins.contains(byte))
    }

    /// The occurrences of a byte in the trie.
    pub(crate) fn occurrences(&self, byte: u8) -> &[Occurrence] {
        self.occurrences.get(byte, &self.trie)
    }

    /// Makes ready the occurrences of some bytes, which takes less time than one by one.
    pub(crate) fn prepare_occurrences(&self, bytes: &ByteSet) {
        self.occurrences.prepare(&self.trie, bytes);
    }

    /// An upper bound on the occurrences of a byte, in constant time.
    pub(crate) fn max_occurrences(&self, byte: u8) -> usize {
        self.occurrences.max_count(byte)
    }

    /// Whether a walk of the trie takes less time than a look at each occurrence of these bytes.
    pub(crate) fn are_frequent(&self, bytes: &ByteSet) -> bool {
        // Upper bounds suffice: to ask for the occurrences themselves would compute the index of a byte.
        let occurrences: usize = bytes.iter().map(|byte| self.max_occurrences(byte)).sum();
        occurrences > FREQUENT_FROM && occurrences * FREQUENT_RATIO > self.trie.len()
    }

    /// Whether the list of the occurrences of a byte exists.
    pub(crate) fn has_occurrences(&self, byte: u8) -> bool {
        self.occurrences.known_count(byte).is_some()
    }

    /// The trie nodes one whole character below the root that have children.
    pub(crate) fn singles(&self) -> &[Single] {
        self.occurrences.singles(&self.trie)
    }

    /// The tokens of these characters only; the last character may be incomplete.
    pub(crate) fn class(&self, class: CharClass) -> TokenSet {
        self.class_entry(class).0
    }

    /// The number of tokens of a class.
    pub(crate) fn count_of(&self, class: CharClass) -> usize {
        self.class_entry(class).1
    }

    /// The tokens of a class and their number, cached.
    fn class_entry(&self, class: CharClass) -> (TokenSet, usize) {
        if let Some(known) = self.classes.get(class) {
            return known;
        }
        let bits = self.by_byte.tokens_of(class);
        let count = bits.iter().map(|word| word.count_ones() as usize).sum();
        self.classes.put(class, (bits.clone(), count), 4 * bits.len());
        (bits, count)
    }

    /// The tokens that are one space and then characters of the class, as words of bits.
    pub(crate) fn space_prefixed(&self, class: CharClass) -> impl Iterator<Item = u32> + '_ {
        let bits = self.class(class.with(b' '));
        self.by_byte.space_prefixed.iter().enumerate().map(move |(place, space_prefixed)| space_prefixed & bits[place])
    }

    /// The tokens of at most `chars` code points.
    pub(crate) fn tokens_up_to(&self, chars: u32) -> TokenSet {
        self.lengths.tokens_up_to(chars, &self.by_byte.present)
    }
}

/// The number in a name such as `<[7]>`.
fn numbered(name: &str) -> Option<u32> {
    name.strip_prefix("<[")?.strip_suffix("]>")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::utf8::is_lead;

    fn vocabulary(texts: &[&[u8]]) -> Vocabulary {
        let tokens = texts.iter().map(|&text| (!text.is_empty()).then(|| text.into())).collect();
        Vocabulary::new(tokens, Vec::new(), Vec::new(), texts.len()).unwrap()
    }

    const TEXTS: &[&[u8]] = &[
        b"",
        b"a",
        b" a",
        b" a b",
        b"ab\"",
        b"ab\"c\"",
        "é".as_bytes(),
        "é\"".as_bytes(),
        b"\xc3",
        b"\xc3\"",
        b"\xa9\"",
        b"a\xe2\x82",
        "a€\"".as_bytes(),
        b"\xff\"",
        b"a\xff",
        b"\"",
        b" \"",
        b"  \"",
        b"\"\"",
        b"ab\"",
    ];

    #[test]
    fn tokens_have_their_places_in_the_trie_and_bytes_may_be_tokens() {
        let vocabulary = vocabulary(TEXTS);
        let trie = &vocabulary.trie;
        for (id, text) in (0..).zip(TEXTS).filter(|(_, text)| !text.is_empty()) {
            let place = vocabulary.places()[id] as usize;
            assert_eq!(trie.tokens_between(place, place + 1), [id as u32], "{text:?}");
            // From the children of the root, those before the token's first byte are skipped.
            let child = trie.child_at(trie.child_reaching(trie.child_range(NodeId::ROOT), place));
            assert_eq!(child.0, text[0], "{text:?}");
        }
        let all = trie.child_range(NodeId::ROOT);
        assert_eq!(trie.child_reaching(all.clone(), TEXTS.len()), all.end, "behind the last token");
        assert_eq!(vocabulary.byte_tokens, ByteSet::from_bytes([b'a', b'"', 0xc3].into_iter()));
        assert_eq!(vocabulary.places()[0], 0, "no text");
    }

    #[test]
    fn special_tokens_are_known_by_name_and_by_number() {
        let tokens = vec![Some(Box::from(&b"a"[..])), None, None];
        let special = [("<x>", 1), ("<[7]>", 2)].map(|(name, id)| (name.to_owned(), id));
        let vocabulary = Vocabulary::new(tokens, special.to_vec(), Vec::new(), 4).unwrap();
        let found = ["<x>", "<[1]>", "<[3]>", "<[7]>"].map(|name| vocabulary.special_id(name));
        assert_eq!(found, [Some(1), Some(1), Some(3), Some(2)], "a name comes before a number");
        for other in ["<[0]>", "<[4]>", "<[-1]>", "<[]>", "<[1]", "[1]", "x"] {
            assert_eq!(vocabulary.special_id(other), None, "{other}");
        }
    }

    #[test]
    fn a_byte_occurs_where_valid_text_comes_before_it() {
        let vocabulary = vocabulary(TEXTS);
        for byte in 0..=255u8 {
            let mut expected = Vec::new();
            for node in (1..vocabulary.trie.len()).map(NodeId::at) {
                let path = vocabulary.trie.path(node);
                let (last, before) = path.split_last().unwrap();
                let Ok(before) = std::str::from_utf8(before) else { continue };
                if *last == byte && is_lead(byte) {
                    let space_prefixed = before.starts_with(' ') && before.matches(' ').count() == 1;
                    expected.push((node, before.len() as u16, before.chars().count() as u16, space_prefixed));
                    let place = vocabulary.occurrences(byte).iter().find(|place| place.node == node).unwrap();
                    assert!(vocabulary.token(place.token).unwrap().starts_with(&path));
                    for other in 0..=255u8 {
                        assert_eq!(place.before.contains(other), is_lead(other) && before.as_bytes().contains(&other));
                    }
                }
            }
            let found = vocabulary.occurrences(byte).iter();
            assert_eq!(
                found.map(|place| (place.node, place.depth, place.chars, place.space_prefixed)).collect::<Vec<_>>(),
                expected
            );
        }
    }

    #[test]
    fn a_class_holds_the_tokens_of_its_characters() {
        let vocabulary = vocabulary(TEXTS);
        for (ascii, leads) in [("ab", ""), ("ab\" ", ""), ("a\"", "é"), (" a\"", "é€"), ("", "é")] {
            let class = [ascii, leads].concat().bytes().fold(CharClass::default(), CharClass::with);
            let bits = vocabulary.class(class);
            for (id, text) in TEXTS.iter().enumerate() {
                let whole = match std::str::from_utf8(text) {
                    Ok(_) => true,
                    Err(error) => error.error_len().is_none(),
                };
                let within = text.iter().all(|&byte| !is_lead(byte) || class.contains(byte));
                let expected = !text.is_empty() && whole && within;
                assert_eq!(bits[id >> 5] >> (id & 31) & 1 == 1, expected, "{text:?} {ascii} {leads}");
            }
        }
    }
}
