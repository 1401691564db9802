// The assembled page: settings, runs, the inspected position, and links to share.

import { Answer } from "./answer.js";
import { Away, get, lines, post } from "./api.js";
import { Budget } from "./budget.js";
import { count, find, make, percent } from "./dom.js";
import { Editor } from "./editor.js";
import * as fragment from "./fragment.js";
import { Inspector } from "./inspector.js";
import { Steps } from "./steps.js";
import { Strategy } from "./strategy.js";
import { Tree } from "./tree.js";

const PAUSE = 250;
const offer = await get("/api/offer");
const isJSON = (name) => offer.notations.find((one) => one.name === name)?.json ?? false;

// ---- the answers: one under masks, one without

const hovered = (answer) => (n) => {
  if (answer.hovering === n) return;
  answer.hovering = n;
  clearTimeout(hovered.timer);
  hovered.timer = setTimeout(() => {
    const at = n === null ? looked : { answer, n };
    if (!at) return;
    const number = at.n ?? at.answer.steps.current;
    const selected = at.answer === looked?.answer && number === at.answer.steps.current;
    look(at.answer, number, selected && !inspector.lists(at.answer, number));
  }, 60);
};
function makeAnswer(id, title) {
  const answer = {};
  const steps = new Steps({
    id, title,
    chosen: (n) => look(answer.made, n, true),
    hovered: (n) => hovered(answer.made)(n),
    entered: (n) => look(answer.made, n, true).then(() => inspector.focus()),
    back: (n) => back(n),
  });
  answer.made = new Answer(steps, { progress: (n) => find("progress").textContent = `writing … ${n}` });
  return answer.made;
}
const masked = makeAnswer("masked", "Under the mask");
const free = makeAnswer("free", "Without masks");
find("answers").append(masked.steps.element, free.steps.element);
free.steps.element.hidden = true;

let looked = null;
let shown = null;
async function look(answer, n, settled) {
  if (!answer.started || answer.id === null) return;
  if (settled && answer === masked) tree.mark(masked.steps.steps.map((step) => step.id), n);
  if (settled) looked = { answer };
  // The look before the next token is loaded only if the user stops there, and not while the model writes.
  if (n >= answer.steps.steps.length && (running || answer.steps.finish)) return;
  shown = answer;
  await inspector.show(n, { settled });
}
const inspector = new Inspector({
  answer: () => shown ?? masked,
  choose: (n, token) => steer({ back: n, tokens: [token] }),
  back: (n) => back(n),
  go: (n) => steer({ back: n }),
});

// ---- settings

const budget = new Budget({ most: offer.limits.max_tokens, changed: () => { said(); remember(); }, released: () => rebudget() });
const editor = new Editor({ changed: () => changed(), mend, isJSON: () => isJSON(find("notation").value) });
const strategy = new Strategy({ offered: offer.strategies, changed: () => { said(); remember(); } });
const tree = new Tree({ picked: (path) => walk(path) });
const settings = () => {
  const options = {};
  if (find("notation").value === "json_schema") {
    if (find("whitespace").value) options.whitespace = find("whitespace").value;
    if (find("order").value) options.property_order = find("order").value;
    if (find("relaxed").checked) options.relaxed = true;
  }
  return {
    notation: find("notation").value, text: editor.text, options, model: find("model").value,
    prompt: find("prompt").value, describe: find("describe").value, temperature: Number(find("temperature").value),
    seed: Math.max(0, Math.trunc(Number(find("seed").value) || 0)),
    max_tokens: budget.tokens,
    // A strategy does not keep to a budget: a longer answer is cut or left out.
    on_budget: strategy.isChosen ? "cut" : find("on-budget").value,
  };
};
function set(given) {
  const choose = (id, value) => {
    if (value !== undefined && [...(find(id).options ?? [])].some((option) => option.value === value)) find(id).value = value;
  };
  choose("notation", given.notation);
  if (typeof given.text === "string") editor.text = given.text;
  if (typeof given.prompt === "string") find("prompt").value = given.prompt;
  choose("model", given.model);
  choose("describe", given.describe);
  if (typeof given.strategy === "string") strategy.spelling = given.strategy;
  if (!strategy.isChosen) choose("on-budget", given.on_budget);
  choose("whitespace", given.options?.whitespace ?? "");
  choose("order", given.options?.property_order ?? "");
  find("relaxed").checked = given.options?.relaxed === true;
  for (const [id, name] of [["temperature", "temperature"], ["seed", "seed"]]) {
    if (Number.isFinite(given[name])) find(id).value = given[name];
  }
  if (Number.isFinite(given.max_tokens)) budget.tokens = given.max_tokens;
  find("compare").checked = given.compare === true;
  said();
}
function said() {
  find("temperature-said").textContent = Number(find("temperature").value) ? find("temperature").value : strategy.isChosen ? "its own" : "0";
  find("on-budget").disabled = find("one").disabled = strategy.isChosen;
  budget.paint();
  const chosen = (id) => find(id).selectedOptions[0]?.textContent ?? "";
  const chance = Number(find("temperature").value) ? `temperature ${find("temperature").value}, seed ${find("seed").value}` : "the likeliest token";
  find("decoding-said").textContent = `${find("model").value}, ${strategy.isChosen ? chosen("strategy") : chance}, ${count(budget.tokens, "token")} at most`;
  named();
  find("options").hidden = find("notation").value !== "json_schema";
  free.steps.element.hidden = !find("compare").checked;
}

