"""Signed messages and files (CMS, PKCS #7): the content that was signed; signatures are not checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

_SIGNED = bytes.fromhex("2a864886f70d010702")
_SEALED = (bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d0109100117"))
_SEQUENCE, _OID, _BYTES, _CONTENT = 0x30, 0x06, 0x04, 0xA0
_INNER_BYTES = 0x24  # bytes that are written in pieces
_DEEPEST = 20


class _Damaged(Exception):
    """The bytes are not what they say they are."""


@dataclass(frozen=True, slots=True)
class _Element:
    tag: int
    start: int
    end: int  # of its content
    after: int


def is_signed(head: bytes) -> bool:
    """Whether a file begins as signed content does."""
    return head[:1] == b"0" and _SIGNED in head[:40]


def is_sealed(head: bytes) -> bool:
    """Whether a file begins as content does that only a key opens."""
    return head[:1] == b"0" and any(kind in head[:40] for kind in _SEALED)


def content(data: bytes) -> bytes | None:
    """What was signed; None when it is not there, as with a signature that stands beside it."""
    try:
        outer = _element(data, 0, len(data), 0)
        kind, holder = _first(data, outer, _SEQUENCE, 2)
        if data[kind.start : kind.end] != _SIGNED:
            return None
        (signed,) = _first(data, holder, _CONTENT, 1)
        inner = next(each for each in islice(_children(data, signed), 1, 4) if each.tag == _SEQUENCE)
        _, wrapped = _first(data, inner, _SEQUENCE, 2)
        return b"".join(_pieces(data, _first(data, wrapped, _CONTENT, 1)[0], 0))
    except (_Damaged, StopIteration):
        return None


def _first(data: bytes, element: _Element, tag: int, count: int) -> list[_Element]:
    """So many children of an element that should have this tag."""
    found = list(islice(_children(data, element), count))
    if element.tag != tag or len(found) < count:
        raise _Damaged
    return found


def _pieces(data: bytes, element: _Element, depth: int) -> Iterator[bytes]:
    if depth > _DEEPEST:
        raise _Damaged
    if element.tag == _BYTES:
        yield data[element.start : element.end]
    elif element.tag == _INNER_BYTES:
        for each in _children(data, element):
            yield from _pieces(data, each, depth + 1)


def _children(data: bytes, element: _Element) -> Iterator[_Element]:
    at = element.start
    while at < element.end:
        each = _element(data, at, element.end, 0)
        yield each
        at = each.after


def _element(data: bytes, at: int, end: int, depth: int) -> _Element:
    """The element at a place; one without a length ends where two zeros stand after its children."""
    if at + 2 > end or depth > _DEEPEST:
        raise _Damaged
    tag, length, start = data[at], data[at + 1], at + 2
    if length == 0x80:
        inner = start
        while data[inner : inner + 2] != b"\x00\x00":
            inner = _element(data, inner, end, depth + 1).after
        return _Element(tag, start, inner, inner + 2)
    if length > 0x80:
        size = length - 0x80
        length = int.from_bytes(data[start : start + min(size, 8)], "big")
        start += size
    if start + length > end:
        raise _Damaged
    return _Element(tag, start, start + length, start + length)
