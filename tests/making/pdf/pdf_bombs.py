"""PDF files that cost their reader far more than their size: made by code, one for each way."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence

from tests.making.pdf.pdfs import assembled

_SIDE = 35_000
_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def huge_jbig2() -> bytes:
    """A page covered by a black-and-white picture of 35,000 by 35,000 points in a few bytes."""
    # A page without any region: its width, height, no resolution, black unless drawn, no strips.
    information = struct.pack(">IIIIBH", _SIDE, _SIDE, 0, 0, 0x04, 0)
    picture = struct.pack(">IBBBI", 0, 48, 0, 1, len(information)) + information
    shown = (
        f"/Type /XObject /Subtype /Image /Width {_SIDE} /Height {_SIDE} /BitsPerComponent 1 "
        "/ColorSpace /DeviceGray /Filter /JBIG2Decode"
    )
    page = _page(b"<< /XObject << /X 5 0 R >> >>")
    drawn = _stream(b"", b"q 612 0 0 792 0 0 cm /X Do Q")
    return assembled([_CATALOG, _PAGES, page, drawn, _stream(shown.encode(), picture)])


def endless_contents() -> bytes:
    """A page whose contents are the same few bytes 100,000 times."""
    parts = b"[" + b"4 0 R " * 100_000 + b"]"
    return assembled([_CATALOG, _PAGES, _page(contents=parts), _stream(b"", b"BT ET ")])


def inflating_contents() -> bytes:
    """A page whose contents are half a megabyte that becomes 500."""
    packed = zlib.compress(b"0 0 m " * (500 * 1024 * 1024 // 6), 9)
    return assembled([_CATALOG, _PAGES, _page(), _stream(b"/Filter /FlateDecode", packed)])


def circular_pages() -> bytes:
    """A tree of pages that contains itself."""
    loop = b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 1000000 >>"
    return assembled([_CATALOG, loop, _page(), _stream(b"", b"BT ET")])


def forms_within_forms() -> bytes:
    """A drawing that draws two drawings that draw two drawings, thirty deep."""
    depth = 30
    forms = [
        _stream(
            f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
            f"/Resources << /XObject << /X {min(6 + n, 4 + depth)} 0 R >> >>".encode(),
            b"/X Do /X Do",
        )
        for n in range(depth)
    ]
    page = _page(b"<< /XObject << /X 5 0 R >> >>")
    return assembled([_CATALOG, _PAGES, page, _stream(b"", b"/X Do"), *forms])


def _page(resources: bytes = b"<< >>", contents: bytes = b"4 0 R") -> bytes:
    return b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources %s /Contents %s >>" % (
        resources,
        contents,
    )


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


BOMBS: Sequence[Callable[[], bytes]] = (
    huge_jbig2,
    endless_contents,
    inflating_contents,
    circular_pages,
    forms_within_forms,
)
