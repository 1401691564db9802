//! Logits × mask → logits, −∞ where the bit is 0: in place or as a copy.

/// Sets the logits of forbidden tokens to `nothing`, which is −∞ in the type of the logits; those of allowed tokens stay, or
/// are taken from `source`, which is as long.
///
/// Bit t % 32 of word t / 32 is 1 if token t is allowed. Ids beyond the last word are forbidden; bits beyond the last logit
/// mean nothing.
///
/// ```
/// let mut logits = [0.5, 2.0, -1.0, 3.0];
/// frisket::apply_mask(&mut logits, None, &[0b0101], f32::NEG_INFINITY);
/// assert_eq!(logits, [0.5, f32::NEG_INFINITY, -1.0, f32::NEG_INFINITY]);
/// ```
pub fn apply_mask<T: Copy>(logits: &mut [T], source: Option<&[T]>, mask: &[u32], nothing: T) {
    let covered = logits.len().min(32 * mask.len());
    let (within, beyond) = logits.split_at_mut(covered);
    beyond.fill(nothing);
    for (place, (block, &word)) in within.chunks_mut(32).zip(mask).enumerate() {
        if let (Some(source), true) = (source, word != 0) {
            block.copy_from_slice(&source[32 * place..][..block.len()]);
        }
        match (word, <&mut [T; 32]>::try_from(&mut *block)) {
            (u32::MAX, _) => {}
            (0, _) => block.fill(nothing),
            // An array and no slice, so that the compiler vectorizes the loop.
            (_, Ok(block)) => mix(block, word, nothing),
            (_, Err(_)) => mix(block, word, nothing),
        }
    }
}

/// Applies one word to at most 32 logits.
#[inline(always)]
fn mix<T: Copy>(block: &mut (impl AsMut<[T]> + ?Sized), word: u32, nothing: T) {
    for (place, logit) in block.as_mut().iter_mut().enumerate() {
        *logit = if word & 1 << place != 0 { *logit } else { nothing };
    }
}

/// The first allowed token that has a logit.
pub fn first_allowed(mask: &[u32], logits: usize) -> Option<usize> {
    let place = mask.iter().position(|&word| word != 0)?;
    Some(32 * place + mask[place].trailing_zeros() as usize).filter(|&token| token < logits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_looked_at_with_a_source_and_without() {
        for length in [0, 1, 31, 32, 33, 64, 70] {
            let source: Vec<u16> = (1..=length).collect();
            let mask = [0x8000_0001, u32::MAX];
            let bit = |at: usize| mask.get(at / 32).is_some_and(|word| word >> (at % 32) & 1 == 1);
            let expected: Vec<u16> = (0..source.len()).map(|at| if bit(at) { source[at] } else { 0 }).collect();
            let (mut copied, mut masked) = (vec![9; source.len()], source.clone());
            apply_mask(&mut copied, Some(&source), &mask, 0);
            apply_mask(&mut masked, None, &mask, 0);
            assert_eq!((copied, masked), (expected.clone(), expected));
        }
        assert_eq!(
            [first_allowed(&[0, 2], 40), first_allowed(&[0, 2], 33), first_allowed(&[], 9)],
            [Some(33), None, None]
        );
    }
}
