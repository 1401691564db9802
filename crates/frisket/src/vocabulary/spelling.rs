//! Pieces × the decoder of a tokenizer.json → the bytes that the decoder writes for a token in the middle of a text.
//!
//! * ByteLevel: every character of a piece stands for one byte, by GPT-2's map.
//! * Metaspace, or Replace, ByteFallback and Fuse (SentencePiece): `▁` is a space, `<0x0A>` is one byte.
//! * WordPiece: `##ing` is `ing`, and `play` is ` play`.
//!
//! A decoder that does not write each token on its own is refused.

use super::definition::{Definition, Model};
use crate::error::{Error, Result};
use frisket_core::storage::once::Lazy;
use serde_json::Value;

/// Advice on tokens whose bytes cannot be known.
const RAW_BYTES: &str = "give the bytes of each token yourself with Vocabulary::from_bytes";

type Texts = Vec<Option<Vec<u8>>>;

/// The bytes of each piece, and of the added tokens (id, content, whether it is special).
pub(super) fn spell(
    definition: &Definition,
    model: &Model,
    pieces: &[Option<String>],
    added: &[(u32, String, bool)],
) -> Result<Texts> {
    let steps = decoder(definition)?;
    let is_kind = |kinds: &[&str]| steps.iter().all(|step| kinds.contains(&kind(step)));
    if !is_kind(&["WordPiece"]) {
        refuse_marks(model, pieces)?;
    }
    if is_kind(&["ByteLevel", "Fuse"]) && !is_kind(&["Fuse"]) {
        let texts = pieces.iter().map(|piece| piece.as_deref().map(byte_level)).collect();
        return with_added(texts, pieces, added);
    }
    // These decoders treat added tokens as they treat all others, and so does the text that a reader sees.
    let mut whole: Vec<Option<&str>> = pieces.iter().map(Option::as_deref).collect();
    for (id, content, _) in added {
        whole[*id as usize] = Some(content);
    }
    if is_kind(&["WordPiece"]) {
        let prefix = steps[0].get("prefix").and_then(Value::as_str).unwrap_or("##");
        let spell_one = |piece: &str| match piece.strip_prefix(prefix) {
            Some(rest) => rest.as_bytes().to_vec(),
            None => [b" ", piece.as_bytes()].concat(),
        };
        return Ok(whole.into_iter().map(|piece| piece.map(spell_one)).collect());
    }
    let sentence_piece = SentencePiece::read(&steps)?;
    Ok(whole.into_iter().map(|piece| piece.map(|piece| sentence_piece.spell(piece))).collect())
}

/// The steps of the decoder. Without one, the pre-tokenizer still says in which alphabet pieces are written.
fn decoder(definition: &Definition) -> Result<Vec<&Value>> {
    let mut steps = Vec::new();
    flatten(definition.decoder.as_ref(), "decoders", &mut steps);
    if steps.is_empty() {
        flatten(definition.pre_tokenizer.as_ref(), "pretokenizers", &mut steps);
        steps.retain(|step| matches!(kind(step), "ByteLevel" | "Metaspace"));
    }
    match steps.is_empty() {
        true => Err(Error::vocabulary(
            "the tokenizer has no decoder, so how its tokens join into text is not defined",
            format!("set its decoder (ByteLevel, Metaspace or WordPiece), or {RAW_BYTES}"),
        )),
        false => Ok(steps),
    }
}

/// A step of the pipeline, or the steps of a Sequence, whose key for them is `inner`.
fn flatten<'a>(step: Option<&'a Value>, inner: &str, steps: &mut Vec<&'a Value>) {
    let Some(step) = step.filter(|step| step.is_object()) else { return };
    match kind(step) == "Sequence" {
        // The recursion is as deep as the JSON, which serde_json bounds.
        true => step
            .get(inner)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .for_each(|one| flatten(Some(one), inner, steps)),
        false => steps.push(step),
    }
}

