//! Token texts → a trie of them, flat and in depth-first order: the descendants of a node are the nodes after it up
//! to `end`, and so are their tokens.

use crate::bytes::byteset::ByteSet;

/// As many children are sorted by counting their bytes.
const COUNTED_FROM: usize = 64;

/// Bytes that are compared at once.
const BLOCK: usize = 32;

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
    /// Of the texts under these ids.
    pub fn new<'a>(ids: impl Iterator<Item = u32>, text: impl Fn(u32) -> &'a [u8]) -> Self {
        let keys = Key::sorted(ids, &text);
        // With how much each text shares with the one before it.
        let shares = || {
            let shared = keys.windows(2).map(|pair| pair[1].shared(pair[0], &text));
            keys.iter().copied().zip(std::iter::once(0).chain(shared))
        };
        let count = 1 + shares().map(|(key, shared)| key.length(&text) - shared).sum::<usize>();
        let mut trie = Trie::default();
        // Room for more would be given by whole huge pages, and lie there unused.
        trie.nodes.reserve_exact(count + 1);
        trie.tokens.reserve_exact(keys.len());
        // Its parent, and which of its parent's children it is.
        let mut places: Vec<(u32, u8)> = Vec::with_capacity(count);
        let mut path: Vec<u32> = vec![trie.open(0)];
        places.push((0, 0));
        for (key, shared) in shares() {
            path.truncate(shared + 1);
            let begin = key.begin();
            let text = if key.is_whole() { &begin[..key.count()] } else { text(key.id()) };
            let mut parent = path[shared];
            for &byte in &text[shared..] {
                let siblings = &mut trie.nodes[parent as usize].child_from;
                places.push((parent, *siblings as u8));
                *siblings += 1;
                parent = trie.open(byte);
                path.push(parent);
            }
            trie.tokens.push(key.id());
        }
        trie.close(&places);
        trie
    }

    /// What is below each node, all children counted. Pass by pass: whatever is done node by node as the texts go up and
    /// down is waited for at every turn.
    fn close(&mut self, places: &[(u32, u8)]) {
        let count = self.nodes.len();
        self.open(0);
        let mut children = 0;
        for node in &mut self.nodes {
            children += std::mem::replace(&mut node.child_from, children);
        }
        self.below = vec![0; count];
        self.child_bytes = vec![0; count - 1];
        self.child_nodes = vec![0; count - 1];
        for (node, &(parent, sibling)) in places.iter().enumerate().skip(1).rev() {
            let Node { end, byte, .. } = self.nodes[node];
            let end = end.max(node as u32 + 1);
            self.nodes[node].end = end;
            let parent = parent as usize;
            let above = &mut self.nodes[parent];
            above.end = above.end.max(end);
            let place = above.child_from as usize + usize::from(sibling);
            self.child_bytes[place] = byte;
            self.child_nodes[place] = node as u32;
            self.below[parent] |= self.below[node] | if byte < 0x80 { 1 << byte } else { 1 };
        }
        self.nodes[0].end = count as u32;
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

    /// Whether a byte of the set may occur below the node.
    pub fn may_hold(&self, node: u32, bytes: &ByteSet) -> bool {
        self.below.get(node as usize).is_none_or(|&below| {
            let [low, high, others @ ..] = bytes.0;
            let others = others != [0, 0] || low & 1 != 0;
            below & (u128::from(low & !1 | u64::from(others)) | u128::from(high) << 64) != 0
        })
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

    /// How many nodes are reached by each byte.
    pub fn counts(&self) -> [u32; 256] {
        let mut counts = [0; 256];
        self.child_bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        counts
    }

    /// The nodes that are reached by a byte, ascending.
    pub fn nodes_of(&self, byte: u8) -> Vec<u32> {
        // Children stand by their parents: to mark them takes less than to sort them.
        let mut marks = vec![0u64; self.nodes.len().div_ceil(64)];
        let mut mark = |bytes: &[u8], nodes: &[u32]| {
            let places = bytes.iter().zip(nodes).filter(|&(&other, _)| other == byte);
            places.for_each(|(_, &node)| marks[node as usize >> 6] |= 1 << (node & 63));
        };
        // Most of these blocks have none: they are compared as a whole, which takes little if they are of one size.
        let (bytes, nodes) = (self.child_bytes.chunks_exact(BLOCK), self.child_nodes.chunks_exact(BLOCK));
        let rest = (bytes.remainder(), nodes.remainder());
        for (bytes, nodes) in bytes.zip(nodes) {
            if bytes.iter().fold(0, |any, &other| any | u8::from(other == byte)) != 0 {
                mark(bytes, nodes);
            }
        }
        mark(rest.0, rest.1);
        let mut found = Vec::new();
        for (mut word, from) in marks.into_iter().zip((0..).step_by(64)) {
            while word != 0 {
                found.push(from + word.trailing_zeros());
                word &= word - 1;
            }
        }
        found
    }

    /// The first token through a node, and how many of its bytes come before the node's. Of a vocabulary only.
    pub fn first_through(&self, node: u32, length: impl Fn(u32) -> usize) -> (u32, usize) {
        let first = self.node(node).first;
        // It opened all nodes from this one to its own, one after another.
        let inside = self.nodes[node as usize + 1..].iter().take_while(|next| next.first == first).count();
        let token = self.tokens[first as usize];
        (token, length(token) - 1 - inside)
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

/// A text by its first bytes, its length up to 255, and its id, one below the other: numbers that sort as the texts do,
/// but for texts that differ in later bytes only. Few are longer, and so few are ever fetched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    const BEGIN: usize = 11;

    fn new(text: &[u8], id: u32) -> Self {
        let fold = |key: u128, &byte: &u8| key << 8 | u128::from(byte);
        let begin = match text.get(..Key::BEGIN) {
            Some(begin) => begin.iter().fold(0, fold),
            None => text.iter().fold(0, fold) << (8 * (Key::BEGIN - text.len())),
        };
        Key(begin << 40 | (text.len() as u128).min(255) << 32 | u128::from(id))
    }

    fn sorted<'a>(ids: impl Iterator<Item = u32>, text: &impl Fn(u32) -> &'a [u8]) -> Vec<Key> {
        // Exactly as large as it may become: what a growing list leaves behind is not given back.
        let mut keys = Vec::with_capacity(ids.size_hint().1.unwrap_or_default());
        keys.extend(ids.map(|id| Key::new(text(id), id)));
        keys.sort_unstable();
        for alike in keys.chunk_by_mut(|one, other| one.0 >> 40 == other.0 >> 40) {
            if alike.iter().any(|key| !key.is_whole()) {
                alike.sort_by_key(|key| (text(key.id()), key.id()));
            }
        }
        keys
    }

    /// The first bytes, and more that mean nothing.
    fn begin(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Bytes of the text, up to 255.
    fn count(self) -> usize {
        (self.0 >> 32) as usize & 255
    }

    /// Whether it holds all bytes of its text.
    fn is_whole(self) -> bool {
        self.count() <= Key::BEGIN
    }

    fn id(self) -> u32 {
        self.0 as u32
    }

    fn length<'a>(self, text: &impl Fn(u32) -> &'a [u8]) -> usize {
        match self.count() {
            255 => text(self.id()).len(),
            count => count,
        }
    }

    /// How many bytes two texts have in common at their beginning.
    fn shared<'a>(self, other: Key, text: &impl Fn(u32) -> &'a [u8]) -> usize {
        let alike = (self.0 ^ other.0).leading_zeros() as usize / 8;
        if alike < Key::BEGIN || self.is_whole() || other.is_whole() {
            return alike.min(self.count()).min(other.count());
        }
        text(self.id()).iter().zip(text(other.id())).take_while(|(one, other)| one == other).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sorted_by_all_their_bytes() {
        let mut texts: Vec<Vec<u8>> =
            vec![b"a".to_vec(), b"a\0".to_vec(), b"a".to_vec(), vec![0], vec![0, 0], vec![255]];
        for length in [10, 11, 12, 13, 40, 254, 255, 256, 300] {
            for end in [0, b'a', 255] {
                texts.push(vec![b'a'; length]);
                texts.push([&vec![b'a'; length - 1][..], &[end]].concat());
                texts.push([&vec![0; length - 1][..], &[end]].concat());
            }
        }
        let trie = Trie::new(0..texts.len() as u32, |id| &texts[id as usize]);
        let mut sorted: Vec<(&[u8], u32)> = texts.iter().map(|text| &text[..]).zip(0..).collect();
        sorted.sort_unstable();
        assert_eq!(trie.tokens_below(0), sorted.iter().map(|&(_, id)| id).collect::<Vec<_>>());
        let ends: std::collections::BTreeSet<&[u8]> =
            texts.iter().flat_map(|text| (0..=text.len()).map(|end| &text[..end])).collect();
        assert_eq!(trie.len(), ends.len());
        for (node, path) in (0..).zip(ends) {
            assert_eq!(trie.path(node), path);
            assert_eq!(
                trie.tokens_at(node),
                sorted.iter().filter(|(text, _)| *text == path).map(|&(_, id)| id).collect::<Vec<_>>()
            );
            if node != 0 {
                let through = sorted.iter().find(|(text, _)| text.starts_with(path)).unwrap().1;
                assert_eq!(trie.first_through(node, |id| texts[id as usize].len()), (through, path.len() - 1));
                assert!(trie.nodes_of(path[path.len() - 1]).contains(&node));
            }
        }
    }
}
