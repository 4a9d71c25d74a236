"""Mailboxes (mbox): each message is on a new page; attachments are identified by message offset and part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown
from docyard.readers.mail import message as mail


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return all messages of the mailbox in order."""
    attachments: list[Attachment] = []
    notes: list[str] = []
    subjects: list[str] = []
    found = markdown.build_extracted(_blocks(path, limits, attachments, notes, subjects), limits, notes=notes)
    # A mailbox with a single message has the title of that message.
    title = subjects[0] if len(subjects) == 1 else None
    return ExtractedText(found.pages, title or None, found.notes, tuple(attachments))


def read_member(path: Path, member_id: str, limits: Limits) -> bytes:
    """Return the bytes of one attachment."""
    number, _, inner = member_id.partition(".")
    if number.isascii() and number.isdecimal():
        for _, data in split_messages(path, limits, int(number)):
            return mail.read_attachment(mail.parse_message(data), inner)
    raise Reject("not_found", "The mailbox has no such attachment.")


def split_messages(path: Path, limits: Limits, offset: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the offset and bytes of each message from `offset` on.

    A message begins with a 'From ' line after an empty line. Messages are truncated to about
    `limits.part_bytes`.
    """
    lines: list[bytes] = []
    size = 0
    empty = True
    start = position = offset
    with path.open("rb") as file:
        file.seek(offset)
        for line in file:
            if empty and line.startswith(b"From "):
                if lines:
                    yield start, b"".join(lines)
                lines, size, start = [], 0, position
            elif size <= limits.part_bytes:
                # Mail programs escape lines of the text that begin with 'From ' as '>From '.
                lines.append(line[1:] if line.startswith(b">From ") else line)
                size += len(line)
            empty = not line.strip()
            position += len(line)
    if lines:
        yield start, b"".join(lines)


def _blocks(
    path: Path, limits: Limits, attachments: list[Attachment], notes: list[str], subjects: list[str]
) -> Iterator[str]:
    skipped = 0
    for offset, data in split_messages(path, limits):
        try:
            content = mail.read_content(mail.parse_message(data), f"{offset}.")
        except RecursionError:
            skipped += 1
            continue
        yield markdown.NEW_PAGE
        yield from content.blocks
        attachments.extend(content.attachments)
        subjects.append(content.subject)
        notes.extend(note for note in content.notes if note not in notes)
    if skipped:
        notes.append(f"Messages that were not read because they are nested too deeply: {skipped:,}.")
