//! Byte → where it occurs in the vocabulary's trie, and what was read before it.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::vocabulary::token_bytes::TokenBytes;
use crate::vocabulary::trie::Trie;
use std::sync::OnceLock;

/// Where a byte occurs in the trie, and what was read before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub node: u32,
    /// A token that has it: its first `depth` bytes are what comes before.
    pub token: u32,
    pub depth: u16,
    /// Code points before the byte.
    pub chars: u16,
    /// The characters before it.
    pub before: CharClass,
    /// Whether the first of them is a space and no other is.
    pub space_prefixed: bool,
}

/// Where every byte occurs that is not inside of a character, behind valid ones. Few are ever asked for: the quote, the
/// backslash, what may follow in some patterns.
pub(crate) struct ByteIndex {
    lists: Box<[OnceLock<Vec<Occurrence>>]>,
    /// Nodes of the trie by their bytes.
    counts: [u32; 256],
    singles: OnceLock<Box<[Single]>>,
}

/// Where a whole character leads from the root and tokens go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    /// Its first byte.
    pub lead: u8,
    pub node: u32,
}

impl ByteIndex {
    /// With what ends most texts and patterns: else the first masks would wait for it.
    pub fn of_usual(trie: &Trie) -> Self {
        let occurrences = ByteIndex {
            lists: (0..256).map(|_| OnceLock::new()).collect(),
            counts: trie.counts(),
            singles: OnceLock::new(),
        };
        let usual = ByteSet::of((b' '..=b'~').filter(|byte| !byte.is_ascii_alphabetic()));
        let mut found: Vec<Vec<Occurrence>> = (0..256).map(|_| Vec::new()).collect();
        for byte in usual.iter() {
            found[usize::from(byte)].reserve_exact(occurrences.at_most(byte));
        }
        find(trie, &usual, |byte, place| found[usize::from(byte)].push(place));
        for byte in usual.iter() {
            let found = std::mem::take(&mut found[usize::from(byte)]);
            occurrences.lists[usize::from(byte)].get_or_init(|| found);
        }
        occurrences
    }

    pub fn of(&self, byte: u8, trie: &Trie, tokens: &TokenBytes) -> &[Occurrence] {
        self.lists[usize::from(byte)].get_or_init(|| match self.at_most(byte) {
            0..FEW => find_few(trie, tokens, byte),
            many => {
                let mut found = Vec::with_capacity(many);
                find(trie, &ByteSet::range(byte, byte), |_, place| found.push(place));
                found
            }
        })
    }

    /// How many there are, if they have been looked for.
    pub fn known(&self, byte: u8) -> Option<usize> {
        self.lists[usize::from(byte)].get().map(Vec::len)
    }

    pub fn singles(&self, trie: &Trie) -> &[Single] {
        self.singles.get_or_init(|| {
            let mut singles = Vec::new();
            let mut begun = vec![(0, Read::default())];
            while let Some((node, before)) = begun.pop() {
                for (byte, child) in trie.children(node).filter(|&(_, child)| trie.end(child) > child + 1) {
                    let read = before.and(byte);
                    if read.chars == 1 {
                        let lead = if byte < 0x80 { byte } else { read.part[0] };
                        singles.push(Single { lead, node: child });
                    } else if usize::from(read.begun) < read.part.len() {
                        begun.push((child, read));
                    }
                }
            }
            singles.sort_unstable_by_key(|single| single.node);
            singles.into()
        })
    }

    /// There are no more, as is known without a look for them.
    pub fn at_most(&self, byte: u8) -> usize {
        self.counts[usize::from(byte)] as usize
    }

    pub fn memory_bytes(&self) -> usize {
        let lists = self.lists.iter().filter_map(OnceLock::get);
        let singles = self.singles.get().map_or(0, |singles| size_of_val(&**singles));
        lists.map(|list| list.capacity() * size_of::<Occurrence>()).sum::<usize>() + singles
    }
}

/// More nodes are found by a pass over the trie.
const FEW: usize = 1_500;

/// The places of one byte, each by its node and a text that goes through it.
fn find_few(trie: &Trie, tokens: &TokenBytes, byte: u8) -> Vec<Occurrence> {
    let place = |node| {
        let (token, depth) = trie.first_through(node, |token| tokens.get(token).map_or(0, <[u8]>::len));
        let before = tokens.get(token)?.iter().take(depth).fold(Read::default(), |before, &byte| before.and(byte));
        before.place(byte, node, token, depth)
    };
    trie.nodes_of(byte).into_iter().filter_map(place).collect()
}

