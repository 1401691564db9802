//! Matchers × rows of one array → their masks, written by one thread, or by several if that pays.

use crate::error::{Error, Result};
use crate::matcher::{write, Matcher};
use crate::shared::SharedMatcher;
use frisket_core::clock::Instant;
use frisket_core::limits::Pause;
use frisket_core::storage::{lock::Lock, once::Lazy};
use std::time::Duration;

/// Most items of one group that one thread takes at a time.
const ITEMS: usize = 64;
/// Time that one thread works before others are started, and the time that the rest must still take (`WORTH`). Starting
/// a thread takes some 50 µs, and on a busy machine a thread waits for a processor.
const ALONE: Duration = Duration::from_micros(200);
const WORTH: Duration = Duration::from_millis(1);
/// A part that takes longer has most likely waited for a processor, which more threads would not shorten.
const LONGEST: Duration = Duration::from_micros(500);

/// Writes the mask of each matcher into its row of `masks`, which has equally many words for each.
///
/// Long work is shared by up to `threads` threads (0: as many as there are cores), short work is done by the caller's.
/// Errors: rows that are too short; the error of the first matcher that has one, after all others were written.
pub fn fill_masks(matchers: &mut [Matcher], masks: &mut [u32], threads: usize) -> Result<()> {
    if matchers.is_empty() {
        return Ok(());
    }
    let words = masks.len() / matchers.len();
    if words == 0 || !masks.len().is_multiple_of(matchers.len()) {
        let message = format!("{} words are no rows of {} masks", masks.len(), matchers.len());
        return Err(Error::misuse(message, "give each matcher equally many words"));
    }
    let rows = matchers.iter_mut().zip(masks.chunks_exact_mut(words)).collect();
    fill(rows, threads, None, |(matcher, _)| matcher.grammar(), |(matcher, row)| matcher.fill_mask(row))
        .map_err(|(_, error)| error)
}

/// One row of a batch: a matcher, the words of its mask, and the tokens that it has left (None: any number).
pub struct MaskRow<'a> {
    /// The matcher.
    pub matcher: &'a SharedMatcher,
    /// As many words as the vocabulary's masks have, or more.
    pub mask: &'a mut [u32],
    /// Tokens that are left.
    pub room: Option<u32>,
}

/// As `fill_masks`, for matchers that threads share. `pause` is called before a thread starts or waits for another one.
/// Errors: the place of the first row that has one, and its error.
pub fn fill_rows(
    rows: Vec<MaskRow<'_>>,
    threads: usize,
    pause: Option<Pause>,
) -> std::result::Result<(), (usize, Box<Error>)> {
    fill(
        rows,
        threads,
        pause,
        |row| row.matcher.compiled().address(),
        |row| match row.room.is_none().then(|| row.matcher.known_mask()).flatten() {
            Some(mask) if row.mask.len() >= row.matcher.mask_words() => {
                write(&mask, row.mask, row.matcher.mask_words());
                Ok(())
            }
            _ => row.matcher.call(pause, |matcher| matcher.fill(row.room, row.mask)),
        },
    )
}

/// Writes all rows. Errors: the place of the first one that has one, whichever thread was first, and its error.
fn fill<R: Send>(
    rows: Vec<R>,
    threads: usize,
    pause: Option<Pause>,
    group: impl Fn(&R) -> usize,
    write: impl Fn(&mut R) -> Result<()> + Sync,
) -> std::result::Result<(), (usize, Box<Error>)> {
    let failed = Lock::<Option<(usize, Box<Error>)>>::default();
    let mut rows: Vec<_> = rows.into_iter().enumerate().collect();
    share(
        &mut rows,
        threads,
        |(_, row)| group(row),
        pause,
        |(place, row)| {
            if let Err(error) = write(row) {
                let mut failed = failed.lock();
                if failed.as_ref().is_none_or(|(first, _)| *place < *first) {
                    *failed = Some((*place, error));
                }
            }
        },
    );
    let failed = failed.lock().take();
    failed.map_or(Ok(()), Err)
}

/// Calls `act` with all items: on this thread and, if that takes long, on up to `threads` (0: as many as there are
/// cores).
///
/// Items of one `group` follow each other: only one thread at a time can compose the masks of a grammar. `pause` is called
/// once, before another thread starts. All other threads have ended when this returns.
pub(crate) fn share<T: Send>(
    items: &mut [T],
    threads: usize,
    group: impl Fn(&T) -> usize,
    pause: Option<Pause>,
    act: impl Fn(&mut T) + Sync,
) {
    static CORES: Lazy<usize> = Lazy::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    items.sort_by_key(&group);
    let groups = items.chunk_by_mut(|one, other| group(one) == group(other));
    let mut parts: Vec<&mut [T]> = groups.flat_map(|group| group.chunks_mut(ITEMS)).collect();
    parts.reverse();
    let count = parts.len();
    let mut spent = Duration::ZERO;
    while let Some(part) = parts.pop() {
        let began = Instant::now();
        part.iter_mut().for_each(&act);
        spent += began.elapsed().min(LONGEST);
        let (left, done) = (parts.len(), count - parts.len());
        if threads != 1 && spent > ALONE && left > 1 && spent * left as u32 / done as u32 > WORTH {
            pause.map(|pause| pause());
            let threads = if threads == 0 { *CORES } else { threads };
            return among(parts, threads.min(left), act);
        }
    }
}

/// Calls `act` with all items of the parts, on `threads` threads.
fn among<T: Send>(parts: Vec<&mut [T]>, threads: usize, act: impl Fn(&mut T) + Sync) {
    let parts = Lock::new(parts);
    let work = || loop {
        let part = parts.lock().pop();
        match part {
            Some(part) => part.iter_mut().for_each(&act),
            None => return,
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If no other thread starts, this one does all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_item_is_acted_on_once_by_one_thread_or_several() {
        static SHARED: AtomicUsize = AtomicUsize::new(0);
        for threads in [0, 1, 3] {
            let mut items: Vec<(usize, u32)> = (0..100).map(|item| (item % 7, 0)).collect();
            let slow = |item: &mut (usize, u32)| {
                std::thread::sleep(Duration::from_micros(100));
                item.1 += 1;
            };
            share(&mut items, threads, |item| item.0, Some(|| SHARED.fetch_add(1, Ordering::Relaxed) < 9), slow);
            assert!(items.iter().all(|item| item.1 == 1));
            assert_eq!(SHARED.swap(0, Ordering::Relaxed), usize::from(threads != 1));
        }
    }
}
