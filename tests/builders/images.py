"""Generated images of text: lines at known positions, encoded in various formats."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

SIZE = (900, 500)
FONT_SIZE, LEADING, MARGIN = 32, 56, 60
LINES = ("The harbour master signed", "invoice number 20417 on Monday", "and paid 1,250.00 in cash")


def draw_lines(lines: Sequence[str] = LINES, size: tuple[int, int] = SIZE) -> Image.Image:
    """Return an image of lines of text in black on white, the first at the top."""
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    for row, line in enumerate(lines):
        pen.text((MARGIN, MARGIN + row * LEADING), line, "black", ImageFont.load_default(FONT_SIZE))
    return image


def draw_columns(left: Sequence[str], right: Sequence[str], headline: str) -> Image.Image:
    """Return an image of a headline above two columns of text."""
    image = Image.new("RGB", (1100, 160 + LEADING * len(left)), "white")
    pen = ImageDraw.Draw(image)
    pen.text((MARGIN, 30), headline, "black", ImageFont.load_default(44))
    for left_edge, lines in ((MARGIN, left), (600, right)):
        for row, line in enumerate(lines):
            pen.text((left_edge, 120 + row * LEADING), line, "black", ImageFont.load_default(24))
    return image


def encode_image(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    """Return the image encoded in this format."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def encode_tiff(*images: Image.Image, compression: str = "tiff_lzw") -> bytes:
    """Return a TIFF with one page per image."""
    return encode_image(images[0], "TIFF", save_all=True, append_images=list(images[1:]), compression=compression)


def make_png_header(width: int, height: int) -> bytes:
    """Return a PNG of a few bytes whose header specifies this size."""
    return _make_png(struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), bytes(1000))


def make_empty_png(side: int) -> bytes:
    """Return a black-and-white PNG, small as a file, that needs a byte for each pixel in memory."""
    return _make_png(struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0), bytes((side // 8 + 1) * side))


def _make_png(header: bytes, pixels: bytes) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    body = zlib.compress(pixels, 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def make_tiff(compression: int) -> bytes:
    """Return a TIFF whose only page claims to be compressed with this method."""
    made = bytearray(encode_tiff(Image.new("L", (8, 8)), compression="tiff_adobe_deflate"))
    (directory,) = struct.unpack_from("<I", made, 4)
    (count,) = struct.unpack_from("<H", made, directory)
    for offset in range(directory + 2, directory + 2 + 12 * count, 12):
        if struct.unpack_from("<H", made, offset) == (259,):
            struct.pack_into("<H", made, offset + 8, compression)
    return bytes(made)


def make_webp_header(side: int) -> bytes:
    """Return a WebP file that ends after the header, which specifies this size."""
    size = side - 1 | side - 1 << 14
    return b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8L" + struct.pack("<IBI", 9, 0x2F, size) + bytes(4)
