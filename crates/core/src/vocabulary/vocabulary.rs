//! Token id → bytes, as a trie and as an index by byte; built once per tokenizer and shared by every grammar.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::Class;
use crate::error::{Error, Result};
use crate::mask::accelerate::occurrence_group::{Behind, Way};
use crate::mask::head_mask::Local;
use crate::mask::key::saturated::{Near, NEARS};
use crate::mask::key::Seen;
use crate::mask::mask::Mask;
use crate::mask::merged_trie::{Forest, Pieces};
use crate::regular::derivative::raw;
use crate::regular::term::{is_lead, Hasher128};
use crate::storage::cache;
use crate::vocabulary::byte_index::{Occurrence, Occurrences, Single};
use crate::vocabulary::code_points::Lengths;
use crate::vocabulary::key_prefixes::Openings;
use crate::vocabulary::token_bytes::Texts;
use crate::vocabulary::token_set::Bits;
use crate::vocabulary::trie::Trie;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

/// Real tokens have at most a few hundred bytes; walks recurse once per byte.
const LONGEST_TOKEN: usize = 4_096;

/// Sixty times the largest vocabulary there is; every set of tokens has a bit for each id.
const MOST_IDS: usize = 1 << 24;

/// Bytes of what heads do to a vocabulary, kept for all grammars. A thousand real schemas learn some tens of megabytes.
const LOCALS: usize = 64 << 20;

/// Bytes of the tokens of classes: some hundred classes.
const CLASSES: usize = 4 << 20;

/// Bytes of the places behind characters: some hundred patterns' quotes and backslashes.
const BEHINDS: usize = 2 << 20;

/// Bytes of merged subtries: those below the ends of texts, say, of which most heads have one of a few sets.
const FORESTS: usize = 8 << 20;

/// Bytes of sets without the long tokens, and of those that they were cut from.
const CUT: usize = 1 << 20;

/// Bytes of what tokens see of terms, kept for all grammars: some ten thousand.
const SEEN: usize = 4 << 20;

/// Bytes of masks, kept for all grammars: some ten thousand.
const MASKS: usize = 8 << 20;

pub struct Vocabulary {
    index: Arc<Index>,
    pub(crate) pieces: Pieces,
    pub(crate) long: Long,
    classes: cache::Cache<Class, (Bits, usize)>,
    behinds: cache::Cache<Way, Arc<Behind>>,
    /// What heads do to this vocabulary, for all grammars.
    pub(crate) locals: cache::Cache<u128, Local>,
    /// Under the hash of a head.
    pub(crate) nears: cache::Cache<u128, Near>,
    /// What tokens see of a term, under a hash of it and of the nodes from which they go on.
    pub(crate) seen: cache::Cache<u128, Seen>,
    /// Under the name of a position.
    pub(crate) masks: cache::Cache<u128, Arc<Mask>>,
    /// Under a hash of the nodes.
    forests: cache::Cache<u128, Arc<Forest>>,
}

/// What a vocabulary is before any grammar has used it. It never changes.
pub struct Index {
    tokens: Texts,
    size: usize,
    pub eos: Vec<u32>,
    pub special: Vec<(String, u32)>,
    pub trie: Trie,
    lengths: Lengths,
    contents: Contents,
    occurrences: Occurrences,
    /// The bytes that tokens begin with.
    pub(crate) begins: ByteSet,
    /// Code points of the longest token.
    pub longest: u32,
    pub(crate) openings: Openings,
}

