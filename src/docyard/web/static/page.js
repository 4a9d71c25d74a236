// Loaded by every page; starts each module whose element is on the page.
import { localise } from "./times.js";

document.documentElement.classList.add("script");
localise(document);

const parts = { "sign-in": "./sign_in.js", upload: "./uploads.js", list: "./documents.js", document: "./document.js", entities: "./verdicts.js", operations: "./operations.js", connections: "./connections.js" };
for (const [id, module] of Object.entries(parts)) {
  const element = document.getElementById(id);
  if (element) import(module).then(({ start }) => start(element)).then(() => { element.dataset.alive = "yes"; });
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const box = document.getElementById("q");
  if (box) {
    event.preventDefault();
    box.select();
    box.focus();
  }
});

const menu = document.querySelector(".menu");
document.addEventListener("click", (event) => {
  if (menu?.open && !menu.contains(event.target)) menu.open = false;
});
menu?.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
