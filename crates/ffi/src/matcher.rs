//! Sequences of C → matchers, and batches of them.

use crate::grammar::FrisketCompiled;
use crate::guard::{guarded, FrisketCode};
use crate::limits::FrisketCancellation;
use crate::pointer::{answered, buffer, free, handle, items, place, reference};
use frisket::{fill_rows, Error, MaskRow, Matcher, Result, SharedMatcher};
use std::ffi::c_char;

/// One sequence's position in a text of the grammar. Calls of several threads wait for each other; one that fails leaves it
/// as it was.
pub struct FrisketMatcher(SharedMatcher);

impl FrisketMatcher {
    fn of(matcher: Matcher) -> Self {
        FrisketMatcher(SharedMatcher::new(matcher))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Matcher) -> Result<T>) -> Result<T> {
        self.0.call(None, act)
    }
}

/// The code of the result of `act` on a matcher.
///
/// # Safety
/// `matcher` is null or not freed; `error` is null or valid for writes.
unsafe fn acted(
    matcher: *const FrisketMatcher,
    error: *mut *mut c_char,
    act: impl FnOnce(&mut Matcher) -> Result<()>,
) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe { guarded(error, || reference(matcher, "matcher")?.with(act)) }
}

/// Makes a matcher at the beginning of a text. `cancellation`, or NULL, ends its calls and those of its forks, as that of the
/// limits does.
///
/// # Safety
/// Handles are NULL or not freed; other pointers are NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_new(
    compiled: *const FrisketCompiled,
    cancellation: *const FrisketCancellation,
    matcher: *mut *mut FrisketMatcher,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let made = place(matcher, "matcher")?;
            let compiled = &reference(compiled, "compiled")?.0;
            let matcher = compiled.matcher_with(cancellation.as_ref().map(|flag| &flag.0));
            *made = handle(FrisketMatcher::of(matcher));
            Ok(())
        })
    }
}

/// Makes another matcher at the same position, with the same steps to take back; either goes on alone.
///
/// # Safety
/// `matcher` is NULL or not freed; other pointers are NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_fork(
    matcher: *const FrisketMatcher,
    fork: *mut *mut FrisketMatcher,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let made = place(fork, "fork")?;
            let fork = reference(matcher, "matcher")?.with(|matcher| Ok(matcher.clone()))?;
            *made = handle(FrisketMatcher::of(fork));
            Ok(())
        })
    }
}

/// Writes the tokens that may come next: bit t % 32 of word t / 32 is 1 if token t may. Words beyond the vocabulary are 0.
///
/// # Safety
/// `matcher` is NULL or not freed; `mask` is NULL or valid for writes of `words` words.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_fill_mask(
    matcher: *mut FrisketMatcher,
    mask: *mut u32,
    words: usize,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe { acted(matcher, error, |matcher| matcher.fill_mask(buffer(mask, words, "mask")?)) }
}

/// As frisket_matcher_fill_mask, for tokens after which the text can be finished within `room` tokens, this one included.
/// Returns FRISKET_CODE_BUDGET if there are none.
///
/// # Safety
/// As for frisket_matcher_fill_mask.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_fill_mask_within(
    matcher: *mut FrisketMatcher,
    room: u32,
    mask: *mut u32,
    words: usize,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe { acted(matcher, error, |matcher| matcher.fill_mask_within(room, buffer(mask, words, "mask")?)) }
}

/// Takes a token. Returns FRISKET_CODE_TOKEN_REJECTED if it may not come next; the error says what was expected.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_advance(
    matcher: *mut FrisketMatcher,
    token: u32,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe { acted(matcher, error, |matcher| matcher.advance(token)) }
}

/// Takes a text, whatever tokens spell it. Returns FRISKET_CODE_TOKEN_REJECTED if it may not come next.
///
/// # Safety
/// `matcher` is NULL or not freed; `text` is NULL or valid for `length` bytes.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_advance_bytes(
    matcher: *mut FrisketMatcher,
    text: *const u8,
    length: usize,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe { acted(matcher, error, |matcher| matcher.advance_bytes(items(text, length, "text")?)) }
}

/// Gives the number of tokens, from the first on, that could be taken one after the other; takes none.
///
/// # Safety
/// `matcher` is NULL or not freed; `tokens` is NULL or valid for `count` tokens, `taken` NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_validate(
    matcher: *mut FrisketMatcher,
    tokens: *const u32,
    count: usize,
    taken: *mut usize,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        acted(matcher, error, |matcher| {
            *place(taken, "taken")? = matcher.validate(items(tokens, count, "tokens")?)?;
            Ok(())
        })
    }
}

/// Takes the last `steps` steps back: each token, and each text taken as bytes, is one. Returns FRISKET_CODE_MISUSE if fewer
/// were taken.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_rollback(
    matcher: *mut FrisketMatcher,
    steps: usize,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe { acted(matcher, error, |matcher| matcher.rollback(steps)) }
}

/// Goes back to the beginning of the text.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_reset(matcher: *mut FrisketMatcher, error: *mut *mut c_char) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe {
        acted(matcher, error, |matcher| {
            matcher.reset();
            Ok(())
        })
    }
}

