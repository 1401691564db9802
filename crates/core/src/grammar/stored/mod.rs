//! Grammar ⇄ bytes: what a process compiled, another one loads without compiling.
//!
//! Little-endian, lengths before contents:
//!
//! ```text
//! header   MAGIC · FORMAT · version of the engine · hash of the payload
//! payload  fingerprint · special tokens · rules (names) · whether any text is a term · sets of words · terms ·
//!          bodies of the rules · root
//! ```
//!
//! Only terms that the root or a rule needs are written, parts before wholes: a term refers to earlier terms only. Hashes,
//! facts and the entries of rules are computed anew by `read` and `Builder::build`. A wrong file can therefore say another
//! language, never one that contradicts itself or that shares the cached masks of others.

mod bytes;
mod character;
mod read;
mod spec;
mod tag;
mod write;

use crate::error::{Error, Result};
use crate::grammar::builder::Builder;
use crate::grammar::grammar::Grammar;
use crate::limits::{Cancellation, Limits, Pause};
use crate::regular::term::TermId;
use crate::storage::hash::Hasher128;
use bytes::{Reader, Writer};

const MAGIC: &[u8] = b"frisket grammar\n";

/// The version of the format: changes with every change of what is written.
const FORMAT: u32 = 5;

/// Other engines may compute other facts of the same terms, or want other rules.
const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// What a file says: a builder that holds all terms, the root among them, and the fingerprint of the grammar.
pub(crate) struct Stored {
    /// Rules, terms and special tokens.
    pub builder: Builder,
    /// The root of the grammar.
    pub root: TermId,
    /// `Grammar::fingerprint` of what was written.
    pub fingerprint: u128,
}

impl Grammar {
    /// The grammar as bytes, from which `Grammar::from_bytes` of the same engine makes an equal one.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let payload = write::payload(self)?;
        let mut file = Writer::default();
        file.raw(MAGIC);
        file.u32(FORMAT);
        file.bytes(ENGINE.as_bytes());
        file.u128(hash(&payload));
        file.raw(&payload);
        Ok(file.finish())
    }
}

/// The terms and rules in a file, to be built. Errors: a file that this engine did not write, limits.
pub(crate) fn read(
    data: &[u8],
    limits: Limits,
    cancellation: Option<Cancellation>,
    pause: Option<Pause>,
) -> Result<Stored> {
    let mut file = Reader::new(data);
    if file.raw(MAGIC.len())? != MAGIC {
        return Err(refusal("is no stored grammar"));
    }
    if file.u32()? != FORMAT || file.bytes()? != ENGINE.as_bytes() {
        return Err(refusal("was written by another version of the engine"));
    }
    let expected = file.u128()?;
    let payload = file.rest();
    if hash(payload) != expected {
        return Err(refusal("is damaged"));
    }
    read::payload(payload, Builder::new(limits, cancellation, pause))
}

fn hash(payload: &[u8]) -> u128 {
    let mut hash = Hasher128::new(u64::from(FORMAT));
    hash.bytes(payload);
    hash.finish()
}

/// The error of a file; `what` continues "the file".
pub(crate) fn refusal(what: &str) -> Box<Error> {
    Error::Stored(format!("the file {what}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_are_refused_by_what_is_wrong() {
        let mut builder = Builder::default();
        let root = builder.literal(b"text").unwrap();
        let file = builder.build(root.number()).unwrap().to_bytes().unwrap();
        let refused = |file: &[u8]| match read(file, Limits::default(), None, None) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(refused(&file), "");
        let changed = |at: usize| {
            let mut file = file.clone();
            file[at] ^= 1;
            refused(&file)
        };
        assert!(changed(0).contains("is no stored grammar"));
        assert!(changed(MAGIC.len()).contains("another version"));
        assert!(changed(file.len() - 1).contains("is damaged"));
        assert!(refused(b"").contains("ends early"));
    }
}
