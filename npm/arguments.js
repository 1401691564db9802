// Arguments of callers → numbers, bytes and arrays that the library takes; all else is a MisuseError.

import { MisuseError } from "./errors.js";

const MOST = 0xffffffff;
const encoder = new TextEncoder();

/** A value as an error names it. */
export function shown(value) {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === "object" && value !== null ? (value.constructor?.name ?? "an object") : String(value);
}

/** A whole number of 32 bits. */
export function whole(value, name) {
  if (Number.isInteger(value) && value >= 0 && value <= MOST) return value;
  throw new MisuseError(`${name} is ${shown(value)}`, { hint: `give a whole number from 0 to ${MOST}` });
}

/** The number of one of some names. */
export function choice(value, names, name) {
  const number = names.indexOf(value);
  if (number >= 0) return number;
  throw new MisuseError(`${name} is ${shown(value)}`, { hint: `give one of ${names.join(", ")}` });
}

/** Ids of tokens. */
export function tokenIds(values, name) {
  if (isA(values, "Uint32Array")) return values;
  return Uint32Array.from(listed(values, name), (id) => whole(id, `an id of ${name}`));
}

/** The items of something that has items. */
export function listed(values, name) {
  if (typeof values === "object" && typeof values?.[Symbol.iterator] === "function") return Array.from(values);
  throw new MisuseError(`${name} is ${shown(values)}`, { hint: "give an array" });
}

/** A text. */
export function text(value, name) {
  if (typeof value === "string") return value;
  throw new MisuseError(`${name} is ${shown(value)}`, { hint: "give a string" });
}

/** The bytes of a text, or bytes as they are. */
export function bytes(value, name) {
  if (typeof value === "string") return encoder.encode(value);
  if (isA(value, "Uint8Array")) return value;
  throw new MisuseError(`${name} is ${shown(value)}`, { hint: "give a string or a Uint8Array" });
}

/** The bytes of a JSON text, which is given as text or as a value. */
export function json(value, name) {
  if (typeof value === "string" || isA(value, "Uint8Array")) return bytes(value, name);
  try {
    const written = JSON.stringify(value);
    if (written !== undefined) return encoder.encode(written);
  } catch (cause) {
    throw new MisuseError(`${name} cannot be written as JSON: ${cause.message}`, { hint: "give its text", cause });
  }
  throw new MisuseError(`${name} is ${shown(value)}`, { hint: "give a JSON text, or what one says" });
}

/** Names and values of an object. */
export function entries(value, name) {
  if (typeof value === "object" && value !== null) return Object.entries(value);
  throw new MisuseError(`${name} is ${shown(value)}`, { hint: "give an object" });
}

/** Options by name; those that are not given, and undefined ones, are as by default. */
export function fields(options, defaults) {
  if (options === undefined) return defaults;
  const given = entries(options, "an argument of options").filter(([, value]) => value !== undefined);
  const unknown = given.find(([name]) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined) {
    throw new MisuseError(`there is no option ${unknown[0]}`, { hint: `known: ${Object.keys(defaults).join(", ")}` });
  }
  return { ...defaults, ...Object.fromEntries(given) };
}

/** The struct FrisketLimits of some limits; null for the default ones. */
export function limitsOf(limits) {
  if (limits === undefined) return null;
  const { memoryBytes, steps, seconds } = fields(limits, { memoryBytes: 0, steps: 0, seconds: 0 });
  const struct = new DataView(new ArrayBuffer(32));
  struct.setBigUint64(0, BigInt(safe(memoryBytes, "memoryBytes")), true);
  struct.setBigUint64(8, BigInt(safe(steps, "steps")), true);
  if (typeof seconds !== "number") throw new MisuseError(`seconds is ${shown(seconds)}`, { hint: "give a number" });
  struct.setFloat64(16, seconds, true);
  return struct;
}

function safe(value, name) {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new MisuseError(`${name} is ${shown(value)}`, { hint: "give a whole number; 0 is the default" });
}

/** Where a mask is written: an array of so many words at least. */
export function maskOf(mask, words) {
  if (!isA(mask, "Uint32Array")) {
    throw new MisuseError(`a mask is ${shown(mask)}`, { hint: "give a Uint32Array of vocabulary.maskWords words" });
  }
  if (mask.length >= words) return mask;
  const hint = "give vocabulary.maskWords words";
  throw new MisuseError(`a mask of ${mask.length} words for a vocabulary that takes ${words}`, { hint });
}

/** Arrays of bytes as one. */
export function joined(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Whether a value is an array of a type, of whichever frame or context. */
function isA(value, type) {
  return ArrayBuffer.isView(value) && value[Symbol.toStringTag] === type;
}
