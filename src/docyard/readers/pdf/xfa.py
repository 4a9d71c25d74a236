"""Values of XFA forms, which only Adobe programs draw; other programs show a "Please wait" page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from docyard.errors import Reject
from docyard.readers import markdown, xml_tree
from docyard.readers.pdf.annotations import Remark

_DATA_PACKET = "datasets"
_MAX_PACKETS, _MAX_PACKET_BYTES, _MAX_VALUES = 50, 8 << 20, 5000
_XFA_FORM_TYPES = (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND)


def read_xfa_values(document: Any) -> tuple[Remark, ...]:
    """Return the values of an XFA form, labelled with their field names; empty for other documents."""
    if document.get_formtype() not in _XFA_FORM_TYPES:
        return ()
    try:
        return tuple(value for data in _read_packets(document) for value in _parse_values(data))[:_MAX_VALUES]
    except Reject:
        return ()


def _read_packets(document: Any) -> Iterator[bytes]:
    for index in range(min(int(pdfium.FPDF_GetXFAPacketCount(document)), _MAX_PACKETS)):
        length = int(pdfium.FPDF_GetXFAPacketName(document, index, None, 0))
        name = ctypes.create_string_buffer(max(length, 1))
        pdfium.FPDF_GetXFAPacketName(document, index, name, length)
        if name.value.decode("latin-1") == _DATA_PACKET:
            yield _read_packet(document, index)


def _read_packet(document: Any, index: int) -> bytes:
    size = ctypes.c_ulong()
    pdfium.FPDF_GetXFAPacketContent(document, index, None, 0, size)
    if not 0 < size.value <= _MAX_PACKET_BYTES:
        return b"<nothing/>"
    buffer = ctypes.create_string_buffer(size.value)
    pdfium.FPDF_GetXFAPacketContent(document, index, buffer, size.value, size)
    return buffer.raw


def _parse_values(data: bytes) -> Iterator[Remark]:
    for each in xml_tree.parse(data).iter():
        text = markdown.collapse_whitespace(each.text or "") if not len(each) else ""
        if text:
            yield Remark(text, xml_tree.local_name(each))