/// All places of some bytes, in the order of nodes, from one pass over the trie: it stands in memory as it is read, which
/// the tokens' texts do not.
fn find(trie: &Trie, wanted: &ByteSet, mut found: impl FnMut(u8, Occurrence)) {
    // The nodes above, and what was read with each.
    let mut above = vec![(trie.end(0), Read::default())];
    let mut node = 1;
    while let Some(&(end, before)) = above.last() {
        if node >= end {
            above.pop();
            continue;
        }
        let byte = trie.byte(node);
        if wanted.contains(byte) {
            if let Some(place) = before.place(byte, node, trie.token_from(node), above.len() - 1) {
                found(byte, place);
            }
        }
        if trie.may_hold(node, wanted) {
            above.push((trie.end(node), before.and(byte)));
            node += 1;
        } else {
            node = trie.end(node);
        }
    }
}

/// Whole characters, and what there is of the next.
#[derive(Clone, Copy, Default)]
struct Read {
    class: CharClass,
    chars: u16,
    spaces: Spaces,
    begun: u8,
    part: [u8; 4],
}

/// Among the characters.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Spaces {
    #[default]
    Nothing,
    /// A space first, and no other.
    SpacePrefixed,
    Other,
}

impl Read {
    fn place(self, byte: u8, node: u32, token: u32, depth: usize) -> Option<Occurrence> {
        let Read { class: before, chars, spaces, begun, .. } = self;
        let whole = begun == 0 && !matches!(byte, 0x80..=0xbf);
        whole.then_some(Occurrence {
            node,
            token,
            depth: depth as u16,
            chars,
            before,
            space_prefixed: spaces == Spaces::SpacePrefixed,
        })
    }

    fn and(mut self, byte: u8) -> Self {
        if self.begun == 0 && byte < 0x80 {
            self.spaces = match (self.spaces, byte) {
                (Spaces::Nothing, b' ') => Spaces::SpacePrefixed,
                (Spaces::SpacePrefixed, b' ') | (Spaces::Nothing, _) => Spaces::Other,
                (spaces, _) => spaces,
            };
            self.class = self.class.with(byte);
            self.chars += 1;
            return self;
        }
        let Some(place) = self.part.get_mut(usize::from(self.begun)) else { return self };
        *place = byte;
        self.begun += 1;
        // What is no character after four bytes will never be one.
        if std::str::from_utf8(&self.part[..usize::from(self.begun)]).is_ok() {
            if self.spaces == Spaces::Nothing {
                self.spaces = Spaces::Other;
            }
            self.class = self.class.with(self.part[0]);
            self.chars += 1;
            self.begun = 0;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_are_whole_characters_that_tokens_go_on_from() {
        let texts: &[&[u8]] = &[b"a", b"ab", b"b", b"\xc3\xa9a", b"\xc3\xa8", b"\xc3a", b"\xff\xff\xff\xff\xffab"];
        let trie = Trie::new(0..texts.len() as u32, |id| texts[id as usize]);
        let occurrences = ByteIndex::of_usual(&trie);
        let singles = occurrences.singles(&trie).iter().map(|single| (single.lead, trie.path(single.node)));
        assert_eq!(singles.collect::<Vec<_>>(), [(b'a', b"a".to_vec()), (0xc3, b"\xc3\xa9".to_vec())]);
    }

    #[test]
    fn a_pass_over_the_trie_finds_what_texts_tell() {
        let texts: &[&[u8]] = &[
            b"a",
            b" a b",
            b"a\xc3\xa9 a",
            b"\xc3",
            b"\xc3a",
            b"\xe2\x82a",
            b"\xe2\x82\xaca",
            b"\xff\"a",
            b"  a",
            b"aa",
        ];
        let tokens = TokenBytes::of(texts.iter().map(|text| text.len() as u32), &texts.concat(), &[]).unwrap();
        let trie = Trie::new(0..texts.len() as u32, |id| texts[id as usize]);
        for byte in 0..=255 {
            let mut found = Vec::new();
            find(&trie, &ByteSet::range(byte, byte), |_, place| found.push(place));
            assert_eq!(format!("{found:?}"), format!("{:?}", find_few(&trie, &tokens, byte)), "{byte:#x}");
        }
    }
}
