// Names and texts → elements. Texts become text nodes, so no text of a schema or a model is ever markup.

export const find = (id) => document.getElementById(id);

/** An element with properties, `aria-*`, `data-*` and `role` as attributes, and its children. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name in element && !name.startsWith("aria")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A token's text for a person: a single blank, line ends and control characters are shown as pictures. */
export function visible(text) {
  const shown = text.replace(/[\u0000-\u001f\u007f]/g, (character) => {
    if (character === "\n") return "⏎";
    if (character === "\t") return "⇥";
    return String.fromCodePoint(character === "\u007f" ? 0x2421 : 0x2400 + character.codePointAt(0));
  });
  return /^ +$/.test(shown) ? "␣".repeat(shown.length) : shown;
}

/** A percentage for a person: 0 or 100 % only if that is exact. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  if (share === 0 || share === 1) return `${share * 100} %`;
  if (share < 0.0001) return "<0.01 %";
  if (share < 0.01) return `${(share * 100).toFixed(2)} %`;
  return share >= 0.9995 ? ">99.9 %" : `${(share * 100).toFixed(1)} %`;
}

/** A word whose meaning appears below it on a click or a tap, or under a resting pointer. */
export function term(word, meaning) {
  const said = make("span", { className: "meaning" }, meaning);
  const button = make("button", { type: "button", className: "plain term", title: meaning, "aria-expanded": "false" }, word);
  button.addEventListener("click", () => {
    if (said.isConnected) said.remove();
    else button.after(said);
    button.setAttribute("aria-expanded", String(said.isConnected));
  });
  return button;
}

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** The name of a token for a screen reader. */
export function spoken(token) {
  if (token.kind === "end") return "end of the answer";
  if (token.kind === "special") return `special token ${token.text}`;
  return token.kind === "bytes" ? `bytes ${token.text}` : `“${visible(token.text)}”`;
}
