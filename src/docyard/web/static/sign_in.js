// Submits the sign-in form automatically. Mail programs that preview links do not run scripts, so they do not use up the link.
export function start(form) {
  form.requestSubmit();
}
