// Vocabulary × grammar → masks of the tokens that may come next. frisket.d.ts says what each name means.

import {
  bytes,
  choice,
  entries,
  fields,
  joined,
  json,
  limitsOf,
  listed,
  maskOf,
  shown,
  text,
  tokenIds,
  whole,
} from "./arguments.js";
import { MisuseError } from "./errors.js";
import { Instance } from "./instance.js";

export * from "./errors.js";

/** Only this file makes objects of its classes. */
const KEY = Symbol("frisket");
/** Where a class names the function that frees its objects. */
const FREE = Symbol("free");
let current = null;

export async function init(source) {
  if (source === undefined && current !== null && !current.isBroken) return;
  current = await Instance.load(source);
}

function loaded() {
  if (current === null) throw new MisuseError("frisket is not loaded yet", { hint: "await init() first" });
  return current;
}

/** An object of the library, freed once: by its owner, or after the owner is gone. */
class Handle {
  constructor(instance, pointer, freeName) {
    this.instance = instance;
    this.pointer = pointer;
    this.freeName = freeName;
    /** Of compiled grammars and matchers: the words of a mask. */
    this.maskWords = 0;
  }

  free() {
    const pointer = this.pointer;
    this.pointer = 0;
    if (pointer !== 0 && !this.instance.isBroken) this.instance.call(this.freeName, pointer);
  }
}

const abandoned = new FinalizationRegistry((handle) => handle.free());

/** The handle of an object of a class. Errors: it is something else, or was freed. */
let handleOf;

/** What the four classes share. */
class Resource {
  #handle;

  constructor(key, handle) {
    if (key !== KEY) {
      const hint = "use Vocabulary.from…, Grammar.from…, grammar.compile and compiled.matcher";
      throw new MisuseError(`${new.target.name} has no constructor`, { hint });
    }
    this.#handle = handle;
    abandoned.register(this, handle, handle);
  }

