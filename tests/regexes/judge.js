// Lines of JSON {pattern, flags, texts} → lines of JSON: for each text whether there is a match, or why there is no answer.
"use strict";
const vm = require("vm");
const context = vm.createContext({});
const script = new vm.Script("answer()");
const MILLISECONDS = 400; // a search that backtracks for longer is dropped

function answer(line) {
  const { pattern, flags, texts } = JSON.parse(line);
  let compiled;
  try {
    compiled = new RegExp(pattern, flags);
  } catch (error) {
    return { refused: String(error) };
  }
  const matches = (text) => {
    compiled.lastIndex = 0;
    return compiled.test(text);
  };
  context.answer = () => texts.map(matches);
  try {
    return { matches: script.runInContext(context, { timeout: MILLISECONDS }) };
  } catch (error) {
    return { late: String(error) };
  }
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => process.stdout.write(JSON.stringify(answer(line)) + "\n"));
