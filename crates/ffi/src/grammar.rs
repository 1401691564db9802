//! Texts of C → grammars, and compiled grammars.

use crate::guard::{self, guarded, FrisketCode};
use crate::limits::{limits_of, FrisketLimits};
use crate::pointer::{free, handle, place, reference, utf8};
use crate::vocabulary::FrisketVocabulary;
use frisket::{CompiledGrammar, Grammar, Limits, Result, SchemaOptions};
use std::ffi::c_char;
use std::ptr::null_mut;

/// Rules over bytes, which know no tokenizer; shared by threads.
pub struct FrisketGrammar(Grammar);

/// A grammar over a vocabulary; shared by threads.
pub struct FrisketCompiled(pub(crate) CompiledGrammar);

/// Makes the grammar that `make` reads from a text.
///
/// # Safety
/// Pointers are null or valid, `text` for `length` bytes.
unsafe fn read(
    text: *const c_char,
    length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
    make: impl FnOnce(&str, &Limits) -> Result<Grammar>,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let made = place(grammar, "grammar")?;
            let text = utf8(text, length, "text")?;
            *made = handle(FrisketGrammar(make(text, &limits_of(limits)?)?));
            Ok(())
        })
    }
}

/// Makes the grammar of the JSON documents that a schema allows.
///
/// `options` is a JSON object of the fields of Python's JSONSchemaOptions, or NULL: {"whitespace": "compact"}.
///
/// # Safety
/// Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_from_json_schema(
    schema: *const c_char,
    length: usize,
    options: *const c_char,
    options_length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        read(schema, length, limits, grammar, error, |schema, limits| {
            let options = match options.is_null() {
                true => SchemaOptions::default(),
                false => SchemaOptions::from_json(utf8(options, options_length, "options")?)?,
            };
            Grammar::from_json_schema(schema, &options, limits)
        })
    }
}

/// Makes the grammar of the texts of a structural tag, the JSON in requests to vLLM and SGLang.
///
/// `options`, an object as `frisket_grammar_from_json_schema` takes it, or NULL, holds for the schemas inside. With NULL they
/// have any white space and escapes.
///
/// # Safety
/// Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_from_structural_tag(
    tag: *const c_char,
    length: usize,
    options: *const c_char,
    options_length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        read(tag, length, limits, grammar, error, |tag, limits| {
            let options = match options.is_null() {
                true => None,
                false => Some(SchemaOptions::from_json(utf8(options, options_length, "options")?)?),
            };
            Grammar::from_structural_tag(tag, options.as_ref(), limits)
        })
    }
}

/// Makes the grammar of the texts that a regular expression of ECMA-262 matches from beginning to end.
///
/// # Safety
/// Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_from_regex(
    pattern: *const c_char,
    length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller.
    unsafe { read(pattern, length, limits, grammar, error, Grammar::from_regex) }
}

/// Makes the grammar of the texts of a rule (NULL: `root`) of a grammar in GBNF, llama.cpp's notation.
///
/// # Safety
/// Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_from_gbnf(
    text: *const c_char,
    length: usize,
    root: *const c_char,
    root_length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        read(text, length, limits, grammar, error, |text, limits| {
            let root = if root.is_null() { "root" } else { utf8(root, root_length, "root")? };
            Grammar::from_gbnf(text, root, limits)
        })
    }
}

/// Makes the grammar of the texts of a rule (NULL: `start`) of a grammar in Lark's notation, as llguidance reads it.
///
/// # Safety
/// Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_from_lark(
    text: *const c_char,
    length: usize,
    start: *const c_char,
    start_length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        read(text, length, limits, grammar, error, |text, limits| {
            let start = if start.is_null() { "start" } else { utf8(start, start_length, "start")? };
            Grammar::from_lark(text, start, limits)
        })
    }
}

/// Gives the outcome for each keyword of a schema, as JSON that `frisket_text_free` frees; NULL for other notations.
///
/// # Safety
/// `grammar` is NULL or not freed; `report` and `error` are NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_report(
    grammar: *const FrisketGrammar,
    report: *mut *mut c_char,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let made = place(report, "report")?;
            let found = reference(grammar, "grammar")?.0.report()?;
            *made = found.map_or(null_mut(), |report| guard::text(report.to_json()));
            Ok(())
        })
    }
}

/// Frees a grammar, once. Compiled grammars may go on.
///
/// # Safety
/// `grammar` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_free(grammar: *mut FrisketGrammar) {
    // SAFETY: promised by the caller.
    unsafe { free(grammar) }
}

/// Composes a grammar with a vocabulary, in microseconds. The limits (NULL: the default ones) hold for this call and for
/// each call of its matchers.
///
/// # Safety
/// Handles are NULL or not freed; other pointers are NULL or valid.
#[no_mangle]
pub unsafe extern "C" fn frisket_compile(
    grammar: *const FrisketGrammar,
    vocabulary: *const FrisketVocabulary,
    limits: *const FrisketLimits,
    compiled: *mut *mut FrisketCompiled,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let made = place(compiled, "compiled")?;
            let grammar = reference(grammar, "grammar")?;
            let vocabulary = reference(vocabulary, "vocabulary")?;
            *made = handle(FrisketCompiled(grammar.0.compile(&vocabulary.0, &limits_of(limits)?)?));
            Ok(())
        })
    }
}

/// Frees a compiled grammar, once. Its matchers may go on.
///
/// # Safety
/// `compiled` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_compiled_free(compiled: *mut FrisketCompiled) {
    // SAFETY: promised by the caller.
    unsafe { free(compiled) }
}
