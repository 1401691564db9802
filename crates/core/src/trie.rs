//! A trie over token texts, flat and in depth-first order: the descendants of a node are the nodes after it up to
//! `end`, and so are their tokens.

#[derive(Default)]
pub struct Trie {
    ends: Vec<u32>,
    bytes: Vec<u8>,
    /// `tokens[first[n]..first[n + 1]]` end at node n.
    first: Vec<u32>,
    tokens: Vec<u32>,
}

impl Trie {
    pub fn new(mut texts: Vec<(&[u8], u32)>) -> Self {
        texts.sort_unstable();
        let mut trie = Trie::default();
        trie.open(0);
        let mut path: Vec<u32> = vec![0];
        let mut previous: &[u8] = b"";
        for (text, id) in texts {
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
        trie.first.push(trie.tokens.len() as u32);
        trie
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
        forest.first.push(forest.tokens.len() as u32);
        forest
    }

    fn merge_into(&self, nodes: &[u32], byte: u8, forest: &mut Trie) {
        let here = forest.open(byte);
        if here != 0 {
            nodes.iter().for_each(|&node| forest.tokens.extend_from_slice(self.tokens_at(node)));
        }
        let mut children: Vec<(u8, u32)> = Vec::new();
        for &node in nodes {
            let mut child = node + 1;
            while child < self.end(node) {
                children.push((self.byte(child), child));
                child = self.end(child);
            }
        }
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

    /// Tokens that end at the node.
    pub fn tokens_at(&self, node: u32) -> &[u32] {
        &self.tokens[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Tokens that end below the node.
    pub fn tokens_below(&self, node: u32) -> &[u32] {
        let from = self.first[node as usize + 1] as usize;
        let to = self.first[self.end(node) as usize] as usize;
        &self.tokens[from.min(to)..to]
    }

    pub fn memory_bytes(&self) -> usize {
        self.ends.len() * 9 + self.tokens.len() * 4
    }
}
