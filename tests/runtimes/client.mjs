// Walks on the standard input → masks, or times, on the standard output, by the package for JavaScript.
// usage: node client.mjs frisket.js masks|times tokenizer.json. program.py says what is read and written.

import { readFileSync, readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, mode, path] = process.argv.slice(2);
const { Grammar, init, Vocabulary } = await import(pathToFileURL(module).href);
await init();

/** The bytes that come next; null at the end of the input. */
function read(length) {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const count = readSync(0, bytes, at, length - at);
    if (count === 0) return null;
    at += count;
  }
  return bytes;
}

const words = (count) => {
  const bytes = read(4 * count);
  return bytes && new Uint32Array(bytes.buffer);
};

function put(words) {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

const makers = [
  (text) => Grammar.fromJsonSchema(text),
  (text) => Grammar.fromRegex(text),
  (text) => Grammar.fromGbnf(text),
  (text) => Grammar.fromLark(text),
  (text) => Grammar.fromEbnf(text),
  (text) => Grammar.fromAbnf(text),
];
const allows = (mask, token) => ((mask[token >> 5] >>> (token & 31)) & 1) === 1;
const nanoseconds = (begun) => Math.round(1e6 * (performance.now() - begun));

/** A mask before each token until one may not come, and the mask behind the last. */
function masks(matcher, tokens, mask) {
  for (let at = 0; ; at++) {
    put(matcher.fillMask(mask));
    if (at === tokens.length || !allows(mask, tokens[at])) return;
    matcher.advance(tokens[at]);
  }
}

/** The nanoseconds of each mask and of each advance. */
function times(matcher, tokens, mask) {
  const [filling, advancing] = [[], []];
  for (const token of tokens) {
    let begun = performance.now();
    matcher.fillMask(mask);
    const filled = nanoseconds(begun);
    if (!allows(mask, token)) break;
    begun = performance.now();
    matcher.advance(token);
    advancing.push(nanoseconds(begun));
    filling.push(filled);
  }
  matcher.free();
  return [filling, advancing];
}

const text = readFileSync(path);
let begun = performance.now();
const vocabulary = Vocabulary.fromTokenizerJson(text);
const mask = new Uint32Array(vocabulary.maskWords);
put(Uint32Array.of(mask.length, nanoseconds(begun) / 1e3));
for (let head = words(3); head !== null; head = words(3)) {
  const [notation, length, count] = head;
  const grammar = new TextDecoder().decode(read(length));
  const tokens = words(count);
  let [made, compiled] = [null, null];
  begun = performance.now();
  try {
    made = makers[notation](grammar);
    compiled = made.compile(vocabulary);
  } catch {
    // Whether it is refused is compared, too.
  }
  const compiling = nanoseconds(begun);
  put(Uint32Array.of(compiled === null ? 0 : 1));
  if (compiled !== null && mode === "times") {
    const [filling, advancing] = times(compiled.matcher(), tokens, mask);
    const again = times(compiled.matcher(), tokens, mask);
    put(Uint32Array.of(compiling, filling.length, ...filling, ...advancing, ...again.flat()));
  } else if (compiled !== null) {
    const matcher = compiled.matcher();
    masks(matcher, tokens, mask);
    matcher.free();
  }
  compiled?.free();
  made?.free();
}
