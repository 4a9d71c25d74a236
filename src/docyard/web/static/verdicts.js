// Sends verdicts on facts and merges without reloading the page; the forms also work without JavaScript.
import { announce, showNotice } from "./announce.js";
import { parsePage, request } from "./session.js";
import { localise } from "./times.js";

export function start(element) {
  handleVerdicts(element, async () => {
    const page = await parsePage(await request("GET", location.href));
    for (const fresh of page.querySelectorAll("#entities [data-live]")) {
      localise(fresh);
      element.querySelector(`[data-live="${fresh.dataset.live}"]`)?.replaceWith(fresh);
    }
  });
}

export function handleVerdicts(element, redraw) {
  element.addEventListener("submit", async (event) => {
    const form = event.target.closest("[data-judge]");
    if (!form) return;
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy")) return;
    button.setAttribute("aria-busy", "true");
    const path = form.dataset.judge;
    try {
      const value = form.elements.namedItem("value")?.value;
      await request("POST", `/api/v1${path}`, value === undefined ? undefined : new URLSearchParams({ value }));
      await redraw();
      announce(path, `${button.getAttribute("aria-label")}: saved.`);
      focusNext(element, path);
    } catch (error) {
      showNotice("bad", error.message);
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}

// Moves the focus to the first button of the same fact, because the pressed button has been replaced.
function focusNext(element, path) {
  const prefix = path.slice(0, path.lastIndexOf("/") + 1);
  const form = [...element.querySelectorAll("[data-judge]")].find((each) => each.dataset.judge.startsWith(prefix));
  form?.querySelector("button").focus();
}
