// One position of an answer → the effect of the mask: figures, likeliest tokens before and after, all allowed tokens.

import { count, find, make, percent, spoken, term, visible } from "./dom.js";
import { List } from "./list.js";

const BARS = 10;
/** A forbidden token is shown if it has at least this probability, or is among the first. */
const NOTABLE = 0.001;
const FIRST = 3;

export class Inspector {
  /** `answer()` returns the inspected answer, with look(n), tokens(n, search, offset, limit) and explain(n, text). */
  constructor({ answer, choose, back, go }) {
    Object.assign(this, { answer, choose, back, go });
    this.n = null;
    this.body = make("div", { className: "look" });
    this.search = make("input", { type: "search", id: "search", placeholder: "that hold …", "aria-label": "Search the allowed tokens", autocomplete: "off" });
    this.search.addEventListener("input", () => this.list.reset());
    this.list = new List({
      id: "tokens", label: "All allowed tokens",
      load: (offset, limit) => this.#stretch(offset, limit),
      draw: (token) => [this.#token(token), make("span", { className: "figure" }, percent(token.after))],
      choose: (token) => this.choose(this.listed.n, token.id),
    });
    this.why = make("input", { type: "text", id: "why", placeholder: "a text that you expected", autocomplete: "off" });
    this.because = make("pre", { className: "because", role: "status" });
    const ask = make("form", { className: "row" }, make("label", { className: "field", htmlFor: "why" }, "Why not", this.why), make("button", {}, "Explain"));
    ask.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#explain();
    });
    this.more = make("div", {}, make("h3", {}, "Why may a text not come here?"), ask, this.because, make("h3", {}, "All allowed tokens"), this.search, this.list.element);
    find("inspector").append(this.body, this.more);
    this.clear();
  }

  clear() {
    this.n = this.listed = null;
    this.turn = (this.turn ?? 0) + 1;
    this.more.hidden = true;
    find("step-title").textContent = "The step";
    this.body.replaceChildren(make("p", { className: "quiet" }, "Run the model, then point at a token or walk through the answer with the arrow keys."));
  }

  /** Show a position; `settled` also loads the lists below, which a passing pointer does not need. */
  async show(n, { settled = true } = {}) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    if (settled) {
      this.because.textContent = "";
      this.more.classList.add("passing");
    }
    let look;
    try {
      look = await this.answer().look(n);
    } catch (error) {
      if (turn === this.turn) this.body.replaceChildren(make("p", { className: "verdict bad" }, error.message));
      return;
    }
    if (turn !== this.turn || look === null) return;
    this.n = n;
    this.#draw(look);
    this.more.hidden = look.outside;
    // Under a passing pointer, the lists below stay and turn faint, since they belong to another step.
    const here = `${this.answer().id} ${n}`;
    if (settled && !look.outside) {
      this.listed = { here, n };
      this.list.reset();
    }
    this.more.classList.toggle("passing", this.listed?.here !== here);
  }

  /** Whether the lists belong to this step. */
  lists(answer, n) {
    return this.listed?.here === `${answer.id} ${n}`;
  }

  focus() {
    (this.body.querySelector("button.choose") ?? this.list.element).focus();
  }

  #draw(look) {
    const taken = look.taken !== null;
    find("step-title").textContent = taken ? `Step ${look.n + 1}` : "The next token";
    const fact = (name, value, title = "") => make("div", {}, make("dt", {}, title ? term(name, title) : name), make("dd", {}, value));
    const facts = make("dl", { className: "facts" },
      fact("at", make("code", {}, look.path || "(root)"), "The place in the document, as a JSON pointer; (root) is all of it"),
      fact("allowed", look.outside ? "–" : `${look.allowed.toLocaleString("en")} of ${look.size.toLocaleString("en")}`, "Tokens that may come here, of all that the model knows"),
      fact("feasible mass", look.outside ? "–" : percent(look.alpha), "The probability that the model itself gave to all allowed tokens together"),
      fact("mask", look.outside ? "–" : `${look.us.toLocaleString("en")} µs`, "The time it took to compute the mask"),
      look.left === null ? null : fact("tokens left", look.left.toLocaleString("en"), "The budget, without the tokens before this one"),
      look.left === null ? null : fact("to finish", look.least.toLocaleString("en"), "How many tokens are enough from here"),
      look.withheld ? fact("forbidden by the budget", look.withheld.toLocaleString("en"), "Tokens that the grammar allows, and after which too few are left") : null,
      look.forced ? fact("must follow", make("code", {}, visible(look.forced)), "The text that every answer has here") : null,
      look.can_end ? fact("may end", "yes", "What is written is whole: the model may stop") : null);
    const said = look.outside
      ? "Without masks the text has left the grammar before this step."
      : look.overruled ? "The mask forbade the model’s favourite." : "The model’s favourite was allowed.";
    const left = look.withheld ? `The budget forbade ${count(look.withheld, "token")} that the grammar allows: ${count(look.left, "token is", "tokens are")} left, and after ${look.withheld === 1 ? "it" : "each of them"} that is too few.` : null;
    const rows = this.#likeliest(look).map((token) => this.#row(look, token));
    const table = make("table", { className: "bars" },
      make("caption", {}, "The likeliest tokens"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "token"), make("th", { scope: "col" }, "before the mask"), make("th", { scope: "col" }, "after"))),
      make("tbody", {}, ...rows));
    const buttons = make("div", { className: "row actions" },
      taken ? make("button", { type: "button", id: "back", on: { click: () => this.back(look.n) } }, "Go back here") : null,
      make("button", { type: "button", id: "go", on: { click: () => this.go(look.n) } }, taken ? "Write on from here" : "Write on"));
    this.body.replaceChildren(facts, make("p", { className: look.overruled ? "said overruled-said" : "said" }, said), left ? make("p", { className: "said bound-said" }, left) : "", table, buttons);
  }

  #likeliest(look) {
    const found = new Map();
    const before = look.before.slice(0, BARS).filter((token, at) => at < FIRST || token.before >= NOTABLE);
    for (const token of [...before, ...look.after.slice(0, BARS)]) found.set(token.id, token);
    const taken = look.taken !== null && [...look.before, ...look.after].find((token) => token.id === look.taken);
    if (taken) found.set(taken.id, taken);
    return [...found.values()].sort((a, b) => b.before - a.before);
  }

  #row(look, token) {
    const name = token.may && !look.outside
      ? make("button", { type: "button", className: "choose", "aria-label": `choose ${spoken(token)}`, on: { click: () => this.choose(look.n, token.id) } }, this.#token(token))
      : make("span", { className: "no" }, this.#token(token), make("span", { className: "hidden" }, token.long ? " too long for the budget" : " forbidden"));
    const bar = (share, kind) => {
      const fill = make("span", { className: `bar ${kind}` });
      fill.style.width = `${Math.max(share * 100, share ? 0.5 : 0)}%`;
      return make("td", {}, make("span", { className: "track" }, fill), make("span", { className: "figure" }, percent(share)));
    };
    const row = make("tr", { className: token.id === look.taken ? "taken" : "" }, make("th", { scope: "row" }, name), bar(token.before, "free"), token.may ? bar(token.after, "masked") : make("td", { className: "no" }, token.long ? "too long" : "forbidden"));
    if (token.id === look.taken) row.setAttribute("aria-current", "true");
    return row;
  }

  #token(token) {
    return make("code", { className: `token ${token.kind}`, title: `token ${token.id}` }, token.kind === "end" ? "⟨end⟩" : visible(token.text));
  }

  async #stretch(offset, limit) {
    if (this.n === null) return null;
    try {
      return await this.answer().tokens(this.listed.n, this.search.value, offset, limit);
    } catch {
      return null;
    }
  }

  async #explain() {
    try {
      this.because.textContent = (await this.answer().explain(this.listed.n, this.why.value)).said;
    } catch (error) {
      this.because.textContent = error.message;
    }
  }
}
