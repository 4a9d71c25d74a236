"""MAPI properties as encoded in TNEF; only those of variable length are read."""

from __future__ import annotations

import struct

_MULTIPLE, _NAMED = 0x1000, 0x8000
_FIXED_SIZES = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16}
_TEXT, _WIDE_TEXT, _OBJECT, _BYTES = 0x1E, 0x1F, 0x0D, 0x102
_INTERFACE_ID = 16  # bytes of the identifier before the content of an object


def parse_properties(data: bytes) -> dict[int, bytes]:
    """Return the first value of each text or binary property by id; wide texts are converted to UTF-8."""
    found: dict[int, bytes] = {}
    try:
        (count,), offset = struct.unpack_from("<I", data), 4
        for _ in range(min(count, len(data) // 4)):
            kind, name = struct.unpack_from("<HH", data, offset)
            offset = _skip_name(data, offset + 4) if name >= _NAMED else offset + 4
            offset, value = _read_value(data, offset, kind)
            if value is not None:
                found.setdefault(name, value)
    except (struct.error, KeyError):
        pass  # the properties before the damage are kept
    return found


def _skip_name(data: bytes, offset: int) -> int:
    (is_text, number) = struct.unpack_from("<II", data, offset + 16)
    return offset + 24 + (_pad(number) if is_text else 0)


def _read_value(data: bytes, offset: int, kind: int) -> tuple[int, bytes | None]:
    base = kind & ~_MULTIPLE
    if base in _FIXED_SIZES:
        count = 1
        if kind & _MULTIPLE:
            (count,), offset = struct.unpack_from("<I", data, offset), offset + 4
        return offset + count * _FIXED_SIZES[base], None
    if base not in (_TEXT, _WIDE_TEXT, _OBJECT, _BYTES):
        raise KeyError(kind)
    (count,), offset = struct.unpack_from("<I", data, offset), offset + 4
    first = None
    for _ in range(min(count, len(data) // 4)):
        (length,), offset = struct.unpack_from("<I", data, offset), offset + 4
        first = data[offset : offset + length] if first is None else first
        offset += _pad(length)
    return offset, _convert(first, base)


def _convert(value: bytes | None, kind: int) -> bytes | None:
    if value is None:
        return None
    if kind == _WIDE_TEXT:
        return value.decode("utf-16-le", "replace").rstrip("\x00").encode()
    return value[_INTERFACE_ID:] if kind == _OBJECT else value


def _pad(length: int) -> int:
    return length + -length % 4
