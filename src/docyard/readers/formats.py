"""Which reader reads which type of file; each is imported when the first such file comes."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Protocol, cast

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Attachment, Extracted
from docyard.readers.containers import ENCRYPTED_OFFICE

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_MACRO = ".macroEnabled.12"

# By module under docyard.readers: the types it reads.
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
    "mail.signed": ("application/pkcs7-mime",),
    "mail.cards": ("text/calendar", "text/vcard"),
    "archives.zip_files": ("application/zip",),
    "archives.tar_files": ("application/x-tar",),
    "archives.compressed": ("application/gzip", "application/x-bzip2", "application/x-xz"),
    "sheets.csv_table": ("text/csv", "text/tab-separated-values"),
    "markup.data_text": ("application/json", "text/xml"),
}
_MODULES = {kind: module for module, kinds in _TYPES.items() for kind in kinds}
_CONTAINERS = (
    *("mail.message", "mail.mbox", "mail.msg", "mail.tnef", "mail.signed"),
    *("archives.zip_files", "archives.tar_files", "archives.compressed"),
)
_FINDERS = (
    "pdf.attachments",
    "office.attachments",
)  # they list the files inside a document
PDF = "application/pdf"
_ADVICE = {
    ENCRYPTED_OFFICE: ("encrypted", "The file needs a password."),
    **dict.fromkeys(
        ("application/x-ole-storage", "application/vnd.wordperfect"),
        (
            "unsupported_file_type",
            "No engine here reads this file. If the program that made it does, save it as PDF or DOCX.",
        ),
    ),
    **dict.fromkeys(
        (
            "application/x-7z-compressed",
            "application/vnd.rar",
            "application/zstd",
        ),
        (
            "unsupported_file_type",
            "This kind of archive is not unpacked here. Unpack it, or upload it as ZIP.",
        ),
    ),
}


class _Reader(Protocol):
    def read(self, path: Path, limits: Limits, /) -> Extracted: ...


class _Container(Protocol):
    def member(self, path: Path, place: str, limits: Limits, /) -> bytes: ...


class _Finder(_Container, Protocol):
    def listed(self, path: Path, limits: Limits, /) -> tuple[list[Attachment], list[str]]: ...


def refuse(media_type: str) -> None:
    """Say what to do with a type that no reader reads, where there is something to say."""
    if media_type in _ADVICE:
        raise Reject(*_ADVICE[media_type])


def reads(media_type: str) -> bool:
    """Whether a reader here reads this type."""
    return media_type in _MODULES


def read(path: Path, media_type: str, limits: Limits) -> Extracted:
    """The file read by the reader for its type, with the files that are inside."""
    try:
        found = cast("_Reader", _module(_MODULES[media_type])).read(path, limits)
        return _with_files(found, path, media_type, limits)
    except RecursionError as error:
        raise Reject("corrupt", "The file is nested too deeply to be read.") from error


def _with_files(found: Extracted, path: Path, media_type: str, limits: Limits) -> Extracted:
    """What was read, and the files that people have put into it."""
    finder = _finder(media_type)
    if finder is None:
        return found
    files, notes = cast("_Finder", _module(finder)).listed(path, limits)
    return replace(found, attachments=(*found.attachments, *files), notes=(*found.notes, *notes))


def read_member(path: Path, media_type: str, member: str, limits: Limits) -> bytes:
    """The bytes of something inside a file, as its reader found it."""
    reader = _finder(media_type) or _MODULES.get(media_type)
    if reader not in (*_CONTAINERS, *_FINDERS):
        raise Reject("not_found", "Nothing is taken out of files of this type.")
    try:
        return cast("_Container", _module(reader)).member(path, member, limits)
    except RecursionError as error:
        raise Reject("corrupt", "The file is nested too deeply to be read.") from error


def _finder(media_type: str) -> str | None:
    """Which reader finds the files inside; old and open kinds of sheets have none of these."""
    if media_type == PDF:
        return "pdf.attachments"
    packaged = media_type.startswith(_OOXML) or media_type.endswith(_MACRO)
    return "office.attachments" if packaged and media_type in _MODULES else None


def _module(name: str) -> object:
    return importlib.import_module(f"docyard.readers.{name}")
