// The list: rows are replaced by those the server draws, new ones come in on top.
import { announce, notice } from "./announce.js";
import { follow } from "./live.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

const MANY = 8; // more changed rows than this, and one look at the whole list is cheaper
const CALM = 1_000; // the whole list and the counts are asked for at most this often
const waiting = new Set();
let timer = 0, list;

export function start(element) {
  list = element;
  list.addEventListener("submit", retry);
  follow({ changed, refresh });
}

function changed(id) {
  waiting.add(id);
  timer ||= setTimeout(update, 120);
}

// New documents are told as a change of the list; a change of one not shown here only moves the counts.
async function update() {
  timer = 0;
  const ids = [...waiting];
  waiting.clear();
  const shown = ids.filter(row);
  const mayEnter = shown.length < ids.length && (list.dataset.status || list.dataset.type || list.dataset.tag || list.dataset.folder);
  // What fails here is looked at again when events or polling bring the next change.
  if (mayEnter || shown.length > MANY) await refresh().catch(() => {});
  else await Promise.allSettled([...shown.map(redraw), counts()]);
}

// Runs at once, then once per interval and never twice at a time; the last call is never lost.
function calmly(work) {
  let running = null, again = false;
  const rest = () => {
    running = null;
    if (again) {
      again = false;
      call().catch(() => {});
    }
  };
  function call() {
    if (running) again = true;
    else running = work().finally(() => setTimeout(rest, CALM));
    return running;
  }
  return call;
}

async function redraw(id) {
  try {
    const page = await parse(await ask("GET", `/documents/${id}/row`).then(asTable));
    put(row(id), page.querySelector("tr"));
  } catch (error) {
    if (error.status === 404) row(id)?.remove();
    else throw error;
  }
}

// A row is only a row inside a table.
async function asTable(response) {
  return new Response(`<table><tbody>${await response.text()}</tbody></table>`);
}

const counts = calmly(async () => {
  const { status, type, tag, folder } = list.dataset;
  const asked = new URLSearchParams({ status, type, tag, folder });
  const page = await parse(await ask("GET", `/documents/counts?${asked}`));
  document.getElementById("filters").replaceChildren(...page.body.children);
});

export const refresh = calmly(look);

async function look() {
  const page = await parse(await ask("GET", location.href));
  const fresh = page.getElementById("list");
  document.getElementById("filters").replaceChildren(...page.getElementById("filters").children);
  const rows = document.getElementById("rows");
  if (!rows || !fresh.querySelector("#rows")) {
    list.replaceChildren(...fresh.children);
    localise(list);
    return;
  }
  merge(rows, [...fresh.querySelectorAll("#rows > tr")]);
}

function merge(rows, fresh) {
  const keep = new Set(fresh.map((line) => line.id));
  for (const line of [...rows.children]) if (!keep.has(line.id)) line.remove();
  fresh.forEach((line, place) => {
    const old = row(line.dataset.document);
    const now = old ? put(old, line) : arrive(line);
    if (rows.children[place] !== now) rows.insertBefore(now, rows.children[place] ?? null);
  });
}

function arrive(line) {
  line.classList.add("arrived");
  localise(line);
  return line;
}

// Replaces a row unless it is the same; a person on its button stays there.
function put(old, line) {
  if (!old) return line;
  const mark = signature(line);
  if (old.dataset.signature === mark || (!old.dataset.signature && signature(old) === mark)) return old;
  const focused = old.contains(document.activeElement) ? document.activeElement.tagName : null;
  line.dataset.signature = mark;
  if (old.dataset.state !== line.dataset.state) announce(line.id, `${line.dataset.name}: ${line.dataset.word}.`);
  localise(line);
  old.replaceWith(line);
  if (focused) (line.querySelector(focused.toLowerCase()) ?? line.querySelector("a")).focus();
  return line;
}

// Times are rewritten and addresses of forms depend on the page, so neither tells whether a row changed.
function signature(line) {
  const copy = line.cloneNode(true);
  copy.removeAttribute("data-signature");
  copy.classList.remove("arrived");
  for (const time of copy.querySelectorAll("time")) time.replaceWith(time.dateTime);
  for (const field of copy.querySelectorAll("input")) field.remove();
  return copy.outerHTML.replace(/\s+/g, " ");
}

function row(id) {
  return document.getElementById(`document-${id}`);
}

async function retry(event) {
  const form = event.target.closest("[data-retry]");
  if (!form) return;
  event.preventDefault();
  const button = form.querySelector("button");
  if (button.getAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  try {
    const answer = await (await ask("POST", `/api/v1/documents/${form.dataset.retry}/retry`)).json();
    if (answer.skipped) notice("info", "There is nothing to retry.");
    await redraw(form.dataset.retry);
  } catch (error) {
    notice("bad", error.message);
  } finally {
    button.removeAttribute("aria-busy");
  }
}
