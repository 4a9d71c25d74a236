"""Compound (OLE) files, the container format of Office documents before 2007, built from streams."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_STORAGE, _STREAM, _ROOT = 1, 2, 5


@dataclass
class _Entry:
    name: str
    kind: int
    data: bytes = b""
    children: list[int] = field(default_factory=list)
    start: int = _END
    size: int = 0


def make_compound(streams: Mapping[str, bytes]) -> bytes:
    """Build a compound file with these streams; a slash in a name separates storages."""
    entries = _entries(streams)
    mini, mini_fat = _pack_streams(entries, small=True, unit=_MINI)
    entries[0].data = mini
    body, fat = b"", list[int]()
    for entry in [entries[0], *(each for each in entries[1:] if len(each.data) >= _CUTOFF)]:
        body, fat = _append(entry, body, fat)
    tables = [_Entry("", _STREAM, struct.pack(f"<{len(mini_fat)}I", *mini_fat))]
    body, fat = _append(tables[0], body, fat)
    directory = _Entry("", _STREAM, b"")
    directory.data = b"".join(_directory_entry(entries, entry) for entry in entries)
    body, fat = _append(directory, body, fat)
    return _header(directory, tables[0], fat, body)


def _entries(streams: Mapping[str, bytes]) -> list[_Entry]:
    entries = [_Entry("Root Entry", _ROOT)]
    storages = {"": 0}
    for path, data in streams.items():
        *folders, name = path.split("/")
        parent = 0
        for depth in range(len(folders)):
            key = "/".join(folders[: depth + 1])
            if key not in storages:
                storages[key] = _add(entries, parent, _Entry(folders[depth], _STORAGE))
            parent = storages[key]
        _add(entries, parent, _Entry(name, _STREAM, data, size=len(data)))
    return entries


def _add(entries: list[_Entry], parent: int, entry: _Entry) -> int:
    entries.append(entry)
    entries[parent].children.append(len(entries) - 1)
    return len(entries) - 1


def _pack_streams(entries: list[_Entry], *, small: bool, unit: int) -> tuple[bytes, list[int]]:
    body, fat = b"", list[int]()
    for entry in entries[1:]:
        if entry.kind == _STREAM and entry.data and (len(entry.data) < _CUTOFF) is small:
            entry.start = len(fat)
            count = -(-len(entry.data) // unit)
            fat += [*range(len(fat) + 1, len(fat) + count), _END]
            body += entry.data.ljust(count * unit, b"\x00")
    return body, fat


def _append(entry: _Entry, body: bytes, fat: list[int]) -> tuple[bytes, list[int]]:
    if not entry.data:
        return body, fat
    entry.start, entry.size = len(fat), len(entry.data)
    count = -(-len(entry.data) // _SECTOR)
    fat = [*fat, *range(len(fat) + 1, len(fat) + count), _END]
    return body + entry.data.ljust(count * _SECTOR, b"\x00"), fat


def _directory_entry(entries: list[_Entry], entry: _Entry) -> bytes:
    index = entries.index(entry)
    siblings = next((each.children for each in entries if index in each.children), [index])
    following = siblings[siblings.index(index) + 1 :][:1] or [_FREE]
    name = entry.name.encode("utf-16-le") + b"\x00\x00"
    return (
        name.ljust(64, b"\x00")
        + struct.pack("<HBB", len(name), entry.kind, 1)
        + struct.pack("<III", _FREE, following[0], (entry.children or [_FREE])[0])
        + bytes(36)
        + struct.pack("<IQ", entry.start, entry.size)
    )


def _header(directory: _Entry, mini_table: _Entry, fat: list[int], body: bytes) -> bytes:
    sectors = -(-(len(fat) + 8) * 4 // _SECTOR)
    fat_sectors = list(range(len(fat), len(fat) + sectors))
    fat = [*fat, *[_FAT] * sectors]
    packed = struct.pack(f"<{len(fat)}I", *fat).ljust(sectors * _SECTOR, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIIII", 0, sectors, directory.start, 0, _CUTOFF, mini_table.start, 1, _END, 0, 0)[:-4]
    header += struct.pack(f"<{len(fat_sectors)}I", *fat_sectors)
    return header.ljust(_SECTOR, b"\xff") + body + packed
