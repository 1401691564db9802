// Codes of errors → classes, which have the names of the Python package.

/** The root of all errors of the package. */
export class FrisketError extends Error {
  /**
   * @param {string} message the fault, in words
   * @param {{code?: string, place?: string | null, hint?: string | null, places?: [string, string][], cause?: unknown}} [facts]
   */
  constructor(message, { code, place = null, hint = null, places = [], cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code ?? new.target.code;
    this.place = place;
    this.hint = hint;
    this.places = places;
  }

  get name() {
    return this.constructor.name;
  }

  toString() {
    const place = this.place ? ` (at ${this.place})` : "";
    const hint = this.hint === null ? "" : `; ${this.hint}`;
    return `${this.name}: ${this.message}${place}${hint}`;
  }

  static code = "frisket";
}

export class SchemaError extends FrisketError {
  static code = "schema";
}
export class InvalidSchemaError extends SchemaError {
  static code = "schema-invalid";
}
export class UnsupportedSchemaError extends SchemaError {
  static code = "schema-unsupported";
}
export class UnsatisfiableSchemaError extends SchemaError {
  static code = "schema-unsatisfiable";
}
export class GrammarError extends FrisketError {
  static code = "grammar";
}
export class GrammarSyntaxError extends GrammarError {
  static code = "grammar-syntax";
}
export class EmptyGrammarError extends GrammarError {
  static code = "grammar-empty";
}
export class VocabularyError extends FrisketError {
  static code = "vocabulary";
}
export class LimitExceededError extends FrisketError {
  static code = "limit";
}
export class BudgetError extends LimitExceededError {
  static code = "budget";
}
export class TokenRejectedError extends FrisketError {
  static code = "token-rejected";
}
export class MisuseError extends FrisketError {
  static code = "misuse";
}
export class BugError extends FrisketError {
  static code = "bug";
}
