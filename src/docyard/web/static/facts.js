// Facts of a document: what belongs together lights up together, a click lists the mentions, verdicts are sent at once.
import { judging } from "./judging.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

const PARTS = [".bar", ".sheet .found-here", ".sheet .marks", ".words", "#facts"];
let drawn = location.search;

export function start(element) {
  for (const kind of ["mouseover", "focusin"]) element.addEventListener(kind, (event) => light(element, event.target));
  for (const kind of ["mouseout", "focusout"]) element.addEventListener(kind, () => light(element, null));
  element.addEventListener("click", choose);
  // Going to an anchor of what is drawn already changes nothing.
  addEventListener("popstate", () => location.search !== drawn && redraw().catch(() => location.reload()));
  judging(element, redraw);
}

function light(element, target) {
  const thing = target?.closest("[data-thing]")?.dataset.thing;
  for (const each of element.querySelectorAll("[data-thing]")) each.classList.toggle("lit", each.dataset.thing === thing);
}

// The same address works without this; here only what changes is drawn again, and the picture stays.
async function choose(event) {
  const link = event.target.closest("a[data-choose], #facts .value a, .words a.thing");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const address = link.href.baseVal ?? link.href;
  if (new URL(address, location.href).searchParams.get("page") !== shownPage()) return;
  event.preventDefault();
  history.pushState(null, "", address);
  await redraw().catch(() => location.assign(address));
  show(document.getElementById("chosen") ?? again(address));
}

// The page that is drawn; an address need not name it.
function shownPage() {
  return document.querySelector(".jump [name=page]").defaultValue;
}

// A list that opened takes the reader there; a place that was pointed at is brought into sight, and the link keeps the focus.
function show(target) {
  target?.focus({ preventScroll: true });
  const place = target?.id === "chosen" ? target : document.querySelector(".sheet .passage, .words .passage") ?? target;
  place?.scrollIntoView({ block: "nearest" });
}

function again(address) {
  return [...document.querySelectorAll("#facts a")].find((each) => each.href === new URL(address, location.href).href);
}

export async function redraw() {
  const asked = (drawn = location.search);
  const page = await parse(await ask("GET", location.href));
  if (location.search !== asked) return; // another choice came after this one
  for (const part of PARTS) {
    const [old, fresh] = [document.querySelector(part), page.querySelector(part)];
    if (!old || !fresh) continue;
    const { scrollTop } = old;
    localise(fresh);
    stayOpen(old, fresh);
    old.replaceWith(fresh);
    fresh.scrollTop = scrollTop;
  }
}

// What a reader opened stays open, as far as it is still there.
export function stayOpen(old, fresh) {
  const opened = [...old.querySelectorAll("details")];
  const now = [...fresh.querySelectorAll("details")];
  if (opened.length === now.length) now.forEach((each, place) => { each.open = opened[place].open; });
}
