// Keeps a page up to date: by events while they flow, by asking every few seconds when they do not.
import { workspace } from "./session.js";
import { forget, notice } from "./announce.js";

const POLL = 4_000;
const RECONNECT = 10_000;

// `changed` is given the ids that changed, `refresh` looks at everything again.
export function follow({ changed, refresh }) {
  let source = null, polling = 0, reopening = 0, over = false, silent = false;

  function open() {
    clearTimeout(reopening);
    if (over || source || document.hidden) return;
    source = new EventSource("/events");
    source.addEventListener("hello", (event) => {
      if (event.data !== workspace) return location.reload();
      stopPolling();
      look();
    });
    source.addEventListener("document", (event) => changed(event.data));
    source.addEventListener("list", look);
    source.addEventListener("ended", () => { close(); look(); open(); });
    source.onerror = () => {
      startPolling();
      if (source?.readyState === EventSource.CLOSED) {
        close();
        reopening = setTimeout(open, RECONNECT);
      }
    };
  }

  function close() {
    source?.close();
    source = null;
  }

  function startPolling() {
    polling ||= setInterval(look, POLL);
  }

  function stopPolling() {
    clearInterval(polling);
    polling = 0;
  }

  async function look() {
    try {
      await refresh();
      if (silent) forget();
      silent = false;
    } catch (error) {
      if (error.status === 401) signedOut();
      else if (!error.status && !silent) {
        silent = true;
        notice("bad", "Docyard does not answer. This page tries again every few seconds.");
      }
    }
  }

  function signedOut() {
    over = true;
    close();
    stopPolling();
    notice("bad", "You are signed out.", { href: "/sign-in", words: "How to sign in" });
  }

  // A hidden page lets its stream go: browsers allow few connections to one host, and all tabs share them.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      close();
      stopPolling();
    } else open();
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
