"""Generated e-mail messages."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage


def make_email(
    plain: str | None = "Hello",
    html: str | None = None,
    attachments: Sequence[tuple[str, bytes]] = (),
    *,
    subject: str = "News",
) -> EmailMessage:
    """Return a message from Ann to Bob with these bodies and attachments."""
    message = EmailMessage()
    message["From"] = "Ann <ann@example.org>"
    message["To"] = "Bob <bob@example.org>"
    message["Date"] = "Mon, 2 Mar 2026 10:00:00 +0000"
    message["Subject"] = subject
    if plain is not None:
        message.set_content(plain)
    if html is not None:
        (message.set_content if plain is None else message.add_alternative)(html, subtype="html")
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def make_nested_email(depth: int) -> bytes:
    """Return a message nested inside `depth` others; the standard library cannot generate deep nesting."""
    header = b"From: a@example.org\nSubject: %d\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n"
    return b"".join(header % level for level in range(depth)) + b"Subject: last\n\nbody\n"
