// Uploads of chosen or dropped files and folders, with progress and result.
import { refresh } from "./documents.js";
import { tokens } from "./session.js";

const MAX_CONCURRENT = 3;
const COLLAPSE_DELAY = 4_000; // milliseconds
const queue = [];
let form, running = 0;

export function start(element) {
  form = element;
  const input = form.querySelector("#files");
  input.addEventListener("change", () => {
    enqueue([...input.files]);
    input.value = "";
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  handleDrops(document.getElementById("landing"));
  addEventListener("beforeunload", (event) => {
    if (running || queue.length) event.preventDefault();
  });
}

function handleDrops(landing) {
  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  const leave = () => { depth = 0; landing.hidden = true; };
  addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth += 1;
    landing.hidden = false;
  });
  addEventListener("dragleave", () => {
    depth -= 1;
    if (depth <= 0) leave();
  });
  addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
  addEventListener("drop", async (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    leave();
    enqueue(await droppedFiles(event.dataTransfer));
  });
}

// Includes the files of dropped folders. The entries are collected before the first await, after which the browser discards them.
async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  return (await Promise.all(entries.map(walkEntry))).flat();
}

async function walkEntry(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!batch.length) return (await Promise.all(found.map(walkEntry))).flat();
    found.push(...batch.filter(({ name }) => !name.startsWith(".")));
  }
}

function enqueue(files) {
  const tags = form.elements.tags.value, folder = form.elements.folder.value;
  for (const file of files) {
    const line = addLine(file.name);
    if (file.size > Number(form.dataset.limit)) showStatus(line, "bad", `Refused: larger than ${megabytes(form.dataset.limit)}`);
    else queue.push({ file, tags, folder, line });
  }
  startUploads();
}

function startUploads() {
  while (running < MAX_CONCURRENT && queue.length) {
    running += 1;
    upload(queue.shift()).finally(() => {
      running -= 1;
      startUploads();
      if (!running && !queue.length) summarise();
    });
  }
}

// Uses XMLHttpRequest, because fetch does not report upload progress.
function upload({ file, tags, folder, line }) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/documents");
    for (const [name, value] of Object.entries(tokens)) request.setRequestHeader(name, value);
    request.responseType = "json";
    const bar = line.querySelector("progress");
    request.upload.onprogress = ({ loaded, total }) => { bar.max = total; bar.value = loaded; };
    request.upload.onload = () => { bar.removeAttribute("value"); };
    request.onload = () => { showResult(line, request); done(); };
    request.onerror = () => { showStatus(line, "bad", "Connection lost. Please try again."); done(); };
    const body = new FormData();
    body.append("tags", tags);
    body.append("folder", folder);
    body.append("files", file, file.name);
    request.send(body);
  });
}

function showResult(line, request) {
  const [outcome] = request.response?.documents ?? [];
  const open = outcome?.documentId && { href: `/documents/${outcome.documentId}`, words: "Open" };
  if (outcome?.status === "received") showStatus(line, "good", "Uploaded", open);
  else if (outcome?.status === "duplicate") showStatus(line, "info", `Already exists as ${outcome.existingName}`, open);
  else showStatus(line, "bad", `Refused: ${outcome?.reason ?? request.response?.error ?? "unexpected response from the server."}`);
}

// Uploaded files appear in the list below, so their lines collapse into a count; errors and duplicates remain listed.
function summarise() {
  refresh();
  setTimeout(() => {
    if (running || queue.length) return;
    const uploaded = [...document.querySelectorAll("#outcomes > .good")];
    for (const line of uploaded) line.remove();
    const count = uploaded.reduce((sum, line) => sum + Number(line.dataset.count ?? 1), 0);
    if (!count) return;
    const line = addLine(count === 1 ? uploaded[0].querySelector(".file").textContent : `${count} files`);
    line.dataset.count = count;
    showStatus(line, "good", "Uploaded");
  }, COLLAPSE_DELAY);
}

function addLine(name) {
  const line = document.createElement("li");
  const file = document.createElement("span");
  file.className = "file";
  file.textContent = file.title = name;
  const status = document.createElement("span");
  status.className = "said";
  status.setAttribute("role", "status");
  status.textContent = "Uploading …";
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Uploading ${name}`);
  line.append(file, status, bar);
  document.getElementById("outcomes").prepend(line);
  return line;
}

function showStatus(line, tone, words, link) {
  line.className = tone;
  line.querySelector("progress")?.remove();
  const status = line.querySelector(".said");
  status.textContent = words;
  if (!link) return;
  const anchor = document.createElement("a");
  anchor.href = link.href;
  anchor.textContent = link.words;
  status.append(" ", anchor);
}

function megabytes(bytes) {
  return `${Math.round(Number(bytes) / 1_048_576)} MB`;
}
