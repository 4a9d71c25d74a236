"""Only PDF pages without a usable text layer are marked as scans."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.errors import Reject
from docyard.model.text.pages import OCR, SCAN, TEXT
from docyard.readers.pdf import reader as pdf
from docyard.readers.pdf.text_quality import count_plausible_characters, is_garbled
from docyard.stages import ocr
from tests.builders.images import LINES, draw_lines
from tests.builders.pdf.pdfs import HEIGHT, WIDTH, make_text_pdf
from tests.builders.scanned_pdfs import make_scan_pdf
from tests.builders.stage_inputs import make_fetched, make_input, make_source

PROSE = [f"Line {line} of a letter that somebody wrote about the harbour and its boats." for line in range(30)]
STAMP = ["Case 4:17-cv-00123 Document 12", "Page 1 of 9"]


def read_source(folder: Path, content: bytes) -> str:
    path = folder / "blob"
    path.write_bytes(content)
    return pdf.read(path, 10).pages[0].source


def test_page_with_text_is_not_a_scan(tmp_path: Path) -> None:
    assert read_source(tmp_path, make_text_pdf(PROSE)) == TEXT
    assert read_source(tmp_path, make_text_pdf(["A short note."])) == TEXT
    assert read_source(tmp_path, make_text_pdf([])) == TEXT, "an empty page needs no OCR"


@pytest.mark.parametrize("stamp", [[], STAMP])
def test_page_image_is_a_scan(tmp_path: Path, stamp: list[str]) -> None:
    assert read_source(tmp_path, make_scan_pdf(draw_lines(), stamp)) == SCAN


def test_image_next_to_text_is_not_a_scan(tmp_path: Path) -> None:
    assert read_source(tmp_path, make_scan_pdf(draw_lines(), STAMP, covering=0.3)) == TEXT
    assert read_source(tmp_path, make_scan_pdf(draw_lines(), PROSE)) == TEXT, "a scan with a text layer"


def test_text_drawn_as_outlines_is_a_scan(tmp_path: Path) -> None:
    assert read_source(tmp_path, make_scan_pdf(draw_lines(), covering=0, outlines=300)) == SCAN
    assert read_source(tmp_path, make_scan_pdf(draw_lines(), covering=0, outlines=3)) == TEXT


@pytest.mark.parametrize("letters", ["E020", "0001", "FFFD"])
def test_page_with_unusable_font_encoding_is_a_scan(tmp_path: Path, letters: str) -> None:
    assert read_source(tmp_path, make_scan_pdf(draw_lines(), PROSE, covering=0, letters=letters)) == SCAN
    assert read_source(tmp_path, make_scan_pdf(draw_lines(), PROSE, covering=0)) == TEXT


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("The harbour master counted the boats and wrote them down. " * 5, False),
        ("Der Hafenmeister zählte die Boote, größere zuerst. " * 5, False),
        ("港の長は船を数えて、それを書き留めた。" * 10, False),
        ("12.50 48.00 3.75 110.20 4.10 95.00 1,250.00 " * 8, False),
        ("\x01\x05\x1f \x11\x03 \x02\x07 abc " * 20, True),
        ("\ue012\ue034 \ue056 word " * 20, True),
        ("7KH KDUERXU PDVWHU FRXQWHG WKH ERDWV DQG ZURWH WKHP GRZQ " * 5, True),
        ("GrÃ¶ÃŸere Boote zuerst, schÃ¶n der Reihe nach, fÃ¼r alle. " * 5, True),
        ("\x01\x02\x03", False),
    ],
)
def test_detects_garbled_text(text: str, broken: bool) -> None:
    assert is_garbled(text) is broken


def test_counts_only_plausible_characters() -> None:
    assert count_plausible_characters("The harbour 12.50") == 15
    assert count_plausible_characters("WKHP GRZQ \ue012\ue013") == 0


def test_ocr_keeps_page_size_of_pdf(tmp_path: Path) -> None:
    image_below_stamp = draw_lines([*[""] * 5, *LINES], (WIDTH * 2, HEIGHT * 2))
    content = make_scan_pdf(image_below_stamp, STAMP[:1])
    found = make_source(tmp_path, content)
    page = pdf.read(found.path, 1).pages[0]
    read = ocr.run(make_input(found, make_fetched("application/pdf"), page)).page
    assert (read.source, read.width, read.height) == (OCR, WIDTH, HEIGHT)
    assert "harbour" in read.text
    assert "00123" in read.text


def test_rejects_missing_page(tmp_path: Path) -> None:
    path = make_source(tmp_path, make_text_pdf(["One"])).path
    with pytest.raises(Reject, match="no page 2"):
        pdf.render_image(path, 2, 800)
