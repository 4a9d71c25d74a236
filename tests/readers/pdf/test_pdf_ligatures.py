"""Arabic words are read in logical order, even if one glyph represents two characters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docyard.model.text.pages import unpack_words
from docyard.readers.pdf import reader as pdf
from tests.builders.pdf.pdfs import assemble_pdf

SEEN, LAM, ALEF, MEEM = "\u0633", "\u0644", "\u0627", "\u0645"


def arabic_pdf(glyphs: Sequence[str]) -> bytes:
    """Return a PDF with one line of glyphs, left to right as displayed; each maps to its characters."""
    codes = "".join(f"<{65 + index:02X}> <{glyph.encode('utf-16-be').hex()}>\n" for index, glyph in enumerate(glyphs))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange {len(glyphs)} beginbfchar\n{codes}endbfchar\n"
        "endcmap end end"
    ).encode()
    content = b"BT /F1 24 Tf 72 700 Td (%s) Tj ET" % bytes(range(65, 65 + len(glyphs)))
    fonts = b"<< /Font << /F1 4 0 R >> >>"
    return assemble_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources %s >>" % fonts,
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
        ]
    )


def read(folder: Path, glyphs: Sequence[str]) -> str:
    path = folder / "blob.pdf"
    path.write_bytes(arabic_pdf(glyphs))
    (page,) = pdf.read(path, 10).pages
    (word,) = unpack_words(page.words)
    assert (word.start, word.end) == (0, len(page.text))
    return page.text


def test_reads_lam_alef_ligature_in_logical_order(tmp_path: Path) -> None:
    assert read(tmp_path, [MEEM, LAM + ALEF, SEEN]) == SEEN + LAM + ALEF + MEEM
    assert read(tmp_path, [MEEM, LAM + ALEF, ALEF]) == ALEF + LAM + ALEF + MEEM


def test_keeps_alef_before_lam(tmp_path: Path) -> None:
    assert read(tmp_path, [MEEM, LAM, ALEF]) == ALEF + LAM + MEEM
