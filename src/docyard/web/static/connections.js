// The Language models page: while a test runs, polls for its result.
import { announce, showNotice } from "./announce.js";
import { parsePage, request } from "./session.js";
import { localise } from "./times.js";

const INTERVAL = 1_500; // milliseconds

export function start(element) {
  if (element.dataset.trying) setTimeout(() => poll(element), INTERVAL);
}

async function poll(element) {
  try {
    const page = await parsePage(await request("GET", "/connections"));
    const current = page.getElementById("connections");
    const [old, fresh] = [element, current].map((root) => root.querySelector("[data-live]"));
    // While a confirmation is open, wait: an update would close it.
    if (!current.dataset.trying && !old.querySelector("details[open]")) {
      localise(fresh);
      old.replaceWith(fresh);
      return announce("tested", "Test finished.");
    }
  } catch (error) {
    if (error.status) return showNotice("bad", error.message);
  }
  setTimeout(() => poll(element), INTERVAL);
}
