// Paths of a strategy → a tree: a common beginning is one node, and a leaf has the outcome of its path.

import { count, find, make, percent, visible } from "./dom.js";

const FATES = {
  answer: "answer", cut: "cut: the tokens ran out", pruned: "given up: others were likelier",
  resampled: "gave way to copies of others", rejected: "refused", outside: "left the grammar",
};

export class Tree {
  /** `picked({tokens, draft, at})` is called with the path to inspect, and its first token to inspect. */
  constructor({ picked }) {
    this.picked = picked;
    this.element = find("tree");
    this.said = find("tree-said");
    this.list = find("tree-list");
    this.list.addEventListener("click", (event) => this.#clicked(event));
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.clear();
  }

  clear() {
    this.element.hidden = true;
    this.items = [];
    this.list.replaceChildren();
  }

  show({ tree, progress }) {
    this.clear();
    this.element.hidden = false;
    const fates = Object.entries(tree.fates).map(([fate, number]) => `${number.toLocaleString("en")} × ${FATES[fate] ?? fate}`);
    const evidence = tree.log_evidence === null ? "" : ` Log-probability of all texts of the grammar together, by estimate: ${tree.log_evidence.toFixed(2)}.`;
    const more = tree.drawn < tree.count ? ` ${tree.drawn} of ${tree.count.toLocaleString("en")} paths are drawn.` : "";
    this.said.textContent = `${count(progress.calls, "call")} of the model. ${fates.join("; ")}.${evidence}${more}`;
    for (const { draft, nodes } of tree.roots) {
      if (draft === null) this.list.append(...this.#level(nodes, 1, [], draft));
      else this.list.append(this.#drafted(draft, nodes));
    }
    this.#rove(this.items.find((item) => item.node?.leaf?.chosen) ?? this.items[0]);
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** Mark the node with a step of the inspected path. */
  mark(tokens, at) {
    for (const item of this.items) {
      const end = item.path.length, here = item.node && item.path.every((token, place) => token === tokens[place]);
      item.element.setAttribute("aria-selected", String(Boolean(here && item.node.at <= at && at < end)));
    }
  }

  #drafted(draft, nodes) {
    const item = { path: [], draft, parent: null, node: null };
    this.items.push(item);
    const label = make("span", { className: "node" }, make("span", { className: "quiet" }, "draft "), make("code", {}, visible(draft) || "(nothing)"));
    return this.#item(item, 1, `draft: ${visible(draft) || "nothing"}`, label, this.#level(nodes, 2, [], draft, item));
  }

  #level(nodes, level, before, draft, parent = null) {
    return nodes.map((node) => {
      const item = { path: [...before, ...node.ids], draft, node, parent };
      const { leaf } = node;
      const text = visible(node.text) || "⟨end⟩";
      const said = [`“${text}”`, `${count(node.ids.length, "token")} from step ${node.at + 1}`];
      const label = make("span", { className: "node" }, make("code", { title: text }, text));
      if (leaf) {
        const fates = Object.entries(leaf.fates).map(([fate, number]) => `${number > 1 ? `${number} × ` : ""}${FATES[fate] ?? fate}`).join(", ");
        const figures = [leaf.share === null ? null : `weight ${percent(leaf.share)}`, leaf.logprob === null ? null : `log p ${leaf.logprob.toFixed(2)}`].filter(Boolean).join(" · ");
        label.append(make("span", { className: `leaf ${Object.keys(leaf.fates).join(" ")}` }, leaf.chosen ? make("strong", {}, "chosen ") : null, `${fates} `), make("span", { className: "figure" }, figures));
        said.push(...(leaf.chosen ? ["chosen"] : []), fates, figures);
      }
      const children = node.nodes ?? [];
      if (children.length > 1) said.push(count(children.length, "branch", "branches"));
      // In document order: a node comes before its descendants.
      this.items.push(item);
      return this.#item(item, level, said.join(", "), label, this.#level(children, level + 1, item.path, draft, item));
    });
  }

  #item(item, level, said, label, children) {
    item.element = make("li", { role: "treeitem", tabIndex: -1, "aria-level": level, "aria-label": said, "aria-selected": "false" }, label);
    if (children.length) {
      item.element.setAttribute("aria-expanded", "true");
      item.element.append(make("ul", { role: "group" }, ...children));
    }
    item.element.item = item;
    return item.element;
  }

  #clicked(event) {
    const item = event.target.closest("[role=treeitem]")?.item;
    if (!item) return;
    this.#rove(item);
    item.element.focus();
    this.#pick(item);
  }

  /** The path through a node and each last child to a leaf: the chosen path, or the likeliest. */
  #pick(item) {
    let last = item;
    while (last.node === null || (!last.node.leaf && last.node.nodes?.length)) {
      const below = this.items.findLast((one) => one.parent === last);
      if (!below) break;
      last = below;
    }
    if (last.node) this.picked({ tokens: last.path, draft: last.draft, at: item.node?.at ?? 0 });
  }

  #rove(item) {
    for (const one of this.items) one.element.tabIndex = one === item ? 0 : -1;
    this.active = item;
  }

  get #seen() {
    return this.items.filter((item) => {
      for (let one = item.parent; one; one = one.parent) if (one.element.getAttribute("aria-expanded") === "false") return false;
      return true;
    });
  }

  #open(item, open) {
    if (item.element.hasAttribute("aria-expanded")) item.element.setAttribute("aria-expanded", String(open));
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const seen = this.#seen, at = seen.indexOf(this.active), { active } = this;
    const isOpen = active.element.getAttribute("aria-expanded");
    let to = null;
    if (event.key === "ArrowDown") to = seen[at + 1];
    else if (event.key === "ArrowUp") to = seen[at - 1];
    else if (event.key === "Home") [to] = seen;
    else if (event.key === "End") to = seen.at(-1);
    else if (event.key === "ArrowRight") {
      if (isOpen === "false") this.#open(active, true);
      else to = seen.find((item) => item.parent === active);
    } else if (event.key === "ArrowLeft") {
      if (isOpen === "true") this.#open(active, false);
      else to = active.parent;
    } else if (event.key === "Enter" || event.key === " ") this.#pick(active);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (to) {
      this.#rove(to);
      to.element.focus();
    }
  }
}
