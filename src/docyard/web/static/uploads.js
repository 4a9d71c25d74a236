// Uploads: files and folders dropped anywhere, each with its progress and its outcome.
import { refresh } from "./documents.js";
import { tokens } from "./session.js";

const AT_ONCE = 3;
const FOLD = 4_000;
const queue = [];
let form, running = 0;

export function start(element) {
  form = element;
  const input = form.querySelector("#files");
  input.addEventListener("change", () => {
    add([...input.files]);
    input.value = "";
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  catchDrops(document.getElementById("landing"));
  addEventListener("beforeunload", (event) => {
    if (running || queue.length) event.preventDefault();
  });
}

function catchDrops(landing) {
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
    add(await dropped(event.dataTransfer));
  });
}

// Folders are walked through; entries must be taken before the first wait, or they are gone.
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  return (await Promise.all(entries.map(walk))).flat();
}

async function walk(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return (await Promise.all(found.map(walk))).flat();
    found.push(...some.filter(({ name }) => !name.startsWith(".")));
  }
}

function add(files) {
  const tags = form.elements.tags.value, folder = form.elements.folder.value;
  for (const file of files) {
    const line = newLine(file.name);
    if (file.size > Number(form.dataset.limit)) say(line, "bad", `Refused: larger than ${megabytes(form.dataset.limit)}`);
    else queue.push({ file, tags, folder, line });
  }
  next();
}

function next() {
  while (running < AT_ONCE && queue.length) {
    running += 1;
    send(queue.shift()).finally(() => {
      running -= 1;
      next();
      if (!running && !queue.length) finish();
    });
  }
}

// XMLHttpRequest, because fetch cannot tell how much has been sent.
function send({ file, tags, folder, line }) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/documents");
    for (const [name, value] of Object.entries(tokens)) request.setRequestHeader(name, value);
    request.responseType = "json";
    const bar = line.querySelector("progress");
    request.upload.onprogress = ({ loaded, total }) => { bar.max = total; bar.value = loaded; };
    request.upload.onload = () => { bar.removeAttribute("value"); };
    request.onload = () => { tell(line, request); done(); };
    request.onerror = () => { say(line, "bad", "The connection broke off. Please try again."); done(); };
    const body = new FormData();
    body.append("tags", tags);
    body.append("folder", folder);
    body.append("files", file, file.name);
    request.send(body);
  });
}

function tell(line, request) {
  const [outcome] = request.response?.documents ?? [];
  const open = outcome?.documentId && { href: `/documents/${outcome.documentId}`, words: "Open" };
  if (outcome?.status === "received") say(line, "good", "Received", open);
  else if (outcome?.status === "duplicate") say(line, "info", `Already here as ${outcome.existingName}`, open);
  else say(line, "bad", `Refused: ${outcome?.reason ?? request.response?.error ?? "the server did not answer as expected."}`);
}

// What was received shows in the list below, so only its number stays here; the rest must be read.
function finish() {
  refresh();
  setTimeout(() => {
    if (running || queue.length) return;
    const received = [...document.querySelectorAll("#outcomes > .good")];
    for (const line of received) line.remove();
    const count = received.reduce((sum, line) => sum + Number(line.dataset.count ?? 1), 0);
    if (!count) return;
    const line = newLine(count === 1 ? received[0].querySelector(".file").textContent : `${count} files`);
    line.dataset.count = count;
    say(line, "good", "Received");
  }, FOLD);
}

function newLine(name) {
  const line = document.createElement("li");
  const file = document.createElement("span");
  file.className = "file";
  file.textContent = file.title = name;
  const said = document.createElement("span");
  said.className = "said";
  said.setAttribute("role", "status");
  said.textContent = "Sending …";
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Sending ${name}`);
  line.append(file, said, bar);
  document.getElementById("outcomes").prepend(line);
  return line;
}

function say(line, tone, words, link) {
  line.className = tone;
  line.querySelector("progress")?.remove();
  const said = line.querySelector(".said");
  said.textContent = words;
  if (!link) return;
  const anchor = document.createElement("a");
  anchor.href = link.href;
  anchor.textContent = link.words;
  said.append(" ", anchor);
}

function megabytes(bytes) {
  return `${Math.round(Number(bytes) / 1_048_576)} MB`;
}
