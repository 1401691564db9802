//! Token id → bytes, as a trie and as an index by byte; built once per tokenizer and shared by every grammar.

use crate::blur::Openings;
use crate::byteset::ByteSet;
use crate::cache;
use crate::error::{Error, Result};
use crate::length::Lengths;
use crate::local::{Forest, Local, Pieces};
use crate::term::Hasher128;
use crate::text::Texts;
use crate::trie::Trie;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// One bit per token id.
pub type Bits = Arc<[u32]>;

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
    pub before: Class,
    /// Whether the first of them is a space and no other is.
    pub led: bool,
}

/// Characters by their first bytes: ASCII, and the lead bytes from 0xc0 on. A u128 would be aligned to 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Class {
    ascii: [u64; 2],
    leads: u64,
}

impl Class {
    pub fn new(ascii: u128, leads: u64) -> Self {
        Class { ascii: [ascii as u64, (ascii >> 64) as u64], leads }
    }

    pub fn ascii(self) -> u128 {
        u128::from(self.ascii[0]) | u128::from(self.ascii[1]) << 64
    }

    pub fn leads(self) -> u64 {
        self.leads
    }

    pub fn contains(self, byte: u8) -> bool {
        match byte {
            0..=0x7f => self.ascii[byte as usize >> 6] >> (byte & 63) & 1 == 1,
            0x80..=0xbf => false,
            0xc0.. => self.leads >> (byte - 0xc0) & 1 == 1,
        }
    }

    pub fn is_within(self, other: Class) -> bool {
        self.ascii[0] & !other.ascii[0] == 0 && self.ascii[1] & !other.ascii[1] == 0 && self.leads & !other.leads == 0
    }

    pub fn with(mut self, byte: u8) -> Self {
        match byte {
            0..=0x7f => self.ascii[byte as usize >> 6] |= 1 << (byte & 63),
            0x80..=0xbf => {}
            0xc0.. => self.leads |= 1 << (byte - 0xc0),
        }
        self
    }
}

/// What was read on the way to a node.
#[derive(Clone, Copy, Default)]
struct Read {
    before: Class,
    chars: u16,
    depth: u16,
    led: bool,
}

/// What a token is made of.
#[derive(Clone, Copy)]
struct Shape {
    class: Class,
    chars: u16,
    wide: bool,
    /// Valid UTF-8 from its first byte on; only the last character may be cut.
    valid: bool,
}

/// Real tokens have at most a few hundred bytes; walks recurse once per byte.
const LONGEST_TOKEN: usize = 4_096;

/// Sixty times the largest vocabulary there is; every set of tokens has a bit for each id.
const MOST_IDS: usize = 1 << 24;

/// Bytes of what heads do to a vocabulary, kept for all grammars. A thousand real schemas learn some tens of megabytes.
const LOCALS: usize = 64 << 20;

/// Bytes of the tokens of classes: some hundred classes.
const CLASSES: usize = 4 << 20;

/// Bytes of merged subtries: those below the ends of texts, say, of which most heads have one of a few sets.
const FORESTS: usize = 8 << 20;

pub struct Vocabulary {
    tokens: Texts,
    size: usize,
    pub eos: Vec<u32>,
    pub special: Vec<(String, u32)>,
    pub trie: Trie,
    pub(crate) pieces: Pieces,
    lengths: Lengths,
    contents: Contents,
    occurrences: Vec<Vec<Occurrence>>,
    /// The bytes that tokens begin with.
    pub(crate) begins: ByteSet,
    /// Code points of the longest token.
    pub longest: u32,
    pub(crate) long: Long,
    pub(crate) openings: Openings,
    classes: cache::Cache<Class, Bits>,
    /// What heads do to this vocabulary, for all grammars.
    pub(crate) locals: cache::Cache<u128, Local>,
    /// Under a hash of the nodes.
    forests: cache::Cache<u128, Arc<Forest>>,
}

impl Vocabulary {
    /// `tokens[i]` is the text of token i, None where it never matches text. `size` counts the logits.
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