/// Writes the text that must come next, whatever the model prefers, and its number of bytes: 1,024 at most. Returns
/// FRISKET_CODE_MISUSE, with the number set, if the buffer is too small.
///
/// # Safety
/// `matcher` is NULL or not freed; `text` is NULL or valid for writes of `capacity` bytes, `length` NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_forced_bytes(
    matcher: *mut FrisketMatcher,
    text: *mut u8,
    capacity: usize,
    length: *mut usize,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        acted(matcher, error, |matcher| {
            let length = place(length, "length")?;
            let forced = matcher.forced_bytes()?;
            *length = forced.len();
            let text = buffer(text, capacity, "text")?;
            let message =
                || Error::misuse(format!("{} bytes are forced", forced.len()), "give a buffer of 1,024 bytes");
            text.get_mut(..forced.len()).ok_or_else(message)?.copy_from_slice(&forced);
            Ok(())
        })
    }
}

/// Says whether `room` tokens finish the text from here.
///
/// # Safety
/// `matcher` is NULL or not freed; `can_finish` is NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_can_finish(
    matcher: *mut FrisketMatcher,
    room: u32,
    can_finish: *mut bool,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        acted(matcher, error, |matcher| {
            *place(can_finish, "can_finish")? = matcher.can_finish(room)?;
            Ok(())
        })
    }
}

/// Gives a number of tokens that is enough to finish the text from here, though some text may take fewer. Returns
/// FRISKET_CODE_VOCABULARY if the vocabulary cannot spell a short end.
///
/// # Safety
/// `matcher` is NULL or not freed; `count` is NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_least_tokens(
    matcher: *mut FrisketMatcher,
    count: *mut u32,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        acted(matcher, error, |matcher| {
            let count = place(count, "count")?;
            *count = matcher.least_tokens()?.ok_or_else(Error::no_end)?;
            Ok(())
        })
    }
}

/// Whether the text may end here; false for NULL.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_can_end(matcher: *const FrisketMatcher) -> bool {
    // SAFETY: promised by the caller.
    answered(false, || unsafe { matcher.as_ref() }?.with(|matcher| Ok(matcher.can_end())).ok())
}

/// Whether a token that ends the text was taken; false for NULL.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_ended(matcher: *const FrisketMatcher) -> bool {
    // SAFETY: promised by the caller.
    answered(false, || unsafe { matcher.as_ref() }?.with(|matcher| Ok(matcher.ended())).ok())
}

/// How many steps can be rolled back; 0 for NULL.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_steps(matcher: *const FrisketMatcher) -> usize {
    // SAFETY: promised by the caller.
    answered(0, || unsafe { matcher.as_ref() }?.with(|matcher| Ok(matcher.steps())).ok())
}

/// Frees a matcher, once.
///
/// # Safety
/// `matcher` is NULL or not freed, and in no call.
#[no_mangle]
pub unsafe extern "C" fn frisket_matcher_free(matcher: *mut FrisketMatcher) {
    // SAFETY: promised by the caller.
    unsafe { free(matcher) }
}

/// Any number of tokens, among the rooms of frisket_fill_masks.
pub const FRISKET_ANY_ROOM: u32 = u32::MAX;

/// Writes the masks of `count` matchers into rows of `words` words each, one after another.
///
/// `rooms`, or NULL, has the tokens that each has left. Long work is shared by up to `threads` threads (0: as many as there
/// are cores), short work is done by the caller's. Where matchers fail, all other rows are written; the code and the error
/// are those of the first, whose number goes to `failed` unless that is NULL.
///
/// # Safety
/// Matchers are NULL or not freed; `masks` is NULL or valid for writes of `count * words` words, other pointers NULL or valid
/// for `count` items, `failed` NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_fill_masks(
    matchers: *const *mut FrisketMatcher,
    count: usize,
    rooms: *const u32,
    masks: *mut u32,
    words: usize,
    threads: usize,
    failed: *mut usize,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let matchers = items(matchers, count, "matchers")?;
            let rooms = if rooms.is_null() { &[][..] } else { items(rooms, count, "rooms")? };
            let length = count.checked_mul(words).ok_or_else(|| too_many(count, words))?;
            let masks = buffer(masks, length, "masks")?;
            if matchers.is_empty() {
                return Ok(());
            }
            if words == 0 {
                return Err(too_many(count, words));
            }
            let mut rows = Vec::with_capacity(count);
            for (place, (&matcher, mask)) in matchers.iter().zip(masks.chunks_exact_mut(words)).enumerate() {
                let matcher = reference(matcher.cast_const(), "a matcher")?;
                let room = rooms.get(place).copied().filter(|&room| room != FRISKET_ANY_ROOM);
                rows.push(MaskRow { matcher: &matcher.0, mask, room });
            }
            let Err((place, failure)) = fill_rows(rows, threads, None) else { return Ok(()) };
            if let Some(failed) = failed.as_mut() {
                *failed = place;
            }
            Err(failure)
        })
    }
}

fn too_many(count: usize, words: usize) -> Box<Error> {
    let hint = "give frisket_vocabulary_mask_words words for each";
    Error::misuse(format!("{count} rows of {words} words are no masks"), hint)
}
