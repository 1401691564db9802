/** JSON Schemas, regular expressions and grammars → masks of the tokens that a language model may write next. */

/**
 * Loads frisket.wasm: by default the one beside this module. To be awaited once, before all else.
 *
 * After a {@link BugError} another call makes a new instance; objects of the old one stay unusable.
 */
export function init(source?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<void>;

declare global {
  interface SymbolConstructor {
    /** Declared here for compilers that do not know it yet. */
    readonly dispose: unique symbol;
  }
}

/** What one call may take. A call that reaches a limit throws a {@link LimitExceededError}. */
export interface Limits {
  /** Bytes of a grammar: 256 MiB where nobody says otherwise. */
  memoryBytes?: number;
  /** Elementary steps, the same on every machine: 50 million where nobody says otherwise. */
  steps?: number;
  /** Seconds: any time where nobody says otherwise. */
  seconds?: number;
}

/** How documents of a schema are spelled: the fields and values of `JSONSchemaOptions` in Python. */
export interface SchemaOptions {
  property_order?: "schema" | "declared" | "any";
  whitespace?: "bounded" | "compact" | "pretty" | "free";
  formats?: "assert" | "annotate" | "openapi" | "python";
  escapes?: "raw" | "free";
  numbers?: "plain" | "free";
  closed_objects?: boolean;
  leading_space?: boolean;
  nullable?: boolean;
  relaxed?: boolean;
  indent?: number;
  max_integer_digits?: number;
  max_fraction_digits?: number;
  max_exponent_digits?: number;
  max_second_digits?: number;
  max_alternatives?: number;
  max_whitespace?: number | null;
  max_items?: number | null;
  separators?: [item: string, colon: string] | null;
  escape_letters?: string;
  forbidden_texts?: string[];
  escaped_texts?: string[];
}

/** What became of the keywords of a schema. */
export interface Report {
  entries: { pointer: string; keyword: string; status: string; slips: string | null; note: string | null }[];
  notes: { code: string; text: string; pointers: string[] }[];
}

/**
 * An object in the memory of frisket.wasm. It is freed some time after nobody refers to it; `free` does so at once.
 * What was made of it may go on.
 */
declare abstract class Resource {
  /** Frees the object; any other call of it is then a {@link MisuseError}. */
  free(): void;
  [Symbol.dispose](): void;
}

/** The bytes of every token of a tokenizer. */
export class Vocabulary extends Resource {
  private constructor();
  /**
   * The vocabulary of a Hugging Face tokenizer.json: its text, its bytes, or the value that it says.
   *
   * `size`: the rows of the model's logits where they are more than the tokenizer's ids. `eos`: the ids that end a text;
   * without it, the special tokens with well-known names for that.
   */
  static fromTokenizerJson(
    tokenizer: string | Uint8Array | object,
    options?: { size?: number; eos?: Iterable<number> },
  ): Vocabulary;
  /**
   * The vocabulary whose token i writes `tokens[i]`; an empty one has no text. `special` has the ids of tokens that are no
   * text by their names, `eos` the ids that end a text.
   */
  static fromBytes(
    tokens: Iterable<string | Uint8Array>,
    options?: { special?: Record<string, number>; eos?: Iterable<number> },
  ): Vocabulary;
  /** How many ids there are. */
  readonly size: number;
  /** The words of a mask: a bit for each id. */
  readonly maskWords: number;
  /** The bytes of a token; null if it has no text. */
  token(id: number): Uint8Array | null;
}

/** Rules over bytes, which know no tokenizer. */
export class Grammar extends Resource {
  private constructor();
  /**
   * The JSON documents that a schema allows: its JSON text, or the value that it says. A schema that cannot be enforced
   * exactly is an {@link UnsupportedSchemaError}.
   *
   * Give text where property names are numbers: objects of JavaScript put those first.
   */
  static fromJsonSchema(schema: string | object | boolean, options?: SchemaOptions, limits?: Limits): Grammar;
  /**
   * The texts of a structural tag, the JSON in requests to vLLM and SGLang: its text, or the value that it says. `options` hold
   * for the schemas inside; without them, those have any white space and escapes.
   */
  static fromStructuralTag(tag: string | object, options?: SchemaOptions, limits?: Limits): Grammar;
  /** The texts that a regular expression of ECMA-262 matches from beginning to end. */
  static fromRegex(pattern: string, limits?: Limits): Grammar;
  /** The texts of a rule of a grammar in GBNF, llama.cpp's notation. */
  static fromGbnf(grammar: string, root?: string, limits?: Limits): Grammar;
  /** The texts of a rule of a grammar in Lark's notation, as llguidance reads it. */
  static fromLark(grammar: string, start?: string, limits?: Limits): Grammar;
  /**
   * The texts of a rule of a grammar in EBNF: by default in the W3C's dialect, and of the first rule, or in xgrammar's
   * dialect of the rule `root`.
   */
  static fromEbnf(
    grammar: string,
    options?: { dialect?: "w3c" | "iso" | "xgrammar"; root?: string },
    limits?: Limits,
  ): Grammar;
  /**
   * The texts of a rule, by default the first one, of a grammar in ABNF. Numbers are characters of Unicode, or with
   * `values: "bytes"` bytes of UTF-8.
   */
  static fromAbnf(
    grammar: string,
    options?: { values?: "characters" | "bytes"; root?: string },
    limits?: Limits,
  ): Grammar;
  /** What became of each keyword of the schema; null for other notations. */
  readonly report: Report | null;
  /** Composes the grammar with a vocabulary. The limits hold for this call and for each call of its matchers. */
  compile(vocabulary: Vocabulary, limits?: Limits): CompiledGrammar;
}

/** A grammar over a vocabulary, with the masks that its matchers have composed. */
export class CompiledGrammar extends Resource {
  private constructor();
  /** A matcher at the beginning of a text. */
  matcher(): Matcher;
}

/** One sequence's position in a text of the grammar. A call that fails leaves it as it was. */
export class Matcher extends Resource {
  private constructor();
  /** The words of a mask. */
  readonly maskWords: number;
  /**
   * Writes the tokens that may come next, and returns the mask: bit t % 32 of word t / 32 is 1 if token t may. Words beyond
   * the vocabulary are 0.
   */
  fillMask(mask?: Uint32Array): Uint32Array;
  /**
   * As `fillMask`, of the tokens after which the text can be finished within `room` tokens, theirs included. A
   * {@link BudgetError} if there are none.
   */
  fillMaskWithin(room: number, mask?: Uint32Array): Uint32Array;
  /** Takes a token; a {@link TokenRejectedError} if it may not come next. */
  advance(token: number): void;
  /** Takes a text, whatever tokens spell it. */
  advanceBytes(text: string | Uint8Array): void;
  /** How many of the tokens, from the first on, could be taken one after the other; takes none. */
  validate(tokens: Iterable<number>): number;
  /** Goes back to before the last `steps` steps: a token is one, and a text. */
  rollback(steps: number): void;
  /** Goes back to the beginning. */
  reset(): void;
  /** The text that must come next, whatever the model prefers: at most 1,024 bytes of it. */
  forcedBytes(): Uint8Array;
  /** Whether `room` tokens finish the text from here. */
  canFinish(room: number): boolean;
  /** A number of tokens that is enough to finish the text from here; some text may take fewer. */
  leastTokens(): number;
  /** Whether the text may end here. */
  readonly canEnd: boolean;
  /** Whether a token that ends the text was taken. */
  readonly ended: boolean;
  /** How many steps can be rolled back. */
  readonly steps: number;
  /** Another matcher at the same position; either goes on alone. */
  fork(): Matcher;
}

/** The root of all errors of the package. */
export class FrisketError extends Error {
  constructor(
    message: string,
    facts?: { code?: string; place?: string | null; hint?: string | null; places?: [string, string][]; cause?: unknown },
  );
  /** The kind of the error, which stays from version to version. */
  code: string;
  /** A JSON pointer into the schema, `line:column` in a text, or `offset N` in a pattern. */
  place: string | null;
  /** What to change. */
  hint: string | null;
  /** All places of a schema that cannot be enforced exactly, with what could slip through. */
  places: [pointer: string, slips: string][];
}
/** Something is wrong with a schema. */
export class SchemaError extends FrisketError {}
/** The schema is no JSON, or no schema. */
export class InvalidSchemaError extends SchemaError {}
/** The schema has places that cannot be enforced exactly. */
export class UnsupportedSchemaError extends SchemaError {}
/** No value is valid under the schema. */
export class UnsatisfiableSchemaError extends SchemaError {}
/** Something is wrong with a grammar. */
export class GrammarError extends FrisketError {}
/** The text is not in its notation. */
export class GrammarSyntaxError extends GrammarError {}
/** The grammar has no text. */
export class EmptyGrammarError extends GrammarError {}
/** The vocabulary is broken, or cannot spell what the grammar asks for. */
export class VocabularyError extends FrisketError {}
/** A limit was reached. */
export class LimitExceededError extends FrisketError {}
/** The tokens that are left do not finish the text. */
export class BudgetError extends LimitExceededError {}
/** The token or text may not come next. */
export class TokenRejectedError extends FrisketError {}
/** An argument is wrong, or an object was freed. */
export class MisuseError extends FrisketError {}
/** A bug in the library: the instance is unusable from here on. */
export class BugError extends FrisketError {}
