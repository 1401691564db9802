//! Token texts → a trie of them, flat and in depth-first order: the descendants of a node are the nodes after it up
//! to `end`, and so are their tokens.

use crate::byteset::ByteSet;

/// As many children are sorted by counting their bytes.
const COUNTED_FROM: usize = 64;

#[derive(Default)]
pub struct Trie {
    /// With one more behind the last.
    nodes: Vec<Node>,
    tokens: Vec<u32>,
    /// The bytes that occur below each node: ASCII as bits, all others (and 0) as bit 0. Only of a vocabulary.
    below: Vec<u128>,
    child_bytes: Vec<u8>,
    child_nodes: Vec<u32>,
}

/// All that a walk asks of a node and of its first child lies side by side, most often in one line of the cache.
#[derive(Clone, Copy)]
struct Node {
    end: u32,
    /// Its tokens begin here; those of the next node end them.
    first: u32,
    /// So do the children in `child_bytes` and `child_nodes`: a walk that wants few of many finds them without a hop from
    /// sibling to sibling.
    child_from: u32,
    byte: u8,
}

impl Trie {
    pub fn new<'a>(texts: impl Iterator<Item = (&'a [u8], u32)>) -> Self {
        // Most texts differ in their first eight bytes: one comparison of words.
        let mut sorted: Vec<(u64, &[u8], u32)> = texts.map(|(text, id)| (begin(text), text, id)).collect();
        sorted.sort_unstable();
        let mut trie = Trie::default();
        let mut previous: &[u8] = b"";
        let mut shares = Vec::with_capacity(sorted.len());
        let mut count = 1;
        for &(_, text, _) in &sorted {
            let shared = text.iter().zip(previous).take_while(|(a, b)| a == b).count();
            count += text.len() - shared;
            shares.push(shared);
            previous = text;
        }
        // Room for more would be given by whole huge pages, and lie there unused.
        trie.nodes.reserve_exact(count + 1);
        trie.below.reserve_exact(count);
        trie.tokens.reserve_exact(sorted.len());
        let mut path: Vec<u32> = vec![trie.open(0)];
        trie.below.push(0);
        for ((_, text, id), shared) in sorted.into_iter().zip(shares) {
            while path.len() > shared + 1 {
                trie.close(&mut path);
            }
            for &byte in &text[shared..] {
                path.push(trie.open(byte));
                trie.below.push(0);
            }
            trie.tokens.push(id);
        }
        while !path.is_empty() {
            trie.close(&mut path);
        }
        trie.seal();
        trie
    }

    /// Once every node is there.
    fn seal(&mut self) {
        let count = self.nodes.len() as u32;
        self.open(0);
        self.child_bytes.reserve_exact(count as usize);
        self.child_nodes.reserve_exact(count as usize);
        for node in 0..count {
            self.nodes[node as usize].child_from = self.child_bytes.len() as u32;
            let mut child = node + 1;
            while child < self.end(node) {
                self.child_bytes.push(self.byte(child));
                self.child_nodes.push(child);
                child = self.end(child);
            }
        }
        self.nodes[count as usize].child_from = self.child_bytes.len() as u32;
    }

    fn open(&mut self, byte: u8) -> u32 {
        self.nodes.push(Node { end: 0, first: self.tokens.len() as u32, child_from: 0, byte });
        self.nodes.len() as u32 - 1
    }

    fn close(&mut self, path: &mut Vec<u32>) {
        let Some(node) = path.pop() else { return };
        self.nodes[node as usize].end = self.nodes.len() as u32;
        if let Some(&parent) = path.last() {
            let byte = self.byte(node);
            let own = if byte < 0x80 { 1 << byte } else { 1 };
            self.below[parent as usize] |= own | self.below[node as usize];
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
        let children = self.children_of(nodes);
        for group in children.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, child)] = *group {
                self.copy_into(child, forest);
            } else {
                let nodes: Vec<u32> = group.iter().map(|&(_, child)| child).collect();
                self.merge_into(&nodes, group[0].0, forest);
            }
        }
        forest.nodes[here as usize].end = forest.nodes.len() as u32;
    }

    /// All children of several nodes, by their bytes.
    fn children_of(&self, nodes: &[u32]) -> Vec<(u8, u32)> {
        let count = nodes.iter().map(|&node| self.family(node).len()).sum();
        let children = || nodes.iter().flat_map(|&node| self.children(node));
        if count < COUNTED_FROM {
            let mut children: Vec<(u8, u32)> = children().collect();
            children.sort_unstable();
            return children;
        }
        let mut places = [0; 257];
        children().for_each(|(byte, _)| places[usize::from(byte) + 1] += 1);
        (0..256).for_each(|byte| places[byte + 1] += places[byte]);
        let mut sorted = vec![(0, 0); count];
        for (byte, child) in children() {
            let place = &mut places[usize::from(byte)];
            sorted[*place] = (byte, child);
            *place += 1;
        }
        sorted
    }

    /// A node and all below it, as they are.
    fn copy_into(&self, node: u32, forest: &mut Trie) {
        let (tokens, count) = (forest.tokens.len() as u32, forest.nodes.len() as u32);
        let from = self.node(node).first;
        let nodes = &self.nodes[node as usize..self.end(node) as usize];
        forest.nodes.extend(nodes.iter().map(|other| Node {
            end: other.end - node + count,
            first: other.first - from + tokens,
            ..*other
        }));
        forest.tokens.extend_from_slice(self.tokens_between(from as usize, self.tokens_before(self.end(node))));
    }

    pub fn len(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub fn end(&self, node: u32) -> u32 {
        self.node(node).end
    }

    pub fn byte(&self, node: u32) -> u8 {
        self.node(node).byte
    }

    /// The places of its children among all.
    pub fn family(&self, node: u32) -> std::ops::Range<usize> {
        self.node(node).child_from as usize..self.node(node + 1).child_from as usize
    }

    /// (byte, node) of the child at a place.
    pub fn child_at(&self, place: usize) -> (u8, u32) {
        (self.child_bytes[place], self.child_nodes[place])
    }

    /// (byte, node) of every child, ascending.
    pub fn children(&self, node: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        let family = self.family(node);
        self.child_bytes[family.clone()].iter().copied().zip(self.child_nodes[family].iter().copied())
    }

    /// The children by the bytes of a set.
    pub fn children_in<'a>(&'a self, node: u32, bytes: &'a ByteSet) -> impl Iterator<Item = (u8, u32)> + 'a {
        // One byte is what most heads are waiting for.
        let family = match bytes.single() {
            Some(byte) => self.place(node, byte).map_or(0..0, |place| place..place + 1),
            None => self.family(node),
        };
        let children = self.child_bytes[family.clone()].iter().copied().zip(self.child_nodes[family].iter().copied());
        children.filter(|&(byte, _)| bytes.contains(byte))
    }

    /// Whether a child is reached by a byte of the set.
    pub fn leads_on(&self, node: u32, bytes: &ByteSet) -> bool {
        self.child_bytes[self.family(node)].iter().any(|&byte| bytes.contains(byte))
    }

    fn place(&self, node: u32, byte: u8) -> Option<usize> {
        let family = self.family(node);
        let place = self.child_bytes[family.clone()].binary_search(&byte).ok()?;
        Some(family.start + place)
    }

    /// Where a byte leads from a node.
    pub fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let only = self.node(node + 1);
        if only.end == self.end(node) {
            return (only.byte == byte).then_some(node + 1);
        }
        self.place(node, byte).map(|place| self.child_nodes[place])
    }

    /// What leads to a node from the root.
    pub fn path(&self, node: u32) -> Vec<u8> {
        let (mut path, mut at) = (Vec::new(), 0);
        while at != node {
            let children = &self.child_nodes[self.family(at)];
            at = children[children.partition_point(|&child| child <= node) - 1];
            path.push(self.byte(at));
        }
        path
    }

    /// Where a text leads from a node.
    pub fn find(&self, node: u32, text: &[u8]) -> Option<u32> {
        text.iter().try_fold(node, |node, &byte| self.child(node, byte))
    }

    /// Tokens that end at the node.
    pub fn tokens_at(&self, node: u32) -> &[u32] {
        &self.tokens[self.tokens_before(node)..self.tokens_before(node + 1)]
    }

    /// Whether all bytes below the node are ASCII ones of the class, as far as that is known.
    pub fn is_made_of(&self, node: u32, class: u128) -> bool {
        self.below.get(node as usize).is_some_and(|below| below & !(class & !1) == 0)
    }

    /// Tokens that end before the node, in the order of nodes.
    pub fn tokens_before(&self, node: u32) -> usize {
        self.node(node).first as usize
    }

    /// A run of tokens in the order of nodes, as counted by `tokens_before`.
    pub fn tokens_between(&self, from: usize, to: usize) -> &[u32] {
        &self.tokens[from..to]
    }

    /// Some token that ends at the node or below it.
    pub fn token_from(&self, node: u32) -> u32 {
        self.tokens[self.tokens_before(node)]
    }

    /// Tokens that end below the node.
    pub fn tokens_below(&self, node: u32) -> &[u32] {
        let from = self.tokens_before(node + 1);
        let to = self.tokens_before(self.end(node));
        &self.tokens[from.min(to)..to]
    }

    pub fn memory_bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + 21) + self.tokens.len() * 4
    }
}

/// The first eight bytes as a number that sorts as they do.
fn begin(text: &[u8]) -> u64 {
    let mut word = [0; 8];
    let count = text.len().min(8);
    word[..count].copy_from_slice(&text[..count]);
    u64::from_be_bytes(word)
}
