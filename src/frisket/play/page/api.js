// Requests → the server's responses; a refusal is an error with its code, place and hint.

export class Refused extends Error {
  constructor(error) {
    super(error.message);
    Object.assign(this, error);
  }
}

/** The server does not respond at all. */
export class Away extends Error {}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Away("the server does not answer");
  }
  if (response.ok) return response;
  let body = null;
  try {
    body = await response.json();
  } catch {
    // not from our server
  }
  throw new Refused(body?.error ?? { code: "server", message: `the server said ${response.status}` });
}

const posted = (body, signal) => ({
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
});

export const get = async (path, signal) => (await ask(path, { signal })).json();
export const post = async (path, body, signal) => (await ask(path, posted(body, signal))).json();
export const text = async (path) => (await ask(path, {})).text();

/** Each line of the response as it comes. */
export async function* lines(path, body, signal) {
  const response = await ask(path, posted(body, signal));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Away("the server went away");
    }
    if (part.done) break;
    const found = (rest + part.value).split("\n");
    rest = found.pop();
    for (const line of found) yield JSON.parse(line);
  }
}
