"""Word 97, PowerPoint 97 and Outlook files, built according to their published formats."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from tests.builders.office.compound_files import make_compound

_TEXT_OFFSET, _FLAGS_ENCRYPTED = 0x800, 0x0100


def doc(
    text: str,
    kinds: Sequence[bytes] = (),
    *,
    narrow: bool = False,
    encrypted: bool = False,
    others: Mapping[str, bytes] | None = None,
) -> bytes:
    """Build a Word document; \\r or \\x07 ends a paragraph, `kinds` contains each paragraph's properties."""
    encoding, width = ("cp1252", 1) if narrow else ("utf-16-le", 2)
    main = bytearray(_TEXT_OFFSET)
    struct.pack_into("<HH", main, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", main, 0x0A, 0x0200 | (_FLAGS_ENCRYPTED if encrypted else 0))
    struct.pack_into("<i", main, 0x4C, len(text))
    stored_offset = _TEXT_OFFSET * 2 | 0x4000_0000 if narrow else _TEXT_OFFSET
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, stored_offset, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", main, 0x01A2, 0, len(clx))
    main += text.encode(encoding).ljust(0x800, b"\x00")
    ends = [index + 1 for index, character in enumerate(text) if character in "\r\x07"]
    bounds = [_TEXT_OFFSET + width * index for index in [0, *ends]]
    table = clx
    if kinds:
        struct.pack_into("<II", main, 0x0102, len(clx), 12)
        table += struct.pack("<III", bounds[0], bounds[-1], len(main) // 512)
        main += _paragraph_page(bounds, kinds)
    return make_compound({"WordDocument": bytes(main).ljust(4096, b"\x00"), "1Table": table, **(others or {})})


def summary(title: str, encoding: str = "cp1252", count: int = 2) -> dict[str, bytes]:
    """Build the summary stream of a document; `count` is the number of properties it claims to have."""
    page = {"cp1252": 1252, "utf-8": 65001, "cp1251": 1251}[encoding]
    data = title.encode(encoding) + b"\x00"
    section = struct.pack("<IIIIII", 0, count, 1, 24, 2, 32) + struct.pack("<II", 2, page)
    section += struct.pack("<II", 0x1E, len(data)) + data
    return {"\x05SummaryInformation": bytes(44) + struct.pack("<I", 48) + section}


def _paragraph_page(bounds: Sequence[int], kinds: Sequence[bytes]) -> bytes:
    page = bytearray(512)
    struct.pack_into(f"<{len(bounds)}I", page, 0, *bounds)
    offset = 500
    for index, kind in enumerate(kinds):
        data = kind + b"\x00" * (1 - len(kind) % 2)
        offset = (offset - len(data) - 1) // 2 * 2
        page[offset : offset + 1 + len(data)] = bytes([(len(data) + 1) // 2]) + data
        page[len(bounds) * 4 + 13 * index] = offset // 2
    page[511] = len(kinds)
    return bytes(page)


def encode_paragraph(style: int = 0, *, in_table: bool = False, ends_row: bool = False) -> bytes:
    """Encode the style and properties of a paragraph; styles 1 to 9 are headings."""
    encoded = struct.pack("<H", style)
    if in_table or ends_row:
        encoded += struct.pack("<HB", 0x2416, 1)
    return encoded + (struct.pack("<HB", 0x2417, 1) if ends_row else b"")


def record(number: int, content: bytes, *, container: bool = False, instance: int = 0) -> bytes:
    """Build a record of a PowerPoint stream."""
    return struct.pack("<HHI", instance << 4 | (0xF if container else 0), number, len(content)) + content


def ppt(slides: Sequence[Sequence[tuple[int, str]]], others: bytes = b"") -> bytes:
    """Build a presentation; slides are numbered from 256, and each text has a type (0: title, 1: body)."""
    slide_list = b""
    for number, slide in enumerate(slides, start=256):
        slide_list += record(1011, struct.pack("<12xII", number, 0))
        for kind_of_text, text in slide:
            slide_list += record(3999, struct.pack("<I", kind_of_text)) + record(4000, text.encode("utf-16-le"))
    document = record(1000, record(4080, slide_list, container=True), container=True)
    return make_compound({"PowerPoint Document": document + others, "Current User": bytes(20)})


def fixed_properties(header: int, **fixed: tuple[int, int, int]) -> bytes:
    """Build a stream of fixed-size properties, each given as id, type and value."""
    entries = (struct.pack("<HHIQ", kind, name, 6, value) for name, kind, value in fixed.values())
    return bytes(header) + b"".join(entries)


def msg(
    words: dict[int, str], attachments: Sequence[tuple[str, bytes]] = (), others: Mapping[str, bytes] | None = None
) -> bytes:
    """Build an Outlook message with these texts by property id, attachments, and other streams by name."""
    streams = {f"__substg1.0_{name:04X}001F": text.encode("utf-16-le") for name, text in words.items()}
    sent = fixed_properties(32, sent=(0x0039, 0x0040, 133_000_000_000_000_000))
    for index, (name, data) in enumerate(attachments):
        folder = f"__attach_version1.0_#{index:08X}/"
        streams[f"{folder}__properties_version1.0"] = fixed_properties(8)
        streams[f"{folder}__substg1.0_3707001F"] = name.encode("utf-16-le")
        streams[f"{folder}__substg1.0_37010102"] = data
    return make_compound({"__properties_version1.0": sent, **streams, **(others or {})})
