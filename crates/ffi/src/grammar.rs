//! Texts of C → grammars, and compiled grammars.

use crate::guard::{self, guarded, FrisketCode};
use crate::limits::{limits_of, FrisketLimits};
use crate::pointer::{free, handle, place, reference, utf8};
use crate::vocabulary::FrisketVocabulary;
use frisket::{AbnfValues, CompiledGrammar, EbnfDialect, Error, Grammar, Limits, Result, SchemaOptions};
use std::ffi::c_char;
use std::ptr::null_mut;

/// Rules over bytes, which know no tokenizer; shared by threads.
pub struct FrisketGrammar(Grammar);

/// A grammar over a vocabulary; shared by threads.
pub struct FrisketCompiled(pub(crate) CompiledGrammar);

/// The dialect of an EBNF. Numbers stay as they are from version to version.
#[repr(u32)]
pub enum FrisketEbnfDialect {
    /// That of the W3C's specifications: `name ::= [a-z]+ | '-'`.
    W3c = 0,
    /// That of ISO 14977: `name = {"a"}, letter;`.
    Iso = 1,
    /// That of xgrammar: GBNF with options of rules, and macros.
    Xgrammar = 2,
}

/// The meaning of numbers in ABNF. Numbers stay as they are from version to version.
#[repr(u32)]
pub enum FrisketAbnfValues {
    /// Characters of Unicode.
    Characters = 0,
    /// Bytes of UTF-8.
    Bytes = 1,
}

const DIALECTS: [(u32, EbnfDialect); 3] = [
    (FrisketEbnfDialect::W3c as u32, EbnfDialect::W3c),
    (FrisketEbnfDialect::Iso as u32, EbnfDialect::Iso),
    (FrisketEbnfDialect::Xgrammar as u32, EbnfDialect::XGrammar),
];
const VALUES: [(u32, AbnfValues); 2] = [
    (FrisketAbnfValues::Characters as u32, AbnfValues::Characters),
    (FrisketAbnfValues::Bytes as u32, AbnfValues::Bytes),
];

/// The choice that C makes by a number, which need be none of them.
fn choice<T: Copy>(number: u32, choices: &[(u32, T)], name: &str) -> Result<T> {
    let found = choices.iter().find(|(known, _)| *known == number);
    let hint = || format!("give a number from 0 to {}", choices.len() - 1);
    found.map(|&(_, choice)| choice).ok_or_else(|| Error::misuse(format!("{name} is {number}"), hint()))
}

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

/// The name of a rule; None for null.
///
/// # Safety
/// As for `utf8`.
unsafe fn rule<'a>(name: *const c_char, length: usize) -> Result<Option<&'a str>> {
    // SAFETY: promised by the caller.
    (!name.is_null()).then(|| unsafe { utf8(name, length, "the name of the rule") }).transpose()
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
            Grammar::from_gbnf(text, rule(root, root_length)?.unwrap_or("root"), limits)
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
            Grammar::from_lark(text, rule(start, start_length)?.unwrap_or("start"), limits)
        })
    }
}

/// Makes the grammar of the texts of a rule of a grammar in EBNF. `dialect` is a FrisketEbnfDialect; without a rule (NULL)
/// the first one is meant, or in xgrammar's dialect the rule `root`.
///
/// # Safety
/// Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_from_ebnf(
    text: *const c_char,
    length: usize,
    dialect: u32,
    root: *const c_char,
    root_length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        read(text, length, limits, grammar, error, |text, limits| {
            let dialect = choice(dialect, &DIALECTS, "dialect")?;
            Grammar::from_ebnf(text, dialect, rule(root, root_length)?, limits)
        })
    }
}

/// Makes the grammar of the texts of a rule (NULL: the first one) of a grammar in ABNF, RFC 5234 and RFC 7405. `values` is a
/// FrisketAbnfValues.
///
/// # Safety
/// Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_grammar_from_abnf(
    text: *const c_char,
    length: usize,
    values: u32,
    root: *const c_char,
    root_length: usize,
    limits: *const FrisketLimits,
    grammar: *mut *mut FrisketGrammar,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        read(text, length, limits, grammar, error, |text, limits| {
            let values = choice(values, &VALUES, "values")?;
            Grammar::from_abnf(text, values, rule(root, root_length)?, limits)
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
