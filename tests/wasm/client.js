// The package × what a test asks → the answer as JSON. Runs in Node.js and in a browser.

/** Grammars by the name of their notation. */
const makers = (frisket) => ({
  structural_tag: (text) => frisket.Grammar.fromStructuralTag(text),
  schema: (text) => frisket.Grammar.fromJsonSchema(text),
  regex: (text) => frisket.Grammar.fromRegex(text),
  gbnf: (text) => frisket.Grammar.fromGbnf(text),
  lark: (text) => frisket.Grammar.fromLark(text),
  ebnf: (text) => frisket.Grammar.fromEbnf(text),
  abnf: (text) => frisket.Grammar.fromAbnf(text),
});

/** The vocabulary of bytes, with an end. */
function bytes(frisket) {
  const tokens = [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), new Uint8Array(0)];
  return frisket.Vocabulary.fromBytes(tokens, { special: { "<end>": 256 }, eos: [256] });
}

async function hash(words) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", words));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What an error says. */
function told(error) {
  const { name, code, message, place, hint, places } = error;
  return { name, code, message, place, hint, places, text: String(error) };
}

/** Cases [notation, text, tokens] → the hashes of the masks before each token and behind the last, or an error. */
export async function masks(frisket, { tokenizer, cases }) {
  const response = await fetch(tokenizer);
  const vocabulary = frisket.Vocabulary.fromTokenizerJson(new Uint8Array(await response.arrayBuffer()));
  const answers = [];
  for (const [notation, text, tokens] of cases) {
    try {
      const matcher = makers(frisket)[notation](text).compile(vocabulary).matcher();
      const mask = new Uint32Array(vocabulary.maskWords);
      const hashes = [await hash(matcher.fillMask(mask))];
      for (const token of tokens) {
        matcher.advance(token);
        hashes.push(await hash(matcher.fillMask(mask)));
      }
      answers.push({ hashes });
    } catch (error) {
      answers.push({ error: told(error) });
    }
  }
  return { size: vocabulary.size, answers };
}

/** Cases [notation, text] → what the error of each says; null where there is none. */
export async function errors(frisket, cases) {
  return cases.map(([notation, text]) => {
    try {
      makers(frisket)[notation](text);
      return null;
    } catch (error) {
      if (!(error instanceof frisket.FrisketError) || !(error instanceof Error)) throw error;
      return told(error);
    }
  });
}

/** A program [[method, ...arguments], …] on a matcher → what each call returns, or the name of its error. */
export async function calls(frisket, { notation, text, program }) {
  const matcher = makers(frisket)[notation](text).compile(bytes(frisket)).matcher();
  const plain = (value) => {
    if (ArrayBuffer.isView(value)) return Array.from(value);
    return value === undefined ? null : value;
  };
  return program.map(([name, ...values]) => {
    try {
      return plain(typeof matcher[name] === "function" ? matcher[name](...values) : matcher[name]);
    } catch (error) {
      return told(error).name;
    }
  });
}

/** The name and message of the error of a call under limits. */
export async function limited(frisket, { notation, text, limits }) {
  const options = { regex: [limits], gbnf: ["root", limits], lark: ["start", limits], schema: [undefined, limits] };
  const names = { regex: "fromRegex", gbnf: "fromGbnf", lark: "fromLark", schema: "fromJsonSchema" };
  try {
    const grammar = frisket.Grammar[names[notation]](text, ...options[notation]);
    const matcher = grammar.compile(bytes(frisket), limits).matcher();
    matcher.fillMask();
    return null;
  } catch (error) {
    return told(error);
  }
}

/** What the module exports, and what its classes have, by name. */
export async function names(frisket) {
  const own = (object) => Object.getOwnPropertyNames(object);
  const members = (Class) => {
    const found = new Set([...own(Class), ...own(Class.prototype)]);
    ["length", "name", "prototype", "constructor"].forEach((name) => found.delete(name));
    return [...found].sort();
  };
  const { Vocabulary, Grammar, CompiledGrammar, Matcher } = frisket;
  const classes = { Vocabulary, Grammar, CompiledGrammar, Matcher };
  return {
    exported: Object.keys(frisket).sort(),
    members: Object.fromEntries(Object.entries(classes).map(([name, Class]) => [name, members(Class)])),
  };
}

