"""RTF bodies of Outlook messages: decompression, and the HTML that they may contain."""

from __future__ import annotations

import re
import struct

_INITIAL_WINDOW = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n" + rb"\par "
    rb"\pard\plain\f0\fs20\b\i\u\tab\tx"
)
_COMPRESSED, _STORED = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_MAX_SIZE = 64 * 1024 * 1024
_HTML_TAG = re.compile(r"\{\\\*\\htmltag\d* ?((?:[^{}\\]|\\.)*)\}", re.DOTALL)
_RTF_ONLY = re.compile(r"\\htmlrtf1?(?![0-9a-z]) ?.*?\\htmlrtf0 ?", re.DOTALL)
_CONTROL = re.compile(
    r"\\'([0-9a-fA-F]{2})|\\u(-?\d+) ?\??|\\(par|line|tab)(?![a-z]) ?|\\([{}\\])|\\[a-z]+-?\d* ?|[{}\r\n]"
)


def decompress_rtf(data: bytes) -> str:
    """Return the RTF source of a compressed or stored body; an empty string if the data is neither."""
    if len(data) < 16:
        return ""
    _, size, kind, _ = struct.unpack_from("<IIII", data)
    if kind == _STORED:
        return data[16:].decode("latin-1")
    return _decompress(data[16:], min(size, _MAX_SIZE)).decode("latin-1") if kind == _COMPRESSED else ""


def _decompress(data: bytes, size: int) -> bytes:
    """Decompress LZFu: references point into a 4096-byte ring buffer that initially contains common RTF."""
    out = bytearray(_INITIAL_WINDOW)
    first, offset = len(out), 0
    while offset < len(data) and len(out) - first < size:
        control = data[offset]
        offset += 1
        for bit in range(8):
            if offset >= len(data):
                break
            if not control >> bit & 1:
                out.append(data[offset])
                offset += 1
                continue
            (word,) = struct.unpack(">H", data[offset : offset + 2].ljust(2, b"\x00"))
            offset += 2
            distance = (len(out) - (word >> 4)) % _WINDOW
            if distance == 0:  # a reference to the write position marks the end
                return bytes(out[first:])
            start = len(out) - distance
            for step in range((word & 15) + 2):
                out.append(out[start + step] if 0 <= start + step < len(out) else 0x20)
    return bytes(out[first:])


def extract_html(source: str) -> str:
    """Return the HTML that the RTF source encapsulates, or an empty string."""
    if "\\fromhtml1" not in source[:500]:
        return ""
    body = _HTML_TAG.sub(lambda found: found[1], _RTF_ONLY.sub("", source[source.find("\\htmltag") - 4 :]))
    return _CONTROL.sub(_decode_control, body)


def _decode_control(found: re.Match[str]) -> str:
    code, number, word, symbol = found.groups()
    if code is not None:
        return bytes([int(code, 16)]).decode("cp1252", "replace")
    if number is not None:
        value = int(number) % 0x10000
        return "\ufffd" if 0xD800 <= value < 0xE000 else chr(value)
    return symbol or {"par": "\n", "line": "\n", "tab": "\t"}.get(word or "", "")
