//! Logits × mask → the mass that a model gives to the allowed tokens, and its likeliest token with and without the mask.
//!
//! A file of its own, because it alone reads logits. One pass over memory finds all four figures: a block of logits is
//! read from memory once, and then twice from the nearest cache (online softmax, Milakov and Gimelshein 2018).

/// Logits of a block: two kibibytes fit into the nearest cache, and the sums of a block take little time per logit.
const BLOCK: usize = 512;
const WORDS: usize = BLOCK / LANES;
/// Sums that run side by side, one for each bit of a word, so that the compiler uses vector instructions.
const LANES: usize = 32;
/// Exponents below this one are 0: `exp` of it is the smallest normal number of 32 bits.
const LOWEST: f32 = -87.0;
/// If the likeliest allowed token is further below the favourite, in nats, the allowed tokens get a reference of their
/// own: their exponentials would underflow.
const FAR: f32 = 50.0;

/// How much of a model's probability the mask of one step allows, and the likeliest tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeasibleMass {
    /// The natural logarithm of the sum of `exp` over all logits; not finite if a logit is NaN or ∞.
    pub log_sum: f64,
    /// The same over the allowed tokens; −∞ if they have no mass.
    pub log_sum_allowed: f64,
    /// The token with the largest logit. Of equal ones an allowed one, then the smallest id.
    pub favourite: Option<usize>,
    /// The allowed token with the largest logit, the smallest id of equal ones.
    pub likeliest: Option<usize>,
}

/// The figures of one row of logits. Bit t of the words allows token t: tokens beyond the last word are forbidden, and bits
/// beyond the last logit mean nothing.
///
/// It consists of plain loops and is inlined, so that a caller compiled for wider vectors uses those here, too.
#[inline(always)]
pub fn feasible_mass(logits: &[f32], words: &[u32]) -> FeasibleMass {
    let (mut all, mut allowed) = (Largest::default(), Largest::default());
    let (mut sum, mut sum_allowed) = (0.0f64, 0.0f64);
    for place in 0..logits.len().div_ceil(BLOCK) {
        let (block, bits) = block_at(logits, words, place);
        let before = all.logit;
        let (most, most_allowed) = largest(&block, &bits);
        all.see(most, place);
        allowed.see(most_allowed, place);
        if all.logit > before {
            let shrink = (f64::from(before) - f64::from(all.logit)).exp();
            (sum, sum_allowed) = (sum * shrink, sum_allowed * shrink);
        }
        let (more, more_allowed) = exponentials(&block, &bits, all.logit);
        (sum, sum_allowed) = (sum + more, sum_allowed + more_allowed);
    }
    let likeliest = allowed.token(logits, words, true);
    let mut reference = all.logit;
    if likeliest.is_some() && all.logit - allowed.logit > FAR {
        (reference, sum_allowed) = (allowed.logit, 0.0);
        for place in 0..logits.len().div_ceil(BLOCK) {
            // A forbidden logit may exceed the reference, so the sum over all tokens (`.0`) means nothing here.
            let (block, bits) = block_at(logits, words, place);
            sum_allowed += exponentials(&block, &bits, reference).1;
        }
    }
    let is_shared = likeliest.is_some() && allowed.logit == all.logit;
    FeasibleMass {
        log_sum: f64::from(all.logit) + sum.ln(),
        log_sum_allowed: f64::from(reference) + sum_allowed.ln(),
        favourite: if is_shared { likeliest } else { all.token(logits, words, false) },
        likeliest,
    }
}

/// The largest logit so far, and the block in which it came first.
struct Largest {
    logit: f32,
    block: Option<usize>,
}

impl Default for Largest {
    /// The lowest finite number: −∞ minus itself would be NaN.
    fn default() -> Self {
        Largest { logit: f32::MIN, block: None }
    }
}

impl Largest {
    #[inline(always)]
    fn see(&mut self, logit: f32, block: usize) {
        if logit > self.logit || (self.block.is_none() && logit == self.logit) {
            *self = Largest { logit, block: Some(block) };
        }
    }

    /// The first token with this logit.
    fn token(&self, logits: &[f32], words: &[u32], only_allowed: bool) -> Option<usize> {
        let is_allowed = |token: usize| words.get(token / 32).is_some_and(|word| word >> (token % 32) & 1 == 1);
        let start = self.block? * BLOCK;
        let mut tokens = start..logits.len().min(start + BLOCK);
        tokens.find(|&token| logits[token] == self.logit && (!only_allowed || is_allowed(token)))
    }
}

