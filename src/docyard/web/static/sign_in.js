// A person who opened the link needs no second click; a mail program that looks ahead runs no script.
export function start(form) {
  form.requestSubmit();
}