impl Deref for Vocabulary {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.index
    }
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
            return Err(Error::Vocabulary(format!("size is {size}, but there are {} tokens", lengths.len())).into());
        }
        if size > MOST_IDS {
            return Err(Error::Vocabulary(format!("size is {size}; more than {MOST_IDS} ids are a mistake")).into());
        }
        eos.sort_unstable();
        eos.dedup();
        if let Some(&id) = eos.iter().chain(special.iter().map(|(_, id)| id)).find(|&&id| id as usize >= size) {
            return Err(Error::Vocabulary(format!("token id {id} is beyond the vocabulary of {size}")).into());
        }
        let silent: Vec<u32> = eos.iter().copied().chain(special.iter().map(|&(_, id)| id)).collect();
        let tokens = Texts::of(lengths, block, &silent)?;
        if let Some(id) = tokens.iter().position(|text| text.len() > LONGEST_TOKEN) {
            return Err(Error::Vocabulary(format!("token {id} is longer than {LONGEST_TOKEN} bytes")).into());
        }
        let beside = || {
            let (contents, chars) = Contents::of(&tokens, size);
            let long = Long::of(&tokens, &chars, size);
            let firsts = tokens.iter().map(|text| text.first().copied());
            let openings = Openings::of(contents.holding(b'"').filter_map(|id| tokens.get(id)));
            (contents, long, openings, Lengths::new(chars, firsts, size.div_ceil(32)))
        };
        let spelled = || {
            let spoken = (0..tokens.len() as u32).filter(|&id| tokens.get(id).is_some());
            let trie = Trie::new(spoken, |id| tokens.get(id).unwrap_or_default());
            let occurrences = Occurrences::of_usual(&trie);
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
        let longest = lengths.longest;
        let index =
            Index { tokens, size, eos, special, trie, lengths, contents, occurrences, begins, longest, openings };
        Ok(Self::with(Arc::new(index), long))
    }

    /// The same vocabulary as if no grammar had used it yet. It costs little: the index is shared.
    pub(crate) fn without_caches(&self) -> Self {
        Self::with(self.index.clone(), self.long.without_caches())
    }

    fn with(index: Arc<Index>, long: Long) -> Self {
        Vocabulary {
            index,
            pieces: Pieces::default(),
            long,
            classes: cache::Cache::new(CLASSES),
            behinds: cache::Cache::new(BEHINDS),
            locals: cache::Cache::new(LOCALS),
            nears: cache::Cache::new(NEARS),
            seen: cache::Cache::new(SEEN),
            masks: cache::Cache::new(MASKS),
            forests: cache::Cache::new(FORESTS),
        }
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

    /// Whether a token is whole characters that stand for themselves in a JSON string.
    pub(crate) fn is_text(&self, id: u32) -> bool {
        let text = self.tokens.get(id);
        text.is_some_and(|text| text.iter().all(|&byte| raw(byte)) && std::str::from_utf8(text).is_ok())
    }

    /// Code points of a token.
    pub(crate) fn chars(&self, token: u32) -> u32 {
        self.lengths.chars(token)
    }

    /// Code points of the longest token that begins with one of these bytes.
    pub(crate) fn longest_of(&self, begins: &ByteSet) -> u32 {
        self.lengths.longest_of(begins)
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
        let locals = self.locals.memory_bytes();
        self.tokens.memory_bytes()
            + self.occurrences.memory_bytes()
            + self.lengths.memory_bytes()
            + self.contents.memory_bytes()
            + self.long.memory_bytes()
            + self.trie.memory_bytes()
            + self.classes.memory_bytes()
            + self.behinds.memory_bytes()
            + locals
            + self.nears.memory_bytes()
            + self.seen.memory_bytes()
            + self.masks.memory_bytes()
            + self.forests.memory_bytes()
            + self.pieces.memory_bytes()
    }

    /// Whether some token begins with a byte of the span.
    pub fn begins_between(&self, low: u8, high: u8) -> bool {
        (low..=high).any(|byte| self.begins.contains(byte))
    }

    pub(crate) fn occurrences(&self, byte: u8) -> &[Occurrence] {
        self.occurrences.of(byte, &self.trie, &self.tokens)
    }

    /// At most so many there are, without a look for them.
    pub(crate) fn occurrences_at_most(&self, byte: u8) -> usize {
        self.occurrences.at_most(byte)
    }

    /// How many there are, if they have been looked for.
    pub(crate) fn occurrences_known(&self, byte: u8) -> Option<usize> {
        self.occurrences.known(byte)
    }

    /// Where one character leads and tokens go on.
    pub(crate) fn singles(&self) -> &[Single] {
        self.occurrences.singles(&self.trie)
    }

    /// Its places behind some characters.
    pub(crate) fn behind(&self, way: Way) -> Arc<Behind> {
        if let Some(behind) = self.behinds.get(way) {
            return behind;
        }
        let behind = Arc::new(Behind::of(way, self));
        self.behinds.put(way, behind.clone(), behind.bytes());
        behind
    }

    /// The tokens made of these characters only; the last one may be cut.
    pub(crate) fn class(&self, class: Class) -> Bits {
        self.counted(class).0
    }

    /// How many they are.
    pub(crate) fn count_of(&self, class: Class) -> usize {
        self.counted(class).1
    }

    fn counted(&self, class: Class) -> (Bits, usize) {
        if let Some(known) = self.classes.get(class) {
            return known;
        }
        let bits = self.contents.made_of(class);
        let count = bits.iter().map(|word| word.count_ones() as usize).sum();
        self.classes.put(class, (bits.clone(), count), 4 * bits.len());
        (bits, count)
    }

    /// A space and then nothing but these characters, no space among them.
    pub(crate) fn led(&self, class: Class) -> impl Iterator<Item = u32> + '_ {
        let bits = self.class(class.with(b' '));
        self.contents.led.iter().enumerate().map(move |(place, led)| led & bits[place])
    }

    /// What lies below these nodes, merged.
    pub(crate) fn forest(&self, mut nodes: Vec<u32>) -> Arc<Forest> {
        nodes.sort_unstable();
        self.merged(Hasher128::of(&nodes), &nodes)
    }

    /// The same, of ascending nodes whose hash is known.
    pub(crate) fn merged(&self, hash: u128, nodes: &[u32]) -> Arc<Forest> {
        if let Some(forest) = self.forests.get(hash) {
            return forest;
        }
        let forest = Arc::new(Forest { hash, trie: self.trie.merged(nodes), pieces: Pieces::default() });
        self.forests.put(hash, forest.clone(), forest.trie.memory_bytes());
        forest
    }

    /// The tokens of at most `chars` code points.
    pub(crate) fn at_most(&self, chars: u32) -> Bits {
        self.lengths.at_most(chars, &self.contents.present)
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
    /// Sets (by their address: each is kept) and what they have of the others.
    cut: cache::Cache<usize, [Bits; 2]>,
}

