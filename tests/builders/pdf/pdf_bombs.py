"""Generated PDF files that take far more time or memory to read than their size suggests."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence

from tests.builders.pdf.pdfs import assemble_pdf

_SIDE = 35_000
_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def huge_jbig2() -> bytes:
    """Return a page covered by a bilevel image of 35,000 × 35,000 pixels in a few bytes."""
    # A page without regions: width, height, no resolution, black by default, not striped.
    page_info = struct.pack(">IIIIBH", _SIDE, _SIDE, 0, 0, 0x04, 0)
    data = struct.pack(">IBBBI", 0, 48, 0, 1, len(page_info)) + page_info
    entries = (
        f"/Type /XObject /Subtype /Image /Width {_SIDE} /Height {_SIDE} /BitsPerComponent 1 "
        "/ColorSpace /DeviceGray /Filter /JBIG2Decode"
    )
    page = _page(b"<< /XObject << /X 5 0 R >> >>")
    content = _stream(b"", b"q 612 0 0 792 0 0 cm /X Do Q")
    return assemble_pdf([_CATALOG, _PAGES, page, content, _stream(entries.encode(), data)])


def endless_contents() -> bytes:
    """Return a page whose contents repeat the same few bytes 100,000 times."""
    parts = b"[" + b"4 0 R " * 100_000 + b"]"
    return assemble_pdf([_CATALOG, _PAGES, _page(contents=parts), _stream(b"", b"BT ET ")])


def inflating_contents() -> bytes:
    """Return a page whose contents unpack from half a megabyte to 500 megabytes."""
    packed = zlib.compress(b"0 0 m " * (500 * 1024 * 1024 // 6), 9)
    return assemble_pdf([_CATALOG, _PAGES, _page(), _stream(b"/Filter /FlateDecode", packed)])


def circular_pages() -> bytes:
    """Return a page tree that contains itself."""
    loop = b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 1000000 >>"
    return assemble_pdf([_CATALOG, loop, _page(), _stream(b"", b"BT ET")])


def forms_within_forms() -> bytes:
    """Return a page with forms that each draw the next form twice, thirty levels deep."""
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
    return assemble_pdf([_CATALOG, _PAGES, page, _stream(b"", b"/X Do"), *forms])


def _page(resources: bytes = b"<< >>", contents: bytes = b"4 0 R") -> bytes:
    return b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources %s /Contents %s >>" % (resources, contents)


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


BOMBS: Sequence[Callable[[], bytes]] = (
    huge_jbig2,
    endless_contents,
    inflating_contents,
    circular_pages,
    forms_within_forms,
)
