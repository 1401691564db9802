//! Token id and text → one integer that sorts almost as the text does.
//!
//! Sorting integers avoids a fetch of both texts per comparison when a vocabulary's trie is built.

/// From the high bits: the first 11 bytes of the text, its length up to 255, and the id.
///
/// Keys order texts that differ within these bytes; the few others are compared by their texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SortKey(u128);

impl SortKey {
    /// Bytes of the text that the key holds.
    const BEGIN: usize = 11;

    /// The key of a text.
    fn new(text: &[u8], id: u32) -> Self {
        let fold = |key: u128, &byte: &u8| key << 8 | u128::from(byte);
        let begin = match text.get(..SortKey::BEGIN) {
            Some(begin) => begin.iter().fold(0, fold),
            None => text.iter().fold(0, fold) << (8 * (SortKey::BEGIN - text.len())),
        };
        SortKey(begin << 40 | (text.len() as u128).min(255) << 32 | u128::from(id))
    }

    /// The keys of all ids, in the order of their texts, then ids.
    pub(super) fn sorted<'a>(ids: impl Iterator<Item = u32>, text: &impl Fn(u32) -> &'a [u8]) -> Vec<SortKey> {
        // Exact capacity: a growing vector leaves freed blocks behind.
        let mut keys = Vec::with_capacity(ids.size_hint().1.unwrap_or_default());
        keys.extend(ids.map(|id| SortKey::new(text(id), id)));
        keys.sort_unstable();
        for common in keys.chunk_by_mut(|one, other| one.0 >> 40 == other.0 >> 40) {
            if common.iter().any(|key| !key.is_whole()) {
                common.sort_by_key(|key| (text(key.id()), key.id()));
            }
        }
        keys
    }

    /// The first bytes of the text, then unspecified ones.
    pub(super) fn begin(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Bytes of the text, up to 255.
    pub(super) fn length_up_to_255(self) -> usize {
        (self.0 >> 32) as usize & 255
    }

    /// Whether the key holds all bytes of its text.
    pub(super) fn is_whole(self) -> bool {
        self.length_up_to_255() <= SortKey::BEGIN
    }

    /// The token id.
    pub(super) fn id(self) -> u32 {
        self.0 as u32
    }

    /// Bytes of the text.
    pub(super) fn length<'a>(self, text: &impl Fn(u32) -> &'a [u8]) -> usize {
        match self.length_up_to_255() {
            255 => text(self.id()).len(),
            count => count,
        }
    }

    /// The length of the common prefix of two texts.
    pub(super) fn common_prefix<'a>(self, other: SortKey, text: &impl Fn(u32) -> &'a [u8]) -> usize {
        let common = (self.0 ^ other.0).leading_zeros() as usize / 8;
        if common < SortKey::BEGIN || self.is_whole() || other.is_whole() {
            return common.min(self.length_up_to_255()).min(other.length_up_to_255());
        }
        text(self.id()).iter().zip(text(other.id())).take_while(|(one, other)| one == other).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(texts: &[&[u8]]) -> Vec<u32> {
        let keys = SortKey::sorted(0..texts.len() as u32, &|id| texts[id as usize]);
        assert_eq!(keys.capacity(), texts.len());
        keys.into_iter().map(SortKey::id).collect()
    }

    #[test]
    fn keys_are_sorted_as_texts_are_and_equal_texts_by_id() {
        let long = "abcdefghijk";
        let texts: Vec<Vec<u8>> = [
            b"b".to_vec(),
            b"ab".to_vec(),
            b"".to_vec(),
            b"a\0".to_vec(),
            b"a".to_vec(),
            b"a\0\0".to_vec(),
            b"\xff".to_vec(),
            b"ab".to_vec(),
            format!("{long}z").into(),
            long.into(),
            format!("{long}a{}", "y".repeat(300)).into(),
            format!("{long}\0").into(),
            format!("{long}a{}", "x".repeat(300)).into(),
            format!("{long}a").into(),
            format!("{long}a").into(),
            format!("z{long}zz").into(),
            format!("z{long}zy").into(),
        ]
        .to_vec();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let mut expected: Vec<u32> = (0..texts.len() as u32).collect();
        expected.sort_by_key(|&id| (texts[id as usize], id));
        assert_eq!(ids(&texts), expected);
        assert_eq!(ids(&[]), [0; 0]);
    }

    #[test]
    fn a_key_holds_the_beginning_the_length_and_the_id() {
        let key = SortKey::new(b"abc", 7);
        assert_eq!((key.id(), key.length_up_to_255(), key.is_whole()), (7, 3, true));
        assert_eq!(key.begin()[..4], *b"abc\0");
        let eleven = SortKey::new(b"abcdefghijk", u32::MAX);
        assert_eq!((eleven.id(), eleven.length_up_to_255(), eleven.is_whole()), (u32::MAX, 11, true));
        assert_eq!(eleven.begin()[..11], *b"abcdefghijk");
        let twelve = SortKey::new(b"abcdefghijkl", 0);
        assert_eq!((twelve.length_up_to_255(), twelve.is_whole()), (12, false));
        assert_eq!(twelve.begin()[..11], *b"abcdefghijk");
    }

    #[test]
    fn a_length_that_the_key_cannot_hold_is_that_of_the_text() {
        for count in [0, 1, 254, 255, 256, 1_000] {
            let text = vec![b'a'; count];
            let key = SortKey::new(&text, 0);
            assert_eq!(key.length_up_to_255(), count.min(255));
            assert_eq!(key.length(&|_| &text[..]), count);
        }
        assert_eq!(SortKey::new(b"abc", 0).length(&|_| unreachable!("the key knows")), 3);
    }

    #[test]
    fn common_prefixes_end_where_texts_differ_or_one_ends() {
        let long = "abcdefghijk";
        for (one, other, common) in [
            ("", "", 0),
            ("", "a", 0),
            ("a", "b", 0),
            ("ab", "ac", 1),
            ("ab", "abc", 2),
            ("ab", "ab", 2),
            ("a", "a\0", 1),
            ("a\0", "a\0\0", 2),
            (long, "abcdefghijkl", 11),
            ("abcdefghijkl", long, 11),
            ("abcdefghij", "abcdefghijkl", 10),
            ("abcdefghijkl", "abcdefghijkm", 11),
            ("abcdefghijklm", "abcdefghijklmn", 13),
            ("abcdefghijklmno", "abcdefghijklmxo", 13),
        ] {
            let texts = [one.as_bytes(), other.as_bytes()];
            let [first, second] = [0, 1].map(|id| SortKey::new(texts[id as usize], id));
            assert_eq!(first.common_prefix(second, &|id| texts[id as usize]), common, "{one:?} {other:?}");
            assert_eq!(second.common_prefix(first, &|id| texts[id as usize]), common, "{other:?} {one:?}");
            if common < 11 || one.len().min(other.len()) <= 11 {
                let known = |_| unreachable!("the keys tell");
                assert_eq!(
                    (first.common_prefix(second, &known), second.common_prefix(first, &known)),
                    (common, common)
                );
            }
        }
    }
}