    /// The same from the texts of all tokens one after another and the length of each, 0 where it never matches text.
    pub fn from_block(
        lengths: impl ExactSizeIterator<Item = u32>,
        block: &[u8],
        special: Vec<(String, u32)>,
        mut eos: Vec<u32>,
        size: usize,
    ) -> Result<Self> {
        if size < lengths.len() {
            return Err(Error::Vocabulary(format!("size is {size}, but there are {} tokens", lengths.len())));
        }
        if size > MOST_IDS {
            return Err(Error::Vocabulary(format!("size is {size}; more than {MOST_IDS} ids are a mistake")));
        }
        eos.sort_unstable();
        eos.dedup();
        if let Some(&id) = eos.iter().chain(special.iter().map(|(_, id)| id)).find(|&&id| id as usize >= size) {
            return Err(Error::Vocabulary(format!("token id {id} is beyond the vocabulary of {size}")));
        }
        let silent: Vec<u32> = eos.iter().copied().chain(special.iter().map(|&(_, id)| id)).collect();
        let tokens = Texts::of(lengths, block, &silent)?;
        if let Some(id) = tokens.iter().position(|text| text.len() > LONGEST_TOKEN) {
            return Err(Error::Vocabulary(format!("token {id} is longer than {LONGEST_TOKEN} bytes")));
        }
        let beside = || {
            let (contents, chars) = Contents::of(&tokens, size);
            let long = Long::of(&tokens, &chars, size);
            (contents, long, Openings::of(&tokens), Lengths::new(chars, size.div_ceil(32)))
        };
        let spelled = || {
            let texts = tokens.iter().enumerate().filter(|(_, text)| !text.is_empty());
            let trie = Trie::new(texts.map(|(id, text)| (text, id as u32)));
            let mut index = Index::new(&trie);
            index.below(0, Read::default());
            let occurrences = index.occurrences;
            (trie, occurrences)
        };
        // Neither half asks the other: a large vocabulary is there in half the time where there are two cores.
        let ((trie, occurrences), (contents, long, openings, lengths)) = std::thread::scope(|scope| {
            let helper = std::thread::Builder::new().spawn_scoped(scope, beside);
            (spelled(), helper.ok().and_then(|helper| helper.join().ok()).unwrap_or_else(beside))
        });
        let mut begins = ByteSet::EMPTY;
        let mut child = 1;
        while child < trie.end(0) {
            begins = begins.union(&ByteSet::range(trie.byte(child), trie.byte(child)));
            child = trie.end(child);
        }
        Ok(Vocabulary {
            size,
            eos,
            special,
            trie,
            pieces: Pieces::default(),
            longest: lengths.longest,
            lengths,
            contents,
            occurrences,
            begins,
            long,
            openings,
            tokens,
            classes: cache::Cache::new(CLASSES),
            locals: cache::Cache::new(LOCALS),
            forests: cache::Cache::new(FORESTS),
        })
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn mask_words(&self) -> usize {
        self.size.div_ceil(32)
    }

    pub fn token(&self, id: u32) -> Option<&[u8]> {
        self.tokens.get(id)
    }

    /// Code points of a token.
    pub(crate) fn chars(&self, token: u32) -> u32 {
        self.lengths.chars(token)
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn special_id(&self, name: &str) -> Option<u32> {
        self.special.iter().find(|(other, _)| other == name).map(|&(_, id)| id)
    }

    pub fn memory_bytes(&self) -> usize {
        let occurrences: usize = self.occurrences.iter().map(|list| list.capacity() * size_of::<Occurrence>()).sum();
        let locals = self.locals.memory_bytes();
        self.tokens.memory_bytes()
            + occurrences
            + self.lengths.memory_bytes()
            + self.contents.memory_bytes()
            + self.long.memory_bytes()
            + self.trie.memory_bytes()
            + self.classes.memory_bytes()
            + locals
            + self.forests.memory_bytes()
            + self.pieces.memory_bytes()
    }

    /// Whether some token begins with a byte of the span.
    pub fn begins_between(&self, low: u8, high: u8) -> bool {
        (low..=high).any(|byte| self.begins.contains(byte))
    }

    pub(crate) fn occurrences(&self, byte: u8) -> &[Occurrence] {
        &self.occurrences[byte as usize]
    }

    /// The tokens made of these characters only; the last one may be cut.
    pub(crate) fn class(&self, class: Class) -> Bits {
        if let Some(bits) = self.classes.get(class) {
            return bits;
        }
        let bits = self.contents.made_of(class);
        self.classes.put(class, bits.clone(), 4 * bits.len());
        bits
    }

    /// A space and then nothing but these characters, no space among them.
    pub(crate) fn led(&self, class: Class) -> impl Iterator<Item = u32> + '_ {
        let bits = self.class(class.with(b' '));
        self.contents.led.iter().enumerate().map(move |(place, led)| led & bits[place])
    }

    /// What lies below these nodes, merged.
    pub(crate) fn forest(&self, mut nodes: Vec<u32>) -> Arc<Forest> {
        nodes.sort_unstable();
        let mut hash = Hasher128::new(0);
        nodes.iter().for_each(|&node| hash.word(node.into()));
        let hash = hash.finish();
        if let Some(forest) = self.forests.get(hash) {
            return forest;
        }
        let forest = Arc::new(Forest { trie: self.trie.merged(&nodes), pieces: Pieces::default() });
        self.forests.put(hash, forest.clone(), forest.trie.memory_bytes());
        forest
    }

    /// The tokens of at most `chars` code points.
    pub(crate) fn at_most(&self, chars: u32) -> Bits {
        self.lengths.at_most(chars, &self.contents.present)
    }
}

/// Where every byte occurs, found in one walk.
struct Index<'a> {
    trie: &'a Trie,
    occurrences: Vec<Vec<Occurrence>>,
}

