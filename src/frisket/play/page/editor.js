// Typed text × the results of its check → line numbers, marks at places, and a list of problems to jump to.

import { count, find, make } from "./dom.js";
import { coloured } from "./json.js";

const LINE = 20;
/** Longer lines, in characters, are not coloured: each key would cut them into thousands of pieces. */
const LONG = 5_000;

const MEANINGS = {
  enforced: "no answer can break it", narrowed: "answers keep it, and some that would keep it cannot be written",
  loosened: "an answer may break it", annotation: "it says nothing about an answer's form",
  unknown: "no keyword of JSON Schema, perhaps misspelt",
};

export class Editor {
  constructor({ changed, mend, isJSON }) {
    this.area = find("text");
    this.gutter = find("editor").querySelector(".gutter");
    this.marks = find("editor").querySelector(".marks");
    this.places = new Map();
    this.ink = find("editor").querySelector(".ink");
    this.mend = mend;
    this.isJSON = isJSON;
    this.error = null;
    this.area.addEventListener("input", () => {
      this.places.clear();
      this.#paint();
      changed();
    });
    this.area.addEventListener("scroll", () => this.#paint());
    new ResizeObserver(() => this.#paint()).observe(this.area);
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.places.clear();
    this.#paint();
  }

  /** Show the results of one check; `found` grows with each part. */
  tell(found) {
    this.places.clear();
    const verdict = find("verdict");
    const problems = [];
    const { error, compiled, coverage, lint } = found;
    this.error = error ?? null;
    verdict.className = `verdict ${error ? "bad" : compiled ? "good" : ""}`;
    this.area.setAttribute("aria-invalid", String(Boolean(error)));
    if (error) {
      const others = (error.places ?? []).filter((place) => place.place);
      // The verdict has the message; this list has its place and the other reasons.
      const besides = (reason) => (error.message.includes(reason) ? "" : reason);
      for (const place of others) problems.push(this.#problem("error", besides(place.reason), place.pointer, place.place));
      if (!others.length && (error.where || error.place)) problems.push(this.#problem("error", "", error.where, error.place));
      verdict.textContent = `✗ ${error.message}${error.hint ? ` — ${error.hint}` : ""}`;
    } else if (compiled) {
      const said = lint ? `, ${lint.count ? count(lint.count, "piece") + " of advice" : "no advice"}` : "";
      verdict.textContent = `✓ compiled in ${compiled.ms.toFixed(1)} ms${said}`;
    } else {
      verdict.textContent = "checking …";
    }
    for (const one of coverage?.entries ?? []) {
      if (one.status === "unknown") problems.push(this.#problem("warning", `${one.keyword}: ${one.note}`, one.pointer, one.place));
    }
    for (const one of lint?.findings ?? []) {
      problems.push(this.#problem("advice", `${one.message}. ${one.hint}`, `${one.rule} ${one.pointer}`, one.place));
    }
    const fix = lint?.safe ? make("button", { type: "button", id: "mend", on: { click: this.mend } }, `Mend ${lint.safe}`) : null;
    find("problems").replaceChildren(...(problems.length ? [make("ul", {}, ...problems)] : []), ...(fix ? [fix] : []));
    this.#cover(coverage);
    this.#paint();
  }

  #problem(kind, message, where, place) {
    if (place) {
      const [line, column] = place;
      const known = this.places.get(line);
      if (!known || known.kind !== "error") this.places.set(line, { kind, column, message });
    }
    const line = !message && place ? `line ${place[0]} ` : `${message} `;
    const text = [make("span", { className: `tag ${kind}` }, kind), ` ${line}`, where ? make("code", {}, where) : null];
    return make("li", {}, place ? make("button", { type: "button", className: "plain", on: { click: () => this.go(place) } }, ...text) : make("span", {}, ...text.filter(Boolean)));
  }

  #cover(coverage) {
    const box = find("coverage");
    box.hidden = !coverage;
    if (!coverage) return;
    const counts = Object.entries(coverage.counts).map(([status, number]) => `${number.toLocaleString("en")} ${status}`);
    box.querySelector("summary").textContent = `Coverage: ${counts.join(", ") || "nothing to enforce"}`;
    const rows = coverage.entries.map((one) => make("tr", {},
      make("td", {}, make("span", { className: `tag ${one.status}` }, one.status)),
      make("td", {}, make("code", {}, `${one.pointer || "(root)"}`)),
      make("td", {}, one.keyword, one.slips || one.note ? make("span", { className: "quiet" }, `: ${one.slips || one.note}`) : null)));
    const all = Object.values(coverage.counts).reduce((sum, number) => sum + number, 0);
    const head = make("thead", {}, make("tr", {}, ...["status", "place", "keyword"].map((name) => make("th", { scope: "col" }, name))));
    const table = make("table", {}, head, make("tbody", {}, ...rows));
    const meanings = Object.keys(coverage.counts).filter((status) => MEANINGS[status]).map((status) => `${status}: ${MEANINGS[status]}. `);
    box.querySelector(".body").replaceChildren(make("p", { className: "quiet" }, ...meanings), table, ...(all > rows.length ? [make("p", { className: "quiet" }, `${rows.length} of ${all.toLocaleString("en")} are shown`)] : []));
  }

  /** Put the caret at a place. */
  go([line, column]) {
    const lines = this.area.value.split("\n");
    const offset = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
    this.area.focus();
    this.area.setSelectionRange(offset, offset);
    this.area.scrollTop = Math.max(0, (line - 4) * LINE);
  }

  #paint() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const { scrollTop, scrollLeft, clientHeight, value } = this.area;
      let lines = 1;
      // All lines are coloured, or none: otherwise the text of both layers would be visible.
      const ink = [];
      const shown = this.isJSON() && value.length < 1_000_000 ? value.split("\n") : null;
      for (let at = value.indexOf("\n"); at >= 0; at = value.indexOf("\n", at + 1)) lines += 1;
      const first = Math.floor(scrollTop / LINE);
      const last = Math.min(lines, first + Math.ceil(clientHeight / LINE) + 1);
      const numbers = [], marks = [];
      for (let line = first + 1; line <= last; line += 1) {
        const place = this.places.get(line);
        const top = `${8 + (line - 1) * LINE - scrollTop}px`;
        const number = make("span", { className: place ? `number ${place.kind}` : "number" }, String(line));
        number.style.top = top;
        numbers.push(number);
        if (shown && shown[line - 1].length > LONG) ink.length = 0;
        else if (shown) {
          const row = make("div", { className: "row-of-code" }, ...coloured(shown[line - 1]));
          row.style.top = top;
          row.style.left = `${8 - scrollLeft}px`;
          ink.push(row);
        }
        if (!place) continue;
        const mark = make("span", { className: `mark ${place.kind}` });
        mark.style.top = top;
        mark.style.left = `calc(8px + ${place.column - 1}ch - ${scrollLeft}px)`;
        marks.push(mark);
      }
      const isInked = ink.length === numbers.length;
      this.area.classList.toggle("inked", isInked);
      this.ink.replaceChildren(...(isInked ? ink : []));
      this.gutter.replaceChildren(...numbers);
      this.marks.replaceChildren(...marks);
    });
  }
}
