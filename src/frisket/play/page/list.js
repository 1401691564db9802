// A list of any length → its visible rows; other rows are neither drawn nor loaded.

import { make } from "./dom.js";

const ROW = 28;
const STRETCH = 100;

/** `load(offset, limit)` returns {count, tokens}; `draw(item, number)` returns a row's children; Enter and click choose. */
export class List {
  constructor({ id, label, load, draw, choose }) {
    Object.assign(this, { load, draw, choose });
    this.rows = make("div", { className: "rows", role: "presentation" });
    this.element = make("div", { id, className: "list", role: "listbox", tabIndex: 0, "aria-label": label }, this.rows);
    this.element.addEventListener("scroll", () => this.#soon());
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.#pick(Number(row.dataset.row));
    });
    this.reset();
  }

  reset() {
    this.items = new Map();
    this.asked = new Set();
    this.count = 0;
    this.active = 0;
    this.turn = (this.turn ?? 0) + 1;
    this.element.scrollTop = 0;
    this.#want(0);
  }

  #soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.#paint();
    });
  }

  async #want(stretch) {
    if (this.asked.has(stretch)) return;
    this.asked.add(stretch);
    const turn = this.turn;
    const found = await this.load(stretch * STRETCH, STRETCH);
    if (turn !== this.turn || found === null) return;
    this.count = found.count;
    found.tokens.forEach((item, at) => this.items.set(stretch * STRETCH + at, item));
    this.#paint();
  }

  #paint() {
    const height = this.element.clientHeight || 10 * ROW;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 4);
    const last = Math.min(this.count, Math.ceil((this.element.scrollTop + height) / ROW) + 4);
    for (let stretch = Math.floor(first / STRETCH); stretch * STRETCH < last; stretch += 1) this.#want(stretch);
    this.rows.style.height = `${this.count * ROW}px`;
    const drawn = [];
    for (let number = first; number < last; number += 1) {
      const item = this.items.get(number);
      const row = make("div", {
        className: "entry", role: "option", id: `${this.element.id}-${number}`, "data-row": number,
        "aria-selected": String(number === this.active), "aria-setsize": this.count, "aria-posinset": number + 1,
      }, ...(item ? this.draw(item) : ["…"]));
      row.style.transform = `translateY(${number * ROW}px)`;
      drawn.push(row);
    }
    this.rows.replaceChildren(...drawn);
    this.element.setAttribute("aria-activedescendant", this.count ? `${this.element.id}-${this.active}` : "");
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const to = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count }[event.key];
    if (to !== undefined) {
      this.active = Math.max(0, Math.min(this.count - 1, this.active + to));
      const top = this.active * ROW;
      const { scrollTop, clientHeight } = this.element;
      if (top < scrollTop) this.element.scrollTop = top;
      if (top + ROW > scrollTop + clientHeight) this.element.scrollTop = top + ROW - clientHeight;
      this.#paint();
      event.preventDefault();
    } else if (event.key === "Enter") {
      this.#pick(this.active);
      event.preventDefault();
    }
  }

  #pick(number) {
    const item = this.items.get(number);
    if (item) this.choose(item);
  }
}
