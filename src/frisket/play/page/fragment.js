// State of the page ↔ the fragment of its address, which is never sent to a server.

const coded = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const decoded = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

async function through(stream, bytes) {
  const response = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await response.arrayBuffer());
}

/** The fragment for a state, without the #. */
export async function write(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return `z.${coded(await through(new CompressionStream("deflate-raw"), bytes))}`;
}

/** The state in a fragment; null if there is none, or the link was cut off. */
export async function read(fragment) {
  if (!fragment.startsWith("z.")) return null;
  try {
    const bytes = await through(new DecompressionStream("deflate-raw"), decoded(fragment.slice(2)));
    const state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return state !== null && typeof state === "object" ? state : null;
  } catch {
    return null;
  }
}
