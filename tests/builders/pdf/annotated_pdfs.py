"""Generated PDF pages with annotations: form fields, typed text, comments, attached files."""

from __future__ import annotations

from collections.abc import Sequence

from tests.builders.pdf.pdfs import HEIGHT, WIDTH, assemble_pdf

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def make_annotated_pdf(
    lines: Sequence[tuple[int, int, str]],
    annotations: Sequence[bytes],
    *,
    fields: bool = False,
    others: Sequence[bytes] = (),
    catalog: bytes = b"",
) -> bytes:
    """Return a PDF of one page with lines at (left, bottom) and annotations.

    The annotations are the objects from number 6 on; the objects `others` follow them.
    """
    content = b"".join(b"BT /F1 12 Tf %d %d Td (%s) Tj ET\n" % (x, y, text.encode()) for x, y, text in lines)
    kids = b" ".join(b"%d 0 R" % (6 + index) for index in range(len(annotations)))
    form = b"/AcroForm << /Fields [%s] /DR << /Font << /F1 4 0 R >> >> >>" % kids if fields else b""
    return assemble_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R %s %s >>" % (form, catalog),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 5 0 R /Annots [%s] "
            b"/Resources << /Font << /F1 4 0 R >> >> >>" % (WIDTH, HEIGHT, kids),
            _FONT,
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            *annotations,
            *others,
        ]
    )


def make_field(left: int, bottom: int, value: str) -> bytes:
    """Return a text field whose value is set but not drawn."""
    return (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /F 4 /T (f%d) /V (%s) /DA (/F1 12 Tf 0 g) "
        b"/Rect [%d %d %d %d] >>" % (left + bottom, value.encode(), left, bottom, left + 200, bottom + 16)
    )


def make_remark(kind: str, words: str, author: str = "", more: str = "") -> bytes:
    """Return an annotation of this subtype, such as a note or a highlight."""
    signed = f"/T ({author}) /M (D:20240305101500Z)" if author else ""
    common = "/Type /Annot /Rect [300 300 320 320]"
    return f"<< {common} /Subtype /{kind} /Contents ({words}) {signed} {more} >>".encode()


def make_file_annotation(name: str, number: int) -> bytes:
    """Return a file attachment annotation; object `number` has the bytes of the file."""
    return (
        b"<< /Type /Annot /Subtype /FileAttachment /Rect [10 10 20 20] /FS << /Type /Filespec /F (%s) "
        b"/EF << /F %d 0 R >> >> >>" % (name.encode(), number)
    )


def make_embedded_file(content: bytes) -> bytes:
    """Return an embedded file stream."""
    return b"<< /Type /EmbeddedFile /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
