// The Operations page: replaces its sections with new ones from the server while the page is visible.
import { announce, clearNotices, showNotice } from "./announce.js";
import { parsePage, request } from "./session.js";
import { localise } from "./times.js";

const INTERVAL = 5_000; // milliseconds
const SLOWDOWN = 20; // pause as a multiple of the response time, so that requests take at most 5 % of the time
let timer = 0, unreachable = false;

export function start(element) {
  const schedule = (pause) => {
    clearTimeout(timer);
    timer = document.hidden ? 0 : setTimeout(poll, pause);
  };
  async function poll() {
    const began = performance.now();
    const signedIn = await refresh(element);
    if (signedIn) schedule(Math.max(INTERVAL, SLOWDOWN * (performance.now() - began)));
  }
  document.addEventListener("visibilitychange", () => schedule(0));
  schedule(INTERVAL);
}

async function refresh(element) {
  try {
    const page = await parsePage(await request("GET", location.pathname));
    for (const part of page.querySelectorAll("#operations [data-live]")) replacePart(element, part);
    if (unreachable) clearNotices();
    unreachable = false;
  } catch (error) {
    if (error.status === 401 || error.status === 403) {
      showNotice("bad", error.status === 401 ? "You are signed out." : "You are no longer an operator.", { href: "/", words: "Continue" });
      return false;
    }
    if (!unreachable) showNotice("bad", "Docyard is not responding. This page retries every few seconds.");
    unreachable = true;
  }
  return true;
}

// Skips a section in which the user is pressing a button or has selected text.
function replacePart(element, part) {
  const old = element.querySelector(`[data-live="${part.dataset.live}"]`);
  if (!old) return location.reload(); // the queue can be read again
  localise(part);
  if (old.innerHTML === part.innerHTML || old.contains(getSelection()?.isCollapsed ? null : getSelection()?.anchorNode)) return;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  if (focused?.matches(":active")) return;
  if (part.dataset.live === "advice") announceNew(old, part);
  old.replaceWith(part);
  if (focused) findCounterpart(part, focused)?.focus();
}

function findCounterpart(part, focused) {
  const name = (element) => element.getAttribute("aria-label") ?? element.textContent;
  return [...part.querySelectorAll(focused.tagName)].find((element) => name(element) === name(focused));
}

function announceNew(old, part) {
  const words = (root) => [...root.querySelectorAll("[data-advice]")].map((one) => one.dataset.advice);
  const known = new Set(words(old).map(withoutNumbers));
  for (const one of words(part)) if (!known.has(withoutNumbers(one))) announce(one, one);
}

const withoutNumbers = (words) => words.replace(/[\d.,]+/g, "#");
