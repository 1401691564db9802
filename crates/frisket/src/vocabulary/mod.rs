//! Bytes of tokens, or a tokenizer.json → Vocabulary.
//!
//! ```text
//! definition   tokenizer.json → its parts
//! spelling     pieces × the tokenizer's decoder → bytes
//! ```

mod definition;
mod spelling;

use crate::error::{guarded, Error, Result};
use frisket_core::mask::shared::SharedMasks;
use frisket_core::vocabulary::vocabulary::Vocabulary as CoreVocabulary;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most ids of a vocabulary: the largest real ones have about a million, and an id far beyond is a broken or hostile
/// file.
const MAX_SIZE: usize = 1 << 22;

/// Names that models give the token they end with, for tokenizers that do not say which it is. Only special tokens are
/// looked up here: a word of the text is never taken for a stop.
const EOS_NAMES: [&str; 15] = [
    "</s>",
    "<eos>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<end_of_turn>",
    "<|end_of_turn|>",
    "<|return|>",
    "<|call|>",
    "<｜end▁of▁sentence｜>",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_utterance>",
    "[EOS]",
];

/// The bytes of every token of a tokenizer; immutable. Clones share it, and all masks that were composed for it.
#[derive(Clone)]
pub struct Vocabulary(Arc<SharedMasks>);

impl Vocabulary {
    /// The vocabulary whose token i writes `tokens[i]` in the middle of a text; the empty bytes are a token without text.
    ///
    /// `special` names tokens that are no text, and `eos` are the ids that end a text; neither is ever read as its bytes.
    /// Give as many tokens as the model's logits have rows: those beyond the tokenizer have no text.
    ///
    /// Errors: no tokens; an id beyond them; a token longer than 4,096 bytes.
    pub fn from_bytes<T: AsRef<[u8]>, N: Into<String>>(
        tokens: impl IntoIterator<Item = T>,
        special: impl IntoIterator<Item = (N, u32)>,
        eos: &[u32],
    ) -> Result<Self> {
        let (mut lengths, mut block) = (Vec::new(), Vec::new());
        for token in tokens {
            let text = token.as_ref();
            lengths.push(text.len() as u32);
            block.extend_from_slice(text);
        }
        let special = special.into_iter().map(|(name, id)| (name.into(), id)).collect();
        Self::from_block(&lengths, &block, special, eos.to_vec(), lengths.len())
    }

    /// As `from_bytes`, from the length of each token and the texts of all tokens in one block; `size` is the number of ids.
    #[doc(hidden)]
    pub fn from_block(
        lengths: &[u32],
        block: &[u8],
        special: Vec<(String, u32)>,
        eos: Vec<u32>,
        size: usize,
    ) -> Result<Self> {
        guarded(|| {
            if size == 0 || size > MAX_SIZE {
                let hint = format!("the size is the number of rows of the model's logits, from 1 to {MAX_SIZE}");
                return Err(Error::vocabulary(format!("a vocabulary of {size} tokens is not possible"), hint));
            }
            let made = CoreVocabulary::from_block(lengths.iter().copied(), block, special, eos, size);
            let hint = "the size is the number of rows of the model's logits; token ids count from 0";
            let made = made.map_err(|error| Error::vocabulary(error.to_string(), hint))?;
            Ok(Vocabulary(Arc::new(SharedMasks::of(made))))
        })
    }

    /// The vocabulary of the text of a Hugging Face tokenizer.json: byte-level BPE, SentencePiece's Metaspace and byte
    /// fallback, WordPiece.
    ///
    /// `size`: the rows of the model's logits (`vocab_size` of its config.json) where they are more than the tokenizer's
    /// ids. `eos`: the ids that end a text; without it, the special tokens with well-known names for it (`</s>`,
    /// `<|eot_id|>`, …).
    ///
    /// For a tokenizer that the crate `tokenizers` has loaded, `tokenizer.to_string(false)` is this text.
    ///
    /// Errors: no tokenizer.json; tokens whose bytes cannot be known, with the first of them; no token that ends a text.
    pub fn from_tokenizer_json(text: &str, size: Option<usize>, eos: Option<&[u32]>) -> Result<Self> {
        guarded(|| {
            let (mut texts, mut special) = definition::Definition::read(text)?.spell()?;
            let rows = size.unwrap_or_else(|| {
                let last = special.values().map(|&id| id as usize + 1).max().unwrap_or(0);
                last.max(texts.len())
            });
            if let Some(id) = (rows..texts.len()).find(|&id| texts[id].as_ref().is_some_and(|text| !text.is_empty())) {
                let hint = "size is the number of rows of the model's logits; it may be larger than the tokenizer, not smaller";
                return Err(Error::vocabulary(format!("size is {rows}, but token {id} has a text"), hint));
            }
            if rows > MAX_SIZE {
                let hint = format!("the size is the number of rows of the model's logits, from 1 to {MAX_SIZE}");
                return Err(Error::vocabulary(format!("a vocabulary of {rows} tokens is not possible"), hint));
            }
            texts.resize(rows, None);
            // A special token without a row, which the model never learned, is cut without harm.
            special.retain(|_, id| (*id as usize) < rows);
            let known = || special.iter().filter(|(name, _)| EOS_NAMES.contains(&name.as_str())).map(|(_, &id)| id);
            let eos: Vec<u32> = eos.map_or_else(|| known().collect(), <[u32]>::to_vec);
            if eos.is_empty() {
                return Err(Error::vocabulary(
                    "no token of the tokenizer is known to end a text",
                    "give eos, the ids of the model's end tokens",
                ));
            }
            let texts = texts.iter().map(|text| text.as_deref().unwrap_or_default());
            Self::from_bytes(texts, special, &eos)
        })
    }

    pub(crate) fn of_masks(masks: Arc<SharedMasks>) -> Self {
        Vocabulary(masks)
    }

    pub(crate) fn masks(&self) -> &Arc<SharedMasks> {
        &self.0
    }

    /// The number of ids, including those without text.
    pub fn size(&self) -> usize {
        self.0.vocabulary.size()
    }

    /// The uint32 words of one mask: a bit for each id.
    pub fn mask_words(&self) -> usize {
        self.0.vocabulary.mask_words()
    }

    /// The text of a token; None if it has none.
    pub fn token(&self, id: u32) -> Option<&[u8]> {
        self.0.vocabulary.token(id)
    }

    /// The ids that end a text, ascending.
    pub fn eos(&self) -> &[u32] {
        &self.0.vocabulary.eos
    }

    /// The names and ids of the special tokens.
    pub fn special(&self) -> &[(String, u32)] {
        &self.0.vocabulary.special
    }

    /// Bytes of the tokens and of all that grammars have learned about them.
    pub fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }
}

/// Texts by id, and special tokens by name.
type Spelled = (Vec<Option<Vec<u8>>>, BTreeMap<String, u32>);