/** What is not as frisket.d.ts says, in words. */
export async function faults(frisket, { file }) {
  const { Grammar, Matcher, MisuseError, Vocabulary } = frisket;
  const found = [];
  const check = (name, holds) => holds || found.push(name);
  const refuses = (name, act) => {
    try {
      act();
      found.push(`${name}: no error`);
    } catch (error) {
      if (!(error instanceof MisuseError && error.hint)) found.push(`${name}: ${error}`);
    }
  };
  const vocabulary = bytes(frisket);
  const grammar = Grammar.fromJsonSchema({ type: "boolean" }, { whitespace: "compact" });
  const compiled = grammar.compile(vocabulary);
  const matcher = compiled.matcher();
  const fork = matcher.fork();
  fork.advanceBytes("t");
  check("a fork goes on alone", matcher.steps === 0 && fork.steps === 1);
  check("a schema has a report", grammar.report.entries.some(({ keyword }) => keyword === "type"));
  check("other grammars have none", Grammar.fromRegex("a").report === null);
  const format = { type: "tag", begin: "<", content: { type: "json_schema", json_schema: true }, end: ">" };
  const tag = Grammar.fromStructuralTag({ type: "structural_tag", format }, { whitespace: "compact" });
  check("a structural tag begins with its tag", tag.compile(vocabulary).matcher().forcedBytes()[0] === 60);
  const mask = matcher.fillMask(new Uint32Array(12).fill(7));
  check("words beyond the vocabulary are 0", mask[9] === 0 && mask[11] === 0 && mask[3] !== 0);
  check("tokens have bytes", vocabulary.token(65)[0] === 65 && vocabulary.token(256) === null);
  check("a vocabulary has a size", vocabulary.size === 257 && vocabulary.maskWords === 9);
  refuses("a class has no constructor", () => new Vocabulary());
  refuses("a key is no other symbol", () => new Matcher(Symbol("frisket"), {}));
  refuses("a mask is too short", () => matcher.fillMask(new Uint32Array(8)));
  refuses("a mask is no other array", () => matcher.fillMask(new Int32Array(9)));
  refuses("a token is no text", () => matcher.advance("1"));
  refuses("an object is not forged", () => grammar.compile(Object.create(Vocabulary.prototype)));
  refuses("an option has its name", () => Vocabulary.fromBytes(["a"], { end: [0] }));
  const rules = 'first = "ä"; second = "b";';
  const iso = Grammar.fromEbnf(rules, { dialect: "iso", root: "second" }).compile(vocabulary).matcher();
  check("EBNF has dialects and rules", iso.forcedBytes()[0] === 98);
  const numbers = Grammar.fromAbnf("a = %xC3 %xA9", { values: "bytes" }).compile(vocabulary).matcher();
  check("numbers in ABNF are bytes", numbers.forcedBytes()[1] === 0xa9);
  refuses("a dialect has its name", () => Grammar.fromEbnf("a ::= 'b'", { dialect: "W3C" }));
  refuses("a rule has a name", () => Grammar.fromAbnf("a = 1", { root: 1 }));
  refuses("an option of schemas has its name", () => Grammar.fromJsonSchema(true, { spaces: "none" }));
  compiled.free();
  vocabulary.free();
  refuses("a vocabulary was freed", () => grammar.compile(vocabulary));
  check("what was made of it goes on", matcher.fillMask()[3] !== 0);
  matcher.free();
  matcher.free();
  refuses("a matcher was freed", () => matcher.canEnd);

  const older = bytes(frisket);
  await frisket.init(await fetch(file));
  check("objects of an earlier instance go on", fork.forcedBytes().length === 3);
  refuses("instances share nothing", () => Grammar.fromRegex("a").compile(older));
  for (const wrong of ["nowhere.wasm", null, 7, new Uint8Array(8), new Response("text")]) {
    const error = await frisket.init(wrong).catch((error) => error);
    refuses("a file is there, and is frisket.wasm", () => { if (error !== undefined) throw error; });
  }
  const bare = await (await fetch(file)).arrayBuffer();
  const untyped = new Response(bare);
  for (const source of [file, new URL(file), bare, new Uint8Array(bare), await WebAssembly.compile(bare), untyped]) {
    await frisket.init(source);
    check("a module is given in any way", Grammar.fromRegex("a") instanceof Grammar);
  }
  check("a load that fails leaves the instance", Grammar.fromRegex("a") instanceof Grammar);
  return found;
}