  static {
    handleOf = (Class, object) => {
      if (!(object instanceof Class && #handle in object)) {
        throw new MisuseError(`${shown(object)} is no ${Class.name}`, { hint: `give a ${Class.name}` });
      }
      const handle = object.#handle;
      if (handle.pointer === 0) throw new MisuseError(`the ${Class.name} was freed`, { hint: "make another one" });
      return handle;
    };
  }

  free() {
    if (!(#handle in this)) throw new MisuseError(`${shown(this)} is nothing to free`, { hint: "call object.free()" });
    abandoned.unregister(this.#handle);
    this.#handle.free();
  }
}
/** The object of a class that a function of the library writes as its result. */
function made(Class, instance, name, ...values) {
  instance.run(name, ...values, instance.result);
  return new Class(KEY, new Handle(instance, instance.word(instance.result), Class[FREE]));
}

if (Symbol.dispose) Resource.prototype[Symbol.dispose] = Resource.prototype.free;

export class Vocabulary extends Resource {
  static [FREE] = "frisket_vocabulary_free";

  static fromTokenizerJson(tokenizer, options) {
    const given = fields(options, { size: 0, eos: [] });
    const [read, size, eos] = [json(tokenizer, "tokenizer"), whole(given.size, "size"), tokenIds(given.eos, "eos")];
    const instance = loaded();
    return instance.withArrays([read, eos], (at, ends) =>
      made(
        Vocabulary,
        instance,
        "frisket_vocabulary_from_tokenizer_json",
        ...[at, read.length, size],
        ...[ends, eos.length],
      ),
    );
  }

  static fromBytes(tokens, options) {
    const given = fields(options, { special: {}, eos: [] });
    const texts = listed(tokens, "tokens").map((token) => bytes(token, "a token"));
    const lengths = Uint32Array.from(texts, (token) => token.length);
    const eos = tokenIds(given.eos, "eos");
    const special = entries(given.special, "special");
    const names = special.map(([name]) => bytes(`${name}\0`, "a name"));
    const ids = special.map(([name, id]) => whole(id, `the id of ${name}`));
    const zero = special.find(([name]) => name.includes("\0"));
    if (zero !== undefined) throw new MisuseError(`${shown(zero[0])} is no name`, { hint: "leave out its zero" });
    // One pointer and one id for each, then their names.
    const table = new Uint32Array(2 * names.length);
    const [block, spelled] = [joined(texts), joined([new Uint8Array(table.buffer), ...names])];
    const instance = loaded();
    return instance.withArrays([block, lengths, spelled, eos], (blockAt, lengthsAt, specialAt, eosAt) => {
      let at = specialAt + table.byteLength;
      names.forEach((name, number) => {
        table.set([at, ids[number]], 2 * number);
        at += name.length;
      });
      instance.write(specialAt, table);
      return made(
        Vocabulary,
        instance,
        "frisket_vocabulary_from_bytes",
        ...[blockAt, block.length, lengthsAt, lengths.length],
        ...[specialAt, names.length, eosAt, eos.length],
      );
    });
  }

  get size() {
    const { instance, pointer } = handleOf(Vocabulary, this);
    return instance.call("frisket_vocabulary_size", pointer);
  }

  get maskWords() {
    const { instance, pointer } = handleOf(Vocabulary, this);
    return instance.call("frisket_vocabulary_mask_words", pointer);
  }

  token(id) {
    const { instance, pointer } = handleOf(Vocabulary, this);
    const at = instance.call("frisket_vocabulary_token", pointer, whole(id, "token"), instance.result);
    return at === 0 ? null : instance.copy(at, instance.word(instance.result));
  }
}

export class Grammar extends Resource {
  static [FREE] = "frisket_grammar_free";

  static fromJsonSchema(schema, options, limits) {
    const chosen = options === undefined ? null : json(options, "options");
    return Grammar.#read("frisket_grammar_from_json_schema", json(schema, "schema"), [chosen], limits);
  }

  static fromStructuralTag(tag, options, limits) {
    const chosen = options === undefined ? null : json(options, "options");
    return Grammar.#read("frisket_grammar_from_structural_tag", json(tag, "tag"), [chosen], limits);
  }

  static fromRegex(pattern, limits) {
    return Grammar.#read("frisket_grammar_from_regex", bytes(text(pattern, "pattern")), [], limits);
  }

  static fromGbnf(grammar, root = "root", limits = undefined) {
    return Grammar.#read(
      "frisket_grammar_from_gbnf",
      bytes(text(grammar, "grammar")),
      [bytes(text(root, "root"))],
      limits,
    );
  }

  static fromLark(grammar, start = "start", limits = undefined) {
    return Grammar.#read(
      "frisket_grammar_from_lark",
      bytes(text(grammar, "grammar")),
      [bytes(text(start, "start"))],
      limits,
    );
  }

  static fromEbnf(grammar, options, limits) {
    const { dialect, root } = fields(options, { dialect: "w3c", root: null });
    const number = choice(dialect, ["w3c", "iso", "xgrammar"], "dialect");
    return Grammar.#read("frisket_grammar_from_ebnf", bytes(text(grammar, "grammar")), [number, rule(root)], limits);
  }

  static fromAbnf(grammar, options, limits) {
    const { values, root } = fields(options, { values: "characters", root: null });
    const number = choice(values, ["characters", "bytes"], "values");
    return Grammar.#read("frisket_grammar_from_abnf", bytes(text(grammar, "grammar")), [number, rule(root)], limits);
  }

  /** Calls a function that reads a text; `others` are what comes between it and the limits, arrays or numbers. */
  static #read(name, source, others, limits) {
    const given = [source, ...others];
    const instance = loaded();
    const arrays = given.filter((one) => typeof one !== "number");
    return instance.withArrays([limitsOf(limits), ...arrays], (limit, ...places) => {
      const next = places.values();
      const values = given.flatMap((one) => (typeof one === "number" ? one : [next.next().value, one?.length ?? 0]));
      return made(Grammar, instance, name, ...values, limit);
    });
  }

  get report() {
    const { instance, pointer } = handleOf(Grammar, this);
    instance.run("frisket_grammar_report", pointer, instance.result);
    return JSON.parse(instance.take(instance.result));
  }

  compile(vocabulary, limits) {
    const { instance, pointer } = handleOf(Grammar, this);
    const other = handleOf(Vocabulary, vocabulary);
    if (other.instance !== instance) {
      throw new MisuseError("the vocabulary is of another instance", { hint: "make both after the same init()" });
    }
    const compiled = instance.withArrays([limitsOf(limits)], (limit) =>
      made(CompiledGrammar, instance, "frisket_compile", pointer, other.pointer, limit),
    );
    handleOf(CompiledGrammar, compiled).maskWords = vocabulary.maskWords;
    return compiled;
  }
}

export class CompiledGrammar extends Resource {
  static [FREE] = "frisket_compiled_free";

