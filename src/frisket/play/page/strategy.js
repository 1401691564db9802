// Ways to find whole answers → three controls: a strategy, its number, and an inner strategy.

import { find, make } from "./dom.js";

export class Strategy {
  constructor({ offered, changed }) {
    this.offered = new Map(offered.map((one) => [one.name, one]));
    this.name = find("strategy");
    this.number = find("strategy-number");
    this.inner = find("strategy-inner");
    const options = offered.map((one) => make("option", { value: one.name, title: one.finds }, one.title));
    this.name.append(...options);
    this.inner.append(...offered.filter((one) => !one.nests).map((one) => make("option", { value: one.name }, one.title)));
    this.name.addEventListener("change", () => {
      this.number.value = this.#chosen?.number ?? 1;
      this.inner.value = "";
      this.paint();
      changed();
    });
    for (const control of [this.number, this.inner]) control.addEventListener("input", () => changed());
    this.paint();
  }

  /** The strategy as a command line spells it; "" for none. */
  get spelling() {
    const one = this.#chosen;
    if (!one) return "";
    const number = one.counts ? `:${Math.max(1, Math.trunc(Number(this.number.value) || 1))}` : "";
    return `${one.name}${number}${one.nests && this.inner.value ? `/${this.inner.value}` : ""}`;
  }

  set spelling(text) {
    const [outer, inner = ""] = String(text ?? "").split("/");
    const [name, number] = outer.split(":");
    this.name.value = this.offered.has(name) ? name : "";
    this.number.value = /^\d+$/.test(number ?? "") ? number : this.#chosen?.number ?? 1;
    this.inner.value = [...this.inner.options].some((option) => option.value === inner.split(":")[0]) ? inner.split(":")[0] : "";
    this.paint();
  }

  get isChosen() {
    return this.#chosen !== undefined;
  }

  paint() {
    const one = this.#chosen;
    find("strategy-counts").textContent = one?.counts ? one.counts[0].toUpperCase() + one.counts.slice(1) : "";
    this.number.parentElement.hidden = !one?.counts;
    this.inner.parentElement.hidden = !one?.nests;
    find("strategy-finds").textContent = one ? `Finds ${one.finds}.` : "";
    find("strategy-finds").hidden = !one;
  }

  get #chosen() {
    return this.offered.get(this.name.value);
  }
}
