"""Mailboxes: a file of messages, each beginning a page, their attachments found by message and place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Attachment, Extracted
from docyard.readers import markdown
from docyard.readers.mail import message as mail


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
    if number.isascii() and number.isdecimal():
        for _, data in messages(path, limits, int(number)):
            return mail.attached(mail.parsed(data), inner)
    raise Reject("not_found", "The mailbox has no message at this place.")


def messages(path: Path, limits: Limits, offset: int = 0) -> Iterator[tuple[int, bytes]]:
    """Where each message begins and its bytes; one begins with a line 'From ' after an empty one."""
    lines: list[bytes] = []
    size = 0
    empty = True
    begin = at = offset
    with path.open("rb") as file:
        file.seek(offset)
        for line in file:
            if empty and line.startswith(b"From "):
                if lines:
                    yield begin, b"".join(lines)
                lines, size, begin = [], 0, at
            elif size <= limits.part_bytes:
                # Writers put a sign before lines that would look like the next message.
                lines.append(line[1:] if line.startswith(b">From ") else line)
                size += len(line)
            empty = not line.strip()
            at += len(line)
    if lines:
        yield begin, b"".join(lines)


def _blocks(
    path: Path, limits: Limits, attachments: list[Attachment], notes: list[str], subjects: list[str]
) -> Iterator[str]:
    unread = 0
    for offset, data in messages(path, limits):
        try:
            letter = mail.letter(mail.parsed(data), f"{offset}.")
        except RecursionError:
            unread += 1
            continue
        yield markdown.NEW_PAGE
        yield from letter.blocks
        attachments.extend(letter.attachments)
        subjects.append(letter.subject)
        notes.extend(note for note in letter.notes if note not in notes)
    if unread:
        notes.append(f"{unread:,} messages are nested too deeply and were not read.")