  matcher() {
    const { instance, pointer, maskWords } = handleOf(CompiledGrammar, this);
    const matcher = made(Matcher, instance, "frisket_matcher_new", pointer, 0);
    handleOf(Matcher, matcher).maskWords = maskWords;
    return matcher;
  }
}

export class Matcher extends Resource {
  static [FREE] = "frisket_matcher_free";

  get maskWords() {
    return handleOf(Matcher, this).maskWords;
  }

  fillMask(mask) {
    return filled(handleOf(Matcher, this), mask, "frisket_matcher_fill_mask");
  }

  fillMaskWithin(room, mask) {
    return filled(handleOf(Matcher, this), mask, "frisket_matcher_fill_mask_within", whole(room, "room"));
  }

  advance(token) {
    const { instance, pointer } = handleOf(Matcher, this);
    instance.run("frisket_matcher_advance", pointer, whole(token, "token"));
  }

  advanceBytes(taken) {
    const { instance, pointer } = handleOf(Matcher, this);
    const given = bytes(taken, "the text");
    instance.withArrays([given], (at) => instance.run("frisket_matcher_advance_bytes", pointer, at, given.length));
  }

  validate(tokens) {
    const { instance, pointer } = handleOf(Matcher, this);
    const ids = tokenIds(tokens, "tokens");
    instance.withArrays([ids], (at) =>
      instance.run("frisket_matcher_validate", pointer, at, ids.length, instance.result),
    );
    return instance.word(instance.result);
  }

  rollback(steps) {
    const { instance, pointer } = handleOf(Matcher, this);
    instance.run("frisket_matcher_rollback", pointer, whole(steps, "steps"));
  }

  reset() {
    const { instance, pointer } = handleOf(Matcher, this);
    instance.run("frisket_matcher_reset", pointer);
  }

  forcedBytes() {
    const { instance, pointer } = handleOf(Matcher, this);
    const buffer = new Uint8Array(1024);
    return instance.withArrays([buffer], (at) => {
      instance.run("frisket_matcher_forced_bytes", pointer, at, buffer.length, instance.result);
      return instance.copy(at, instance.word(instance.result));
    });
  }

  canFinish(room) {
    const { instance, pointer } = handleOf(Matcher, this);
    instance.run("frisket_matcher_can_finish", pointer, whole(room, "room"), instance.result);
    return instance.flag(instance.result);
  }

  leastTokens() {
    const { instance, pointer } = handleOf(Matcher, this);
    instance.run("frisket_matcher_least_tokens", pointer, instance.result);
    return instance.word(instance.result);
  }

  get canEnd() {
    const { instance, pointer } = handleOf(Matcher, this);
    return instance.call("frisket_matcher_can_end", pointer) !== 0;
  }

  get ended() {
    const { instance, pointer } = handleOf(Matcher, this);
    return instance.call("frisket_matcher_ended", pointer) !== 0;
  }

  get steps() {
    const { instance, pointer } = handleOf(Matcher, this);
    return instance.call("frisket_matcher_steps", pointer);
  }

  fork() {
    const { instance, pointer, maskWords } = handleOf(Matcher, this);
    const fork = made(Matcher, instance, "frisket_matcher_fork", pointer);
    handleOf(Matcher, fork).maskWords = maskWords;
    return fork;
  }
}

/** The bytes of a rule's name; null for the notation's own choice. */
function rule(name) {
  return name === null ? null : bytes(text(name, "root"));
}

/** The mask that a function of the library writes; nothing is written where it fails. */
function filled({ instance, pointer, maskWords }, given, name, ...values) {
  const mask = given === undefined ? new Uint32Array(maskWords) : maskOf(given, maskWords);
  mask.set(instance.words(maskWords, (at) => instance.run(name, pointer, ...values, at, maskWords)));
  return mask.fill(0, maskWords);
}
