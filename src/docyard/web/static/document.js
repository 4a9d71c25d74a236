// One document: parts are replaced as its state changes, arrow keys turn the pages, delete asks first.
import { announce } from "./announce.js";
import { follow } from "./live.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

export function start(element) {
  const id = element.dataset.document;
  follow({ changed: (changed) => changed === id && refresh(element), refresh: () => refresh(element) });
  document.addEventListener("keydown", turn);
  document.addEventListener("click", confirmDelete);
  watchPicture();
  document.querySelector(".words mark")?.scrollIntoView({ block: "center" });
  if (new URLSearchParams(location.search).has("page")) showPages();
}

// Someone who came for a page sees it, not the heading above it.
function showPages() {
  document.querySelector(".viewer")?.scrollIntoView({ block: "start" });
}

async function refresh(element) {
  let page;
  try {
    page = await parse(await ask("GET", location.href));
  } catch (error) {
    if (error.status === 404) return gone(element);
    throw error;
  }
  const fresh = page.getElementById("document");
  if (fresh.dataset.state !== element.dataset.state) {
    element.dataset.state = fresh.dataset.state;
    announce("state", `${page.querySelector("h1").textContent}: ${page.querySelector(".now .chip").textContent}.`);
  }
  for (const part of fresh.querySelectorAll("[data-live]")) swap(element.querySelector(`[data-live="${part.dataset.live}"]`), part);
  document.title = page.title;
}

function swap(old, part) {
  if (bare(old) === bare(part) || old.contains(document.activeElement)) return;
  localise(part);
  old.replaceWith(part);
  watchPicture();
}

function bare(part) {
  const copy = part.cloneNode(true);
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
