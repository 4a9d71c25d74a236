"""Which lines of a PDF page are headings, and which only look like some."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.pages import Page
from docyard.readers.pdf import reader as pdf
from tests.making.pdf.pdfs import PdfPage, Placed, make_pdf

PROSE = "Plain words run along the line as far as the margin lets them go"


def prose(top: float, lines: int = 4, left: float = 72) -> list[Placed]:
    return [Placed(left, top + 15 * number, PROSE) for number in range(lines)]


def read(folder: Path, *pages: Sequence[Placed]) -> tuple[Page, ...]:
    path = folder / "blob.pdf"
    path.write_bytes(make_pdf([PdfPage([], placed=placed) for placed in pages]))
    return pdf.read(path, 100).pages


def kind(pages: Sequence[Page], what: str) -> list[tuple[str, int]]:
    return [
        (page.text[block.start : block.end], block.level)
        for page in pages
        for block in unpack_blocks(page.blocks)
        if block.kind == what
    ]


def headings(pages: Sequence[Page]) -> list[str]:
    return [words for words, _ in kind(pages, "heading")]


@pytest.mark.parametrize(
    "line",
    [
        "GENERAL TERMS",
        "RECITALS:",
        "4. Limitation of Liability.",
        "Section 7. Term and Removal of the Keeper.",
        "Elastic Stop Nut",
        "Method",
        "B. The Standard of Review",
    ],
)
def test_a_line_in_the_letters_of_the_text_that_stands_above_it(tmp_path: Path, line: str) -> None:
    pages = read(tmp_path, [*prose(100), Placed(72, 190, line), *prose(212), *prose(300)])
    assert headings(pages) == [line]


def test_such_a_line_needs_no_room_below_where_it_ends_early(tmp_path: Path) -> None:
    pages = read(tmp_path, [*prose(100), Placed(72, 190, "Elastic Stop Nut"), *prose(205), *prose(300)])
    assert headings(pages) == ["Elastic Stop Nut"]


@pytest.mark.parametrize(
    "line",
    [
        "Dear Mr. Harbour,",
        "so the matter rests",
        "Name: Paul Keeper",
        "Figure 7. Locking Nut",
        "November 15, 2026",
        "It was over.",
        "THUS IT IS ORDERED THAT:",
        "Telephone 604-632-1730 12",
        "keeper@harbour.example",
    ],
)
def test_other_short_lines_above_the_text_are_none(tmp_path: Path, line: str) -> None:
    assert headings(read(tmp_path, [*prose(100), Placed(72, 190, line), *prose(205), *prose(300)])) == []


@pytest.mark.parametrize(
    "line",
    [
        "October 14, 1998",
        "14. Oktober 1998",
        "20.06.2023",
        "Table 3",
        "Abb. 4 Schnitt",
        "of the harbour",
        "(hereinafter called the Keeper)",
        "Reproduced with the permission of its owner, and not without.",
        "C16 100nf",
    ],
)
def test_large_letters_alone_make_no_heading(tmp_path: Path, line: str) -> None:
    assert headings(read(tmp_path, [*prose(100), Placed(72, 190, line, 18), *prose(220)])) == []


def test_items_of_a_list_are_none_though_they_are_titles(tmp_path: Path) -> None:
    items = [
        placed
        for number in range(1, 4)
        for placed in (Placed(72, 150 + 60 * number, f"{number}. Anchor Chain {PROSE}"),)
    ]
    short = Placed(72, 180, "1. Mooring Rope")
    assert headings(read(tmp_path, [*prose(100), short, *items])) == []


def test_what_stands_side_by_side_is_a_form_and_no_heading(tmp_path: Path) -> None:
    labels = [
        Placed(left, 200 + 40 * row, text, 12, bold=True)
        for row, pair in enumerate([("Ship", "Berth"), ("Captain", "Pilot")])
        for left, text in zip((72, 320), pair, strict=True)
    ]
    below = Placed(72, 213, "and flag", 12, bold=True)
    assert headings(read(tmp_path, [*prose(100), *labels[:2], below, *labels[2:], *prose(320, 8)])) == []


def test_a_title_with_small_print_beside_it_is_one(tmp_path: Path) -> None:
    small = [Placed(420, 60 + 11 * row, "Harbour Road 7", 9) for row in range(4)]
    title = Placed(72, 85, "Invoice 2026-0008", 24)
    for order in ([*small, title], [title, *small]):
        pages = read(tmp_path, [*order, *prose(150)])
        assert "Invoice 2026-0008" in headings(pages)


def test_the_number_of_a_heading_may_stand_apart(tmp_path: Path) -> None:
    parts = [Placed(72, 190, "2.1", 12, bold=True), Placed(110, 190, "Mooring lines", 12, bold=True)]
    assert kind(read(tmp_path, [*prose(100), *parts, *prose(215)]), "heading") == [("2.1 Mooring lines", 2)]


def test_a_bold_heading_keeps_apart_from_the_bold_line_after_a_gap(tmp_path: Path) -> None:
    """Also where nearly every line is a paragraph, so that the gap between those is the usual one."""
    lines = [Placed(72, 250 + 26 * number, f"{PROSE[:30]} {number}") for number in range(9)]
    bold = [
        Placed(72, 190, "DEFINITIONS", 12, bold=True),
        Placed(72, 216, "The following meanings shall apply to this whole agreement:", 12, bold=True),
    ]
    assert headings(read(tmp_path, [*prose(100), *bold, *lines])) == ["DEFINITIONS"]


def test_lines_with_the_number_of_the_page_are_footers_whatever_their_words(tmp_path: Path) -> None:
    names = ["The Case", "The Case", "The Board", "The Keys"]
    sheets = [
        [*prose(100, 9), Placed(72, 770, f"{number + 5} Chapter {number}. {name}", 15, bold=True)]
        for number, name in enumerate(names, start=1)
    ]
    pages = read(tmp_path, *sheets)
    assert headings(pages) == []
    assert kind(pages, "footer")[0] == ("6 Chapter 1. The Case", 0)


def test_a_line_stamped_on_many_pages_is_none(tmp_path: Path) -> None:
    sheets = [
        [*prose(200), Placed(250, 330, "EXECUTION COPY"), *prose(356, 4), *prose(450 + 7 * number)]
        for number in range(3)
    ]
    assert headings(read(tmp_path, *sheets[:2])) == ["EXECUTION COPY"] * 2
    assert headings(read(tmp_path, *sheets)) == []


def test_a_large_line_at_one_place_of_many_pages_is_none(tmp_path: Path) -> None:
    def sheet(top: float) -> list[Placed]:
        return [Placed(450, top, "Shift work", 16), *prose(200 + top, 9)]

    assert headings(read(tmp_path, *[sheet(150)] * 3)) == []
    assert headings(read(tmp_path, sheet(150), sheet(180), sheet(210))) == ["Shift work"] * 3


def test_labels_of_a_drawing_are_none(tmp_path: Path) -> None:
    labels = [Placed(80, 60 + 45 * n, f"Valve {chr(97 + n)} outlet", 16 + 8 * (n % 2)) for n in range(15)]
    assert headings(read(tmp_path, labels, prose(100, 40))) == []
