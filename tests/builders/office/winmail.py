"""Messages in Outlook's winmail.dat format (TNEF), built attribute by attribute."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_HEADER = b"\x78\x9f\x3e\x22\x01\x00"
_WIDE, _BYTES, _NUMBER, _OBJECT = 0x1F, 0x102, 3, 0x0D


def winmail(subject: str, body: str, files: Sequence[tuple[str, bytes]], html: str = "") -> bytes:
    """Build a message with these attachments, each of which also has a short DOS name."""
    mapi_properties = _properties((_NUMBER, 0x0017, b""), (_NUMBER, 0x8001, b""), (_BYTES, 0x1013, html.encode()))
    made = _HEADER + _attribute(1, 0x8004, subject.encode() + b"\x00")
    made += _attribute(1, 0x800C, body.encode() + b"\x00") if body else b""
    made += _attribute(1, 0x9003, mapi_properties) if html else b""
    for name, data in files:
        made += _attribute(2, 0x9002, bytes(14)) + _attribute(2, 0x8010, b"SHORT~1.TXT\x00")
        made += _attribute(2, 0x800F, data)
        made += _attribute(2, 0x9005, _properties((_WIDE, 0x3707, (name + "\x00").encode("utf-16-le"))))
    return made


def _attribute(level: int, name: int, data: bytes) -> bytes:
    return struct.pack("<BII", level, name, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)


def _properties(*entries: tuple[int, int, bytes]) -> bytes:
    out = struct.pack("<I", len(entries))
    for kind, name, data in entries:
        out += struct.pack("<HH", kind, name)
        if name >= 0x8000:
            out += bytes(16) + struct.pack("<II", 1, 6) + b"a\x00b\x00\x00\x00" + bytes(2)
        if kind == _NUMBER:
            out += struct.pack("<I", 1)
        else:
            out += struct.pack("<II", 1, len(data)) + data + bytes(-len(data) % 4)
    return out
