"""Generated HEIC files, which no installed library writes: grey images in uncompressed HEVC blocks.

Each block of 16 × 16 pixels is a slice, so the arithmetic coder is always in its initial state.
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
        """Append numbers of this many bits."""
        self.text += "".join(f"{value:0{width}b}" for value in values)
        return self

    def ue(self, *values: int) -> _Bits:
        """Append Exponential-Golomb codes."""
        for value in values:
            digits = f"{value + 1:b}"
            self.text += "0" * (len(digits) - 1) + digits
        return self

    def finish(self) -> bytes:
        """Return the bits with the stop bit, padded to whole bytes."""
        text = self.text + "1"
        text += "0" * (-len(text) % 8)
        return bytes(int(text[offset : offset + 8], 2) for offset in range(0, len(text), 8))


def _nal_unit(kind: int, content: bytes) -> bytes:
    """Return a NAL unit with its header; byte sequences that look like a start code are escaped."""
    out = bytearray()
    for byte in content:
        if byte <= 3 and out[-2:] == b"\0\0":
            out.append(3)
        out.append(byte)
    return bytes([kind << 1, 1]) + bytes(out)


def _append_level(bits: _Bits) -> _Bits:
    """Append the profile and level: Main profile, level 3.1."""
    return bits.u(2, 0).u(1, 0).u(5, 1).u(32, 3 << 29).u(4, 0b1001).u(44, 0).u(8, 93)


def _parameter_sets(width: int, height: int) -> list[bytes]:
    video = _append_level(_Bits().u(4, 0).u(2, 3).u(6, 0).u(3, 0).u(1, 1).u(16, 0xFFFF))
    video.u(1, 1).ue(0, 0, 0).u(6, 0).ue(0).u(1, 0, 0)
    sequence = _append_level(_Bits().u(4, 0).u(3, 0).u(1, 1)).ue(0, 1, width, height).u(1, 0).ue(0, 0, 0)
    # Blocks of 16 pixels that are not split, transforms of 4 to 16, and 8 bits per uncompressed sample.
    sequence.u(1, 1).ue(0, 0, 0, 1, 0, 0, 2, 0, 0).u(1, 0, 0, 0, 1).u(4, 7, 7).ue(1, 0).u(1, 1)
    sequence.ue(0).u(1, 0, 0, 0, 0, 0)
    picture = _Bits().ue(0, 0).u(1, 0, 0).u(3, 0).u(1, 0, 0).ue(0, 0, 0).u(1, 0, 0, 0).ue(0, 0)
    picture.u(1, 0, 0, 0, 0, 0, 0, 0).u(1, 1, 0, 1).u(1, 0, 0).ue(0).u(1, 0, 0)
    kinds = (_VPS, _SPS, _PPS)
    return [_nal_unit(kind, each.finish()) for kind, each in zip(kinds, (video, sequence, picture), strict=True)]


# Output of the arithmetic coder for "one block, uncompressed" and for "end of slice", padded to bytes.
_UNCOMPRESSED, _SLICE_END = b"\x86\x80", b"\xfe\x80"


def _slices(rows: Sequence[bytes]) -> list[bytes]:
    """Return a slice for each block of a grey image; its sides must be multiples of 16 pixels."""
    across, down = len(rows[0]) // _BLOCK, len(rows) // _BLOCK
    width = (across * down - 1).bit_length()
    slices = []
    for number in range(across * down):
        header = _Bits().u(1, int(number == 0), 0).ue(0)
        header = header.u(width, number) if number else header
        header.ue(2, 0)
        top, left = (number // across) * _BLOCK, (number % across) * _BLOCK
        grey = b"".join(row[left : left + _BLOCK] for row in rows[top : top + _BLOCK])
        content = header.finish() + _UNCOMPRESSED + grey + bytes([128]) * (_BLOCK * _BLOCK // 2) + _SLICE_END
        slices.append(_nal_unit(_SLICE, content))
    return slices


def _box(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return pack(">I", len(content) + 8) + kind + content


def _full_box(kind: bytes, *parts: bytes, version: int = 0) -> bytes:
    return _box(kind, pack(">I", version << 24), *parts)


def _decoder_configuration(sets: Sequence[bytes]) -> bytes:
    """Return the hvcC box: the decoder configuration."""
    arrays = b"".join(
        bytes([0x80 | kind, 0, 1]) + pack(">H", len(unit)) + unit
        for kind, unit in zip((_VPS, _SPS, _PPS), sets, strict=True)
    )
    profile = bytes([1, 1]) + pack(">I", 3 << 29) + b"\x90" + bytes(5) + bytes([93])
    return _box(b"hvcC", profile, b"\xf0\x00\xfc\xfd\xf8\xf8\x00\x00\x0f", bytes([len(arrays) and 3]), arrays)


def make_heic(*images: Sequence[bytes], damaged: Sequence[int] = ()) -> bytes:
    """Return a file with these images, the first as primary; `damaged` lists the indexes of damaged ones."""
    item_infos, properties, associations, data, lengths = [], [], [], [], []
    for index, rows in enumerate(images):
        slices = _slices(rows)
        content = b"".join(pack(">I", len(unit)) + unit for unit in slices)
        data.append(b"\xff" * len(content) if index in damaged else content)
        lengths.append(len(content))
        item_infos.append(_full_box(b"infe", pack(">HH", index + 1, 0), b"hvc1\0", version=2))
        size = _full_box(b"ispe", pack(">II", len(rows[0]), len(rows)))
        properties += [_decoder_configuration(_parameter_sets(len(rows[0]), len(rows))), size]
        associations.append(pack(">HBBB", index + 1, 2, 0x80 | (2 * index + 1), 2 * index + 2))
    count = len(images)
    header = _box(b"ftyp", b"heic", bytes(4), b"mif1heic")

    def meta(offsets: Sequence[int]) -> bytes:
        locations = b"".join(
            pack(">HHHII", index + 1, 0, 1, offset, length)
            for index, (offset, length) in enumerate(zip(offsets, lengths, strict=True))
        )
        return _full_box(
            b"meta",
            _full_box(b"hdlr", bytes(4), b"pict", bytes(13)),
            _full_box(b"pitm", pack(">H", 1)),
            _full_box(b"iloc", b"\x44\x00", pack(">H", count), locations),
            _full_box(b"iinf", pack(">H", count), *item_infos),
            _box(b"iprp", _box(b"ipco", *properties), _full_box(b"ipma", pack(">I", count), *associations)),
        )

    first = len(header) + len(meta([0] * count)) + 8
    offsets = [first + sum(lengths[:index]) for index in range(count)]
    return header + meta(offsets) + _box(b"mdat", *data)
