// Live updates: server-sent events, or polling while the event stream is down.
import { workspace } from "./session.js";
import { clearNotices, showNotice } from "./announce.js";

const POLL_INTERVAL = 4_000; // milliseconds
const RECONNECT_DELAY = 10_000; // milliseconds

// `changed` receives the id of a changed document; `refresh` reloads everything.
export function follow({ changed, refresh }) {
  let source = null, polling = 0, reopening = 0, signedOut = false, unreachable = false;

  function open() {
    clearTimeout(reopening);
    if (signedOut || source || document.hidden) return;
    source = new EventSource("/events");
    source.addEventListener("hello", (event) => {
      if (event.data !== workspace) return location.reload();
      stopPolling();
      update();
    });
    source.addEventListener("document", (event) => changed(event.data));
    source.addEventListener("list", update);
    source.addEventListener("ended", () => { close(); update(); open(); });
    source.onerror = () => {
      startPolling();
      if (source?.readyState === EventSource.CLOSED) {
        close();
        reopening = setTimeout(open, RECONNECT_DELAY);
      }
    };
  }

  function close() {
    source?.close();
    source = null;
  }

  function startPolling() {
    polling ||= setInterval(update, POLL_INTERVAL);
  }

  function stopPolling() {
    clearInterval(polling);
    polling = 0;
  }

  async function update() {
    try {
      await refresh();
      if (unreachable) clearNotices();
      unreachable = false;
    } catch (error) {
      if (error.status === 401) endSession();
      else if (!error.status && !unreachable) {
        unreachable = true;
        showNotice("bad", "Docyard is not responding. This page retries every few seconds.");
      }
    }
  }

  function endSession() {
    signedOut = true;
    close();
    stopPolling();
    showNotice("bad", "You are signed out.", { href: "/sign-in", words: "How to sign in" });
  }

  // A hidden page closes its stream, because all tabs share the few connections that a browser opens to one host.
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
