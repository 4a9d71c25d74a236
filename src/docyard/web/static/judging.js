// Confirm and reject without leaving the page; the forms work by themselves where this does not run.
import { announce, notice } from "./announce.js";
import { ask, parse } from "./session.js";
import { localise } from "./times.js";

export function start(element) {
  judging(element, async () => {
    const page = await parse(await ask("GET", location.href));
    for (const fresh of page.querySelectorAll("#entities [data-live]")) {
      localise(fresh);
      element.querySelector(`[data-live="${fresh.dataset.live}"]`)?.replaceWith(fresh);
    }
  });
}

export function judging(element, redraw) {
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
      await ask("POST", `/api/v1${path}`, value === undefined ? undefined : new URLSearchParams({ value }));
      await redraw();
      announce(path, `${button.getAttribute("aria-label")}: done.`);
      again(element, path);
    } catch (error) {
      notice("bad", error.message);
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}

// The button is gone; whoever pressed it by keyboard stays where it was.
function again(element, path) {
  const stem = path.slice(0, path.lastIndexOf("/") + 1);
  const form = [...element.querySelectorAll("[data-judge]")].find((each) => each.dataset.judge.startsWith(stem));
  form?.querySelector("button").focus();
}
