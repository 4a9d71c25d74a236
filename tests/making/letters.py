"""E-mail messages made by the standard library, and pieces of them that it would refuse to make."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage


def letter(
    plain: str | None = "Hello",
    html: str | None = None,
    attachments: Sequence[tuple[str, bytes]] = (),
    *,
    subject: str = "News",
) -> EmailMessage:
    """A message from Ann to Bob with these bodies and attachments."""
    made = EmailMessage()
    made["From"] = "Ann <ann@example.org>"
    made["To"] = "Bob <bob@example.org>"
    made["Date"] = "Mon, 2 Mar 2026 10:00:00 +0000"
    made["Subject"] = subject
    if plain is not None:
        made.set_content(plain)
    if html is not None:
        (made.set_content if plain is None else made.add_alternative)(html, subtype="html")
    for name, data in attachments:
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return made


def nested(depth: int) -> bytes:
    """A message in a message in a message."""
    head = b"From: a@example.org\nSubject: %d\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n"
    return b"".join(head % level for level in range(depth)) + b"Subject: last\n\nbody\n"
