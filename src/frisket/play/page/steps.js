// Steps of an answer → boxes: grouped by JSON pointer, coloured by feasible mass, one of them current.

import { make, percent, spoken, term, visible } from "./dom.js";
import { coloured } from "./json.js";

/** Boxes per page; the browser lays out only visible pages. */
const PAGE = 80;

export class Steps {
  /** `chosen(n)` is called with the current step, `hovered(n)` with the step under the pointer, or null. */
  constructor({ id, title, chosen, hovered, entered, back }) {
    this.id = id;
    this.steps = [];
    this.boxes = [];
    this.current = 0;
    this.finish = null;
    this.chosen = chosen;
    this.title = make("h3", {}, title);
    this.figures = make("p", { className: "figures" });
    this.flow = make("div", { id, className: "flow", role: "listbox", tabIndex: 0, "aria-label": `Steps ${title.toLowerCase()}`, "aria-orientation": "horizontal" });
    this.plain = make("pre", { className: "plain-text", tabIndex: 0 });
    this.plain.setAttribute("aria-label", `Text ${title.toLowerCase()}`);
    this.element = make("div", { className: "column" }, this.title, this.flow, this.figures, make("details", {}, make("summary", {}, "As text"), this.plain));
    const number = (event) => {
      const box = event.target.closest("[data-n]");
      return box ? Number(box.dataset.n) : null;
    };
    this.flow.addEventListener("click", (event) => number(event) !== null && this.select(number(event)));
    this.flow.addEventListener("dblclick", (event) => number(event) !== null && back(number(event)));
    // A box that scrolls under a resting pointer counts only when the pointer moves: the keys have set the position.
    let resting = null;
    const place = (event) => `${event.screenX} ${event.screenY}`;
    document.addEventListener("pointermove", (event) => { resting = place(event); });
    this.flow.addEventListener("pointermove", (event) => event.pointerType === "mouse" && place(event) !== resting && hovered(number(event)));
    this.flow.addEventListener("pointerleave", () => hovered(null));
    this.flow.addEventListener("focus", () => this.chosen(this.current));
    this.flow.addEventListener("keydown", (event) => this.#key(event, entered, back));
    this.clear();
  }

  clear() {
    this.cut(0);
    this.current = 0;
    this.state(null);
  }

  /** Remove the steps from number `to` on. */
  cut(to) {
    this.steps.length = Math.min(this.steps.length, to);
    this.finish = null;
    this.boxes = this.boxes.slice(0, to);
    // Whatever comes after the last box, group and page is removed with it.
    const kept = Math.ceil(to / PAGE);
    while (this.flow.children.length > kept) this.flow.lastChild.remove();
    const page = this.flow.lastChild;
    if (page) {
      for (const box of [...page.querySelectorAll(".box")]) if (Number(box.dataset.n ?? Infinity) >= to) box.remove();
      for (const group of [...page.children]) if (!group.querySelector(".box")) group.remove();
    }
    this.next = null;
    this.#ahead();
  }

  /** Append steps as they come. */
  add(steps) {
    this.next?.closest(".group")?.remove();
    this.next = null;
    for (const step of steps) {
      this.steps.push(step);
      this.#group(step.n, step.path).append(this.#box(step));
    }
    this.#ahead();
  }

  /** The figures of the whole answer. */
  state(state) {
    this.finish = state?.finish ?? null;
    const text = state?.text ?? "";
    this.plain.replaceChildren(...(/^\s*[{["]/.test(text) ? text.split("\n").flatMap((line, at) => [at ? "\n" : "", ...coloured(line)]) : [text]));
    const ends = { end: "whole", length: "cut where the tokens ran out", stop: "stopped", budget: "whole, as the budget decided" };
    this.figures.replaceChildren(...(state?.steps ? this.#figures(state, ends) : []));
    this.#ahead();
  }

  #figures(state, ends) {
    const found = [`${state.steps} tokens, ${state.nats.toFixed(2)} `,
      term("nats of pressure", "How hard the masks pushed: the sum over all steps of −ln(probability that the model gave to the allowed tokens). 0: the model wrote this anyway."),
      `, ${state.overruled} `, term("overruled", "Steps at which the model's favourite token was forbidden."),
      `, ${state.forced} `, term("forced", "Steps at which the grammar leaves one text alone.")];
    if (state.bound) found.push(`, the budget bound at ${state.bound}`);
    if (state.finish) found.push(` · ${ends[state.finish]}, `, term("finish_reason", "The word for it in an answer of frisket.generate and of the server."), ` ${state.finish}`);
    if (state.outside) found.push(" · left the grammar");
    return found;
  }

  select(n, { focus = true } = {}) {
    const last = this.finish ? this.steps.length - 1 : this.steps.length;
    this.current = Math.max(0, Math.min(n, last));
    this.#mark();
    if (focus && document.activeElement !== this.flow) this.flow.focus({ preventScroll: true });
    this.#at(this.current)?.scrollIntoView({ block: "nearest" });
    this.chosen(this.current);
  }

  #at(n) {
    return n < this.boxes.length ? this.boxes[n] : this.next;
  }

  #mark() {
    this.marked?.setAttribute("aria-selected", "false");
    this.marked = this.#at(this.current);
    this.marked?.setAttribute("aria-selected", "true");
    if (this.marked) this.flow.setAttribute("aria-activedescendant", this.marked.id);
    else this.flow.removeAttribute("aria-activedescendant");
  }

  /** The box of the token that comes next. */
  #ahead() {
    this.next?.closest(".group")?.remove();
    this.next = null;
    if (!this.finish) {
      const n = this.steps.length;
      this.next = make("span", { className: "box next", role: "option", id: `${this.id}-${n}`, "data-n": n, "aria-selected": "false", "aria-label": "the next token" }, "…");
      this.#group(n, null).append(this.next);
    }
    this.#mark();
  }

  #group(n, path) {
    const place = Math.floor(n / PAGE);
    while (this.flow.children.length <= place) this.flow.append(make("div", { className: "page", role: "presentation" }));
    const page = this.flow.children[place];
    const last = page.lastChild;
    if (path !== null && last?.dataset.path === `p${path}`) return last.lastChild;
    const same = place > 0 && !last && this.flow.children[place - 1].lastChild?.dataset.path === `p${path}`;
    const boxes = make("span", { className: "boxes", role: "presentation" });
    page.append(make("span", { className: "group", role: "presentation", "data-path": path === null ? "next" : `p${path}` },
      make("span", { className: "pointer", "aria-hidden": "true", title: path ?? "" }, path && !same ? path : "\u00a0"), boxes));
    return boxes;
  }

  #box(step) {
    const names = ["box", step.level ? `h${step.level}` : ""];
    const said = [spoken(step), step.path || "at the root"];
    if (step.outside) {
      names.push("outside");
      said.push("outside the grammar");
    } else {
      said.push(`the model gave ${percent(step.alpha)} to the ${step.allowed.toLocaleString("en")} allowed`);
      for (const name of ["forced", "overruled"]) if (step[name]) {
        names.push(name);
        said.push(name);
      }
      if (step.withheld) {
        names.push("bound");
        said.push(`the budget forbade ${step.withheld.toLocaleString("en")} more`);
      }
    }
    if (step.chosen) {
      names.push("chosen");
      said.push("chosen by hand");
    }
    if (step.kind !== "text") names.push(step.kind);
    const text = step.kind === "end" ? "⟨end⟩" : visible(step.text);
    const box = make("span", { className: names.filter(Boolean).join(" "), role: "option", id: `${this.id}-${step.n}`, "data-n": step.n, "aria-selected": "false", "aria-label": said.join(", ") }, text);
    this.boxes[step.n] = box;
    return box;
  }

  #key(event, entered, back) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const overruled = (by) => {
      for (let n = this.current + by; n >= 0 && n < this.steps.length; n += by) if (this.steps[n].overruled) return n;
      return this.current;
    };
    const to = {
      ArrowRight: () => this.current + 1, ArrowLeft: () => this.current - 1, Home: () => 0, End: () => Infinity,
      ArrowDown: () => this.#row(1), ArrowUp: () => this.#row(-1), PageDown: () => overruled(1), PageUp: () => overruled(-1),
    }[event.key];
    if (to) this.select(to());
    else if (event.key === "Enter") entered(this.current);
    else if (event.key === "Backspace") back(this.current);
    else return;
    event.preventDefault();
  }

  /** The nearest box in the row above or below. */
  #row(by) {
    const here = this.#at(this.current)?.getBoundingClientRect();
    if (!here) return this.current;
    const middle = (here.left + here.right) / 2;
    let best = this.current, row = null, distance = Infinity;
    for (let n = this.current + by; ; n += by) {
      const box = this.#at(n)?.getBoundingClientRect();
      if (n < 0 || !box || n > this.boxes.length) break;
      if (by > 0 ? box.top < here.bottom - 2 : box.bottom > here.top + 2) continue;
      row ??= box.top;
      if (Math.abs(box.top - row) > 4) break;
      const far = Math.abs((box.left + box.right) / 2 - middle);
      if (far < distance) [best, distance] = [n, far];
    }
    return best;
  }
}
