"""Values of forms that only Adobe's programs draw (XFA): their pages say little more than 'Please wait'."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from docyard.errors import Reject
from docyard.readers import markdown, xml_tree
from docyard.readers.pdf.annotations import Remark

_PACKET = "datasets"
_MOST_PACKETS, _MOST_BYTES, _MOST_VALUES = 50, 8 << 20, 5000
_DRAWN_ELSEWHERE = (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND)


def xfa_values(document: Any) -> tuple[Remark, ...]:
    """What was filled in, each value under the name of its field; nothing for other documents."""
    if document.get_formtype() not in _DRAWN_ELSEWHERE:
        return ()
    try:
        return tuple(value for data in _packets(document) for value in _values(data))[:_MOST_VALUES]
    except Reject:
        return ()


def _packets(document: Any) -> Iterator[bytes]:
    for place in range(min(int(pdfium.FPDF_GetXFAPacketCount(document)), _MOST_PACKETS)):
        length = int(pdfium.FPDF_GetXFAPacketName(document, place, None, 0))
        name = ctypes.create_string_buffer(max(length, 1))
        pdfium.FPDF_GetXFAPacketName(document, place, name, length)
        if name.value.decode("latin-1") == _PACKET:
            yield _content(document, place)


def _content(document: Any, place: int) -> bytes:
    size = ctypes.c_ulong()
    pdfium.FPDF_GetXFAPacketContent(document, place, None, 0, size)
    if not 0 < size.value <= _MOST_BYTES:
        return b"<nothing/>"
    room = ctypes.create_string_buffer(size.value)
    pdfium.FPDF_GetXFAPacketContent(document, place, room, size.value, size)
    return room.raw


def _values(data: bytes) -> Iterator[Remark]:
    for each in xml_tree.parse(data).iter():
        words = markdown.one_line(each.text or "") if not len(each) else ""
        if words:
            yield Remark(words, xml_tree.local(each))
