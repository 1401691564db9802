// The module of the package, and questions as lines of JSON → their answers. usage: node node.mjs frisket.js

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import * as client from "./client.js";

const frisket = await import(pathToFileURL(process.argv[2]).href);
await frisket.init();
for await (const line of createInterface({ input: process.stdin })) {
  const { name, given } = JSON.parse(line);
  const answer = await client[name](frisket, given).then(
    (answer) => ({ answer }),
    (error) => ({ failure: String(error.stack) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