impl<'a> Index<'a> {
    fn new(trie: &'a Trie) -> Self {
        // Lists that grow would end half empty, and leave what they grew out of behind.
        let mut counts = [0; 256];
        (1..trie.len() as u32).for_each(|node| counts[usize::from(trie.byte(node))] += 1);
        (0x80..0xc0).for_each(|inner| counts[inner] = 0);
        Index { trie, occurrences: counts.map(Vec::with_capacity).into() }
    }

    fn below(&mut self, node: u32, read: Read) {
        let mut next = node + 1;
        while next < self.trie.end(node) {
            let (byte, child) = (self.trie.byte(next), next);
            next = self.trie.end(child);
            if byte < 0x80 {
                self.note(byte, child, read);
                let before = read.before.with(byte);
                let led = if byte == b' ' { node == 0 } else { read.led };
                self.below(child, Read { before, chars: read.chars + 1, depth: read.depth + 1, led });
            } else {
                if byte >= 0xc0 {
                    self.note(byte, child, read);
                }
                self.char(child, read, [byte, 0, 0, 0], 1);
            }
        }
    }

    /// At `node`, some bytes of a character beyond ASCII were read; go on where it is complete and valid.
    fn char(&mut self, node: u32, read: Read, bytes: [u8; 4], count: usize) {
        match std::str::from_utf8(&bytes[..count]) {
            Ok(_) => {
                let (chars, depth) = (read.chars + 1, read.depth + count as u16);
                self.below(node, Read { before: read.before.with(bytes[0]), chars, depth, led: read.led });
            }
            Err(error) if error.error_len().is_none() && count < 4 => {
                let mut child = node + 1;
                while child < self.trie.end(node) {
                    let mut longer = bytes;
                    longer[count] = self.trie.byte(child);
                    self.char(child, read, longer, count + 1);
                    child = self.trie.end(child);
                }
            }
            Err(_) => {}
        }
    }

    fn note(&mut self, byte: u8, node: u32, read: Read) {
        let Read { before, chars, depth, led } = read;
        let token = self.trie.token_from(node);
        self.occurrences[byte as usize].push(Occurrence { node, token, depth, chars, before, led });
    }
}

/// Code points of a long token. There are few longer ones (797 of Llama 3's 128,256), but on their account a count would
/// have to be kept exact from 128 on.
pub(crate) const FAR: u32 = 16;

/// The long tokens by themselves.
pub(crate) struct Long {
    /// By length, doubled from band to band: in each, counts beyond its longest token are alike.
    pub bands: Vec<Band>,
    /// All tokens but these.
    pub others: Bits,
}

pub(crate) struct Band {
    pub longest: u32,
    pub trie: Trie,
    pub pieces: Pieces,
}

impl Long {
    fn of(tokens: &Texts, chars: &[u16], size: usize) -> Self {
        let mut others = vec![u32::MAX; size.div_ceil(32)];
        let mut bands: BTreeMap<u32, Vec<(&[u8], u32)>> = BTreeMap::new();
        for (id, (&chars, text)) in chars.iter().zip(tokens.iter()).enumerate() {
            let chars = u32::from(chars);
            if chars > FAR && !text.is_empty() {
                others[id >> 5] &= !(1 << (id & 31));
                bands.entry(chars.next_power_of_two()).or_default().push((text, id as u32));
            }
        }
        let band = |(longest, texts): (u32, Vec<_>)| Band {
            longest,
            trie: Trie::new(texts.into_iter()),
            pieces: Pieces::default(),
        };
        Long { bands: bands.into_iter().map(band).collect(), others: others.into() }
    }

    fn memory_bytes(&self) -> usize {
        self.bands.iter().map(|band| band.trie.memory_bytes() + band.pieces.memory_bytes()).sum()
    }
}

