"""PDF pages that people have worked on: fields filled in, text typed over them, remarks, files pinned."""

from __future__ import annotations

from collections.abc import Sequence

from tests.making.pdf.pdfs import HEIGHT, WIDTH, assembled

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def annotated_pdf(
    lines: Sequence[tuple[int, int, str]],
    annotations: Sequence[bytes],
    *,
    fields: bool = False,
    others: Sequence[bytes] = (),
    catalog: bytes = b"",
) -> bytes:
    """A page of lines at (left, up) with these annotations, numbered from 6, and other objects after them."""
    drawn = b"".join(b"BT /F1 12 Tf %d %d Td (%s) Tj ET\n" % (x, y, text.encode()) for x, y, text in lines)
    kids = b" ".join(b"%d 0 R" % (6 + place) for place in range(len(annotations)))
    form = b"/AcroForm << /Fields [%s] /DR << /Font << /F1 4 0 R >> >> >>" % kids if fields else b""
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R %s %s >>" % (form, catalog),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 5 0 R /Annots [%s] "
            b"/Resources << /Font << /F1 4 0 R >> >> >>" % (WIDTH, HEIGHT, kids),
            _FONT,
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
            *annotations,
            *others,
        ]
    )


def field(left: int, bottom: int, value: str) -> bytes:
    """A field of text that some program filled in, without drawing it."""
    return (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /F 4 /T (f%d) /V (%s) /DA (/F1 12 Tf 0 g) "
        b"/Rect [%d %d %d %d] >>" % (left + bottom, value.encode(), left, bottom, left + 200, bottom + 16)
    )


def remark(kind: str, words: str, author: str = "", more: str = "") -> bytes:
    """What somebody put onto the page, written as a note, a highlight or another kind."""
    signed = f"/T ({author}) /M (D:20240305101500Z)" if author else ""
    place = "/Type /Annot /Rect [300 300 320 320]"
    return f"<< {place} /Subtype /{kind} /Contents ({words}) {signed} {more} >>".encode()


def pinned(name: str, number: int) -> bytes:
    """A file pinned to the page, whose bytes are the object of that number."""
    return (
        b"<< /Type /Annot /Subtype /FileAttachment /Rect [10 10 20 20] /FS << /Type /Filespec /F (%s) "
        b"/EF << /F %d 0 R >> >> >>" % (name.encode(), number)
    )


def embedded(content: bytes) -> bytes:
    """The bytes of a file."""
    return b"<< /Type /EmbeddedFile /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
