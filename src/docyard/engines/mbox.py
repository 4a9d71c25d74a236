"""Mailboxes: a file of messages, each beginning a page, their attachments found by message and place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docyard.engines import mail, markdown
from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Attachment, Extracted


def read(path: Path, limits: Limits) -> Extracted:
    """Every message of the mailbox in order."""
    attachments: list[Attachment] = []
    notes: list[str] = []
    subjects: list[str] = []
    found = markdown.extracted(_blocks(path, limits, attachments, notes, subjects), limits, notes=notes)
    # A message saved with the line of a mailbox before it is still a message.
    title = subjects[0] if len(subjects) == 1 else None
    return Extracted(found.pages, title or None, found.notes, tuple(attachments))


def member(path: Path, place: str, limits: Limits) -> bytes:
    """The bytes of one attachment."""
    number, _, inner = place.partition(".")
    for count, data in enumerate(messages(path, limits)):
        if str(count) == number:
            return mail.attached(mail.parsed(data), inner)
    raise Reject("not_found", "The mailbox has no message at this place.")


def messages(path: Path, limits: Limits) -> Iterator[bytes]:
    """The bytes of each message; one begins with a line 'From ' after an empty one."""
    lines: list[bytes] = []
    size = 0
    empty = True
    with path.open("rb") as file:
        for line in file:
            if empty and line.startswith(b"From "):
                if lines:
                    yield b"".join(lines)
                lines, size = [], 0
            elif size <= limits.part_bytes:
                # Writers put a sign before lines that would look like the next message.
                lines.append(line[1:] if line.startswith(b">From ") else line)
                size += len(line)
            empty = not line.strip()
    if lines:
        yield b"".join(lines)


def _blocks(
    path: Path, limits: Limits, attachments: list[Attachment], notes: list[str], subjects: list[str]
) -> Iterator[str]:
    unread = 0
    for number, data in enumerate(messages(path, limits)):
        try:
            letter = mail.letter(mail.parsed(data), f"{number}.")
        except RecursionError:
            unread += 1
            continue
        yield markdown.NEW_PAGE
        yield from letter.blocks
        attachments.extend(letter.attachments)
        subjects.append(letter.subject)
    if unread:
        notes.append(f"{unread:,} messages are nested too deeply and were not read.")
