// The package in a page → `ask`, a function of the window.

import * as frisket from "/package/frisket.js";

import * as client from "./client.js";

await frisket.init();
window.ask = (name, given) => client[name](frisket, given);
document.documentElement.dataset.ready = "";
