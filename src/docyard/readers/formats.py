"""The reader for each media type. Readers are imported on first use."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Protocol, cast

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers.container_types import ENCRYPTED_OFFICE

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_MACRO = ".macroEnabled.12"

# Media types by the module under docyard.readers that reads them.
_TYPES: dict[str, tuple[str, ...]] = {
    "office.docx": (
        f"{_OOXML}wordprocessingml.document",
        f"{_OOXML}wordprocessingml.template",
        f"application/vnd.ms-word.document{_MACRO}",
        f"application/vnd.ms-word.template{_MACRO}",
    ),
    "office.pptx": (
        f"{_OOXML}presentationml.presentation",
        f"{_OOXML}presentationml.slideshow",
        f"{_OOXML}presentationml.template",
        f"application/vnd.ms-powerpoint.presentation{_MACRO}",
        f"application/vnd.ms-powerpoint.slideshow{_MACRO}",
        f"application/vnd.ms-powerpoint.template{_MACRO}",
    ),
    "sheets.workbook": (
        f"{_OOXML}spreadsheetml.sheet",
        f"{_OOXML}spreadsheetml.template",
        f"application/vnd.ms-excel.sheet{_MACRO}",
        f"application/vnd.ms-excel.template{_MACRO}",
        f"application/vnd.ms-excel.sheet.binary{_MACRO}",
        "application/vnd.ms-excel",
        f"{_ODF}spreadsheet",
        f"{_ODF}spreadsheet-template",
    ),
    "office.odf": (
        f"{_ODF}text",
        f"{_ODF}text-template",
        f"{_ODF}text-master",
        f"{_ODF}presentation",
        f"{_ODF}presentation-template",
        f"{_ODF}graphics",
        *(f"{_ODF}{kind}-flat-xml" for kind in ("text", "presentation", "spreadsheet", "graphics")),
    ),
    "office.doc": ("application/msword",),
    "office.ppt": ("application/vnd.ms-powerpoint",),
    "office.rtf": ("application/rtf",),
    "markup.html_page": ("text/html", "application/xhtml+xml"),
    "markup.svg": ("image/svg+xml",),
    "markup.epub": ("application/epub+zip",),
    "mail.message": ("message/rfc822",),
    "mail.mbox": ("application/mbox",),
    "mail.msg": ("application/vnd.ms-outlook",),
    "mail.tnef": ("application/ms-tnef",),
    "mail.signed_files": ("application/pkcs7-mime",),
    "mail.cards": ("text/calendar", "text/vcard"),
    "archives.zip_files": ("application/zip",),
    "archives.tar_files": ("application/x-tar",),
    "archives.compressed_files": ("application/gzip", "application/x-bzip2", "application/x-xz"),
    "sheets.csv_table": ("text/csv", "text/tab-separated-values"),
    "markup.data_text": ("application/json", "text/xml"),
}
_MODULE_BY_TYPE = {kind: module for module, kinds in _TYPES.items() for kind in kinds}
_CONTAINERS = (
    *("mail.message", "mail.mbox", "mail.msg", "mail.tnef", "mail.signed_files"),
    *("archives.zip_files", "archives.tar_files", "archives.compressed_files"),
)
_ATTACHMENT_MODULES = ("pdf.attachments", "office.attachments")  # modules that list the attachments of a document
PDF = "application/pdf"
_REJECTIONS = {
    ENCRYPTED_OFFICE: ("encrypted", "The file needs a password."),
    **dict.fromkeys(
        ("application/x-ole-storage", "application/vnd.wordperfect"),
        (
            "unsupported_file_type",
            "No reader supports this format. Save the file as PDF or DOCX with the program that created it.",
        ),
    ),
    **dict.fromkeys(
        ("application/x-7z-compressed", "application/vnd.rar", "application/zstd"),
        ("unsupported_file_type", "This archive format is not supported. Unpack the archive, or upload it as ZIP."),
    ),
}


class _Reader(Protocol):
    def read(self, path: Path, limits: Limits, /) -> ExtractedText: ...


class _Container(Protocol):
    def read_member(self, path: Path, key: str, limits: Limits, /) -> bytes: ...


class _AttachmentModule(_Container, Protocol):
    def list_attachments(self, path: Path, limits: Limits, /) -> tuple[list[Attachment], list[str]]: ...


def reject_unsupported(media_type: str) -> None:
    """Raise Reject if files of this type are encrypted or in a known but unsupported format."""
    if media_type in _REJECTIONS:
        raise Reject(*_REJECTIONS[media_type])


def is_supported(media_type: str) -> bool:
    """Return whether a reader supports this type."""
    return media_type in _MODULE_BY_TYPE


def read(path: Path, media_type: str, limits: Limits) -> ExtractedText:
    """Read the file with the reader for its type and list its attachments."""
    try:
        extracted = cast("_Reader", _import_module(_MODULE_BY_TYPE[media_type])).read(path, limits)
        return _add_attachments(extracted, path, media_type, limits)
    except RecursionError as error:
        raise Reject("corrupt", "The file is nested too deeply to be read.") from error


def _add_attachments(extracted: ExtractedText, path: Path, media_type: str, limits: Limits) -> ExtractedText:
    """Add the attachments that a separate reader lists for this type."""
    module = _find_attachment_module(media_type)
    if module is None:
        return extracted
    attachments, notes = cast("_AttachmentModule", _import_module(module)).list_attachments(path, limits)
    return replace(extracted, attachments=(*extracted.attachments, *attachments), notes=(*extracted.notes, *notes))


def read_member(path: Path, media_type: str, member: str, limits: Limits) -> bytes:
    """Return the bytes of one attachment; `member` is the key under which its reader listed it."""
    reader = _find_attachment_module(media_type) or _MODULE_BY_TYPE.get(media_type)
    if reader not in (*_CONTAINERS, *_ATTACHMENT_MODULES):
        raise Reject("not_found", "Attachments cannot be extracted from files of this type.")
    try:
        data = cast("_Container", _import_module(reader)).read_member(path, member, limits)
    except RecursionError as error:
        raise Reject("corrupt", "The file is nested too deeply to be read.") from error
    if len(data) > limits.upload_bytes:
        raise Reject("validation", "The attachment exceeds the upload size limit.")
    return data


def _find_attachment_module(media_type: str) -> str | None:
    """Return the module that lists the attachments of a PDF or Office Open XML file; None for other types."""
    if media_type == PDF:
        return "pdf.attachments"
    is_ooxml = media_type.startswith(_OOXML) or media_type.endswith(_MACRO)
    return "office.attachments" if is_ooxml and media_type in _MODULE_BY_TYPE else None


def _import_module(name: str) -> object:
    return importlib.import_module(f"docyard.readers.{name}")
