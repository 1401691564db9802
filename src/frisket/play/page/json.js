// A line of JSON, or the beginning of one → its pieces, each with the class of its colour.

import { make } from "./dom.js";

const PIECE = /"(?:[^"\\]|\\.)*"?(?=(\s*:)?)|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** Text nodes and spans. A JSON string ends on its line, so each line can be coloured on its own. */
export function coloured(line) {
  const found = [];
  let done = 0;
  for (const match of line.matchAll(PIECE)) {
    const [piece, colon] = match;
    if (match.index > done) found.push(line.slice(done, match.index));
    const kind = piece[0] === '"' ? (colon === undefined ? "text" : "key") : /[tfn]/.test(piece[0]) ? "word" : "number";
    found.push(make("span", { className: `json-${kind}` }, piece));
    done = match.index + piece.length;
  }
  if (done < line.length) found.push(line.slice(done));
  return found;
}
