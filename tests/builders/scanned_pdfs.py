"""Generated PDF files that need OCR: pages that are images, and fonts without a usable encoding."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image

from tests.builders.pdf.pdfs import HEIGHT, WIDTH, _escape, assemble_pdf

_TO_UNICODE = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /X def /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange
3 beginbfrange <20> <3F> <%s> <40> <5F> <%s> <60> <7E> <%s> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end"""


def make_scan_pdf(
    image: Image.Image,
    stamp: Sequence[str] = (),
    *,
    covering: float = 1.0,
    letters: str | None = None,
    outlines: int = 0,
) -> bytes:
    """Return a one-page PDF: an image on the share `covering` of the page, a stamp of text, and outlines.

    With `letters`, a hexadecimal code point, the font maps its glyphs to characters from that one on, so that
    the text of the stamp is wrong.
    """
    file = io.BytesIO()
    image.convert("RGB").save(file, "JPEG", quality=90)
    to_unicode = b"/ToUnicode 7 0 R" if letters else b""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources" % (WIDTH, HEIGHT)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page + b" << /Font << /F1 5 0 R >> /XObject << /Im 6 0 R >> >> >>",
        _stream(b"", _page_content(stamp, covering, outlines)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica %s >>" % to_unicode,
        _stream(
            b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB"
            b" /BitsPerComponent 8 /Filter /DCTDecode" % image.size,
            file.getvalue(),
        ),
        _stream(b"", _TO_UNICODE % (((letters or "0020").encode(),) * 3)),
    ]
    return assemble_pdf(objects)


def _page_content(stamp: Sequence[str], covering: float, outlines: int) -> bytes:
    text = b" T* ".join(b"(%s) Tj" % _escape(line) for line in stamp)
    image = b"q %d 0 0 %d 0 0 cm /Im Do Q " % (WIDTH, HEIGHT * covering) if covering else b""
    shapes = b"".join(b"%d 300 5 9 re f " % (10 + offset) for offset in range(outlines))
    return image + shapes + b"BT /F1 12 Tf 16 TL 72 720 Td %s ET" % text


def _stream(entries: bytes, body: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(body), body)
