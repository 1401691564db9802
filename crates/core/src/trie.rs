//! A trie over token texts, flat and in depth-first order: the descendants of a node are the nodes after it up to
//! `end`, and so are their tokens.

use crate::byteset::ByteSet;

#[derive(Default)]
pub struct Trie {
    ends: Vec<u32>,
    bytes: Vec<u8>,
    /// `tokens[first[n]..first[n + 1]]` end at node n.
    first: Vec<u32>,
    tokens: Vec<u32>,
    /// The children of node n are `child_from[n]..child_from[n + 1]` of the next two: a walk that wants few of them
    /// finds them without a hop from sibling to sibling.
    /// The bytes that occur below each node: ASCII as bits, all others (and 0) as bit 0.
    below: Vec<u128>,
    child_from: Vec<u32>,
    child_bytes: Vec<u8>,
    child_nodes: Vec<u32>,
}

impl Trie {
    pub fn new<'a>(texts: impl Iterator<Item = (&'a [u8], u32)>) -> Self {
        // Most texts differ in their first eight bytes: one comparison of words.
        let mut sorted: Vec<(u64, &[u8], u32)> = texts.map(|(text, id)| (begin(text), text, id)).collect();
        sorted.sort_unstable();
        let mut trie = Trie::default();
        let likely = 3 * sorted.len();
        trie.ends.reserve(likely);
        trie.bytes.reserve(likely);
        trie.first.reserve(likely);
        trie.open(0);
        let mut path: Vec<u32> = vec![0];
        let mut previous: &[u8] = b"";
        for (_, text, id) in sorted {
            let shared = text.iter().zip(previous).take_while(|(a, b)| a == b).count();
            while path.len() > shared + 1 {
                trie.close(&mut path);
            }
            for &byte in &text[shared..] {
                path.push(trie.open(byte));
            }
            trie.tokens.push(id);
            previous = text;
        }
        while !path.is_empty() {
            trie.close(&mut path);
        }
        trie.seal();
        trie
    }

    /// Once every node is there.
    fn seal(&mut self) {
        self.first.push(self.tokens.len() as u32);
        let nodes = self.len() as u32;
        self.child_from.reserve(self.len() + 1);
        for node in 0..nodes {
            self.child_from.push(self.child_bytes.len() as u32);
            let mut child = node + 1;
            while child < self.end(node) {
                self.child_bytes.push(self.byte(child));
                self.child_nodes.push(child);
                child = self.end(child);
            }
        }
        self.child_from.push(self.child_bytes.len() as u32);
        self.below = vec![0; self.len()];
        for node in (0..nodes).rev() {
            let below = self.children(node).fold(0, |below, (byte, child)| {
                let own = if byte < 0x80 { 1 << byte } else { 1 };
                below | own | self.below[child as usize]
            });
            self.below[node as usize] = below;
        }
    }

    fn open(&mut self, byte: u8) -> u32 {
        self.ends.push(0);
        self.bytes.push(byte);
        self.first.push(self.tokens.len() as u32);
        self.ends.len() as u32 - 1
    }

    fn close(&mut self, path: &mut Vec<u32>) {
        if let Some(node) = path.pop() {
            self.ends[node as usize] = self.ends.len() as u32;
        }
    }

    /// What lies below several nodes of `self`, merged: one walk then serves them all.
    pub fn merged(&self, nodes: &[u32]) -> Trie {
        let mut forest = Trie::default();
        self.merge_into(nodes, 0, &mut forest);
        // The root's tokens ended at the given nodes: they are not below them.
        forest.seal();
        forest
    }

    fn merge_into(&self, nodes: &[u32], byte: u8, forest: &mut Trie) {
        let here = forest.open(byte);
        if here != 0 {
            nodes.iter().for_each(|&node| forest.tokens.extend_from_slice(self.tokens_at(node)));
        }
        let mut children: Vec<(u8, u32)> = Vec::new();
        nodes.iter().for_each(|&node| children.extend(self.children(node)));
        children.sort_unstable();
        for group in children.chunk_by(|a, b| a.0 == b.0) {
            let nodes: Vec<u32> = group.iter().map(|&(_, child)| child).collect();
            self.merge_into(&nodes, group[0].0, forest);
        }
        forest.ends[here as usize] = forest.ends.len() as u32;
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn end(&self, node: u32) -> u32 {
        self.ends[node as usize]
    }

    pub fn byte(&self, node: u32) -> u8 {
        self.bytes[node as usize]
    }

    /// (byte, node) of every child, ascending.
    pub fn children(&self, node: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        let (from, to) = (self.child_from[node as usize] as usize, self.child_from[node as usize + 1] as usize);
        self.child_bytes[from..to].iter().copied().zip(self.child_nodes[from..to].iter().copied())
    }

    /// The children by the bytes of a set.
    pub fn children_in<'a>(&'a self, node: u32, bytes: &'a ByteSet) -> impl Iterator<Item = (u8, u32)> + 'a {
        let (from, to) = (self.child_from[node as usize] as usize, self.child_from[node as usize + 1] as usize);
        // One byte is what most heads are waiting for.
        let (from, to) = match bytes.single() {
            Some(byte) => match self.child_bytes[from..to].binary_search(&byte) {
                Ok(place) => (from + place, from + place + 1),
                Err(_) => (from, from),
            },
            None => (from, to),
        };
        let children = self.child_bytes[from..to].iter().copied().zip(self.child_nodes[from..to].iter().copied());
        children.filter(|&(byte, _)| bytes.contains(byte))
    }

    /// Where a byte leads from a node.
    pub fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let (from, to) = (self.child_from[node as usize] as usize, self.child_from[node as usize + 1] as usize);
        let place = self.child_bytes[from..to].binary_search(&byte).ok()?;
        Some(self.child_nodes[from + place])
    }

    /// Where a text leads from a node.
    pub fn find(&self, node: u32, text: &[u8]) -> Option<u32> {
        text.iter().try_fold(node, |node, &byte| self.child(node, byte))
    }

    /// Tokens that end at the node.
    pub fn tokens_at(&self, node: u32) -> &[u32] {
        &self.tokens[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Whether all bytes below the node are ASCII ones of the class.
    pub fn is_made_of(&self, node: u32, class: u128) -> bool {
        self.below[node as usize] & !(class & !1) == 0
    }

    /// Tokens that end before the node, in the order of nodes.
    pub fn tokens_before(&self, node: u32) -> usize {
        self.first[node as usize] as usize
    }

    /// A run of tokens in the order of nodes, as counted by `tokens_before`.
    pub fn tokens_between(&self, from: usize, to: usize) -> &[u32] {
        &self.tokens[from..to]
    }

    /// Some token that ends at the node or below it.
    pub fn token_from(&self, node: u32) -> u32 {
        self.tokens[self.first[node as usize] as usize]
    }

    /// Tokens that end below the node.
    pub fn tokens_below(&self, node: u32) -> &[u32] {
        let from = self.first[node as usize + 1] as usize;
        let to = self.first[self.end(node) as usize] as usize;
        &self.tokens[from.min(to)..to]
    }

    pub fn memory_bytes(&self) -> usize {
        self.ends.len() * 34 + self.tokens.len() * 4
    }
}

/// The first eight bytes as a number that sorts as they do.
fn begin(text: &[u8]) -> u64 {
    let mut word = [0; 8];
    let count = text.len().min(8);
    word[..count].copy_from_slice(&text[..count]);
    u64::from_be_bytes(word)
}
