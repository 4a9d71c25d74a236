// The operators' page: its parts are replaced by those the server draws, while somebody looks.
import { announce, forget, notice } from "./announce.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

const EVERY = 5_000;
const SHARE = 20; // a slow page is asked for less often, so that watching never becomes the load
let timer = 0, silent = false;

export function start(element) {
  const plan = (pause) => {
    clearTimeout(timer);
    timer = document.hidden ? 0 : setTimeout(look, pause);
  };
  async function look() {
    const began = performance.now();
    const goesOn = await refresh(element);
    if (goesOn) plan(Math.max(EVERY, SHARE * (performance.now() - began)));
  }
  document.addEventListener("visibilitychange", () => plan(0));
  plan(EVERY);
}

async function refresh(element) {
  try {
    const page = await parse(await ask("GET", location.pathname));
    for (const part of page.querySelectorAll("#operations [data-live]")) swap(element, part);
    if (silent) forget();
    silent = false;
  } catch (error) {
    if (error.status === 401 || error.status === 403) {
      notice("bad", error.status === 401 ? "You are signed out." : "You are no longer an operator.", { href: "/", words: "Go on" });
      return false;
    }
    if (!silent) notice("bad", "Docyard does not answer. This page tries again every few seconds.");
    silent = true;
  }
  return true;
}

// A part in which somebody holds a button or marks words is left alone until the next look.
function swap(element, part) {
  const old = element.querySelector(`[data-live="${part.dataset.live}"]`);
  localise(part);
  if (old.innerHTML === part.innerHTML || old.contains(getSelection()?.isCollapsed ? null : getSelection()?.anchorNode)) return;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  if (focused?.matches(":active")) return;
  if (part.dataset.live === "advice") tell(old, part);
  old.replaceWith(part);
  if (focused) alike(part, focused)?.focus();
}

function alike(part, focused) {
  const name = (element) => element.getAttribute("aria-label") ?? element.textContent;
  return [...part.querySelectorAll(focused.tagName)].find((element) => name(element) === name(focused));
}

function tell(old, part) {
  const words = (root) => [...root.querySelectorAll("[data-advice]")].map((one) => one.dataset.advice);
  const known = new Set(words(old).map(numberless));
  for (const one of words(part)) if (!known.has(numberless(one))) announce(one, one);
}

const numberless = (words) => words.replace(/[\d.,]+/g, "#");
