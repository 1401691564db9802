//! Vocabularies, grammars and places in their texts that the tests of this folder share.

use crate::automaton::fixture;
use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::builder::{Builder, ObjectRules};
use crate::limits::Limits;
use crate::mask::accumulator::Accumulator;
use crate::mask::composer::Composer;
use crate::mask::key::builder::{KeyBuilder, KeyParts};
use crate::mask::mask::Mask;
use crate::mask::masks::Masks;
use crate::mask::shared::SharedMasks;
use crate::regular::term::TermId;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::tokens;
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// A vocabulary of these texts, token n the nth of them; the end of the sequence is one token more.
pub(crate) fn shared_masks(texts: &[&str]) -> Arc<SharedMasks> {
    let tokens = texts.iter().map(|text| Some(text.as_bytes().into())).collect();
    let end = texts.len() as u32;
    Arc::new(SharedMasks::of(Vocabulary::new(tokens, Vec::new(), vec![end], texts.len() + 1).unwrap()))
}

/// The printable characters, then these texts.
pub(crate) fn printable_and(texts: &[&str]) -> Arc<SharedMasks> {
    let single: Vec<String> = (' '..='~').map(String::from).collect();
    let all: Vec<&str> = single.iter().map(String::as_str).chain(texts.iter().copied()).collect();
    shared_masks(&all)
}

/// Every byte, `count` random texts of up to six of these letters, and these texts.
pub(crate) fn random_vocabulary(letters: &[&str], count: usize, more: &[&str]) -> Arc<SharedMasks> {
    // Knuth, MMIX: the same numbers on every machine.
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut random = || -> String { (0..1 + next(6)).map(|_| letters[next(letters.len())]).collect() };
    let random: Vec<String> = (0..count).map(|_| random()).collect();
    let texts = random.iter().map(String::as_bytes).chain(more.iter().map(|text| text.as_bytes()));
    let tokens: Vec<_> =
        (0..=255u8).map(|byte| Some([byte].into())).chain(texts.map(|text| Some(text.into()))).collect();
    let size = tokens.len();
    Arc::new(SharedMasks::of(Vocabulary::new(tokens, Vec::new(), Vec::new(), size).unwrap()))
}

/// The node of the vocabulary's trie that a text leads to.
pub(crate) fn node(shared: &SharedMasks, text: &str) -> NodeId {
    shared.vocabulary.trie.find(NodeId::ROOT, text.as_bytes()).unwrap()
}

/// An object of named properties (key, is required) and, if `any`, of all other keys. Each value is 1.
pub(crate) fn object(builder: &mut Builder, named: &[(&str, bool)], any: bool, rules: ObjectRules) -> TermId {
    let one = builder.literal(b"1").unwrap();
    object_of(builder, named, any, one, rules)
}

/// `object` with one value for all keys.
pub(crate) fn object_of(
    builder: &mut Builder,
    named: &[(&str, bool)],
    any: bool,
    value: TermId,
    rules: ObjectRules,
) -> TermId {
    let named: Vec<_> = named.iter().map(|&(key, required)| (key, required, value)).collect();
    let keys = builder.any_text().unwrap();
    let others = if any { vec![(keys, value)] } else { Vec::new() };
    fixture::object(builder, &named, &others, rules)
}

/// An array of unique items of one kind.
pub(crate) fn unique(builder: &mut Builder, item: TermId) -> TermId {
    fixture::unique(builder, item, 0, None)
}

/// The tokens that a composer has allowed so far, without its lists.
pub(crate) fn taken(composer: &mut Composer) -> Vec<u32> {
    let corrections = composer.accumulator.take_corrections();
    tokens(corrections.iter().map(|&(word, allowed, _)| (word, allowed))).collect()
}

/// A grammar over a vocabulary, with all that makes its masks.
pub(crate) struct Scene {
    /// The vocabulary, and the caches that its grammars share.
    pub shared: Arc<SharedMasks>,
    /// The automaton of the grammar.
    pub machine: Box<Machine>,
    /// The FOLLOW sets of the machine's frames.
    pub follow_bytes: FollowBytes,
    /// The parts of keys.
    pub parts: KeyParts,
    /// The masks of the grammar.
    pub masks: Masks,
}

impl Scene {
    /// The grammar of a builder's node.
    pub fn new(shared: &Arc<SharedMasks>, make: impl FnOnce(&mut Builder) -> TermId) -> Self {
        let mut builder = Builder::default();
        let root = make(&mut builder);
        let grammar = builder.build(root.number()).unwrap();
        Scene {
            shared: shared.clone(),
            machine: Machine::of(&grammar, &Limits::default(), [None, None], None).unwrap(),
            follow_bytes: FollowBytes::default(),
            parts: KeyParts::default(),
            masks: Masks::new(Vec::new()),
        }
    }

    /// The position after a text.
    pub fn read(&mut self, text: &str) -> PositionId {
        text.bytes().fold(self.machine.start, |at, byte| self.machine.step(at, byte).unwrap())
    }

    /// The only head after a text.
    pub fn head(&mut self, text: &str) -> (TermId, FrameId) {
        let at = self.read(text);
        let heads = &self.machine.position(at).heads;
        assert_eq!(heads.len(), 1, "heads after {text:?}");
        heads[0]
    }

    /// The mask after a text. Where masks are verified, one composed without caches agrees.
    pub fn mask(&mut self, text: &str) -> Arc<Mask> {
        let at = self.read(text);
        self.masks.mask(&mut self.machine, &mut self.follow_bytes, &self.shared, at).unwrap()
    }

    /// The texts of the tokens that may follow a text, in the order of the vocabulary; `EOS`: the text may end.
    pub fn allowed(&mut self, text: &str) -> Vec<String> {
        let mask = self.mask(text);
        let vocabulary = &self.shared.vocabulary;
        let tokens = (0..vocabulary.size() as u32).filter(|&token| mask.allows(token));
        let shown = |token| vocabulary.token(token).map_or("EOS".into(), |text| String::from_utf8_lossy(text).into());
        tokens.map(shown).collect()
    }

    /// A builder of the cache keys of the grammar's positions.
    pub fn keys(&mut self) -> KeyBuilder<'_> {
        let Scene { machine, follow_bytes, parts, shared, .. } = self;
        KeyBuilder { machine, follow_bytes, parts, shared }
    }

    /// A composer of an empty mask.
    pub fn composer(&mut self) -> Composer<'_> {
        let mut accumulator = Accumulator::default();
        accumulator.fit(self.shared.vocabulary.mask_words());
        Composer::new(&mut self.machine, &mut self.follow_bytes, &self.shared, KeyParts::default(), accumulator)
    }

    /// The position after a text, and the abstract position whose mask it shares.
    pub fn abstracted(&mut self, text: &str) -> [PositionId; 2] {
        self.machine.unique.max_token_items = self.shared.vocabulary.longest / 2 + 1;
        let exact = self.read(text);
        [exact, self.machine.abstracted(exact).unwrap()]
    }

    /// The frame that reads a term and then ends the text.
    pub fn frame(&mut self, term: TermId) -> FrameId {
        let members = vec![(term, crate::automaton::frame::BOTTOM)];
        self.machine.frames.of(&mut self.machine.arena, members)
    }
}
