"""HEIC files written by hand, as nothing we install writes them: grey, in uncompressed blocks of HEVC.

Each block of 16 × 16 pixels is a slice of its own, so the arithmetic coder is always in its first state.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

_BLOCK = 16
_VPS, _SPS, _PPS, _SLICE = 32, 33, 34, 20


class _Bits:
    def __init__(self) -> None:
        self.text = ""

    def u(self, width: int, *values: int) -> _Bits:
        """Numbers of so many bits."""
        self.text += "".join(f"{value:0{width}b}" for value in values)
        return self

    def ue(self, *values: int) -> _Bits:
        """Exponential Golomb codes."""
        for value in values:
            digits = f"{value + 1:b}"
            self.text += "0" * (len(digits) - 1) + digits
        return self

    def ended(self) -> bytes:
        """With the bit that ends it, filled up to a whole byte."""
        text = self.text + "1"
        text += "0" * (-len(text) % 8)
        return bytes(int(text[at : at + 8], 2) for at in range(0, len(text), 8))


def _unit(kind: int, content: bytes) -> bytes:
    """A unit with its head; three bytes that would look like the beginning of one are broken up."""
    out = bytearray()
    for byte in content:
        if byte <= 3 and out[-2:] == b"\0\0":
            out.append(3)
        out.append(byte)
    return bytes([kind << 1, 1]) + bytes(out)


def _level(bits: _Bits) -> _Bits:
    """Main profile, level 3.1."""
    return bits.u(2, 0).u(1, 0).u(5, 1).u(32, 3 << 29).u(4, 0b1001).u(44, 0).u(8, 93)


def _sets(width: int, height: int) -> list[bytes]:
    video = _level(_Bits().u(4, 0).u(2, 3).u(6, 0).u(3, 0).u(1, 1).u(16, 0xFFFF))
    video.u(1, 1).ue(0, 0, 0).u(6, 0).ue(0).u(1, 0, 0)
    sequence = _level(_Bits().u(4, 0).u(3, 0).u(1, 1)).ue(0, 1, width, height).u(1, 0).ue(0, 0, 0)
    # Blocks of 16 that are not split, transforms of 4 to 16, and 8 bits a sample where nothing is compressed.
    sequence.u(1, 1).ue(0, 0, 0, 1, 0, 0, 2, 0, 0).u(1, 0, 0, 0, 1).u(4, 7, 7).ue(1, 0).u(1, 1)
    sequence.ue(0).u(1, 0, 0, 0, 0, 0)
    picture = _Bits().ue(0, 0).u(1, 0, 0).u(3, 0).u(1, 0, 0).ue(0, 0, 0).u(1, 0, 0, 0).ue(0, 0)
    picture.u(1, 0, 0, 0, 0, 0, 0, 0).u(1, 1, 0, 1).u(1, 0, 0).ue(0).u(1, 0, 0)
    kinds = (_VPS, _SPS, _PPS)
    return [_unit(kind, each.ended()) for kind, each in zip(kinds, (video, sequence, picture), strict=True)]


# What the arithmetic coder writes for "one block, uncompressed" and for "the slice ends", up to whole bytes.
_UNCOMPRESSED, _ENDS = b"\x86\x80", b"\xfe\x80"


def _slices(rows: Sequence[bytes]) -> list[bytes]:
    """Each block of a grey picture, whose sides are multiples of 16."""
    across, down = len(rows[0]) // _BLOCK, len(rows) // _BLOCK
    width = (across * down - 1).bit_length()
    found = []
    for number in range(across * down):
        head = _Bits().u(1, int(number == 0), 0).ue(0)
        head = head.u(width, number) if number else head
        head.ue(2, 0)
        top, left = (number // across) * _BLOCK, (number % across) * _BLOCK
        grey = b"".join(row[left : left + _BLOCK] for row in rows[top : top + _BLOCK])
        content = head.ended() + _UNCOMPRESSED + grey + bytes([128]) * (_BLOCK * _BLOCK // 2) + _ENDS
        found.append(_unit(_SLICE, content))
    return found


def _box(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return pack(">I", len(content) + 8) + kind + content


def _full(kind: bytes, *parts: bytes, version: int = 0) -> bytes:
    return _box(kind, pack(">I", version << 24), *parts)


def _setup(sets: Sequence[bytes]) -> bytes:
    """hvcC: what a decoder must know before the picture."""
    arrays = b"".join(
        bytes([0x80 | kind, 0, 1]) + pack(">H", len(unit)) + unit
        for kind, unit in zip((_VPS, _SPS, _PPS), sets, strict=True)
    )
    profile = bytes([1, 1]) + pack(">I", 3 << 29) + b"\x90" + bytes(5) + bytes([93])
    return _box(b"hvcC", profile, b"\xf0\x00\xfc\xfd\xf8\xf8\x00\x00\x0f", bytes([len(arrays) and 3]), arrays)


def heic(*pictures: Sequence[bytes], damaged: Sequence[int] = ()) -> bytes:
    """A file with these pictures, the first of which is shown; of damaged ones (by place) nothing is left."""
    infos, owned, associations, data, lengths = [], [], [], [], []
    for place, rows in enumerate(pictures):
        units = _slices(rows)
        content = b"".join(pack(">I", len(unit)) + unit for unit in units)
        data.append(b"\xff" * len(content) if place in damaged else content)
        lengths.append(len(content))
        infos.append(_full(b"infe", pack(">HH", place + 1, 0), b"hvc1\0", version=2))
        size = _full(b"ispe", pack(">II", len(rows[0]), len(rows)))
        owned += [_setup(_sets(len(rows[0]), len(rows))), size]
        associations.append(pack(">HBBB", place + 1, 2, 0x80 | (2 * place + 1), 2 * place + 2))
    count = len(pictures)
    head = _box(b"ftyp", b"heic", bytes(4), b"mif1heic")

    def meta(offsets: Sequence[int]) -> bytes:
        placed = b"".join(
            pack(">HHHII", place + 1, 0, 1, offset, length)
            for place, (offset, length) in enumerate(zip(offsets, lengths, strict=True))
        )
        return _full(
            b"meta",
            _full(b"hdlr", bytes(4), b"pict", bytes(13)),
            _full(b"pitm", pack(">H", 1)),
            _full(b"iloc", b"\x44\x00", pack(">H", count), placed),
            _full(b"iinf", pack(">H", count), *infos),
            _box(b"iprp", _box(b"ipco", *owned), _full(b"ipma", pack(">I", count), *associations)),
        )

    first = len(head) + len(meta([0] * count)) + 8
    offsets = [first + sum(lengths[:place]) for place in range(count)]
    return head + meta(offsets) + _box(b"mdat", *data)