fn kind(step: &Value) -> &str {
    step.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Code point of one of GPT-2's letters → its byte; -1 for other characters.
static BYTES: Lazy<[i16; 0x144]> = Lazy::new(|| {
    let mut bytes = [-1; 0x144];
    let is_printable = |byte: &u16| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    (0..256).filter(is_printable).for_each(|byte: u16| bytes[byte as usize] = byte as i16);
    let others = (0..256).filter(|byte| !is_printable(byte));
    others.enumerate().for_each(|(place, byte)| bytes[0x100 + place] = byte as i16);
    bytes
});

/// The bytes of a piece in GPT-2's letters. A piece with another character is its own text, as the decoder of
/// `tokenizers` has it.
fn byte_level(piece: &str) -> Vec<u8> {
    let byte = |char: char| u8::try_from(*BYTES.get(char as usize)?).ok();
    piece.chars().map(byte).collect::<Option<Vec<u8>>>().unwrap_or_else(|| piece.as_bytes().to_vec())
}

/// The texts of byte-level tokens; added tokens are plain text.
///
/// The decoder reads added tokens in GPT-2's letters, too: `é` becomes the single byte E9. A token whose text changes
/// so has no single meaning, and is refused.
fn with_added(mut texts: Texts, pieces: &[Option<String>], added: &[(u32, String, bool)]) -> Result<Texts> {
    for (id, content, _) in added.iter().filter(|(_, _, is_special)| !is_special) {
        let decoded = byte_level(content);
        // An added token that is also a piece of the model is spelled as the model spells it.
        if decoded != content.as_bytes() && pieces[*id as usize].as_ref() != Some(content) {
            return Err(Error::vocabulary(
                format!("added tokens are encoded as one text and decoded as another: {content:?} (id {id})"),
                format!("remove them from the tokenizer, mark them special, or {RAW_BYTES}"),
            ));
        }
        texts[*id as usize] = Some(decoded);
    }
    Ok(texts)
}

/// The decoders that write every piece on its own.
#[derive(Default)]
struct SentencePiece<'a> {
    swaps: Vec<(&'a str, &'a str)>,
    has_byte_fallback: bool,
}

impl<'a> SentencePiece<'a> {
    fn read(steps: &[&'a Value]) -> Result<Self> {
        let mut made = SentencePiece::default();
        let mut is_fused = false;
        for &step in steps {
            let text = |key| step.get(key).and_then(Value::as_str);
            match kind(step) {
                "Metaspace" => made.swaps.push((text("replacement").unwrap_or("▁"), " ")),
                "Replace" if local_pattern(step, is_fused).is_some() => {
                    made.swaps.extend(local_pattern(step, is_fused).map(|from| (from, text("content").unwrap_or(""))));
                }
                "ByteFallback" => made.has_byte_fallback = true,
                "Fuse" => is_fused = true,
                // Strip takes the space from the start of a whole text, and nothing inside it.
                "Strip" if is_fused && is_nothing(step.get("stop")) && text("content") == Some(" ") => {}
                other => {
                    return Err(Error::vocabulary(
                        format!("the decoder step {other} does not write each token on its own, so no token has bytes of its own"),
                        format!("known: ByteLevel, Metaspace, Replace, ByteFallback, Fuse, Strip, WordPiece; or {RAW_BYTES}"),
                    ))
                }
            }
        }
        Ok(made)
    }

    fn spell(&self, piece: &str) -> Vec<u8> {
        if let Some(byte) = fallback_byte(piece).filter(|_| self.has_byte_fallback) {
            return vec![byte];
        }
        let swapped = self.swaps.iter().fold(piece.to_owned(), |text, (from, to)| text.replace(from, to));
        swapped.into_bytes()
    }
}

/// Whether a count is missing or zero.
fn is_nothing(count: Option<&Value>) -> bool {
    count.is_none_or(|count| count.is_null() || count.as_u64() == Some(0))
}

/// The text that a Replace step looks for, if it can find it only inside single tokens.
fn local_pattern(step: &Value, is_fused: bool) -> Option<&str> {
    let text = step.get("pattern")?.get("String")?.as_str()?;
    (!text.is_empty() && (!is_fused || text.chars().count() == 1)).then_some(text)
}

/// The byte that a piece such as `<0x0A>` stands for.
fn fallback_byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_hexadecimal = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hexadecimal.then(|| u8::from_str_radix(digits, 16).ok())?
}

/// Refuses marks between words, whose text only the decoder of WordPiece defines.
fn refuse_marks(model: &Model, pieces: &[Option<String>]) -> Result<()> {
    for (name, mark) in model.marks() {
        let marked = pieces.iter().flatten().find(|piece| piece.contains(mark));
        if let Some(piece) = marked {
            let message = format!(
                "what the mark {mark:?} ({name}) writes between words is not defined by the decoder: {piece:?}"
            );
            return Err(Error::vocabulary(message, RAW_BYTES));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_letter() {
        let mut bytes: Vec<i16> = BYTES.iter().copied().filter(|&byte| byte >= 0).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..256).collect::<Vec<_>>());
        assert_eq!((byte_level("ĠaÃ©Ċ"), byte_level("日")), (b" a\xc3\xa9\n".to_vec(), "日".as_bytes().to_vec()));
    }

    #[test]
    fn a_byte_of_the_fallback_has_two_digits() {
        assert_eq!([fallback_byte("<0x0A>"), fallback_byte("<0xfF>")], [Some(10), Some(255)]);
        assert!(["<0x0>", "<0x+1>", "<0x0AB>", "0x0A", "<0x0g>"].iter().all(|piece| fallback_byte(piece).is_none()));
    }
}
