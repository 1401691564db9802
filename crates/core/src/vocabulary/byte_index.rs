//! Byte → its occurrences in the vocabulary's trie, each with the characters before it.
//!
//! Inside a string nearly all tokens are characters up to one special byte; this index finds those tokens without a walk.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::storage::once::Once;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

/// A trie node reached by some byte, behind whole characters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    /// The node that the byte leads to.
    pub node: NodeId,
    /// A token through the node; its first `depth` bytes come before the byte.
    pub token: u32,
    /// Bytes before the byte.
    pub depth: u16,
    /// Code points before the byte.
    pub chars: u16,
    /// The characters before the byte.
    pub before: CharClass,
    /// Whether the first of these characters is a space and no other is.
    pub space_prefixed: bool,
}

/// The occurrences of each byte, except inside and behind malformed characters. Most lists are made on demand.
pub(crate) struct ByteIndex {
    lists: Box<[Once<Vec<Occurrence>>]>,
    /// How many trie nodes each byte leads to.
    counts: [u32; 256],
    singles: Once<Box<[Single]>>,
}

/// A trie node one whole character below the root that has children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    /// The first byte of the character.
    pub lead: u8,
    pub node: NodeId,
}

impl ByteIndex {
    /// An index with the lists of ASCII punctuation, digits and the space ready.
    ///
    /// These bytes end most texts and patterns, so the first masks would otherwise wait for their lists.
    pub fn new(trie: &Trie) -> Self {
        let index = ByteIndex {
            lists: (0..256).map(|_| Once::new()).collect(),
            counts: trie.count_by_byte(),
            singles: Once::new(),
        };
        index.scan(trie, &ByteSet::from_bytes((b' '..=b'~').filter(|byte| !byte.is_ascii_alphabetic())));
        index
    }

    /// Makes the lists of some bytes in one pass over the trie.
    fn scan(&self, trie: &Trie, bytes: &ByteSet) {
        let mut found: Vec<Vec<Occurrence>> = (0..256).map(|_| Vec::new()).collect();
        for byte in bytes.iter() {
            found[usize::from(byte)].reserve_exact(self.max_count(byte));
        }
        find(trie, bytes, |byte, place| found[usize::from(byte)].push(place));
        for byte in bytes.iter() {
            let found = std::mem::take(&mut found[usize::from(byte)]);
            self.lists[usize::from(byte)].get_or_init(|| found);
        }
    }

    /// Makes the lists of some bytes that are missing, in one pass.
    pub fn prepare(&self, trie: &Trie, bytes: &ByteSet) {
        let missing = ByteSet::from_bytes(bytes.iter().filter(|&byte| self.known_count(byte).is_none()));
        if !missing.is_empty() {
            self.scan(trie, &missing);
        }
    }

    /// The occurrences of `byte`, by node.
    pub fn get(&self, byte: u8, trie: &Trie) -> &[Occurrence] {
        self.lists[usize::from(byte)].get_or_init(|| {
            let mut found = Vec::with_capacity(self.max_count(byte));
            find(trie, &ByteSet::range(byte, byte), |_, place| found.push(place));
            found
        })
    }

    /// The length of the list of `byte`, if it was made.
    pub fn known_count(&self, byte: u8) -> Option<usize> {
        self.lists[usize::from(byte)].get().map(Vec::len)
    }

    /// The nodes one whole character below the root that have children, by node.
    pub fn singles(&self, trie: &Trie) -> &[Single] {
        self.singles.get_or_init(|| {
            let mut singles = Vec::new();
            let mut begun = vec![(NodeId::ROOT, Read::default())];
            while let Some((node, before)) = begun.pop() {
                for (byte, child) in trie.children(node).filter(|&(_, child)| trie.has_children(child)) {
                    let read = before.push(byte);
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

    /// An upper bound on the occurrences of `byte`, without making its list.
    pub fn max_count(&self, byte: u8) -> usize {
        self.counts[usize::from(byte)] as usize
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        let lists = self.lists.iter().filter_map(Once::get);
        let singles = self.singles.get().map_or(0, |singles| size_of_val(&**singles));
        lists.map(|list| list.capacity() * size_of::<Occurrence>()).sum::<usize>() + singles
    }
}

/// The occurrences of several bytes, in node order, by one sequential pass over the trie.
fn find(trie: &Trie, wanted: &ByteSet, mut found: impl FnMut(u8, Occurrence)) {
    // The ancestors of the node: (end of the subtree, bytes read).
    let mut above = vec![(trie.end(NodeId::ROOT), Read::default())];
    let mut node = NodeId::ROOT.next();
    while let Some(&(end, before)) = above.last() {
        if node >= end {
            above.pop();
            continue;
        }
        let byte = trie.byte(node);
        if wanted.contains(byte) {
            if let Some(place) = before.occurrence(byte, node, trie.token_from(node), above.len() - 1) {
                found(byte, place);
            }
        }
        if trie.can_hold(node, wanted) {
            above.push((trie.end(node), before.push(byte)));
            node = node.next();
        } else {
            node = trie.end(node);
        }
    }
}

/// The bytes read so far: whole characters, and the beginning of the next.
#[derive(Clone, Copy, Default)]
struct Read {
    class: CharClass,
    chars: u16,
    spaces: Spaces,
    begun: u8,
    part: [u8; 4],
}

/// The spaces among the characters.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Spaces {
    #[default]
    Nothing,
    /// A space first, and no other.
    SpacePrefixed,
    Other,
}

impl Read {
    /// The occurrence of `byte` behind these bytes; `None` inside a character or for a continuation byte.
    fn occurrence(self, byte: u8, node: NodeId, token: u32, depth: usize) -> Option<Occurrence> {
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

    /// These bytes and one more.
    fn push(mut self, byte: u8) -> Self {
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
        // After four bytes without a character `get_mut` above fails, and the state stays malformed.
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
    fn a_scan_and_lookups_by_node_agree() {
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
        let trie = Trie::new(0..texts.len() as u32, |id| texts[id as usize]);
        let index = ByteIndex::new(&trie);
        for byte in 0..=255 {
            let nodes = (1..trie.len()).map(NodeId::at).filter(|&node| trie.byte(node) == byte);
            let expected = nodes.filter_map(|node| {
                let path = trie.path(node);
                let before = path[..path.len() - 1].iter().fold(Read::default(), |before, &byte| before.push(byte));
                before.occurrence(byte, node, trie.token_from(node), path.len() - 1)
            });
            let expected: Vec<Occurrence> = expected.collect();
            assert_eq!(format!("{:?}", index.get(byte, &trie)), format!("{expected:?}"), "{byte:#x}");
        }
    }
}
