// One document: parts are replaced as its state changes, arrow keys turn the pages, delete asks first.
import { announce } from "./announce.js";
import { start as facts, stayOpen } from "./facts.js";
import { follow } from "./live.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

export function start(element) {
  const id = element.dataset.document;
  follow({ changed: (changed) => changed === id && refresh(element), refresh: () => refresh(element) });
  document.addEventListener("keydown", turn);
  document.addEventListener("click", confirmDelete);
  watchPicture();
  facts(element);
  showMark(document.querySelector(".words mark, .words .passage, .words .chosen"));
}

// Beside a picture the text scrolls by itself and the page stays where the picture is.
function showMark(mark) {
  if (!mark) return;
  const text = mark.closest(".text");
  if (text.classList.contains("paper")) mark.scrollIntoView({ block: "center" });
  else text.scrollTop += mark.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
}

async function refresh(element) {
  let page;
  const asked = location.search;
  try {
    page = await parse(await ask("GET", location.href));
  } catch (error) {
    if (error.status === 404) return gone(element);
    throw error;
  }
  // Meanwhile the reader has chosen something else.
  if (location.search !== asked) return refresh(element);
  const fresh = page.getElementById("document");
  if (fresh.dataset.state !== element.dataset.state) {
    element.dataset.state = fresh.dataset.state;
    announce("state", `${page.querySelector("h1").textContent}: ${page.querySelector(".now .chip").textContent}.`);
  }
  for (const part of fresh.querySelectorAll("[data-live]")) swap(element.querySelector(`[data-live="${part.dataset.live}"]`), part);
  document.title = page.title;
}

// Someone who types is left alone; someone on a link or button stays on it.
function swap(old, part) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  if (bare(old) === bare(part) || focused?.matches("input, select")) return;
  localise(part);
  stayOpen(old, part);
  old.replaceWith(part);
  watchPicture();
  if (focused) same(part, focused)?.focus();
}

function same(part, focused) {
  const alike = [...part.querySelectorAll(focused.tagName)];
  return alike.find((element) => called(element) === called(focused));
}

function called(element) {
  return element.getAttribute("aria-label") ?? element.textContent;
}

// What a reader opened or points at is no change.
function bare(part) {
  const copy = part.cloneNode(true);
  for (const opened of copy.querySelectorAll("details")) opened.open = false;
  for (const lit of copy.querySelectorAll(".lit")) lit.classList.remove("lit");
  for (const time of copy.querySelectorAll("time")) time.replaceWith(time.dateTime);
  for (const text of copy.querySelectorAll(".behind")) text.remove();
  return copy.innerHTML.replace(/\s+/g, " ");
}

function gone(element) {
  const words = document.createElement("p");
  words.className = "notice info";
  words.textContent = "This document was deleted.";
  element.replaceChildren(words);
}

function turn(event) {
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

function watchPicture() {
  const picture = document.querySelector(".sheet img");
  if (!picture) return;
  const behind = document.querySelector(".behind");
  const failed = () => {
    picture.hidden = true;
    behind.textContent = "This page could not be drawn. Its text is shown beside it.";
  };
  if (picture.complete && picture.naturalWidth === 0) failed();
  picture.addEventListener("error", failed);
}
