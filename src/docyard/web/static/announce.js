// Says what changed to people who do not see it; gathered, so that many changes are one sentence.
const pending = new Map();
let timer = 0;

export function announce(key, words) {
  pending.set(key, words);
  clearTimeout(timer);
  timer = setTimeout(speak, 700);
}

function speak() {
  const all = [...pending.values()];
  pending.clear();
  const words = all.length > 4 ? `${all.length} documents changed.` : all.join(" ");
  document.getElementById("announcer").textContent = words;
}

export function notice(tone, words, link) {
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

export function forget() {
  document.getElementById("notices").replaceChildren();
}
