// Functions of libfrisket in WebAssembly → calls that return, or throw a typed error.

import * as errors from "./errors.js";

const { BugError, FrisketError, LimitExceededError, MisuseError } = errors;
/** Classes of errors by their codes. */
const CLASSES = new Map(Object.values(errors).map((one) => [one.code, one]));

/** The version of the C interface that this file calls. */
const ABI_VERSION = 1;
/** Bytes for what calls write: the pointer to an error first, then results. */
const OUT_BYTES = 32;
const RESULT = 8;

const decoder = new TextDecoder();

/** One instance of frisket.wasm, with memory of its own. */
export class Instance {
  #exports;
  #memory;
  #view = new DataView(new ArrayBuffer(0));
  #panic = "";
  #fault = null;
  #out;
  #mask = { pointer: 0, words: 0, view: new Uint32Array(0) };

  /** The instance of a module that is given by its address, its bytes, its response, or compiled. */
  static async load(source = new URL("frisket.wasm", import.meta.url)) {
    try {
      const module = source instanceof WebAssembly.Module ? source : await compiled(source);
      return await new Instance().#begin(module);
    } catch (cause) {
      if (cause instanceof MisuseError) throw cause;
      const hint = "give the address or the bytes of frisket.wasm; a page's policy must allow 'wasm-unsafe-eval'";
      throw new MisuseError(`frisket.wasm cannot be loaded: ${cause?.message ?? cause}`, { hint, cause });
    }
  }

  async #begin(module) {
    const host = {
      milliseconds: () => performance.now(),
      panicked: (pointer, length) => (this.#panic = this.#text(pointer, length)),
    };
    const { exports } = await WebAssembly.instantiate(module, { host });
    this.#exports = exports;
    this.#memory = exports.memory;
    if (exports.frisket_abi_version?.() !== ABI_VERSION) {
      throw new MisuseError("frisket.wasm is not of this version", { hint: "take all files from one package" });
    }
    exports.frisket_host_begin();
    this.#out = this.#allocate(OUT_BYTES);
    return this;
  }

  /** Whether a call has trapped: no later one can be trusted. */
  get isBroken() {
    return this.#fault !== null;
  }

  /** What a function returns. Errors: the instance traps, or has trapped before. */
  call(name, ...values) {
    if (this.#fault !== null) {
      const hint = "call init() again, and make all objects anew";
      throw new BugError("an earlier call has broken this instance", { hint, cause: this.#fault });
    }
    try {
      return this.#exports[name](...values);
    } catch (cause) {
      this.#fault = cause;
      const hint = "call init() again, make all objects anew, and report what you called";
      throw new BugError(`a bug in frisket: ${this.#panic || cause}`, { hint, cause });
    }
  }

  /** Calls a function that returns a code and takes the place of an error last. Errors: the library's. */
  run(name, ...values) {
    if (this.call(name, ...values, this.#out) !== 0) {
      const { message, ...facts } = JSON.parse(this.take(this.#out));
      throw new (CLASSES.get(facts.code) ?? FrisketError)(message, facts);
    }
  }

  /** The place of a result in the instance's memory. */
  get result() {
    return this.#out + RESULT;
  }

  /** The uint32 at a place. */
  word(place) {
    return this.#memoryView().getUint32(place, true);
  }

  /** The byte at a place, as a truth value. */
  flag(place) {
    return this.#memoryView().getUint8(place) !== 0;
  }

  /** A copy of bytes. */
  copy(pointer, length) {
    return new Uint8Array(this.#memory.buffer, pointer >>> 0, length).slice();
  }

  /** Writes words at a place. */
  write(place, words) {
    words.forEach((word, number) => this.#memoryView().setUint32(place + 4 * number, word, true));
  }

  /** The text whose pointer is at a place, which is freed; null for NULL. */
  take(place) {
    const pointer = this.word(place);
    if (pointer === 0) return null;
    const end = new Uint8Array(this.#memory.buffer).indexOf(0, pointer);
    const text = this.#text(pointer, end - pointer);
    this.call("frisket_text_free", pointer);
    return text;
  }

  /** What `act` makes of copies of some arrays, which it gets as pointers; nothing (null) is NULL. */
  withArrays(arrays, act) {
    const blocks = [];
    try {
      for (const array of arrays) {
        // NULL means that something is not given; no items at all are an array, too.
        const bytes = array && new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
        const pointer = array ? this.#allocate(bytes.length) : 0;
        blocks.push([pointer, bytes?.length]);
        if (array) new Uint8Array(this.#memory.buffer, pointer, bytes.length).set(bytes);
      }
      return act(...blocks.map(([pointer]) => pointer));
    } finally {
      if (!this.isBroken) {
        for (const [pointer, bytes] of blocks) if (pointer !== 0) this.call("frisket_host_release", pointer, bytes);
      }
    }
  }

  /** The words that `act` writes at a pointer; valid until the next call. */
  words(count, act) {
    if (this.#mask.words < count) {
      const pointer = this.#allocate(4 * count);
      if (this.#mask.pointer !== 0) this.call("frisket_host_release", this.#mask.pointer, 4 * this.#mask.words);
      this.#mask = { pointer, words: count, view: new Uint32Array(0) };
    }
    act(this.#mask.pointer);
    // A memory that has grown is another buffer.
    if (this.#mask.view.buffer !== this.#memory.buffer || this.#mask.view.length !== count) {
      this.#mask.view = new Uint32Array(this.#memory.buffer, this.#mask.pointer, count);
    }
    return this.#mask.view;
  }

  #allocate(bytes) {
    // Beyond 2 GiB a pointer is a negative number here.
    const pointer = this.call("frisket_host_allocate", bytes) >>> 0;
    if (pointer === 0) {
      const hint = "free what is no longer used, or load an instance for each part";
      throw new LimitExceededError(`there is no memory for ${bytes} bytes`, { hint });
    }
    return pointer;
  }

  #memoryView() {
    if (this.#view.buffer !== this.#memory.buffer) this.#view = new DataView(this.#memory.buffer);
    return this.#view;
  }

  #text(pointer, length) {
    return decoder.decode(new Uint8Array(this.#memory.buffer, pointer >>> 0, length));
  }
}

/** The module of an address, bytes or a response. */
async function compiled(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (typeof source === "string" || source instanceof URL) {
    const address = new URL(source, globalThis.location?.href);
    const files = address.protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs/promises");
    if (files) return WebAssembly.compile(await files.readFile(address));
    source = await fetch(address);
  }
  if (!(source instanceof Response)) {
    throw new MisuseError("this is no frisket.wasm", { hint: "give its address, its bytes, a response or a module" });
  }
  if (!source.ok) throw new MisuseError(`${source.url}: ${source.status}`, { hint: "serve frisket.wasm there" });
  // A browser compiles while the file comes, and keeps the code, if the server names its type.
  const isNamed = source.headers.get("content-type") === "application/wasm";
  return isNamed ? WebAssembly.compileStreaming(source) : WebAssembly.compile(await source.arrayBuffer());
}