/** Show whether the text is an example or the user's own. */
function named() {
  const at = offer.examples.findIndex((one) => one.notation === find("notation").value && one.text === editor.text);
  find("example").value = at < 0 ? "" : String(at);
}

// ---- checks while the user types

let checking = null;
let checked = null;
let pause = null;
function changed() {
  clearTimeout(pause);
  pause = setTimeout(check, PAUSE);
  named();
  remember();
}
const check = () => (checked = checkNow());
async function checkNow() {
  checking?.abort();
  const own = (checking = new AbortController());
  const { notation, text, options, model } = settings();
  const found = {};
  if (new Blob([text]).size > offer.limits.max_source_bytes) {
    const most = offer.limits.max_source_bytes.toLocaleString("en");
    editor.tell({ error: { message: `the text has more than ${most} bytes`, hint: "make it smaller, or start with a larger --max-source-bytes" } });
    return;
  }
  editor.tell(found);
  budget.tell(null);
  try {
    for await (const part of lines("/api/check", { notation, text, options, model }, own.signal)) {
      if (own !== checking) return;
      editor.tell(Object.assign(found, part));
      if (part.least) budget.tell(part.least);
    }
  } catch (error) {
    if (error.name === "AbortError" || own !== checking) return;
    if (error instanceof Away) return away();
    editor.tell({ error });
  }
}
async function mend() {
  try {
    editor.text = (await post("/api/mend", { text: editor.text })).text;
    changed();
  } catch (error) {
    tell(error);
  }
}

// ---- runs

