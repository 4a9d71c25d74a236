"""Properties of a message as TNEF lists them: by number, those of any length alone."""

from __future__ import annotations

import struct

_MANY, _NAMED = 0x1000, 0x8000
_FIXED = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16}
_TEXT, _WIDE_TEXT, _OBJECT, _BYTES = 0x1E, 0x1F, 0x0D, 0x102
_INTERFACE = 16  # bytes before the content of an object, which say what it is


def properties(data: bytes) -> dict[int, bytes]:
    """The first value of each property that is a text or bytes, texts in UTF-8 where they were wide."""
    found: dict[int, bytes] = {}
    try:
        (count,), at = struct.unpack_from("<I", data), 4
        for _ in range(min(count, len(data) // 4)):
            kind, name = struct.unpack_from("<HH", data, at)
            at = _past_name(data, at + 4) if name >= _NAMED else at + 4
            at, value = _value(data, at, kind)
            if value is not None:
                found.setdefault(name, value)
    except (struct.error, KeyError):
        pass  # what was read until the damage is what there is
    return found


def _past_name(data: bytes, at: int) -> int:
    (is_text, number) = struct.unpack_from("<II", data, at + 16)
    return at + 24 + (_padded(number) if is_text else 0)


def _value(data: bytes, at: int, kind: int) -> tuple[int, bytes | None]:
    base = kind & ~_MANY
    if base in _FIXED:
        count = 1
        if kind & _MANY:
            (count,), at = struct.unpack_from("<I", data, at), at + 4
        return at + count * _FIXED[base], None
    if base not in (_TEXT, _WIDE_TEXT, _OBJECT, _BYTES):
        raise KeyError(kind)
    (count,), at = struct.unpack_from("<I", data, at), at + 4
    first = None
    for _ in range(min(count, len(data) // 4)):
        (length,), at = struct.unpack_from("<I", data, at), at + 4
        first = data[at : at + length] if first is None else first
        at += _padded(length)
    return at, _plain(first, base)


def _plain(value: bytes | None, kind: int) -> bytes | None:
    if value is None:
        return None
    if kind == _WIDE_TEXT:
        return value.decode("utf-16-le", "replace").rstrip("\x00").encode()
    return value[_INTERFACE:] if kind == _OBJECT else value


def _padded(length: int) -> int:
    return length + -length % 4
