//! Walks on the standard input → masks, or times, on the standard output, for the comparison of runtimes.
//!
//! usage: walk masks|times tokenizer.json. `tests/runtimes/program.py` says what is read and written.

use frisket::{AbnfValues, CompiledGrammar, EbnfDialect, Grammar, Limits, Matcher, Result, SchemaOptions, Vocabulary};
use std::io::{self, BufWriter, Read, Write};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The words of 32 bits that come next; nothing at the end of the input.
fn words(input: &mut impl Read, count: usize) -> Option<Vec<u32>> {
    let mut bytes = vec![0; 4 * count];
    input.read_exact(&mut bytes).ok()?;
    Some(bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect())
}

fn put(output: &mut impl Write, words: &[u32]) -> io::Result<()> {
    words.iter().try_for_each(|word| output.write_all(&word.to_ne_bytes()))
}

fn compiled(notation: u32, text: &str, vocabulary: &Vocabulary) -> Result<CompiledGrammar> {
    let limits = Limits::default();
    let grammar = match notation {
        0 => Grammar::from_json_schema(text, &SchemaOptions::default(), &limits),
        1 => Grammar::from_regex(text, &limits),
        2 => Grammar::from_gbnf(text, "root", &limits),
        3 => Grammar::from_lark(text, "start", &limits),
        4 => Grammar::from_ebnf(text, EbnfDialect::W3c, None, &limits),
        _ => Grammar::from_abnf(text, AbnfValues::Characters, None, &limits),
    }?;
    grammar.compile(vocabulary, &limits)
}

fn allows(mask: &[u32], token: u32) -> bool {
    mask[token as usize / 32] >> (token % 32) & 1 == 1
}

/// A mask before each token until one may not come, and the mask behind the last.
fn masks(mut matcher: Matcher, tokens: &[u32], mask: &mut [u32], output: &mut impl Write) -> io::Result<()> {
    for token in tokens.iter().map(Some).chain([None]) {
        matcher.fill_mask(mask).unwrap();
        put(output, mask)?;
        match token {
            Some(&token) if allows(mask, token) => matcher.advance(token).unwrap(),
            _ => break,
        }
    }
    Ok(())
}

/// The nanoseconds of each mask and of each advance.
fn times(mut matcher: Matcher, tokens: &[u32], mask: &mut [u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut filling, mut advancing) = (vec![], vec![]);
    for &token in tokens {
        let begun = Instant::now();
        matcher.fill_mask(mask).unwrap();
        let filled = begun.elapsed();
        if !allows(mask, token) {
            break;
        }
        let begun = Instant::now();
        matcher.advance(token).unwrap();
        advancing.push(begun.elapsed().as_nanos() as u32);
        filling.push(filled.as_nanos() as u32);
    }
    (filling, advancing)
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, mode, path] = &arguments[..] else { panic!("usage: walk masks|times tokenizer.json") };
    let text = std::fs::read_to_string(path)?;
    let begun = Instant::now();
    let vocabulary = Vocabulary::from_tokenizer_json(&text, None, None).unwrap();
    let making = begun.elapsed().as_micros() as u32;
    let mut mask = vec![0; vocabulary.mask_words()];
    let (mut input, mut output) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    put(&mut output, &[mask.len() as u32, making])?;
    output.flush()?;
    while let Some(head) = words(&mut input, 3) {
        let mut text = vec![0; head[1] as usize];
        input.read_exact(&mut text)?;
        let text = String::from_utf8(text).unwrap();
        let tokens = words(&mut input, head[2] as usize).unwrap();
        let begun = Instant::now();
        let made = compiled(head[0], &text, &vocabulary);
        let compiling = begun.elapsed().as_nanos() as u32;
        put(&mut output, &[u32::from(made.is_ok())])?;
        match made {
            Ok(compiled) if mode == "times" => {
                let (filling, advancing) = times(compiled.matcher(), &tokens, &mut mask);
                let (filling_again, advancing_again) = times(compiled.matcher(), &tokens, &mut mask);
                put(&mut output, &[compiling, filling.len() as u32])?;
                let rows = [filling, advancing, filling_again, advancing_again];
                rows.iter().try_for_each(|row| put(&mut output, row))?;
            }
            Ok(compiled) => masks(compiled.matcher(), &tokens, &mut mask, &mut output)?,
            Err(_) => {}
        }
        output.flush()?;
    }
    Ok(())
}
