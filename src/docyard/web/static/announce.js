// Notices at the top of the page, and announcements for screen readers; more than four at a time become one sentence.
const pending = new Map();
let timer = 0;

export function announce(key, words) {
  pending.set(key, words);
  clearTimeout(timer);
  timer = setTimeout(flush, 700);
}

function flush() {
  const all = [...pending.values()];
  pending.clear();
  const words = all.length > 4 ? `${all.length} documents changed.` : all.join(" ");
  document.getElementById("announcer").textContent = words;
}

export function showNotice(tone, words, link) {
  const line = document.createElement("p");
  line.className = `notice ${tone}`;
  line.append(words);
  if (link) {
    const anchor = document.createElement("a");
    anchor.href = link.href;
    anchor.textContent = link.words;
    line.append(" ", anchor);
  }
  document.getElementById("notices").replaceChildren(line);
}

export function clearNotices() {
  document.getElementById("notices").replaceChildren();
}