let running = null;
async function act(work) {
  stop();
  const own = (running = new AbortController());
  find("stop").disabled = false;
  find("progress").className = "verdict";
  find("progress").textContent = "waiting for the model …";
  const began = performance.now();
  const slow = setInterval(() => {
    const waited = Math.round((performance.now() - began) / 1000);
    if (!masked.steps.steps.length) find("progress").textContent = `waiting for the model … ${waited} s`;
  }, 1000);
  try {
    await work(own.signal);
    if (own === running) find("progress").textContent = `done in ${Math.round(performance.now() - began).toLocaleString("en")} ms`;
  } catch (error) {
    if (own !== running) return;
    if (error.name === "AbortError") find("progress").textContent = "stopped";
    else {
      await checked; // an error of the grammar is said once, under it
      if (own === running) tell(error);
    }
  } finally {
    clearInterval(slow);
    if (own === running) {
      running = null;
      find("stop").disabled = true;
      remember();
    }
  }
}
function stop() {
  running?.abort();
}
function tell(error) {
  if (error instanceof Away) away();
  find("progress").className = "verdict bad";
  if (editor.error?.message === error.message) {
    find("progress").textContent = "✗ Nothing is written: the grammar has an error, which stands under it.";
    return;
  }
  const hint = error.hint && !error.message.includes(error.hint) ? ` — ${error.hint}` : "";
  const raise = error.code === "budget" && budget.isEnough ? budget.button(error.least, () => attempt(error.retry ?? {})) : null;
  find("progress").replaceChildren(`✗ ${error.message}${hint}`, raise ?? "");
}
const both = (signal, begin) => {
  const wanted = [begin(masked, { ...settings(), masked: true })];
  if (find("compare").checked) wanted.push(begin(free, { ...settings(), masked: false }));
  return Promise.all(wanted);
};
const run = () => {
  inspector.clear();
  tree.clear();
  return strategy.isChosen ? seek() : attempt({});
};
/** Let a strategy find an answer; draw its tree, and inspect the answer that it chose. */
const seek = () => act(async (signal) => {
  const ask = { ...settings(), masked: true };
  for (const answer of [masked, free]) {
    answer.forget();
    answer.steps.clear();
  }
  let found = null;
  for await (const part of lines("/api/searches", { ...ask, strategy: strategy.spelling }, signal)) {
    if (part.error) throw Object.assign(new Error(part.error.message), part.error);
    if (part.tree) found = part;
    const { calls, paths } = part.progress;
    find("progress").textContent = `searching … ${count(calls, "call")} of the model, ${count(paths, "path")}`;
  }
  tree.show(found);
  await follow(found.chosen, 0, signal);
  if (!find("compare").checked) return;
  await free.begin({ ...ask, masked: false }, {}, signal);
  await free.run({}, signal);
});
/** Make the steps of a path again, so that they can be inspected and continued by hand. */
async function follow({ tokens, draft }, at, signal) {
  await masked.begin({ ...settings(), masked: true, ...(draft === null ? {} : { draft }) }, { tokens, hand: [] }, signal);
  settle(masked, at);
}
const walk = (path) => act(async (signal) => {
  const { steps } = masked.steps;
  const shown = steps.length === path.tokens.length && steps.every((step, at) => step.id === path.tokens[at]) && (masked.ask?.draft ?? null) === path.draft;
  if (shown) settle(masked, path.at);
  else await follow(path, path.at, signal);
});
const one = () => act(async (signal) => {
  await both(signal, async (answer, ask) => {
    const { masked: _, ...now } = ask;
    const { masked: __, ...before } = answer.ask ?? {};
    if (answer.steps.finish || JSON.stringify(now) !== JSON.stringify(before)) await answer.begin(ask, {}, signal);
    await answer.run({ steps: 1 }, signal);
  });
  settle(masked, masked.steps.steps.length - 1);
});
/** Write an answer that begins with some tokens; if the budget is too small, the error says which tokens were tried. */
const attempt = (begun, at = 0) => act(async (signal) => {
  await both(signal, async (answer, ask) => {
    await retried(begun, async () => {
      await answer.begin(ask, answer === masked ? begun : {}, signal);
      await answer.run({}, signal);
    });
  });
  settle(masked, at);
});
async function retried(begun, work) {
  try {
    await work();
  } catch (error) {
    throw Object.assign(error, { retry: begun });
  }
}
const byHand = (steps) => steps.filter((step) => step.chosen).map((step) => step.n);
/** Set another budget; the answer keeps the tokens that the user chose, and all before them. */
function rebudget() {
  if (!masked.started) return;
  if (strategy.isChosen) return;
  const [now, before] = [{ ...settings(), masked: true }, masked.ask].map((ask) => JSON.stringify({ ...ask, max_tokens: 0, on_budget: "" }));
  const steps = now === before ? masked.steps.steps.slice(0, 1 + Math.max(-1, ...byHand(masked.steps.steps))) : [];
  attempt({ tokens: steps.map((step) => step.id), hand: byHand(steps) }, now === before ? masked.steps.current : 0);
}
/** Steer the inspected answer. */
const steer = (body) => act(async (signal) => {
  const answer = shown ?? masked;
  const kept = answer.steps.steps.slice(0, body.back), tokens = body.tokens ?? [];
  const begun = { tokens: [...kept.map((step) => step.id), ...tokens], hand: [...byHand(kept), ...tokens.map((_, at) => kept.length + at)] };
  await retried(begun, () => answer.run(body, signal));
  settle(answer, body.back ?? 0);
});
const back = (n) => act(async (signal) => {
  const answer = shown ?? masked;
  await answer.run({ back: n, steps: 0 }, signal);
  running = null;
  settle(answer, n);
});
function settle(answer, n) {
  const own = running;
  running = null; // what is next may be asked for
  looked = { answer };
  answer.steps.select(n, { focus: false });
  running = own;
}

// ---- a server that is away

let gone = false;
async function away() {
  if (gone) return;
  gone = true;
  find("banner").hidden = false;
  find("banner").textContent = "The server does not answer. Start `frisket play` again on the same port; this page waits and loses nothing.";
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    try {
      await get("/api/offer");
      break;
    } catch {
      // still away
    }
  }
  gone = false;
  find("banner").hidden = true;
  find("progress").className = "verdict";
  find("progress").textContent = "the server is back";
  check();
}

// ---- links to share

