// Requests to the server with the CSRF token of this page; errors carry a message for users.
const meta = (name) => document.querySelector(`meta[name="docyard-${name}"]`)?.content ?? "";

export const workspace = meta("workspace");
export const tokens = { "X-CSRF-Token": meta("csrf"), "X-Docyard-Workspace": workspace };

export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function request(method, path, body) {
  const response = await fetch(path, { method, headers: method === "GET" ? {} : tokens, body, redirect: "manual" });
  // Pages redirect to the sign-in page when the session has ended.
  if (response.type === "opaqueredirect" || response.status === 401) throw new RequestError(401, "You are signed out.");
  if (!response.ok) throw new RequestError(response.status, await errorMessage(response));
  return response;
}

async function errorMessage(response) {
  try {
    return (await response.json()).error;
  } catch {
    return "Unexpected response from the server. Please try again.";
  }
}

export async function parsePage(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // If another window has switched the workspace, reload: one page must not show two workspaces.
  const current = page.querySelector('meta[name="docyard-workspace"]')?.content ?? workspace;
  if (current !== workspace) location.reload();
  return page;
}
