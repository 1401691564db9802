// Lines of JSON {schema, sequences} → the nanoseconds of each call. usage: node wasm.mjs frisket.js tokenizer.json

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Grammar, init, Vocabulary } = await import(pathToFileURL(process.argv[2]).href);
const timed = (act) => {
  const begun = performance.now();
  const made = act();
  return [made, Math.round(1e6 * (performance.now() - begun))];
};
const [, loading] = [await init(), Math.round(1e6 * performance.now())];
const text = await readFile(process.argv[3]);
const [vocabulary, making] = timed(() => Vocabulary.fromTokenizerJson(text));
console.log(JSON.stringify({ loading, vocabulary: making, size: vocabulary.size }));

const mask = new Uint32Array(vocabulary.maskWords);
for await (const line of createInterface({ input: process.stdin })) {
  const { schema, sequences } = JSON.parse(line);
  try {
    const [compiled, compile] = timed(() => Grammar.fromJsonSchema(schema).compile(vocabulary));
    const [masks, advances] = [[], []];
    for (const tokens of sequences) {
      const [matcher] = timed(() => compiled.matcher());
      for (const token of tokens) {
        masks.push(timed(() => matcher.fillMask(mask))[1]);
        if (((mask[token >> 5] >>> (token & 31)) & 1) === 0) break;
        advances.push(timed(() => matcher.advance(token))[1]);
      }
      matcher.free();
    }
    compiled.free();
    console.log(JSON.stringify({ compile, masks, advances }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.code }));
  }
}
