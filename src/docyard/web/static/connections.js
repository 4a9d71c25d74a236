// The page of language models: while one is being tested, what came of it is looked for.
import { announce, notice } from "./announce.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

const EVERY = 1_500;

export function start(element) {
  if (element.dataset.trying) setTimeout(() => look(element), EVERY);
}

async function look(element) {
  try {
    const page = await parse(await ask("GET", "/connections"));
    const there = page.getElementById("connections");
    const [old, fresh] = [element, there].map((root) => root.querySelector("[data-live]"));
    // A question that somebody opened is left alone until the next look.
    if (!there.dataset.trying && !old.querySelector("details[open]")) {
      localise(fresh);
      old.replaceWith(fresh);
      return announce("tested", "The test is done.");
    }
  } catch (error) {
    if (error.status) return notice("bad", error.message);
  }
  setTimeout(() => look(element), EVERY);
}