/// One block with its bits; the last one is filled up with forbidden tokens of logit −∞.
#[inline(always)]
fn block_at(logits: &[f32], words: &[u32], place: usize) -> ([f32; BLOCK], [u32; WORDS]) {
    let (logits, words) = (&logits[place * BLOCK..], words.get(place * WORDS..).unwrap_or_default());
    if let (Some(block), Some(bits)) = (logits.first_chunk(), words.first_chunk()) {
        return (*block, *bits);
    }
    let (mut block, mut bits) = ([f32::NEG_INFINITY; BLOCK], [0; WORDS]);
    let (count, known) = (logits.len().min(BLOCK), words.len().min(WORDS));
    block[..count].copy_from_slice(&logits[..count]);
    bits[..known].copy_from_slice(&words[..known]);
    (block, bits)
}

/// The largest logit of all tokens, and of the allowed ones.
#[inline(always)]
fn largest(block: &[f32; BLOCK], bits: &[u32; WORDS]) -> (f32, f32) {
    let (mut all, mut allowed) = ([f32::NEG_INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
    for (logits, word) in block.chunks_exact(LANES).zip(bits) {
        for lane in 0..LANES {
            let logit = logits[lane];
            let masked = if word & 1 << lane != 0 { logit } else { f32::NEG_INFINITY };
            all[lane] = if logit > all[lane] { logit } else { all[lane] };
            allowed[lane] = if masked > allowed[lane] { masked } else { allowed[lane] };
        }
    }
    let larger = |left, right| if left > right { left } else { right };
    (halve(all, larger), halve(allowed, larger))
}

/// The sums of `exp(logit − reference)` over all tokens, and over the allowed ones.
#[inline(always)]
fn exponentials(block: &[f32; BLOCK], bits: &[u32; WORDS], reference: f32) -> (f64, f64) {
    let (mut all, mut allowed) = ([0.0f32; LANES], [0.0f32; LANES]);
    for (logits, word) in block.chunks_exact(LANES).zip(bits) {
        for lane in 0..LANES {
            let value = exp(logits[lane] - reference);
            all[lane] += value;
            allowed[lane] += if word & 1 << lane != 0 { value } else { 0.0 };
        }
    }
    let add = |left, right| left + right;
    (halve(all, add).into(), halve(allowed, add).into())
}

/// The lanes joined into one. Halves are joined again and again, so few operations wait for each other.
#[inline(always)]
fn halve(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut count = LANES;
    while count > 1 {
        count /= 2;
        for lane in 0..count {
            lanes[lane] = join(lanes[lane], lanes[lane + count]);
        }
    }
    lanes[0]
}

/// `exp` of a number that is at most 0, with a relative error below 3e-7; NaN stays NaN.
///
/// The exponent is split into a whole number of doublings and a rest of at most ln 2 / 2, for which seven terms of the
/// series are exact to 1.2e-7. No call and no branch, so that the compiler makes vectors of it.
#[inline(always)]
fn exp(exponent: f32) -> f32 {
    /// 1.5 · 2^23: a small number plus this constant has no bits left for a fraction, so the sum is rounded.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two parts; the first has few bits, so its multiples are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let bounded = if LOWEST > exponent { LOWEST } else { exponent };
    let rounded = bounded * std::f32::consts::LOG2_E + ROUND;
    let doublings = rounded - ROUND;
    let rest = bounded - doublings * LN_2[0] - doublings * LN_2[1];
    let series = 1.0 / 720.0;
    let series = [120.0, 24.0, 6.0, 2.0, 1.0, 1.0].into_iter().fold(series, |sum, term: f32| sum * rest + 1.0 / term);
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    let value = series * power;
    if LOWEST > exponent {
        0.0
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, in 64 bits.
    fn expected(logits: &[f32], words: &[u32]) -> FeasibleMass {
        let is_allowed = |token: usize| token / 32 < words.len() && words[token / 32] >> (token % 32) & 1 == 1;
        let log_sum = |tokens: &[usize]| {
            let largest = tokens.iter().map(|&token| f64::from(logits[token])).fold(f64::NEG_INFINITY, f64::max);
            if largest == f64::NEG_INFINITY {
                return largest;
            }
            largest + tokens.iter().map(|&token| (f64::from(logits[token]) - largest).exp()).sum::<f64>().ln()
        };
        let best = |tokens: &[usize]| {
            let better = |best: usize, &token: &usize| if logits[token] > logits[best] { token } else { best };
            let first = *tokens.iter().find(|&&token| logits[token] > f32::NEG_INFINITY)?;
            Some(tokens.iter().fold(first, better))
        };
        let all: Vec<usize> = (0..logits.len()).collect();
        let allowed: Vec<usize> = all.iter().copied().filter(|&token| is_allowed(token)).collect();
        let (first, likeliest) = (best(&all), best(&allowed));
        let is_shared = likeliest.is_some_and(|token| Some(logits[token]) == first.map(|token| logits[token]));
        FeasibleMass {
            log_sum: log_sum(&all),
            log_sum_allowed: log_sum(&allowed),
            favourite: if is_shared { likeliest } else { first },
            likeliest,
        }
    }

    fn check(logits: &[f32], words: &[u32]) {
        let (found, wanted) = (feasible_mass(logits, words), expected(logits, words));
        let near = |left: f64, right: f64| left == right || (left - right).abs() < 2e-6 * right.abs().max(1.0);
        assert!(near(found.log_sum, wanted.log_sum), "{found:?} is not {wanted:?}");
        assert!(near(found.log_sum_allowed, wanted.log_sum_allowed), "{found:?} is not {wanted:?}");
        assert_eq!((found.favourite, found.likeliest), (wanted.favourite, wanted.likeliest));
    }

    /// Numbers without a pattern (xorshift, Marsaglia 2003).
    fn random(state: &mut u64) -> u32 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 16) as u32
    }

    #[test]
    fn three_tokens_by_hand() {
        // exp of the logits is 1, 2 and 5: of 8 in all, tokens 0 and 1 have 3.
        let found = feasible_mass(&[1.0f32.ln(), 2.0f32.ln(), 5.0f32.ln()], &[0b011]);
        assert!((found.log_sum_allowed - found.log_sum - (3.0f64 / 8.0).ln()).abs() < 1e-6);
        assert_eq!((found.favourite, found.likeliest), (Some(2), Some(1)));
    }

    #[test]
    fn random_rows_equal_the_definition() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for case in 0..400 {
            let size = 1 + random(&mut state) as usize % 1500;
            let width = [1.0, 30.0, 400.0][case % 3];
            let logits: Vec<f32> =
                (0..size).map(|_| (random(&mut state) as f32 / u32::MAX as f32 - 0.5) * width).collect();
            let count = (size.div_ceil(32) + random(&mut state) as usize % 3).saturating_sub(1);
            let words: Vec<u32> = (0..count)
                .map(|_| match random(&mut state) % 4 {
                    0 => 0,
                    1 => u32::MAX,
                    2 => 1 << (random(&mut state) % 32),
                    _ => random(&mut state),
                })
                .collect();
            check(&logits, &words);
        }
    }

    #[test]
    fn allowed_tokens_far_below_the_favourite_keep_their_mass() {
        for depth in [40.0, 49.0, 51.0, 86.0, 88.0, 300.0, 1e30] {
            let mut logits = vec![-depth; 700];
            logits[3] = 0.0;
            let mut words = vec![u32::MAX; 22];
            words[0] = !(1 << 3);
            check(&logits, &words);
        }
    }

    #[test]
    fn tokens_without_a_finite_logit() {
        check(&[f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY], &[0b101]);
        check(&[f32::NEG_INFINITY; 40], &[u32::MAX; 2]);
        check(&[f32::MIN, f32::NEG_INFINITY], &[0b11]);
        check(&[f32::MIN, f32::MAX], &[0b01]);
        check(&[], &[]);
        for wrong in [f32::NAN, f32::INFINITY] {
            for place in [0, 5, 299] {
                let mut logits = vec![0.0; 300];
                logits[place] = wrong;
                assert!(!feasible_mass(&logits, &[u32::MAX; 10]).log_sum.is_finite());
            }
            assert!(!feasible_mass(&[f32::NEG_INFINITY, wrong], &[0b11]).log_sum.is_finite());
        }
    }

    #[test]
    fn the_exponential() {
        for step in 0..870_000 {
            let exponent = -(step as f32) * 1e-4;
            let (found, wanted) = (f64::from(exp(exponent)), f64::from(exponent).exp());
            assert!((found / wanted - 1.0).abs() < 3e-7, "exp({exponent}) is {wanted:e}, not {found:e}");
        }
        assert_eq!((exp(0.0), exp(-88.0), exp(f32::NEG_INFINITY)), (1.0, 0.0, 0.0));
        assert!(exp(f32::NAN).is_nan());
    }
}