/** Breaks the instance by calls on a stack that is nearly full; what each of the next calls says, or "ok". */
export async function broken(frisket) {
  const older = bytes(frisket);
  const outcome = (act) => {
    try {
      act();
      return "ok";
    } catch (error) {
      return error instanceof frisket.FrisketError ? error.name : "no typed error";
    }
  };
  const deep = `${'{"anyOf": [{"type": "null"}, '.repeat(90)}{}${"]}".repeat(90)}`;
  const call = () => frisket.Grammar.fromJsonSchema(deep);
  let last = "";
  const dive = () => {
    try {
      dive();
    } catch (error) {
      // Full in JavaScript itself: one frame higher there is a little room.
      if (!(error instanceof RangeError)) throw error;
      last = outcome(call);
      if (last === "no typed error") throw new RangeError();
    }
  };
  dive();
  const told = [last, outcome(call), outcome(() => older.size), outcome(() => older.free())];
  await frisket.init();
  return [...told, outcome(call), outcome(() => frisket.Grammar.fromRegex("a").compile(bytes(frisket)))];
}

/** The number of errors by name in so many calls of any methods with any arguments, in any order. */
export async function misuse(frisket, { seed, count }) {
  let state = seed;
  const random = (below) => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const pick = (items) => items[random(items.length)];
  const { Vocabulary, Grammar, CompiledGrammar, Matcher } = frisket;
  const vocabulary = bytes(frisket);
  const objects = [vocabulary, Grammar.fromRegex("(ab)*c"), Grammar.fromJsonSchema({ minLength: 2 })];
  objects.push(objects[1].compile(vocabulary), objects[2].compile(vocabulary));
  objects.push(objects[3].matcher(), objects[4].matcher());
  const cyclic = {};
  cyclic.self = cyclic;
  const junk = [
    ...[undefined, null, true, -1, 1.5, NaN, Infinity, 2 ** 32, 2 ** 32 - 1, 2 ** 53, 7n, Symbol("s"), () => 1],
    ...["", "x", "root", "start", "a", '{"type": "integer"}', "\ud800", "\0", "(", "[a-z]+", 'root ::= "a" root | "b"'],
    ...[[], {}, [1, 2], [-1], ["a"], new Uint8Array(3), new Uint8Array([0xff, 0x22]), new Uint32Array(9), new Map()],
    ...[{ type: "string" }, { steps: 3 }, { seconds: -1 }, { memoryBytes: 1 }, { eos: [0] }, { special: { a: 1 } }],
    ...[cyclic, new Uint32Array(9), new Float64Array(9), 0, 1, 2, 34, 97, 98, 99, 256, 257],
  ];
  const classes = [Vocabulary, Grammar, CompiledGrammar, Matcher];
  const names = (object) => Object.getOwnPropertyNames(object).filter((name) => !["constructor", "name"].includes(name));
  const counts = {};
  for (let call = 0; call < count; call++) {
    const values = Array.from({ length: random(4) }, () => (random(3) === 0 ? pick(objects) : pick(junk)));
    const target = random(4) === 0 ? pick(classes) : pick(objects);
    const name = pick([...names(typeof target === "function" ? target : Object.getPrototypeOf(target)), "free"]);
    let outcome = "none";
    try {
      // Methods of other classes, too.
      const method = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), name)?.value;
      const borrowed = random(9) === 0 && typeof method === "function";
      const frees = name === "free" && random(6) !== 0;
      const made = frees ? null : borrowed ? method.apply(pick(objects), values) : invoked(target, name, values);
      if (classes.some((Class) => made instanceof Class)) objects[random(objects.length)] = made;
    } catch (error) {
      if (!(error instanceof frisket.FrisketError)) throw error;
      outcome = error.name;
    }
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (random(500) === 0) objects.splice(0, 3, bytes(frisket), Grammar.fromRegex("a+"), Grammar.fromRegex("b|c"));
  }
  // The instance is as it was for whoever uses it well.
  const mask = Grammar.fromRegex("[0-9]").compile(bytes(frisket)).matcher().fillMask();
  return { counts, digits: mask[1] };
}

function invoked(target, name, values) {
  return typeof target[name] === "function" && name !== "prototype" ? target[name](...values) : target[name];
}
