//! Tokens → the time of every mask and every advance, measured without Python's calls in between.
//!
//! A benchmark reads from this what an engine written in Rust would pay.

use crate::compiled::CompiledGrammar;
use crate::error::raise;
use pyo3::prelude::*;
use std::time::Instant;

/// Nanoseconds of every mask and every advance along the tokens, up to the first that is refused, and whether the
/// text may end there; timed inside, without Python's calls: for benchmarks.
#[pyfunction]
pub fn replay_timed(
    py: Python<'_>,
    compiled: &CompiledGrammar,
    token_ids: Vec<u32>,
) -> PyResult<(Vec<u64>, Vec<u64>, bool)> {
    let compiled = &compiled.inner;
    let replay = || -> frisket::Result<_> {
        let mut matcher = compiled.matcher();
        let mut words = vec![0; matcher.mask_words()];
        let (mut masks, mut advances) = (Vec::with_capacity(token_ids.len()), Vec::with_capacity(token_ids.len()));
        for &token in &token_ids {
            let began = Instant::now();
            matcher.fill_mask(&mut words)?;
            masks.push(began.elapsed().as_nanos() as u64);
            let began = Instant::now();
            let taken = matcher.try_advance(token)?;
            let took = began.elapsed().as_nanos() as u64;
            if !taken {
                break;
            }
            advances.push(took);
        }
        Ok((masks, advances, matcher.can_end()))
    };
    py.detach(replay).map_err(raise)
}
