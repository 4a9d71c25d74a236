"""Words in Arabic letters are read as they are written, also where one sign of the font is two letters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docyard.model.text.pages import unpack_words
from docyard.readers.pdf import reader as pdf
from tests.making.pdf.pdfs import assembled

SEEN, LAM, ALEF, MEEM = "\u0633", "\u0644", "\u0627", "\u0645"


def arabic_pdf(signs: Sequence[str]) -> bytes:
    """A line of these signs, from left to right as they are seen; each stands for one letter or more."""
    codes = "".join(
        f"<{65 + place:02X}> <{sign.encode('utf-16-be').hex()}>\n" for place, sign in enumerate(signs)
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange {len(signs)} beginbfchar\n{codes}endbfchar\n"
        "endcmap end end"
    ).encode()
    shown = b"BT /F1 24 Tf 72 700 Td (%s) Tj ET" % bytes(range(65, 65 + len(signs)))
    fonts = b"<< /Font << /F1 4 0 R >> >>"
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources %s >>" % fonts,
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
        ]
    )


def read(folder: Path, signs: Sequence[str]) -> str:
    path = folder / "blob.pdf"
    path.write_bytes(arabic_pdf(signs))
    (page,) = pdf.read(path, 10).pages
    (word,) = unpack_words(page.words)
    assert (word.start, word.end) == (0, len(page.text))
    return page.text


def test_a_lam_alef_of_one_sign_is_read_in_order(tmp_path: Path) -> None:
    assert read(tmp_path, [MEEM, LAM + ALEF, SEEN]) == SEEN + LAM + ALEF + MEEM
    assert read(tmp_path, [MEEM, LAM + ALEF, ALEF]) == ALEF + LAM + ALEF + MEEM


def test_an_alef_before_a_lam_stays_where_it_is(tmp_path: Path) -> None:
    assert read(tmp_path, [MEEM, LAM, ALEF]) == ALEF + LAM + MEEM
