// Times in the reader's own zone: near ones by distance, older ones by date.
const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const distance = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

function words(moment) {
  const away = moment - Date.now();
  const far = Math.abs(away);
  if (far < 45_000) return away > 0 ? "in a moment" : "just now";
  if (far < HOUR) return distance.format(Math.round(away / MINUTE), "minute");
  if (far < DAY) return distance.format(Math.round(away / HOUR), "hour");
  return day.format(moment);
}

export function localise(root) {
  for (const element of root.querySelectorAll("time")) {
    const moment = new Date(element.dateTime);
    element.textContent = words(moment);
    element.title = full.format(moment);
  }
}

setInterval(() => localise(document), 20_000);
