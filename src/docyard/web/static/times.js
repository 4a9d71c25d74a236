// Times in the local time zone: relative if less than a day away, otherwise as a date.
const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

function format(moment) {
  const difference = moment - Date.now();
  const distance = Math.abs(difference);
  if (distance < 45_000) return difference > 0 ? "in a moment" : "just now";
  if (distance < HOUR) return relative.format(Math.round(difference / MINUTE), "minute");
  if (distance < DAY) return relative.format(Math.round(difference / HOUR), "hour");
  return day.format(moment);
}

export function localise(root) {
  for (const element of root.querySelectorAll("time")) {
    const moment = new Date(element.dateTime);
    element.textContent = format(moment);
    element.title = full.format(moment);
  }
}

setInterval(() => localise(document), 20_000);
