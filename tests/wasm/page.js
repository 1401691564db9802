// The package in a page → `ask`, a function of the window.

import * as frisket from "/package/frisket.js";

import * as client from "./client.js";

await frisket.init();
const address = new URL("/package/frisket.js", location.href).href;
window.ask = (name, given) => client[name]({ ...frisket, address }, given);
document.documentElement.dataset.ready = "";
