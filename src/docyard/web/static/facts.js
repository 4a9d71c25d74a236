// Facts of a document: highlights all marks of one entity, lists its mentions on a click, and sends verdicts.
import { parsePage, request } from "./session.js";
import { localise } from "./times.js";
import { handleVerdicts } from "./verdicts.js";

const PARTS = [".bar", ".sheet .found-here", ".sheet .marks", ".words", "#facts"];
let shown = location.search;

export function start(element) {
  for (const kind of ["mouseover", "focusin"]) element.addEventListener(kind, (event) => highlight(element, event.target));
  for (const kind of ["mouseout", "focusout"]) element.addEventListener(kind, () => highlight(element, null));
  element.addEventListener("click", selectFact);
  // Following a link to an anchor on the same page also fires popstate, but needs no redraw.
  addEventListener("popstate", () => location.search !== shown && redraw().catch(() => location.reload()));
  handleVerdicts(element, redraw);
}

function highlight(element, target) {
  const thing = target?.closest("[data-thing]")?.dataset.thing;
  for (const each of element.querySelectorAll("[data-thing]")) each.classList.toggle("lit", each.dataset.thing === thing);
}

// Redraws only the changed parts and keeps the image. Without JavaScript, the link loads the whole page.
async function selectFact(event) {
  const link = event.target.closest("a[data-choose], #facts .value a, .words a.thing");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const url = link.href.baseVal ?? link.href;
  if (new URL(url, location.href).searchParams.get("page") !== shownPage()) return;
  event.preventDefault();
  history.pushState(null, "", url);
  await redraw().catch(() => location.assign(url));
  reveal(document.getElementById("chosen") ?? findLink(url));
}

// Returns the number of the page that is shown; the URL need not contain it.
function shownPage() {
  return document.querySelector(".jump [name=page]").defaultValue;
}

// Focuses the list of mentions and scrolls to it; without a list, focuses the selected link and scrolls to the passage.
function reveal(target) {
  target?.focus({ preventScroll: true });
  const place = target?.id === "chosen" ? target : document.querySelector(".sheet .passage, .words .passage") ?? target;
  place?.scrollIntoView({ block: "nearest" });
}

function findLink(url) {
  return [...document.querySelectorAll("#facts a")].find((each) => each.href === new URL(url, location.href).href);
}

export async function redraw() {
  const requested = (shown = location.search);
  const page = await parsePage(await request("GET", location.href));
  if (location.search !== requested) return; // the user has selected something else meanwhile
  for (const part of PARTS) {
    const [old, fresh] = [document.querySelector(part), page.querySelector(part)];
    if (!old || !fresh) continue;
    const { scrollTop } = old;
    localise(fresh);
    keepOpen(old, fresh);
    old.replaceWith(fresh);
    fresh.scrollTop = scrollTop;
  }
}

// Keeps opened details open if the number of details has not changed.
export function keepOpen(old, fresh) {
  const before = [...old.querySelectorAll("details")];
  const after = [...fresh.querySelectorAll("details")];
  if (before.length === after.length) after.forEach((each, index) => { each.open = before[index].open; });
}
