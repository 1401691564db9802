//! Mask × a mask composed without caches → an error that names both positions where the two differ.
//!
//! Masks are shared between positions and grammars under keys. An incomplete key would hand one grammar the mask of
//! another. In this mode every mask is compared with one that no key takes part in, and sampled tokens are compared with
//! the automaton itself.

use crate::automaton::position::PositionId;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::mask::mask::Mask;
use crate::mask::masks::{MaskContext, Masks};
use crate::mask::shared::SharedMasks;
use crate::storage::once::Lazy;

/// How many tokens of a vocabulary the automaton reads byte by byte, per mask: all tokens of a small vocabulary.
const READ: usize = 512;

/// Whether masks are verified: always in debug builds, else if the environment variable `FRISKET_VERIFY_MASKS` is 1.
pub fn is_on() -> bool {
    static ON: Lazy<bool> =
        Lazy::new(|| cfg!(debug_assertions) || std::env::var("FRISKET_VERIFY_MASKS").is_ok_and(|value| value == "1"));
    *ON
}

/// An error if the mask differs from one composed without caches. The call is charged for the memory, not for the work.
pub(super) fn verify(context: &mut MaskContext<'_>, special_ids: &[u32], exact: PositionId, mask: &Mask) -> Result<()> {
    let call = context.machine.arena.budget.clone();
    context.machine.arena.budget.begin(&Limits { memory: usize::MAX, steps: u64::MAX, ..Limits::default() });
    let verdict = compare(context, special_ids, exact, mask);
    let budget = &mut context.machine.arena.budget;
    let grown = budget.held() - call.held();
    *budget = call;
    budget.grow(grown);
    verdict
}

fn compare(context: &mut MaskContext<'_>, special_ids: &[u32], exact: PositionId, mask: &Mask) -> Result<()> {
    let MaskContext { machine, follow_bytes, shared } = context;
    let fresh = SharedMasks::new(shared.vocabulary.clone());
    let mut uncached = MaskContext { machine, follow_bytes, shared: &fresh };
    let uncached = Masks::compose_uncached(&mut uncached, special_ids, exact)?;
    let [mut given, mut composed] = [(); 2].map(|()| vec![0u32; shared.vocabulary.mask_words()]);
    mask.write(&mut given);
    uncached.write(&mut composed);
    let is_set = |bits: &[u32], token: u32| bits[token as usize >> 5] >> (token & 31) & 1 == 1;
    let all = || 0..shared.vocabulary.size() as u32;
    if let Some(token) = all().find(|&token| is_set(&given, token) != is_set(&composed, token)) {
        let verb = if is_set(&given, token) { "allows" } else { "forbids" };
        return Err(contradiction(format!(
            "the shared mask {verb} {}, the mask composed without caches does not; asked at {}; composed at {}",
            shown(shared, token),
            machine.describe(machine.position(exact)),
            mask.origin()
        )));
    }
    // Which tokens are read depends on the position alone, so every run reads the same ones.
    let stride = shared.vocabulary.size().div_ceil(READ).max(1);
    let mut read: Vec<(&[u8], u32)> = all()
        .skip(exact.index() % stride)
        .step_by(stride)
        .filter(|token| !special_ids.contains(token) && shared.vocabulary.eos.binary_search(token).is_err())
        .filter_map(|token| shared.vocabulary.token(token).map(|bytes| (bytes, token)))
        .collect();
    read.sort_unstable();
    let follows = machine.can_follow(exact, read.iter().map(|&(bytes, _)| bytes))?;
    match read.iter().zip(follows).find(|&(&(_, token), follows)| follows != is_set(&given, token)) {
        None => Ok(()),
        Some((&(_, token), follows)) => Err(contradiction(format!(
            "the mask {} {}, the automaton does not; asked at {}; composed at {}",
            if follows { "forbids" } else { "allows" },
            shown(shared, token),
            machine.describe(machine.position(exact)),
            mask.origin()
        ))),
    }
}

fn shown(shared: &SharedMasks, token: u32) -> String {
    let text = shared.vocabulary.token(token).map(|bytes| String::from_utf8_lossy(bytes));
    format!("token {token} ({:?})", text.as_deref().unwrap_or("no text"))
}

fn contradiction(text: String) -> Box<Error> {
    Error::Contradiction(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::follow_bytes::FollowBytes;
    use crate::automaton::machine::Machine;
    use crate::builder::Builder;
    use crate::vocabulary::vocabulary::Vocabulary;

    #[test]
    fn a_wrong_mask_is_told_with_both_positions() {
        let mut builder = Builder::default();
        let root = builder.literal(b"ab").unwrap();
        let grammar = builder.build(root.number()).unwrap();
        let texts = [&b"a"[..], b"b", b"ab"].map(|text| Some(text.into()));
        let shared = SharedMasks::of(Vocabulary::new(texts.to_vec(), vec![], vec![], 3).unwrap());
        let mut machine = Machine::of(&grammar, &Limits::default(), [None, None], None).unwrap();
        let start = machine.start;
        for (tokens, expected) in
            [(&[0, 2][..], None), (&[0, 1, 2], Some("allows token 1")), (&[0], Some("forbids token 2"))]
        {
            let (machine, follow_bytes) = (&mut *machine, &mut FollowBytes::default());
            let mut context = MaskContext { machine, follow_bytes, shared: &shared };
            let verdict = verify(&mut context, &[], start, &Mask::from_tokens(tokens));
            match (verdict, expected) {
                (Ok(()), None) => {}
                (Err(error), Some(expected)) => {
                    let text = error.to_string();
                    assert!(text.contains(expected) && text.contains("asked at ['ab']"), "{text}");
                }
                (verdict, _) => panic!("{tokens:?}: {verdict:?}"),
            }
        }
    }
}