pub(crate) struct Band {
    pub longest: u32,
    pub trie: Arc<Trie>,
    pub pieces: Pieces,
}

impl Long {
    fn of(tokens: &Texts, chars: &[u16], size: usize) -> Self {
        let mut others = vec![u32::MAX; size.div_ceil(32)];
        let mut bands: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, &chars) in (0..).zip(chars) {
            if u32::from(chars) > FAR && tokens.get(id).is_some() {
                others[id as usize >> 5] &= !(1 << (id & 31));
                bands.entry(u32::from(chars).next_power_of_two()).or_default().push(id);
            }
        }
        let band = |(longest, ids): (u32, Vec<u32>)| Band {
            longest,
            trie: Arc::new(Trie::new(ids.into_iter(), |id| tokens.get(id).unwrap_or_default())),
            pieces: Pieces::default(),
        };
        let bands = bands.into_iter().map(band).collect();
        Long { bands, others: others.into(), cut: cache::Cache::new(CUT) }
    }

    fn without_caches(&self) -> Self {
        let bands = self.bands.iter();
        let band = |band: &Band| Band { trie: band.trie.clone(), pieces: Pieces::default(), longest: band.longest };
        Long { bands: bands.map(band).collect(), others: self.others.clone(), cut: cache::Cache::new(CUT) }
    }

    /// A set without the long tokens.
    pub fn cut_from(&self, set: &Bits) -> Bits {
        let key = set.as_ptr() as usize;
        if let Some([_, cut]) = self.cut.get(key) {
            return cut;
        }
        let cut: Bits = set.iter().zip(self.others.iter()).map(|(set, others)| set & others).collect();
        self.cut.put(key, [set.clone(), cut.clone()], 4 * (set.len() + cut.len()));
        cut
    }

    fn memory_bytes(&self) -> usize {
        let bands = self.bands.iter().map(|band| band.trie.memory_bytes() + band.pieces.memory_bytes());
        bands.sum::<usize>() + self.cut.memory_bytes()
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
        let words = size.div_ceil(32);
        let empty = || vec![0u32; words];
        let mut chars = Vec::with_capacity(tokens.len());
        let (mut holding, mut present, mut wide, mut valid) = (vec![empty(); 256], empty(), empty(), empty());
        let mut led = empty();
        let mut leads = vec![Vec::new(); 64];
        // Which of 32 tokens hold a byte: a word of all the sets is made where it fits the innermost cache.
        let mut held = [0u32; 256];
        let mut texts = tokens.iter();
        for word in 0..tokens.len().div_ceil(32) {
            for (place, text) in texts.by_ref().take(32).enumerate() {
                let bit = 1 << place;
                let mut bytes = 0;
                for &byte in text {
                    held[usize::from(byte)] |= bit;
                    bytes |= byte;
                }
                chars.push(text.len() as u16);
                present[word] |= u32::from(!text.is_empty()) * bit;
                led[word] |= u32::from(matches!(text, [b' ', rest @ ..] if !rest.contains(&b' '))) * bit;
                if bytes >= 0x80 {
                    chars[word * 32 + place] = text.iter().filter(|&&byte| is_lead(byte)).count() as u16;
                    wide[word] |= bit;
                    // Only the last character may be cut.
                    let cut = |error: std::str::Utf8Error| error.error_len().is_none();
                    valid[word] |= u32::from(std::str::from_utf8(text).map_or_else(cut, |_| true)) * bit;
                }
            }
            for (holding, held) in holding[128..].iter_mut().zip(&held) {
                holding[word] = *held;
            }
            for (lead, &held) in leads.iter_mut().zip(&held[0xc0..]).filter(|(_, &held)| held != 0) {
                if lead.is_empty() {
                    *lead = empty();
                }
                lead[word] = held;
            }
            held.fill(0);
        }
        for node in (1..128).rev() {
            let (parents, children) = holding.split_at_mut(2 * node);
            let both = children[0].iter().zip(&children[1]);
            parents[node].iter_mut().zip(both).for_each(|(word, (one, two))| *word = one | two);
        }
        holding[0] = Vec::new();
        let leads = (0..).zip(leads).filter(|(_, holding): &(u32, Vec<u32>)| !holding.is_empty());
        (Contents { holding, present, wide, valid, led, leads: leads.collect() }, chars)
    }

    /// The tokens that hold an ASCII byte.
    fn holding(&self, byte: u8) -> impl Iterator<Item = u32> + '_ {
        let words = self.holding[128 + usize::from(byte & 0x7f)].iter().zip(0u32..);
        words
            .flat_map(|(&word, place)| (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place * 32 + bit))
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
            *word &= !beyond | if class.leads() != 0 { *valid } else { 0 };
        }
        // Without a lead byte no token beyond ASCII is left.
        let absent = self.leads.iter().filter(|(lead, _)| class.leads() != 0 && class.leads() >> lead & 1 == 0);
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_byte_occurs_where_valid_text_comes_before_it() {
        let vocabulary = vocabulary(TEXTS);
        for byte in 0..=255u8 {
            let mut expected = Vec::new();
            for node in 1..vocabulary.trie.len() as u32 {
                let path = vocabulary.trie.path(node);
                let (last, before) = path.split_last().unwrap();
                let Ok(before) = std::str::from_utf8(before) else { continue };
                if *last == byte && is_lead(byte) {
                    let led = before.starts_with(' ') && before.matches(' ').count() == 1;
                    expected.push((node, before.len() as u16, before.chars().count() as u16, led));
                    let place = vocabulary.occurrences(byte).iter().find(|place| place.node == node).unwrap();
                    assert!(vocabulary.token(place.token).unwrap().starts_with(&path));
                    for other in 0..=255u8 {
                        assert_eq!(place.before.contains(other), is_lead(other) && before.as_bytes().contains(&other));
                    }
                }
            }
            let found = vocabulary.occurrences(byte).iter();
            assert_eq!(
                found.map(|place| (place.node, place.depth, place.chars, place.led)).collect::<Vec<_>>(),
                expected
            );
        }
    }

    #[test]
    fn a_class_holds_the_tokens_of_its_characters() {
        let vocabulary = vocabulary(TEXTS);
        for (ascii, leads) in [("ab", ""), ("ab\" ", ""), ("a\"", "é"), (" a\"", "é€"), ("", "é")] {
            let class = [ascii, leads].concat().bytes().fold(Class::default(), Class::with);
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
