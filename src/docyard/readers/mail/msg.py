"""Outlook messages (MSG): headers, body and attachments from MAPI properties."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown, ole, text
from docyard.readers.mail import message as mail
from docyard.readers.mail.msg_rtf import decompress_rtf, extract_html
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_charset, decode_html
from docyard.readers.office import rtf

if TYPE_CHECKING:
    from olefile import OleFileIO

_SUBJECT, _BODY, _HTML, _HTML_TEXT, _RTF = 0x0037, 0x1000, 0x1013, 0x1013, 0x1009
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP, _TO, _CC, _HEADERS = 0x0C1A, 0x0C1F, 0x5D01, 0x0E04, 0x0E03, 0x007D
_FILE_LONG, _FILE_SHORT, _DATA, _DISPLAY = 0x3707, 0x3704, 0x3701, 0x3001
_SENT, _DELIVERED = 0x0039, 0x0E06
_CODE_PAGE, _INTERNET_PAGE = 0x3FFD, 0x3FDE
_UNICODE, _STRING8, _BINARY, _OBJECT, _TIME, _INTEGER = 0x001F, 0x001E, 0x0102, 0x000D, 0x0040, 0x0003
_ROOT_HEADER, _INNER_HEADER = 32, 24  # bytes before the fixed properties
_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_MAX_DEPTH = 10


@dataclass(frozen=True, slots=True)
class _Storage:
    """A storage of the file (a message or an attachment) and its fixed-size properties."""

    file: OleFileIO
    path: tuple[str, ...]
    limits: Limits
    fixed: dict[tuple[int, int], bytes]

    def binary(self, name: int, kind: int = _BINARY) -> bytes | None:
        """Return a property as bytes, or None if it does not exist or exceeds the size limit."""
        return ole.read_stream(self.file, *self.path, f"__substg1.0_{name:04X}{kind:04X}", limits=self.limits)

    def string(self, name: int) -> str:
        """Return a property as text, or an empty string."""
        data = self.binary(name, _UNICODE)
        if data is not None:
            return text.remove_invalid_characters(data.decode("utf-16-le", "replace")).strip()
        data = self.binary(name, _STRING8)
        if data is None:
            return ""
        decoded = decode_charset(data, self.encoding()) if self.encoding() else None
        return text.remove_invalid_characters(decoded) if decoded is not None else text.decode(data)

    def encoding(self) -> str:
        """Return the charset of texts that are not Unicode; an empty string if none is specified."""
        for name in (_INTERNET_PAGE, _CODE_PAGE):
            page = struct.unpack("<I", self.fixed.get((name, _INTEGER), bytes(8))[:4])[0]
            if page:
                return {65001: "utf-8", 20127: "ascii", 28591: "latin-1"}.get(page, f"cp{page}")
        return ""

    def timestamp(self, name: int) -> str:
        """Return a time property as a date and time in UTC, or an empty string."""
        (ticks,) = struct.unpack("<Q", self.fixed.get((name, _TIME), bytes(8)))
        try:
            return (_EPOCH + dt.timedelta(microseconds=ticks // 10)).strftime("%Y-%m-%d %H:%M UTC") if ticks else ""
        except OverflowError:
            return ""


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the message as Markdown, with its subject as the title; attached messages start new pages."""
    with ole.open_file(path) as file:
        root = _open_storage(file, (), limits, _ROOT_HEADER)
        attachments = tuple(_attachments(root))
        blocks = [*_message_blocks(root), mail.format_attachments(attachments), *_attached_messages(root, 0)]
        return markdown.build_extracted(blocks, limits, title=root.string(_SUBJECT), attachments=attachments)


def read_member(path: Path, member_id: str, limits: Limits) -> bytes:
    """Return the bytes of one attachment."""
    with ole.open_file(path) as file:
        data = _open_storage(file, (member_id,), limits, 8).binary(_DATA)
    if data is None:
        raise Reject("not_found", "The message has no such attachment.")
    return data


def _message_blocks(message: _Storage) -> Iterator[str]:
    yield "\n".join(f"{name}: {value}" for name, value in _headers(message) if value)
    yield from _body(message)


def _headers(message: _Storage) -> Iterator[tuple[str, str]]:
    headers = mail.parse_message(message.string(_HEADERS).encode()) if message.string(_HEADERS) else None
    sender = mail.read_header(headers, "From") if headers else ""
    address = message.string(_SENDER_SMTP) or message.string(_SENDER_ADDRESS)
    name = message.string(_SENDER)
    yield "From", sender or (f"{name} <{address}>" if "@" in address and name != address else name or address)
    yield "To", message.string(_TO)
    yield "Cc", message.string(_CC)
    yield "Date", message.timestamp(_SENT) or message.timestamp(_DELIVERED)
    yield "Subject", markdown.collapse_whitespace(message.string(_SUBJECT))


def _body(message: _Storage) -> list[str]:
    """Return the blocks of the best body: HTML, HTML inside RTF, plain text, RTF, in this order."""
    data = message.binary(_HTML)
    if data:
        return html_blocks.parse_html(decode_html(data, message.encoding() or None))[0]
    packed = message.binary(_RTF)
    source = decompress_rtf(packed) if packed else ""
    if page := extract_html(source):
        return html_blocks.parse_html(page)[0]
    plain = message.string(_BODY)
    return [plain.replace("\r\n", "\n")] if plain else rtf.parse_blocks(source)[0]


def _attachments(message: _Storage) -> Iterator[Attachment]:
    for storage in _attachment_storages(message):
        each = _open_storage(message.file, (*message.path, storage), message.limits, 8)
        data = each.binary(_DATA)
        if data:
            name = each.string(_FILE_LONG) or each.string(_FILE_SHORT) or each.string(_DISPLAY) or "attachment"
            yield Attachment(storage, name, len(data))


def _attached_messages(message: _Storage, depth: int) -> Iterator[str]:
    """Yield the messages attached to a message, each on a new page, up to a depth limit."""
    for storage in _attachment_storages(message) if depth < _MAX_DEPTH else ():
        path = (*message.path, storage, f"__substg1.0_{_DATA:04X}{_OBJECT:04X}")
        if message.file.exists([*path, "__properties_version1.0"]):
            inner = _open_storage(message.file, path, message.limits, _INNER_HEADER)
            yield markdown.NEW_PAGE
            yield from _message_blocks(inner)
            yield from _attached_messages(inner, depth + 1)


def _attachment_storages(message: _Storage) -> list[str]:
    depth = len(message.path)
    found = (
        entry[depth]
        for entry in message.file.listdir()
        if len(entry) > depth + 1
        and tuple(entry[:depth]) == message.path
        and entry[depth].startswith("__attach_version1.0_")
    )
    return sorted(dict.fromkeys(found))


def _open_storage(file: OleFileIO, path: tuple[str, ...], limits: Limits, header: int) -> _Storage:
    data = ole.read_stream(file, *path, "__properties_version1.0", limits=limits) or b""
    fixed = {}
    for offset in range(header, len(data) - 15, 16):
        kind, name = struct.unpack_from("<HH", data, offset)
        fixed[name, kind] = data[offset + 8 : offset + 16]
    return _Storage(file, path, limits, fixed)
