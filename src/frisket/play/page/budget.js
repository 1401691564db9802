// A number of tokens → a slider, a field, and the fewest tokens that an answer takes.

import { count, find, make } from "./dom.js";

/** Numbers up to this one have a slider position each; above it, positions are 4 % apart. */
const FINE = 64;

export class Budget {
  /** `changed()` is called on each change, `released()` when the slider is let go and the budget suffices. */
  constructor({ most, changed, released }) {
    Object.assign(this, { most, changed, released });
    this.slider = find("budget");
    this.field = find("most");
    this.field.max = most;
    this.places = [];
    for (let at = 1; at < most; at = at < FINE ? at + 1 : Math.ceil(at * 1.04)) this.places.push(at);
    this.places.push(most);
    this.slider.max = this.places.length - 1;
    this.least = null;
    this.slider.addEventListener("input", () => {
      this.field.value = this.places[this.slider.value];
      this.#moved();
    });
    this.slider.addEventListener("change", () => this.isEnough && released());
    this.field.addEventListener("input", () => {
      this.slider.value = this.#place(this.tokens);
      this.#moved();
    });
    find("on-budget").addEventListener("input", () => this.#moved());
    this.paint();
  }

  get tokens() {
    return Math.max(1, Math.min(this.most, Math.trunc(Number(this.field.value) || 1)));
  }

  set tokens(tokens) {
    this.field.value = tokens;
    this.slider.value = this.#place(this.tokens);
    this.paint();
  }

  get finishes() {
    const control = find("on-budget");
    return control.value === "finish" && !control.disabled;
  }

  get isEnough() {
    return !this.finishes || !this.least?.count || this.tokens >= this.least.count;
  }

  /** Show the tokens of the shortest answer known: {count}, or null if they are not known. */
  tell(least) {
    this.least = least;
    this.paint();
  }

  /** A button that sets the budget to `tokens` and then calls `then`; null if the server allows no such budget. */
  button(tokens, then) {
    if (!tokens || tokens > this.most) return null;
    const act = () => {
      this.tokens = tokens;
      this.changed();
      then();
    };
    return make("button", { type: "button", className: "raise", on: { click: act } }, `Set the budget to ${count(tokens, "token")}`);
  }

  paint() {
    const said = count(this.tokens, "token");
    find("budget-said").textContent = said;
    this.slider.setAttribute("aria-valuetext", said);
    const least = this.finishes ? this.least?.count ?? 0 : 0;
    find("budget-least").style.width = `${(100 * this.#place(Math.min(least, this.most))) / (this.places.length - 1)}%`;
    const told = find("least");
    told.className = this.isEnough ? "quiet least" : "verdict bad least";
    const parts = this.#told();
    // An unchanged text is not replaced, since a screen reader would read it again.
    if (told.textContent !== parts.map((part) => part.textContent ?? part).join("")) told.replaceChildren(...parts);
  }

  #told() {
    if (find("on-budget").disabled) return ["A strategy cuts, or leaves out, what does not fit."];
    if (!this.finishes) return ["The text is cut where the tokens end, whatever it is by then."];
    if (this.least === null) return [];
    const { count: least, error } = this.least;
    if (least === null) return [error?.message ?? "How many tokens an answer takes is not known."];
    const tokens = count(least, "token");
    const shortest = `The shortest answer known takes ${tokens}`;
    if (this.isEnough) return [least ? `${shortest}.` : "An answer may be empty."];
    return [`✗ ${shortest}: ${this.tokens.toLocaleString("en")} are too few. `, this.button(least, this.released) ?? ""];
  }

  #moved() {
    this.paint();
    this.changed();
  }

  #place(tokens) {
    const at = this.places.findIndex((place) => place >= tokens);
    return at < 0 ? this.places.length - 1 : at;
  }
}