let writing = null;
function remember() {
  clearTimeout(writing);
  writing = setTimeout(async () => history.replaceState(null, "", `#${await fragment.write(state())}`), PAUSE);
}
function state() {
  const { steps } = masked.steps;
  const { draft, ...asked } = masked.ask ?? {};
  const now = { ...settings(), masked: true };
  // The tokens belong to the settings under which they were written.
  const same = masked.ask !== null && JSON.stringify(asked) === JSON.stringify(now);
  const { masked: _, ...kept } = now;
  return {
    ...kept, compare: find("compare").checked, strategy: strategy.spelling, on_budget: find("on-budget").value,
    ...(same && draft !== undefined ? { draft } : {}),
    ...(same && steps.length ? { tokens: steps.map((step) => step.id), hand: byHand(steps) } : {}),
  };
}
async function share() {
  const address = new URL(location.href);
  address.hash = await fragment.write(state());
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address.href);
    find("progress").textContent = "the link is on the clipboard";
  } catch {
    find("progress").textContent = "the link is in the address bar";
  }
}
async function save(kind) {
  const names = { html: ["trace.html", "text/html"], json: ["trace.json", "application/json"], test: ["test_trace.py", "text/x-python"] };
  try {
    if (!masked.started) throw new Error("run the model first");
    const [name, type] = names[kind];
    const link = make("a", { href: URL.createObjectURL(new Blob([await masked.export(kind)], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    find("progress").textContent = `${name} is saved`;
  } catch (error) {
    tell(error);
  }
}
async function restore() {
  const given = await fragment.read(location.hash.slice(1));
  if (given === null) return false;
  set(given);
  if (Array.isArray(given.tokens) && given.tokens.length) {
    await act(async (signal) => {
      const hand = Array.isArray(given.hand) ? given.hand : [];
      const drafted = typeof given.draft === "string" ? { draft: given.draft } : {};
      await masked.begin({ ...settings(), masked: true, ...drafted }, { tokens: given.tokens, hand }, signal);
      if (find("compare").checked) {
        await free.begin({ ...settings(), masked: false }, {}, signal);
        await free.run({}, signal);
      }
      settle(masked, 0);
    });
  }
  return true;
}

// ---- the controls

const fill = (id, options) => find(id).replaceChildren(...options.map(([value, title]) => make("option", { value }, title)));
fill("notation", offer.notations.map((one) => [one.name, one.title]));
fill("model", offer.models.map((one) => [one.name, one.name]));
fill("example", [["", "your own"], ...offer.examples.map((one, at) => [String(at), one.name])]);
find("legend").append("Colour: the probability that the model gave to all allowed tokens together: ",
  ...offer.levels.flatMap((bound, at) => [make("span", { className: `box h${at + 1}` }, `< ${percent(bound)}`), " "]),
  make("span", { className: "box overruled" }, "favourite forbidden"), " ", make("span", { className: "box forced" }, "forced"), " ",
  make("span", { className: "box bound" }, "budget forbade some"), " ", make("span", { className: "box chosen" }, "by hand"));

function load(example) {
  set({ notation: example.notation, text: example.text, prompt: example.prompt });
  stop();
  for (const answer of [masked, free]) {
    answer.forget();
    answer.steps.clear();
  }
  inspector.clear();
  tree.clear();
  clearTimeout(pause);
  check();
  run();
}
find("example").options[0].hidden = true;
find("example").addEventListener("change", () => load(offer.examples[find("example").value]));
// On a phone, the answer and its button come first on the screen and in the tab order.
const narrow = matchMedia("(max-width: 719px)");
const arrange = () => document.querySelector("main").insertBefore(...(narrow.matches ? [find("answer"), find("source")] : [find("source"), find("answer")]));
narrow.addEventListener("change", arrange);
arrange();
for (const id of ["notation", "whitespace", "order", "relaxed", "model"]) find(id).addEventListener("change", () => { said(); changed(); });
for (const id of ["prompt", "temperature", "seed", "describe", "compare"]) find(id).addEventListener("input", () => { said(); remember(); });
find("run").addEventListener("click", run);
find("one").addEventListener("click", one);
find("stop").addEventListener("click", stop);
find("share").addEventListener("click", share);
find("export").addEventListener("change", () => {
  const kind = find("export").value;
  find("export").value = "";
  if (kind) save(kind);
});
find("keys").addEventListener("click", () => find("help").showModal());
for (const link of document.querySelectorAll("[data-jump]")) link.addEventListener("click", (event) => {
  event.preventDefault();
  find(link.dataset.jump).focus();
  find(link.dataset.jump).scrollIntoView();
});
document.addEventListener("keydown", (event) => {
  if (find("help").open) return;
  const typing = /^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName) && event.target.type !== "range" && event.target.type !== "checkbox";
  const jump = { 1: "source", 2: "answer", 3: "step" }[event.key];
  if (event.ctrlKey && event.key === "Enter") run();
  else if (event.ctrlKey && event.key === "." && !strategy.isChosen) one();
  else if (event.key === "Escape") stop();
  else if (event.altKey && jump) ({ source: () => find("text"), answer: () => masked.steps.flow, step: () => find("step") })[jump]().focus();
  else if (event.key === "?" && !typing) find("help").showModal();
  else return;
  event.preventDefault();
});
addEventListener("hashchange", restore);

// ---- start

const isRestored = await restore();
if (isRestored) check();
else load(offer.examples[0]);
document.documentElement.dataset.ready = "true";
