"""The RTF body of an Outlook message: unpacked from its own compression, and the HTML it may wrap."""

from __future__ import annotations

import re
import struct

_PREFILLED = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n" + rb"\par "
    rb"\pard\plain\f0\fs20\b\i\u\tab\tx"
)
_COMPRESSED, _STORED = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_LARGEST = 64 * 1024 * 1024
_TAGGED = re.compile(r"\{\\\*\\htmltag\d* ?((?:[^{}\\]|\\.)*)\}", re.DOTALL)
_MUTED = re.compile(r"\\htmlrtf1?(?![0-9a-z]) ?.*?\\htmlrtf0 ?", re.DOTALL)
_CODE = re.compile(
    r"\\'([0-9a-fA-F]{2})|\\u(-?\d+) ?\??|\\(par|line|tab)(?![a-z]) ?|\\([{}\\])|\\[a-z]+-?\d* ?|[{}\r\n]"
)


def unpacked(data: bytes) -> str:
    """The RTF source; empty when the data is no such body."""
    if len(data) < 16:
        return ""
    _, size, kind, _ = struct.unpack_from("<IIII", data)
    if kind == _STORED:
        return data[16:].decode("latin-1")
    return _inflate(data[16:], min(size, _LARGEST)).decode("latin-1") if kind == _COMPRESSED else ""


def _inflate(data: bytes, size: int) -> bytes:
    """References point into a ring of 4096 bytes that begins with what every RTF has."""
    out = bytearray(_PREFILLED)
    begin, at = len(out), 0
    while at < len(data) and len(out) - begin < size:
        control = data[at]
        at += 1
        for bit in range(8):
            if at >= len(data):
                break
            if not control >> bit & 1:
                out.append(data[at])
                at += 1
                continue
            (word,) = struct.unpack(">H", data[at : at + 2].ljust(2, b"\x00"))
            at += 2
            distance = (len(out) - (word >> 4)) % _WINDOW
            if distance == 0:  # a reference to where the next byte goes ends the text
                return bytes(out[begin:])
            start = len(out) - distance
            for step in range((word & 15) + 2):
                out.append(out[start + step] if 0 <= start + step < len(out) else 0x20)
    return bytes(out[begin:])


def html_inside(source: str) -> str:
    """The HTML that the RTF was made from, if it says so."""
    if "\\fromhtml1" not in source[:500]:
        return ""
    body = _TAGGED.sub(lambda found: found[1], _MUTED.sub("", source[source.find("\\htmltag") - 4 :]))
    return _CODE.sub(_letter, body)


def _letter(found: re.Match[str]) -> str:
    code, number, word, sign = found.groups()
    if code is not None:
        return bytes([int(code, 16)]).decode("cp1252", "replace")
    if number is not None:
        value = int(number) % 0x10000
        return "\ufffd" if 0xD800 <= value < 0xE000 else chr(value)
    return sign or {"par": "\n", "line": "\n", "tab": "\t"}.get(word or "", "")
