"""Generated PDF files: text at known positions on plain, rotated, cropped, broken and encrypted pages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 612, 792
MARGIN, FIRST_BASELINE, LEADING, FONT_SIZE = 72, 720, 16, 12


Box = tuple[int, int, int, int]
# Transforms from the rotated view to the page's own coordinates, shifted down to fit both orientations.
UPRIGHT = {
    0: b"1 0 0 1 0 -200 cm",
    90: b"0 1 -1 0 %d 0 cm 1 0 0 1 0 -200 cm" % WIDTH,
    180: b"-1 0 0 -1 %d %d cm 1 0 0 1 0 -200 cm" % (WIDTH, HEIGHT),
    270: b"0 -1 1 0 0 %d cm 1 0 0 1 0 -200 cm" % HEIGHT,
}


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of text, with its distances from the left and top edges, size and weight."""

    left: float
    top: float
    text: str
    size: float = FONT_SIZE
    bold: bool = False


@dataclass(frozen=True, slots=True)
class PdfPage:
    """Lines of text, the first at the top; `crop` is the visible area as left, bottom, right, top."""

    lines: Sequence[str]
    rotate: int = 0
    crop: Box | None = None
    upright: bool = False  # the text is drawn so that it is upright on the rotated page, as most programs do
    broken: bool = False
    placed_lines: Sequence[PlacedLine] = ()


def make_text_pdf(*pages: Sequence[str], title: str | None = None) -> bytes:
    """Return a PDF with one page for each list of lines."""
    return make_pdf([PdfPage(lines) for lines in pages], title=title)


def make_pdf(
    pages: Sequence[PdfPage], title: str | None = None, *, locked: bool = False, password: str | None = None
) -> bytes:
    """Return a PDF of these pages; `password` encrypts it. With `locked`, no password opens it."""
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _font("Helvetica"),
        _font("Helvetica-Bold"),
    ]
    encryption = _Encryption(password) if password is not None else None
    for index, page in enumerate(pages):
        objects += [_page(page, contents=6 + 2 * index), _contents(page, encryption, number=6 + 2 * index)]
    trailer = f"/Size {len(objects) + 2} /Root 1 0 R"
    if title is not None:
        objects.append(b"<< /Title (%s) >>" % _escape(title))
        trailer += f" /Info {len(objects)} 0 R"
    if encryption:
        trailer += f" /ID [<{'00' * 16}> <{'00' * 16}>] /Encrypt " + encryption.entry()
    if locked:
        trailer += f" /ID [<{'00' * 16}> <{'00' * 16}>] /Encrypt " + _invalid_encryption()
    return assemble_pdf(objects, trailer)


def _page(page: PdfPage, contents: int) -> bytes:
    kind = "/Pagxx" if page.broken else "/Page"
    crop = f"/CropBox [{' '.join(map(str, page.crop))}]" if page.crop else ""
    return (
        f"<< /Type {kind} /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] {crop} /Rotate {page.rotate} "
        f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {contents} 0 R >>"
    ).encode()


def _contents(page: PdfPage, encryption: _Encryption | None, number: int) -> bytes:
    turn = UPRIGHT[page.rotate] if page.upright else b""
    text_operators = b" T* ".join(b"(%s) Tj" % _escape(line) for line in page.lines)
    stream = turn + b" BT /F1 %d Tf %d TL %d %d Td %s ET" % (FONT_SIZE, LEADING, MARGIN, FIRST_BASELINE, text_operators)
    stream += b"".join(
        b" BT /F%d %g Tf %g %g Td (%s) Tj ET"
        % (2 if each.bold else 1, each.size, each.left, HEIGHT - each.top, _escape(each.text))
        for each in page.placed_lines
    )
    stream = encryption.encrypt(stream, number) if encryption else stream
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)


def _font(name: str) -> bytes:
    return b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name.encode()


def _escape(text: str) -> bytes:
    plain = text.encode("cp1252", "replace")
    return plain.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


class _Encryption:
    """The oldest PDF encryption, 40-bit RC4, which PDF libraries still support."""

    _PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")

    def __init__(self, password: str) -> None:
        padded = (password.encode("latin-1") + self._PAD)[:32]
        self._owner = _rc4(_md5(padded)[:5], padded)
        self._key = _md5(padded + self._owner + (-4).to_bytes(4, "little", signed=True) + bytes(16))[:5]

    def entry(self) -> str:
        user = _rc4(self._key, self._PAD)
        return f"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <{self._owner.hex()}> /U <{user.hex()}> >>"

    def encrypt(self, stream: bytes, number: int) -> bytes:
        return _rc4(_md5(self._key + number.to_bytes(3, "little") + bytes(2))[:10], stream)


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _invalid_encryption() -> str:
    return f"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <{'5a' * 32}> /U <{'a5' * 32}> >>"


def assemble_pdf(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """Return a PDF file of these objects, numbered from 1; by default the first is the catalog."""
    trailer = trailer or f"/Size {len(objects) + 1} /Root 1 0 R"
    body = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    body += b"trailer\n<< %s >>\nstartxref\n%d\n%%%%EOF\n" % (trailer.encode(), start)
    return bytes(body)
