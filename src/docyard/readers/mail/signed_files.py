"""Signed files (P7M): the signed file becomes a separate document."""

from __future__ import annotations

from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown
from docyard.readers.mail import cms

_EXTENSIONS = ((b"%PDF-", "pdf"), (b"<", "xml"), (b"\xef\xbb\xbf<", "xml"), (b"PK\x03\x04", "zip"))


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the signed file as an attachment, and note that its signature was not verified."""
    data = _read_content(path)
    extension = next((extension for header, extension in _EXTENSIONS if data.startswith(header)), "txt")
    file = Attachment("0", f"signed file.{extension}", len(data))
    blocks = ["A signed file.", f"Attachments:\n- {file.name}"]
    notes = ("The signature was not verified.",)
    return markdown.build_extracted(blocks, limits, notes=notes, attachments=[file])


def read_member(path: Path, _: str, __: Limits) -> bytes:
    """Return the bytes of the signed file."""
    return _read_content(path)


def _read_content(path: Path) -> bytes:
    data = path.read_bytes()
    if cms.is_encrypted(data[:64]):
        raise Reject("encrypted", "The file is encrypted for its recipient. Decrypt it and upload the decrypted file.")
    content = cms.extract_content(data)
    if not content:
        raise Reject(
            "unsupported_file_type",
            "The file has no signed content: it is only a signature, or damaged. Upload the document itself.",
        )
    return content
