// Facts of a document: what belongs together lights up together, a click lists the mentions, verdicts are sent at once.
import { judging } from "./judging.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

const PARTS = [".bar", ".sheet .marks", ".words", "#facts"];

export function start(element) {
  for (const kind of ["mouseover", "focusin"]) element.addEventListener(kind, (event) => light(element, event.target));
  for (const kind of ["mouseout", "focusout"]) element.addEventListener(kind, () => light(element, null));
  element.addEventListener("click", choose);
  addEventListener("popstate", () => redraw().catch(() => location.reload()));
  judging(element, redraw);
}

function light(element, target) {
  const thing = target?.closest("[data-thing]")?.dataset.thing;
  for (const each of element.querySelectorAll("[data-thing]")) each.classList.toggle("lit", each.dataset.thing === thing);
}

// The same address works without this; here only what changes is drawn again, and the picture stays.
async function choose(event) {
  const link = event.target.closest("a[data-choose], .words a.thing");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const address = link.href.baseVal ?? link.href;
  history.pushState(null, "", address);
  await redraw().catch(() => location.assign(address));
  const chosen = document.getElementById("chosen");
  chosen?.focus({ preventScroll: true });
  chosen?.scrollIntoView({ block: "nearest" });
}

export async function redraw() {
  const page = await parse(await ask("GET", location.href));
  for (const part of PARTS) {
    const [old, fresh] = [document.querySelector(part), page.querySelector(part)];
    if (!old || !fresh) continue;
    localise(fresh);
    old.replaceWith(fresh);
  }
}
