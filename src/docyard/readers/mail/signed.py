"""Files signed as a whole (P7M): the file that was signed becomes a document of its own."""

from __future__ import annotations

from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Attachment, Extracted
from docyard.readers import markdown
from docyard.readers.mail import cms

_ENDINGS = ((b"%PDF-", "pdf"), (b"<", "xml"), (b"\xef\xbb\xbf<", "xml"), (b"PK\x03\x04", "zip"))


def read(path: Path, limits: Limits) -> Extracted:
    """What is inside, and that nobody checked who signed it."""
    data = _content(path)
    ending = next((ending for head, ending in _ENDINGS if data.startswith(head)), "txt")
    file = Attachment("0", f"signed file.{ending}", len(data))
    told = ["A signed file.", f"Attachments:\n- {file.name}"]
    notes = ("The signature was not checked.",)
    return markdown.extracted(told, limits, notes=notes, attachments=[file])


def member(path: Path, _: str, __: Limits) -> bytes:
    """The bytes of the file that was signed."""
    return _content(path)


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    if cms.is_sealed(data[:64]):
        raise Reject("encrypted", "The file is encrypted: only the key of whom it was sent to opens it.")
    found = cms.content(data)
    if not found:
        raise Reject("unsupported_file_type", "This is a signature alone; what was signed is another file.")
    return found
