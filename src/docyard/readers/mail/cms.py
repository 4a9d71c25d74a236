"""Signed messages and files (CMS, PKCS #7): the signed content is read, signatures are not verified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

_SIGNED = bytes.fromhex("2a864886f70d010702")
_ENCRYPTED = (bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d0109100117"))
_SEQUENCE, _OID, _OCTETS, _CONTENT = 0x30, 0x06, 0x04, 0xA0
_SEGMENTED_OCTETS = 0x24  # an octet string in segments
_MAX_DEPTH = 20


class _Damaged(Exception):
    """Raised if the data is not valid BER."""


@dataclass(frozen=True, slots=True)
class _Element:
    """A BER element; `start` and `end` delimit its content."""

    tag: int
    start: int
    end: int
    next_offset: int


def is_signed(header: bytes) -> bool:
    """Return whether a file begins like CMS signed data."""
    return header[:1] == b"0" and _SIGNED in header[:40]


def is_encrypted(header: bytes) -> bool:
    """Return whether a file begins like CMS encrypted data."""
    return header[:1] == b"0" and any(kind in header[:40] for kind in _ENCRYPTED)


def extract_content(data: bytes) -> bytes | None:
    """Return the signed content; None if the signature is detached or the data is damaged."""
    try:
        outer = _parse_element(data, 0, len(data), 0)
        oid, body = _first_children(data, outer, _SEQUENCE, 2)
        if data[oid.start : oid.end] != _SIGNED:
            return None
        (signed,) = _first_children(data, body, _CONTENT, 1)
        inner = next(each for each in islice(_children(data, signed), 1, 4) if each.tag == _SEQUENCE)
        _, wrapped = _first_children(data, inner, _SEQUENCE, 2)
        return b"".join(_read_octets(data, _first_children(data, wrapped, _CONTENT, 1)[0], 0))
    except (_Damaged, StopIteration):
        return None


def _first_children(data: bytes, element: _Element, tag: int, count: int) -> list[_Element]:
    """Return the first `count` children; raise `_Damaged` for fewer children or a tag other than `tag`."""
    found = list(islice(_children(data, element), count))
    if element.tag != tag or len(found) < count:
        raise _Damaged
    return found


def _read_octets(data: bytes, element: _Element, depth: int) -> Iterator[bytes]:
    if depth > _MAX_DEPTH:
        raise _Damaged
    if element.tag == _OCTETS:
        yield data[element.start : element.end]
    elif element.tag == _SEGMENTED_OCTETS:
        for each in _children(data, element):
            yield from _read_octets(data, each, depth + 1)


def _children(data: bytes, element: _Element) -> Iterator[_Element]:
    offset = element.start
    while offset < element.end:
        each = _parse_element(data, offset, element.end, 0)
        yield each
        offset = each.next_offset


def _parse_element(data: bytes, offset: int, end: int, depth: int) -> _Element:
    """Parse the element at an offset; one of indefinite length ends at two zero bytes after its children."""
    if offset + 2 > end or depth > _MAX_DEPTH:
        raise _Damaged
    tag, length, start = data[offset], data[offset + 1], offset + 2
    if length == 0x80:
        inner = start
        while data[inner : inner + 2] != b"\x00\x00":
            inner = _parse_element(data, inner, end, depth + 1).next_offset
        return _Element(tag, start, inner, inner + 2)
    if length > 0x80:
        size = length - 0x80
        length = int.from_bytes(data[start : start + min(size, 8)], "big")
        start += size
    if start + length > end:
        raise _Damaged
    return _Element(tag, start, start + length, start + length)
