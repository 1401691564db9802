//! Text of a tokenizer.json → pieces, added tokens and decoder.

use super::{spelling, Spelled, MAX_SIZE};
use crate::error::{Error, Result};
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// The parts of a tokenizer.json that vocabularies need; merges, half of the file, are skipped.
#[derive(Deserialize)]
pub(super) struct Definition {
    model: Option<Model>,
    added_tokens: Option<Vec<Added>>,
    pub decoder: Option<Value>,
    pub pre_tokenizer: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Model {
    vocab: Option<Pieces>,
    unk_token: Option<Value>,
    unk_id: Option<Value>,
    end_of_word_suffix: Option<Value>,
    continuing_subword_prefix: Option<Value>,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
    #[serde(default)]
    special: bool,
}

/// Pieces with their ids.
struct Pieces(Vec<(String, u32)>);

impl<'de> Deserialize<'de> for Pieces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(PiecesVisitor)
    }
}

struct PiecesVisitor;

impl<'de> Visitor<'de> for PiecesVisitor {
    type Value = Pieces;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("pieces with ids, or a list of [piece, score]")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> std::result::Result<Pieces, A::Error> {
        let mut pieces = Vec::new();
        while let Some(member) = members.next_entry()? {
            pieces.push(member);
        }
        Ok(Pieces(pieces))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Pieces, A::Error> {
        let mut pieces = Vec::new();
        while let Some((piece, _)) = items.next_element::<(String, IgnoredAny)>()? {
            pieces.push((piece, pieces.len() as u32));
        }
        Ok(Pieces(pieces))
    }
}

impl Definition {
    /// The parts of the text of a tokenizer.json.
    pub fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|error| Error::vocabulary(format!("this is no tokenizer.json: {error}"), "is the file complete?"))
    }

    /// The bytes of all tokens by id, and the special tokens by name.
    pub fn spell(self) -> Result<Spelled> {
        let no_model =
            || Error::vocabulary("tokenizer.json has no model with a vocabulary", "is it a Hugging Face tokenizer?");
        let Definition { model, added_tokens, .. } = &self;
        let model = model.as_ref().ok_or_else(no_model)?;
        let mut pieces = by_id(model.vocab.as_ref().ok_or_else(no_model)?)?;
        let added: BTreeMap<u32, &Added> = added_tokens.iter().flatten().map(|one| (one.id, one)).collect();
        if added.keys().any(|&id| id as usize >= MAX_SIZE) {
            return Err(Error::vocabulary("an added token has an id far beyond all others", "the file is damaged"));
        }
        let unknown = model.unknown(&pieces);
        let beyond = added.keys().next_back().map_or(0, |&last| last as usize + 1);
        pieces.resize(pieces.len().max(beyond), None);
        let spoken = |(&id, one): (&u32, &&Added)| (id, one.content.clone(), one.special);
        let added: Vec<(u32, String, bool)> = added.iter().map(spoken).collect();
        let mut texts = spelling::spell(&self, model, &pieces, &added)?;
        let mut special = BTreeMap::new();
        for (id, content, is_special) in added {
            if is_special {
                texts[id as usize] = None;
                special.insert(content, id);
            }
        }
        if let Some((name, id)) = unknown {
            special.entry(name).or_insert(id);
        }
        Ok((texts, special))
    }
}

impl Model {
    /// The piece that stands for any text that the tokenizer cannot spell: it has no bytes of its own.
    fn unknown(&self, pieces: &[Option<String>]) -> Option<(String, u32)> {
        if let Some(name) = self.unk_token.as_ref().and_then(Value::as_str) {
            if let Some(id) = pieces.iter().position(|piece| piece.as_deref() == Some(name)) {
                return Some((name.to_owned(), id as u32));
            }
        }
        let id = self.unk_id.as_ref()?.as_u64()? as usize;
        Some((pieces.get(id)?.clone()?, id as u32))
    }

    /// The marks that the model writes between words, by the names of their fields.
    pub fn marks(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let marks = [
            ("end_of_word_suffix", &self.end_of_word_suffix),
            ("continuing_subword_prefix", &self.continuing_subword_prefix),
        ];
        let texts = marks.into_iter().filter_map(|(name, mark)| Some((name, mark.as_ref()?.as_str()?)));
        texts.filter(|(_, mark)| !mark.is_empty())
    }
}

/// The pieces by their ids.
fn by_id(Pieces(pieces): &Pieces) -> Result<Vec<Option<String>>> {
    let last = pieces.iter().map(|&(_, id)| id as usize).max();
    if last.is_some_and(|last| last >= MAX_SIZE) {
        return Err(Error::vocabulary(format!("token ids are not between 0 and {MAX_SIZE}"), "the file is damaged"));
    }
    // Of members with one name, the last one counts.
    let mut ids: HashMap<&str, u32> = HashMap::with_capacity(pieces.len());
    ids.extend(pieces.iter().map(|(piece, id)| (piece.as_str(), *id)));
    let mut found: Vec<Option<String>> = vec![None; last.map_or(0, |last| last + 1)];
    for (piece, id) in ids {
        if let Some(other) = found[id as usize].replace(piece.to_owned()) {
            let message = format!("tokens share their id with another token: {other:?} and {piece:?} (id {id})");
            return Err(Error::vocabulary(message, "the vocabulary is damaged"));
        }
    }
    Ok(found)
}