/// Which tokens hold which bytes, as bits: a tree over the ASCII bytes, so that any class is a few unions.
struct Contents {
    /// Node n stands for its children 2n and 2n + 1; leaf 128 + b for byte b.
    holding: Vec<Vec<u32>>,
    present: Vec<u32>,
    /// Those that hold bytes beyond ASCII, and those of them that are valid UTF-8 but for a cut last character.
    wide: Vec<u32>,
    valid: Vec<u32>,
    /// Those that begin with a space and hold no other.
    led: Vec<u32>,
    /// (lead byte - 0xc0, those that hold it).
    leads: Vec<(u32, Vec<u32>)>,
}

impl Contents {
    /// With the code points of each token.
    fn of(tokens: &Texts, size: usize) -> (Self, Vec<u16>) {
        let mut chars = Vec::with_capacity(tokens.len());
        let empty = || vec![0u32; size.div_ceil(32)];
        let (mut holding, mut present, mut wide, mut valid) = (vec![empty(); 256], empty(), empty(), empty());
        let mut led = empty();
        let mut leads: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, text) in tokens.iter().enumerate() {
            let shape = shape(text);
            chars.push(shape.chars);
            if text.is_empty() {
                continue;
            }
            let (word, bit) = (id >> 5, 1 << (id & 31));
            present[word] |= bit;
            if text[0] == b' ' && !text[1..].contains(&b' ') {
                led[word] |= bit;
            }
            if shape.wide {
                wide[word] |= bit;
                valid[word] |= u32::from(shape.valid) * bit;
            }
            let mut left = shape.class.leads;
            while left != 0 {
                leads.entry(left.trailing_zeros()).or_insert_with(empty)[word] |= bit;
                left &= left - 1;
            }
            let mut left = shape.class.ascii();
            while left != 0 {
                holding[128 + left.trailing_zeros() as usize][word] |= bit;
                left &= left - 1;
            }
        }
        for node in (1..128).rev() {
            let (parents, children) = holding.split_at_mut(2 * node);
            let both = children[0].iter().zip(&children[1]);
            parents[node].iter_mut().zip(both).for_each(|(word, (one, two))| *word = one | two);
        }
        holding[0] = Vec::new();
        (Contents { holding, present, wide, valid, led, leads: leads.into_iter().collect() }, chars)
    }

    fn made_of(&self, class: Class) -> Bits {
        let ascii = class.ascii();
        let mut bits = self.present.clone();
        let mut nodes = vec![(1usize, 0u32, 128u32)];
        while let Some((node, from, span)) = nodes.pop() {
            let inside = if span == 128 { ascii } else { ascii >> from & ((1 << span) - 1) };
            if inside == 0 {
                bits.iter_mut().zip(&self.holding[node]).for_each(|(word, holding)| *word &= !holding);
            } else if inside.count_ones() < span {
                nodes.push((2 * node, from, span / 2));
                nodes.push((2 * node + 1, from + span / 2, span / 2));
            }
        }
        for ((word, beyond), valid) in bits.iter_mut().zip(&self.wide).zip(&self.valid) {
            *word &= !beyond | if class.leads != 0 { *valid } else { 0 };
        }
        // Without a lead byte no token beyond ASCII is left.
        let absent = self.leads.iter().filter(|(lead, _)| class.leads != 0 && class.leads >> lead & 1 == 0);
        for (_, holding) in absent {
            bits.iter_mut().zip(holding).for_each(|(word, holding)| *word &= !holding);
        }
        bits.into()
    }

    fn memory_bytes(&self) -> usize {
        self.holding.iter().map(|words| words.len() * 4).sum::<usize>()
            + self.present.len() * 4 * (4 + self.leads.len())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A cache is valid at every step: a thread that panicked while holding it leaves nothing half done.
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn shape(bytes: &[u8]) -> Shape {
    let mut shape = Shape { class: Class::default(), chars: 0, wide: false, valid: true };
    if bytes.is_ascii() {
        bytes.iter().for_each(|&byte| shape.class.ascii[usize::from(byte >> 6)] |= 1 << (byte & 63));
        shape.chars = bytes.len() as u16;
        return shape;
    }
    shape.wide = true;
    for &byte in bytes {
        shape.class = shape.class.with(byte);
        shape.chars += u16::from(crate::term::is_lead(byte));
    }
    if let Err(error) = std::str::from_utf8(bytes) {
        shape.valid = error.error_len().is_none();
    }
    shape
}
