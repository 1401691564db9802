// A grammar and a text → the tokens that may come at each place of the text.

import { FrisketError, Grammar, init, Vocabulary } from "./frisket/frisket.js";

/** Tokens that are shown of a mask. */
const SHOWN = 300;
const EXAMPLES = {
  schema: [
    `{
  "type": "object",
  "properties": {
    "size": {"enum": ["small", "large"]},
    "milk": {"type": "boolean"}
  },
  "required": ["size", "milk"]
}`,
    '{"size": "la',
  ],
  regex: ["(yes|yesterday)[.!]", "yes"],
  gbnf: ['root ::= expr\nexpr ::= term (("+" | "-") term)*\nterm ::= [0-9]+ | "(" expr ")"', "12+(3"],
  ebnf: ["date ::= day '-' month\nday ::= [0-2] [0-9] | '3' [01]\nmonth ::= 'Jan' | 'Feb' | 'Mar'", "3"],
  abnf: ['time = hour ":" minute\nhour = ("0" / "1") DIGIT / "2" %x30-33\nminute = %x30-35 DIGIT', "2"],
  lark: ['start: greeting NAME\ngreeting: "hello " | "good morning "\nNAME: /[A-Z][a-z]+/', "hello Ad"],
};
const READERS = {
  schema: (text) => Grammar.fromJsonSchema(text),
  regex: (text) => Grammar.fromRegex(text),
  gbnf: (text) => Grammar.fromGbnf(text),
  ebnf: (text) => Grammar.fromEbnf(text),
  abnf: (text) => Grammar.fromAbnf(text),
  lark: (text) => Grammar.fromLark(text),
};
const at = (id) => document.getElementById(id);
const decoder = new TextDecoder();

/** The embedded model's tokenizer: bytes, then a token for each merge of two, then the special ones. */
function read({ merges, special }) {
  const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  for (const [left, right] of merges) tokens.push(Uint8Array.of(...tokens[left], ...tokens[right]));
  const ids = Object.fromEntries(special.map((name, number) => [name, tokens.length + number]));
  return Vocabulary.fromBytes([...tokens, ...special.map(() => "")], { special: ids, eos: [ids["<|eos|>"]] });
}

await init();
const vocabulary = read(await (await fetch("tokenizer.json")).json());
const texts = Array.from({ length: vocabulary.size }, (_, token) => vocabulary.token(token));
/** The places of the text: a mask before each token, and the token; the last has none. */
let places = [];

/** A token as a reader sees it. */
function label(token) {
  if (texts[token] === null) return "⟨end⟩";
  const text = decoder.decode(texts[token]);
  const isText = new TextEncoder().encode(text).length === texts[token].length && !text.includes("\ufffd");
  if (!isText) return Array.from(texts[token], (byte) => `⟨${byte.toString(16).padStart(2, "0")}⟩`).join("");
  return text.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

const mayCome = (mask, token) => ((mask[token >> 5] >>> (token & 31)) & 1) === 1;

/** The longest token that the mask allows and the rest of the text begins with; -1 if there is none. */
function longest(mask, rest) {
  let found = -1;
  texts.forEach((text, token) => {
    const fits = text !== null && mayCome(mask, token) && text.every((byte, place) => rest[place] === byte);
    if (fits && (found < 0 || text.length > texts[found].length)) found = token;
  });
  return found;
}

/** Reads grammar and text anew. */
function update() {
  const verdict = at("verdict");
  verdict.className = "";
  places = [];
  try {
    const begun = performance.now();
    using(READERS[at("notation").value](at("grammar").value), (grammar) =>
      using(grammar.compile(vocabulary), (compiled) => using(compiled.matcher(), walk)),
    );
    const { rest, canEnd } = places.at(-1);
    const took = `${places.length} masks in ${(performance.now() - begun).toFixed(1)} ms, with the compile`;
    const state = canEnd ? "The text may end here." : "The text must go on.";
    verdict.textContent = rest.length > 0 ? `No text goes on with ${JSON.stringify(decoder.decode(rest))}.` : state;
    verdict.className = rest.length > 0 ? "wrong" : "";
    verdict.append(` ${took}.`);
  } catch (error) {
    if (!(error instanceof FrisketError)) throw error;
    const { message, place, hint } = error;
    verdict.className = "wrong";
    verdict.textContent = [place ? `${message} (at ${place})` : message, hint].filter(Boolean).join("; ");
  }
  showTokens();
}

/** What `act` makes of an object, which is then freed. */
function using(object, act) {
  try {
    return act(object);
  } finally {
    object.free();
  }
}

function walk(matcher) {
  let rest = new TextEncoder().encode(at("text").value);
  for (;;) {
    const mask = matcher.fillMask();
    const token = rest.length > 0 ? longest(mask, rest) : -1;
    places.push({ mask, token, rest, canEnd: matcher.canEnd });
    if (token < 0) return;
    matcher.advance(token);
    rest = rest.subarray(texts[token].length);
  }
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function showTokens() {
  const row = places.map(({ token }, number) => button(token < 0 ? "⟨next⟩" : label(token), () => choose(number)));
  at("tokens").replaceChildren(...row);
  choose(places.length - 1);
}

/** Shows the mask at a place. */
function choose(number) {
  [...at("tokens").children].forEach((one, place) => one.setAttribute("aria-pressed", String(place === number)));
  const mask = places[number]?.mask ?? new Uint32Array(vocabulary.maskWords);
  const allowed = texts.map((_, token) => token).filter((token) => mayCome(mask, token));
  at("count").textContent = `${allowed.length} of ${texts.length} tokens`;
  const row = allowed.slice(0, SHOWN).map((token) =>
    button(label(token), () => {
      if (texts[token] === null) return;
      const taken = places.slice(0, number).flatMap((place) => [...texts[place.token]]);
      at("text").value = decoder.decode(Uint8Array.from([...taken, ...texts[token]]));
      update();
    }),
  );
  at("allowed").replaceChildren(...row);
}

function example() {
  [at("grammar").value, at("text").value] = EXAMPLES[at("notation").value];
  update();
}

at("notation").addEventListener("change", example);
at("grammar").addEventListener("input", update);
at("text").addEventListener("input", update);
example();
