//! Term → what is known of its texts: whether there are any, and which bytes they hold.
//!
//! Plain data, so that the table of terms need not know the searches that fill it.

use crate::bytes::byteset::ByteSet;
use crate::regular::term::TermId;
use crate::storage::layered::{layered, Table};
use smallvec::{smallvec, SmallVec};

layered! {
    /// What is known of the texts that a term has.
    #[derive(Default)]
    pub(crate) struct Emptiness {
        /// Memo of `Terms::is_nonempty`.
        pub(super) nonempty: Table<TermId, bool>,
        /// Recent witnesses of nonempty terms.
        pub(super) witnesses: Witnesses,
        /// Memo of `Terms::distance`.
        pub(in crate::regular) distances: Table<TermId, u32>,
        /// Memo of the bounds on bytes.
        pub(super) required_bytes: Table<TermId, RequiredBytes>,
    }
}

/// Witnesses kept. Nested searches alternate, so one is too few. Chosen without measurement.
const MAX_WITNESSES: usize = 4;

/// Bytes of a witness that is kept; longer ones rarely fit a second state. Chosen without measurement.
const MAX_WITNESS_BYTES: usize = 256;

/// The bytes that lead a state to a nullable one.
pub(crate) type Witness = SmallVec<[u8; 24]>;

/// Recent witnesses, the latest first; never none.
#[derive(Clone, Debug)]
pub(crate) struct Witnesses {
    pub(super) latest: SmallVec<[Witness; MAX_WITNESSES]>,
}

impl Default for Witnesses {
    fn default() -> Self {
        Witnesses { latest: smallvec![smallvec![b'a']] }
    }
}

impl Witnesses {
    /// A copy, because witnesses are few.
    pub fn overlay(&self) -> Self {
        self.clone()
    }

    /// Does nothing: overlays share no witnesses.
    pub fn freeze(&mut self) {}

    /// Makes `witness`, which must not be empty, the latest.
    pub fn remember(&mut self, witness: Witness) {
        if witness.len() <= MAX_WITNESS_BYTES {
            let place = self.latest.iter().position(|known| *known == witness).unwrap_or_else(|| {
                self.latest.truncate(MAX_WITNESSES - 1);
                self.latest.push(witness);
                self.latest.len() - 1
            });
            self.latest[..=place].rotate_right(1);
        }
    }
}

/// Bounds on the bytes of a term's texts: `needed` may lack some needed bytes, `all` may have more.
#[derive(Clone, Copy)]
pub(crate) struct RequiredBytes {
    pub(super) needed: ByteSet,
    pub(super) all: ByteSet,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_witnesses_are_kept() {
        let mut witnesses = Witnesses::default();
        for number in 0..9 {
            witnesses.remember(smallvec![b'0' + number]);
            witnesses.remember(smallvec![b'x', b'y']);
        }
        witnesses.remember(Witness::from_elem(b'z', MAX_WITNESS_BYTES + 1));
        let known: Vec<&[u8]> = witnesses.latest.iter().map(|witness| witness.as_slice()).collect();
        assert_eq!(known, [b"xy".as_slice(), b"8", b"7", b"6"]);
    }
}
