"""Memory that the decoders of WebP, AVIF and JPEG 2000 will need, which report a lack of it as damage."""

from __future__ import annotations

import re
import struct
from pathlib import Path

_MAX_HEADER_BYTES = 1 << 16
_WEBP_BYTES_PER_PIXEL = 12  # two canvases and a frame, before Pillow has the image
_AVIF_BYTES_PER_PIXEL = 8
_JP2_BYTES_PER_SAMPLE = 5  # a tile is decoded to four bytes per sample, then copied to one
_JP2_SIZE = re.compile(rb"\xff\x4f\xff\x51.{4}(.{34})", re.DOTALL)
_AVIF_SIZE = re.compile(rb"ispe\x00{4}(.{8})", re.DOTALL)


def estimate_bytes(path: Path) -> int:
    """Return the estimated peak in bytes, or 0 for other formats and damaged headers."""
    with path.open("rb") as file:
        head = file.read(_MAX_HEADER_BYTES)
    try:
        if head[8:12] == b"WEBP":
            return _WEBP_BYTES_PER_PIXEL * _count_webp_pixels(head)
        if head[4:12] == b"ftypavif":
            sizes = (struct.unpack(">II", found[1]) for found in _AVIF_SIZE.finditer(head))
            return _AVIF_BYTES_PER_PIXEL * max((width * height for width, height in sizes), default=0)
        if found := _JP2_SIZE.search(head):
            return _estimate_jp2_bytes(found[1])
    except struct.error:
        pass
    return 0


def _count_webp_pixels(head: bytes) -> int:
    match head[12:16]:
        case b"VP8X":
            width, height = int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", head, 21)
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case _:
            width, height = (size & 0x3FFF for size in struct.unpack_from("<HH", head, 26))
    return width * height


def _estimate_jp2_bytes(size: bytes) -> int:
    sizes: tuple[int, ...] = struct.unpack(">6I8xH", size)
    right, bottom, left, top, tile_width, tile_height, components = sizes
    width, height = max(right - left, 0), max(bottom - top, 0)
    tile = min(tile_width, width) * min(tile_height, height)
    return tile * components * _JP2_BYTES_PER_SAMPLE + width * height * 4
