"""Only PDF pages whose text is not what a reader sees are read as pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.errors import Reject
from docyard.model.text.pages import OCR, SCAN, TEXT
from docyard.readers.pdf import reader as pdf
from docyard.readers.pdf.quality import is_broken, worth
from docyard.stages import ocr
from tests.making.given import fetched, given, source
from tests.making.pdf.pdfs import HEIGHT, WIDTH, text_pdf
from tests.making.pictures import LINES, drawn
from tests.making.scans import scan_pdf

PROSE = [
    f"Line {line} of a letter that somebody wrote about the harbour and its boats." for line in range(30)
]
STAMP = ["Case 4:17-cv-00123 Document 12", "Page 1 of 9"]


def source_of(folder: Path, content: bytes) -> str:
    path = folder / "blob"
    path.write_bytes(content)
    return pdf.read(path, 10).pages[0].source


def test_a_page_with_text_is_text(tmp_path: Path) -> None:
    assert source_of(tmp_path, text_pdf(PROSE)) == TEXT
    assert source_of(tmp_path, text_pdf(["A short note."])) == TEXT
    assert source_of(tmp_path, text_pdf([])) == TEXT, "an empty page has nothing to read"


@pytest.mark.parametrize("stamp", [[], STAMP])
def test_a_page_that_is_a_picture_is_a_scan(tmp_path: Path, stamp: list[str]) -> None:
    assert source_of(tmp_path, scan_pdf(drawn(), stamp)) == SCAN


def test_a_picture_beside_text_is_no_scan(tmp_path: Path) -> None:
    assert source_of(tmp_path, scan_pdf(drawn(), STAMP, covering=0.3)) == TEXT
    assert source_of(tmp_path, scan_pdf(drawn(), PROSE)) == TEXT, "a scan that was read before"


def test_letters_drawn_as_shapes_are_a_scan(tmp_path: Path) -> None:
    assert source_of(tmp_path, scan_pdf(drawn(), covering=0, outlines=300)) == SCAN
    assert source_of(tmp_path, scan_pdf(drawn(), covering=0, outlines=3)) == TEXT


@pytest.mark.parametrize("letters", ["E020", "0001", "FFFD"])
def test_a_font_that_hides_its_letters_makes_a_scan(tmp_path: Path, letters: str) -> None:
    assert source_of(tmp_path, scan_pdf(drawn(), PROSE, covering=0, letters=letters)) == SCAN
    assert source_of(tmp_path, scan_pdf(drawn(), PROSE, covering=0)) == TEXT


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
def test_broken_text_is_told_from_sound(text: str, broken: bool) -> None:
    assert is_broken(text) is broken


def test_sound_words_are_worth_more_than_noise() -> None:
    assert worth("The harbour 12.50") == 15
    assert worth("WKHP GRZQ \ue012\ue013") == 0


def test_the_words_of_a_scanned_page_stand_in_its_points(tmp_path: Path) -> None:
    below_the_stamp = drawn([*[""] * 5, *LINES], (WIDTH * 2, HEIGHT * 2))
    content = scan_pdf(below_the_stamp, STAMP[:1])
    found = source(tmp_path, content)
    page = pdf.read(found.path, 1).pages[0]
    read = ocr.run(given(found, fetched("application/pdf"), page)).page
    assert (read.source, read.width, read.height) == (OCR, WIDTH, HEIGHT)
    assert "harbour" in read.text
    assert "00123" in read.text


def test_a_page_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    path = source(tmp_path, text_pdf(["One"])).path
    with pytest.raises(Reject, match="no page 2"):
        pdf.picture(path, 2, 800)
