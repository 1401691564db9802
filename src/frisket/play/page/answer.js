// Settings → an answer on the server, with its steps on the page. If the server has forgotten it, it is made again.

import { Away, get, lines, post, text } from "./api.js";

export class Answer {
  constructor(steps, { progress }) {
    this.steps = steps;
    this.progress = progress;
    this.forget();
  }

  forget() {
    this.id = null;
    this.ask = null;
    this.looks = new Map();
  }

  get started() {
    return this.ask !== null;
  }

  /** Begin with these settings. To make an answer again: `tokens` are its tokens, `hand` those that the user chose. */
  async begin(ask, { tokens = [], hand = [] } = {}, signal) {
    const clear = (id) => {
      this.steps.clear();
      this.looks.clear();
      this.id = id;
      this.ask = ask;
    };
    try {
      clear((await post("/api/answers", ask, signal)).id);
    } catch (error) {
      // If the server is away, the page keeps the answer.
      if (!(error instanceof Away)) clear(null);
      throw error;
    }
    if (tokens.length) await this.#run({ tokens, by_hand: hand, steps: 0 }, signal);
  }

  /** Go back, take tokens, and write on; steps appear as they come. */
  async run(body, signal) {
    if (body.back !== undefined) this.#cut(body.back);
    await this.#again(() => this.#run(body, signal), signal);
  }

  async look(n) {
    if (!this.looks.has(n)) {
      const look = await this.#again(() => get(`${this.#path}/steps/${n}`));
      if (look.taken === null) return look;
      if (this.looks.size > 400) this.looks.clear();
      this.looks.set(n, look);
    }
    return this.looks.get(n);
  }

  tokens(n, search, offset, limit) {
    const query = new URLSearchParams({ search, offset, limit });
    return this.#again(() => get(`${this.#path}/steps/${n}/tokens?${query}`));
  }

  explain(n, given) {
    return this.#again(() => post(`${this.#path}/steps/${n}/explain`, { text: given }));
  }

  export(kind) {
    return this.#again(() => text(`${this.#path}/export/${kind}`));
  }

  get #path() {
    return `/api/answers/${this.id}`;
  }

  #cut(to) {
    this.steps.cut(to);
    for (const n of [...this.looks.keys()]) if (n >= to) this.looks.delete(n);
  }

  async #run(body, signal) {
    let waiting = [];
    let due = false;
    const flush = () => {
      due = false;
      if (waiting.length) this.steps.add(waiting.splice(0));
    };
    let failed = null;
    try {
      for await (const line of lines(`${this.#path}/run`, body, signal)) {
        if (line.step) {
          waiting.push(line.step);
          if (!due) {
            due = true;
            requestAnimationFrame(flush);
          }
          this.progress(line.step.n + 1);
        } else if (line.error) {
          failed = Object.assign(new Error(line.error.message), line.error);
        } else if (line.state) {
          flush();
          this.steps.state(line.state);
        }
      }
    } finally {
      flush();
    }
    if (failed) throw failed;
  }

  /** Make the answer again while its steps stay on the page. It gets its new name once all steps are there. */
  #revive(signal) {
    this.reviving ??= (async () => {
      const { steps } = this.steps;
      const tokens = steps.map((step) => step.id);
      const hand = steps.filter((step) => step.chosen).map((step) => step.n);
      const { id } = await post("/api/answers", this.ask, signal);
      for await (const line of lines(`/api/answers/${id}/run`, { tokens, by_hand: hand, steps: 0 }, signal)) {
        if (line.error) throw Object.assign(new Error(line.error.message), line.error);
      }
      this.id = id;
    })().finally(() => (this.reviving = null));
    return this.reviving;
  }

  /** Call `act`; if the server has forgotten the answer, make it again and call once more. */
  async #again(act, signal) {
    try {
      return await act();
    } catch (error) {
      if (error.code !== "answer-gone" || !this.ask) throw error;
      await this.#revive(signal);
      return act();
    }
  }
}
