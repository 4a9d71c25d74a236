"""Outlook messages packed into winmail.dat (TNEF): the body and the attachments."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown, text
from docyard.readers.mail import message as mail
from docyard.readers.mail.mapi_properties import parse_properties
from docyard.readers.mail.msg_rtf import decompress_rtf, extract_html
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_html
from docyard.readers.office import rtf

_HEADER_SIZE = 6  # signature and key
_ATTRIBUTE = struct.Struct("<BII")
_SUBJECT, _BODY, _MESSAGE_PROPERTIES = 0x8004, 0x800C, 0x9003
_FILE_START, _FILE_NAME, _FILE_DATA, _FILE_PROPERTIES = 0x9002, 0x8010, 0x800F, 0x9005
_LONG_NAME, _DATA = 0x3707, 0x3701
_PLAIN, _HTML, _RTF, _TITLE = 0x1000, 0x1013, 0x1009, 0x0037


@dataclass
class _File:
    name: str = ""
    data: bytes = b""


@dataclass
class _Message:
    subject: str = ""
    body: str = ""
    mapi: dict[int, bytes] = field(default_factory=dict)
    files: list[_File] = field(default_factory=list)


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the body as Markdown, with a list of the attachments."""
    message = _parse_message(path)
    attachments = tuple(
        Attachment(str(index), clean_name(each.name or f"file {index + 1}", limits.name_bytes), len(each.data))
        for index, each in enumerate(message.files)
        if each.data
    )
    blocks = [*_blocks(message), mail.format_attachments(attachments)]
    return markdown.build_extracted(blocks, limits, title=message.subject, attachments=attachments)


def read_member(path: Path, member_id: str, _: Limits) -> bytes:
    """Return the bytes of one attachment."""
    files = _parse_message(path).files
    if not member_id.isdecimal() or int(member_id) >= len(files):
        raise Reject("not_found", "The message has no such attachment.")
    return files[int(member_id)].data


def _blocks(message: _Message) -> list[str]:
    """Return the blocks of the best body: HTML, HTML inside RTF, plain text, RTF, in this order."""
    if html := message.mapi.get(_HTML):
        return html_blocks.parse_html(decode_html(html))[0]
    rtf_source = decompress_rtf(message.mapi[_RTF]) if _RTF in message.mapi else ""
    if wrapped_html := extract_html(rtf_source):
        return html_blocks.parse_html(wrapped_html)[0]
    plain = message.body or _decode_text(message.mapi.get(_PLAIN, b""))
    return [plain] if plain else rtf.parse_blocks(rtf_source)[0]


def _parse_message(path: Path) -> _Message:
    message = _Message()
    for attribute, data in _attributes(path.read_bytes()):
        if attribute == _SUBJECT:
            message.subject = _decode_text(data)
        elif attribute == _BODY:
            message.body = _decode_text(data)
        elif attribute == _MESSAGE_PROPERTIES:
            message.mapi = parse_properties(data)
        elif attribute == _FILE_START:
            message.files.append(_File())
        elif message.files:
            _add_attribute(message.files[-1], attribute, data)
    message.subject = message.subject or _decode_text(message.mapi.get(_TITLE, b""))
    return message


def _add_attribute(file: _File, attribute: int, data: bytes) -> None:
    if attribute == _FILE_NAME:
        file.name = file.name or _decode_text(data)
    elif attribute == _FILE_DATA:
        file.data = data
    elif attribute == _FILE_PROPERTIES:
        mapi = parse_properties(data)
        file.name = _decode_text(mapi.get(_LONG_NAME, b"")) or file.name
        file.data = file.data or mapi.get(_DATA, b"")


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the id and data of each attribute; stop at an incomplete one."""
    offset = _HEADER_SIZE
    while offset + _ATTRIBUTE.size <= len(data):
        _, attribute, length = _ATTRIBUTE.unpack_from(data, offset)
        offset += _ATTRIBUTE.size
        if offset + length > len(data):
            return
        yield attribute & 0xFFFF, data[offset : offset + length]
        offset += length + 2  # skip the checksum, which is not verified


def _decode_text(data: bytes) -> str:
    return text.decode(data.rstrip(b"\x00")).strip()
