"""Documents of Word and PowerPoint 97, and of Outlook, as their published formats describe them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from tests.making.office.compound import compound

_TEXT_AT, _FLAGS_ENCRYPTED = 0x800, 0x0100


def doc(
    text: str,
    kinds: Sequence[bytes] = (),
    *,
    narrow: bool = False,
    encrypted: bool = False,
    others: Mapping[str, bytes] | None = None,
) -> bytes:
    """A Word document; `kinds` are the style and properties of its paragraphs, each ended by \\r or \\x07."""
    encoding, width = ("cp1252", 1) if narrow else ("utf-16-le", 2)
    main = bytearray(_TEXT_AT)
    struct.pack_into("<HH", main, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", main, 0x0A, 0x0200 | (_FLAGS_ENCRYPTED if encrypted else 0))
    struct.pack_into("<i", main, 0x4C, len(text))
    where = _TEXT_AT * 2 | 0x4000_0000 if narrow else _TEXT_AT
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, where, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", main, 0x01A2, 0, len(clx))
    main += text.encode(encoding).ljust(0x800, b"\x00")
    ends = [place + 1 for place, letter in enumerate(text) if letter in "\r\x07"]
    bounds = [_TEXT_AT + width * place for place in [0, *ends]]
    table = clx
    if kinds:
        struct.pack_into("<II", main, 0x0102, len(clx), 12)
        table += struct.pack("<III", bounds[0], bounds[-1], len(main) // 512)
        main += _paragraph_page(bounds, kinds)
    return compound({"WordDocument": bytes(main).ljust(4096, b"\x00"), "1Table": table, **(others or {})})


def summary(title: str, encoding: str = "cp1252", count: int = 2) -> dict[str, bytes]:
    """The summary of a document as its stream; `count` is how many properties it claims to have."""
    page = {"cp1252": 1252, "utf-8": 65001, "cp1251": 1251}[encoding]
    data = title.encode(encoding) + b"\x00"
    section = struct.pack("<IIIIII", 0, count, 1, 24, 2, 32) + struct.pack("<II", 2, page)
    section += struct.pack("<II", 0x1E, len(data)) + data
    return {"\x05SummaryInformation": bytes(44) + struct.pack("<I", 48) + section}


def _paragraph_page(bounds: Sequence[int], kinds: Sequence[bytes]) -> bytes:
    page = bytearray(512)
    struct.pack_into(f"<{len(bounds)}I", page, 0, *bounds)
    at = 500
    for place, kind in enumerate(kinds):
        data = kind + b"\x00" * (1 - len(kind) % 2)
        at = (at - len(data) - 1) // 2 * 2
        page[at : at + 1 + len(data)] = bytes([(len(data) + 1) // 2]) + data
        page[len(bounds) * 4 + 13 * place] = at // 2
    page[511] = len(kinds)
    return bytes(page)


def kind(style: int = 0, *, in_table: bool = False, ends_row: bool = False) -> bytes:
    """Style and properties of a paragraph; styles 1 to 9 are headings."""
    found = struct.pack("<H", style)
    if in_table or ends_row:
        found += struct.pack("<HB", 0x2416, 1)
    return found + (struct.pack("<HB", 0x2417, 1) if ends_row else b"")


def record(number: int, content: bytes, *, container: bool = False, instance: int = 0) -> bytes:
    """A record of a PowerPoint stream."""
    return struct.pack("<HHI", instance << 4 | (0xF if container else 0), number, len(content)) + content


def ppt(slides: Sequence[Sequence[tuple[int, str]]], others: bytes = b"") -> bytes:
    """A presentation; its slides, numbered from 256, have texts with their kinds (0 a title, 1 a body)."""
    listed = b""
    for number, slide in enumerate(slides, start=256):
        listed += record(1011, struct.pack("<12xII", number, 0))
        for kind_of_text, text in slide:
            listed += record(3999, struct.pack("<I", kind_of_text)) + record(4000, text.encode("utf-16-le"))
    document = record(1000, record(4080, listed, container=True), container=True)
    return compound({"PowerPoint Document": document + others, "Current User": bytes(20)})


def properties(header: int, **fixed: tuple[int, int, int]) -> bytes:
    """A stream of fixed properties: id, type and value each."""
    entries = (struct.pack("<HHIQ", kind, name, 6, value) for name, kind, value in fixed.values())
    return bytes(header) + b"".join(entries)


def msg(
    words: dict[int, str],
    attachments: Sequence[tuple[str, bytes]] = (),
    others: Mapping[str, bytes] | None = None,
) -> bytes:
    """An Outlook message with these texts by property; other streams by their names."""
    streams = {f"__substg1.0_{name:04X}001F": text.encode("utf-16-le") for name, text in words.items()}
    sent = properties(32, sent=(0x0039, 0x0040, 133_000_000_000_000_000))
    for place, (name, data) in enumerate(attachments):
        folder = f"__attach_version1.0_#{place:08X}/"
        streams[f"{folder}__properties_version1.0"] = properties(8)
        streams[f"{folder}__substg1.0_3707001F"] = name.encode("utf-16-le")
        streams[f"{folder}__substg1.0_37010102"] = data
    return compound({"__properties_version1.0": sent, **streams, **(others or {})})
