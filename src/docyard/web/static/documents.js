// The document list: reloads changed rows; adds, moves and removes rows to match the list on the server.
import { announce, showNotice } from "./announce.js";
import { follow } from "./live.js";
import { parsePage, request } from "./session.js";
import { localise } from "./times.js";

const MAX_ROW_RELOADS = 8; // for more changed rows, reloading the whole list is cheaper
const MIN_INTERVAL = 1_000; // milliseconds between two reloads of the whole list or the counts
const changedIds = new Set();
let timer = 0, list;

export function start(element) {
  list = element;
  list.addEventListener("submit", retry);
  follow({ changed, refresh });
}

function changed(id) {
  changedIds.add(id);
  timer ||= setTimeout(update, 120);
}

// New documents are reported as a change of the whole list. A changed document that is not shown can enter only a filtered list;
// otherwise it affects only the counts.
async function update() {
  timer = 0;
  const ids = [...changedIds];
  changedIds.clear();
  const shown = ids.filter(findRow);
  const mayEnter = shown.length < ids.length && (list.dataset.status || list.dataset.type || list.dataset.tag || list.dataset.folder);
  // After an error, the next event or poll reloads the same data.
  if (mayEnter || shown.length > MAX_ROW_RELOADS) await refresh().catch(() => {});
  else await Promise.allSettled([...shown.map(reloadRow), reloadCounts()]);
}

// Returns a function that runs `work` immediately, but at most once per interval and never concurrently.
// Calls in the meantime cause one more run afterwards.
function throttle(work) {
  let running = null, pending = false;
  const resume = () => {
    running = null;
    if (pending) {
      pending = false;
      call().catch(() => {});
    }
  };
  function call() {
    if (running) pending = true;
    else running = work().finally(() => setTimeout(resume, MIN_INTERVAL));
    return running;
  }
  return call;
}

async function reloadRow(id) {
  try {
    const page = await parsePage(await request("GET", `/documents/${id}/row`).then(wrapInTable));
    replaceRow(findRow(id), page.querySelector("tr"));
  } catch (error) {
    if (error.status === 404) findRow(id)?.remove();
    else throw error;
  }
}

// Browsers parse table rows only inside a table.
async function wrapInTable(response) {
  return new Response(`<table><tbody>${await response.text()}</tbody></table>`);
}

const reloadCounts = throttle(async () => {
  const { status, type, tag, folder } = list.dataset;
  const query = new URLSearchParams({ status, type, tag, folder });
  const page = await parsePage(await request("GET", `/documents/counts?${query}`));
  document.getElementById("filters").replaceChildren(...page.body.children);
});

export const refresh = throttle(reloadList);

async function reloadList() {
  const page = await parsePage(await request("GET", location.href));
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
  fresh.forEach((line, index) => {
    const old = findRow(line.dataset.document);
    const current = old ? replaceRow(old, line) : markNew(line);
    if (rows.children[index] !== current) rows.insertBefore(current, rows.children[index] ?? null);
  });
}

function markNew(line) {
  line.classList.add("arrived");
  localise(line);
  return line;
}

// Replaces a row if it has changed, and keeps the focus on its link or button.
function replaceRow(old, line) {
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

// Returns the row without local times and form fields, which can differ although the document has not changed.
function signature(line) {
  const copy = line.cloneNode(true);
  copy.removeAttribute("data-signature");
  copy.classList.remove("arrived");
  for (const time of copy.querySelectorAll("time")) time.replaceWith(time.dateTime);
  for (const field of copy.querySelectorAll("input")) field.remove();
  return copy.outerHTML.replace(/\s+/g, " ");
}

function findRow(id) {
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
    const answer = await (await request("POST", `/api/v1/documents/${form.dataset.retry}/retry`)).json();
    if (answer.skipped) showNotice("info", "Nothing to retry.");
    await reloadRow(form.dataset.retry);
  } catch (error) {
    showNotice("bad", error.message);
  } finally {
    button.removeAttribute("aria-busy");
  }
}
