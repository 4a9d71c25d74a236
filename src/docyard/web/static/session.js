// How scripts speak to the server: with the token of this page, and in words when it goes wrong.
const meta = (name) => document.querySelector(`meta[name="docyard-${name}"]`)?.content ?? "";

export const workspace = meta("workspace");
export const tokens = { "X-CSRF-Token": meta("csrf"), "X-Docyard-Workspace": workspace };

export class Refused extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

export async function ask(method, path, body) {
  const response = await fetch(path, { method, headers: method === "GET" ? {} : tokens, body, redirect: "manual" });
  // A page that answers with a redirect sends us to sign in.
  if (response.type === "opaqueredirect" || response.status === 401) throw new Refused(401, "You are signed out.");
  if (!response.ok) throw new Refused(response.status, await reason(response));
  return response;
}

async function reason(response) {
  try {
    return (await response.json()).error;
  } catch {
    return "The server did not answer as expected. Please try again.";
  }
}

export async function parse(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // Another window switched; this one must not mix two workspaces.
  const there = page.querySelector('meta[name="docyard-workspace"]')?.content ?? workspace;
  if (there !== workspace) location.reload();
  return page;
}
