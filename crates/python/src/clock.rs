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
    let compiled = compiled.inner();
    let replay = || {
        let mut matcher = compiled.matcher(None, None);
        let mut words = vec![0u32; compiled.vocabulary().mask_words()];
        let (mut masks, mut advances) = (Vec::with_capacity(token_ids.len()), Vec::with_capacity(token_ids.len()));
        for &token in &token_ids {
            let began = Instant::now();
            matcher.fill(&mut words)?;
            masks.push(began.elapsed().as_nanos() as u64);
            let began = Instant::now();
            let taken = matcher.try_advance(token)?;
            let took = began.elapsed().as_nanos() as u64;
            if !taken {
                break;
            }
            advances.push(took);
        }
        let can_end = matcher.can_end();
        Ok((masks, advances, can_end))
    };
    py.detach(replay).map_err(raise)
}
