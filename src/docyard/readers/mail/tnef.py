"""What Outlook packs into winmail.dat (TNEF): the body of a message and its attachments."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.values import Attachment, Extracted
from docyard.readers import markdown, text
from docyard.readers.mail import message as mail
from docyard.readers.mail.mapi_properties import properties
from docyard.readers.mail.msg_rtf import html_inside, unpacked
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_html
from docyard.readers.office import rtf

_HEAD = 6  # signature and key
_ATTRIBUTE = struct.Struct("<BII")
_SUBJECT, _BODY, _MESSAGE = 0x8004, 0x800C, 0x9003
_NEXT_FILE, _FILE_NAME, _FILE_DATA, _FILE_MORE = 0x9002, 0x8010, 0x800F, 0x9005
_LONG_NAME, _DATA = 0x3707, 0x3701
_PLAIN, _HTML, _RTF, _TITLE = 0x1000, 0x1013, 0x1009, 0x0037


@dataclass
class _File:
    name: str = ""
    data: bytes = b""


@dataclass
class _Letter:
    subject: str = ""
    body: str = ""
    more: dict[int, bytes] = field(default_factory=dict)
    files: list[_File] = field(default_factory=list)


def read(path: Path, limits: Limits) -> Extracted:
    """The body as Markdown, and a list of the attachments."""
    letter = _letter(path)
    attachments = tuple(
        Attachment(
            str(place), clean_name(each.name or f"file {place + 1}", limits.name_bytes), len(each.data)
        )
        for place, each in enumerate(letter.files)
        if each.data
    )
    blocks = [*_blocks(letter), mail.attachment_list(attachments)]
    return markdown.extracted(blocks, limits, title=letter.subject, attachments=attachments)


def member(path: Path, place: str, _: Limits) -> bytes:
    """The bytes of one attachment."""
    files = _letter(path).files
    if not place.isdecimal() or int(place) >= len(files):
        raise Reject("not_found", "The message has no attachment at this place.")
    return files[int(place)].data


def _blocks(letter: _Letter) -> list[str]:
    """The formatted body if there is one, else the plain one, else the one in RTF."""
    if source := letter.more.get(_HTML):
        return html_blocks.blocks(decode_html(source))[0]
    packed = unpacked(letter.more[_RTF]) if _RTF in letter.more else ""
    if inner := html_inside(packed):
        return html_blocks.blocks(inner)[0]
    plain = letter.body or _words(letter.more.get(_PLAIN, b""))
    return [plain] if plain else rtf.blocks_of(packed)[0]


def _letter(path: Path) -> _Letter:
    letter = _Letter()
    for name, data in _attributes(path.read_bytes()):
        if name == _SUBJECT:
            letter.subject = _words(data)
        elif name == _BODY:
            letter.body = _words(data)
        elif name == _MESSAGE:
            letter.more = properties(data)
        elif name == _NEXT_FILE:
            letter.files.append(_File())
        elif letter.files:
            _add(letter.files[-1], name, data)
    letter.subject = letter.subject or _words(letter.more.get(_TITLE, b""))
    return letter


def _add(file: _File, name: int, data: bytes) -> None:
    if name == _FILE_NAME:
        file.name = file.name or _words(data)
    elif name == _FILE_DATA:
        file.data = data
    elif name == _FILE_MORE:
        more = properties(data)
        file.name = _words(more.get(_LONG_NAME, b"")) or file.name
        file.data = file.data or more.get(_DATA, b"")


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each attribute by its name; what was cut off ends the list."""
    at = _HEAD
    while at + _ATTRIBUTE.size <= len(data):
        _, name, length = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        if at + length > len(data):
            return
        yield name & 0xFFFF, data[at : at + length]
        at += length + 2  # a sum to check that nobody checks


def _words(data: bytes) -> str:
    return text.decode(data.rstrip(b"\x00")).strip()
