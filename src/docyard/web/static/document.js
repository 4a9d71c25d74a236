// The document page: live updates of its sections, page turning with arrow keys, confirmation before deleting.
import { announce } from "./announce.js";
import { keepOpen, start as startFacts } from "./facts.js";
import { follow } from "./live.js";
import { parsePage, request } from "./session.js";
import { localise } from "./times.js";

export function start(element) {
  const id = element.dataset.document;
  follow({ changed: (changed) => changed === id && refresh(element), refresh: () => refresh(element) });
  document.addEventListener("keydown", turnPage);
  document.addEventListener("click", confirmDelete);
  watchImage();
  startFacts(element);
  scrollToMark(document.querySelector(".words mark, .words .passage, .words .chosen"));
}

// Next to an image, only the text scrolls, so that the image stays in view.
function scrollToMark(mark) {
  if (!mark) return;
  const text = mark.closest(".text");
  if (text.classList.contains("paper")) mark.scrollIntoView({ block: "center" });
  else text.scrollTop += mark.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
}

async function refresh(element) {
  let page;
  const requested = location.search;
  try {
    page = await parsePage(await request("GET", location.href));
  } catch (error) {
    if (error.status === 404) return showDeleted(element);
    throw error;
  }
  // If the user has selected something else since the request, load that instead.
  if (location.search !== requested) return refresh(element);
  const fresh = page.getElementById("document");
  if (fresh.dataset.state !== element.dataset.state) {
    element.dataset.state = fresh.dataset.state;
    announce("state", `${page.querySelector("h1").textContent}: ${page.querySelector(".now .chip").textContent}.`);
  }
  for (const part of fresh.querySelectorAll("[data-live]")) replacePart(element.querySelector(`[data-live="${part.dataset.live}"]`), part);
  document.title = page.title;
}

// Does not replace a part in which the user is typing; keeps the focus on links and buttons.
function replacePart(old, part) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  if (normalise(old) === normalise(part) || focused?.matches("input, select")) return;
  localise(part);
  keepOpen(old, part);
  old.replaceWith(part);
  watchImage();
  if (focused) findCounterpart(part, focused)?.focus();
}

function findCounterpart(part, focused) {
  const candidates = [...part.querySelectorAll(focused.tagName)];
  return candidates.find((element) => accessibleName(element) === accessibleName(focused));
}

function accessibleName(element) {
  return element.getAttribute("aria-label") ?? element.textContent;
}

// Returns the HTML without the parts that scripts and users change: opened details, highlights, local times, placeholders.
function normalise(part) {
  const copy = part.cloneNode(true);
  for (const opened of copy.querySelectorAll("details")) opened.open = false;
  for (const lit of copy.querySelectorAll(".lit")) lit.classList.remove("lit");
  for (const time of copy.querySelectorAll("time")) time.replaceWith(time.dateTime);
  for (const text of copy.querySelectorAll(".behind")) text.remove();
  return copy.innerHTML.replace(/\s+/g, " ");
}

function showDeleted(element) {
  const message = document.createElement("p");
  message.className = "notice info";
  message.textContent = "This document was deleted.";
  element.replaceChildren(message);
}

function turnPage(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, textarea, select, dialog")) return;
  const direction = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = direction && document.querySelector(`.turning a[rel="${direction}"]`);
  if (link) link.click();
}

function confirmDelete(event) {
  const link = event.target.closest("[data-dialog]");
  const dialog = link && document.getElementById(link.dataset.dialog);
  if (!dialog) return;
  event.preventDefault();
  dialog.showModal();
}

function watchImage() {
  const image = document.querySelector(".sheet img");
  if (!image) return;
  const placeholder = document.querySelector(".behind");
  const failed = () => {
    image.hidden = true;
    placeholder.textContent = "This page cannot be shown as an image. Its text is shown next to it.";
  };
  if (image.complete && image.naturalWidth === 0) failed();
  image.addEventListener("error", failed);
}
