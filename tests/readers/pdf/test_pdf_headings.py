"""Headings of PDF pages, and lines that only look like headings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.pages import Page
from docyard.readers.pdf import reader as pdf
from tests.builders.pdf.pdfs import PdfPage, PlacedLine, make_pdf

PROSE = "Plain words run along the line as far as the margin lets them go"


def prose(top: float, lines: int = 4, left: float = 72) -> list[PlacedLine]:
    return [PlacedLine(left, top + 15 * number, PROSE) for number in range(lines)]


def read(folder: Path, *pages: Sequence[PlacedLine]) -> tuple[Page, ...]:
    path = folder / "blob.pdf"
    path.write_bytes(make_pdf([PdfPage([], placed_lines=placed) for placed in pages]))
    return pdf.read(path, 100).pages


def find_blocks(pages: Sequence[Page], kind: str) -> list[tuple[str, int]]:
    return [
        (page.text[block.start : block.end], block.level)
        for page in pages
        for block in unpack_blocks(page.blocks)
        if block.kind == kind
    ]


def headings(pages: Sequence[Page]) -> list[str]:
    return [words for words, _ in find_blocks(pages, "heading")]


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
def test_finds_headings_in_body_font(tmp_path: Path, line: str) -> None:
    pages = read(tmp_path, [*prose(100), PlacedLine(72, 190, line), *prose(212), *prose(300)])
    assert headings(pages) == [line]


def test_finds_short_heading_without_space_below(tmp_path: Path) -> None:
    pages = read(tmp_path, [*prose(100), PlacedLine(72, 190, "Elastic Stop Nut"), *prose(205), *prose(300)])
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
def test_ignores_other_short_lines_above_text(tmp_path: Path, line: str) -> None:
    assert headings(read(tmp_path, [*prose(100), PlacedLine(72, 190, line), *prose(205), *prose(300)])) == []


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
def test_ignores_large_text_that_is_not_a_heading(tmp_path: Path, line: str) -> None:
    assert headings(read(tmp_path, [*prose(100), PlacedLine(72, 190, line, 18), *prose(220)])) == []


def test_ignores_capitalised_list_items(tmp_path: Path) -> None:
    items = [
        placed
        for number in range(1, 4)
        for placed in (PlacedLine(72, 150 + 60 * number, f"{number}. Anchor Chain {PROSE}"),)
    ]
    short = PlacedLine(72, 180, "1. Mooring Rope")
    assert headings(read(tmp_path, [*prose(100), short, *items])) == []


def test_ignores_labels_side_by_side_in_forms(tmp_path: Path) -> None:
    labels = [
        PlacedLine(left, 200 + 40 * row, text, 12, bold=True)
        for row, pair in enumerate([("Ship", "Berth"), ("Captain", "Pilot")])
        for left, text in zip((72, 320), pair, strict=True)
    ]
    below = PlacedLine(72, 213, "and flag", 12, bold=True)
    assert headings(read(tmp_path, [*prose(100), *labels[:2], below, *labels[2:], *prose(320, 8)])) == []


def test_finds_title_next_to_small_print(tmp_path: Path) -> None:
    small = [PlacedLine(420, 60 + 11 * row, "Harbour Road 7", 9) for row in range(4)]
    title = PlacedLine(72, 85, "Invoice 2026-0008", 24)
    for order in ([*small, title], [title, *small]):
        pages = read(tmp_path, [*order, *prose(150)])
        assert "Invoice 2026-0008" in headings(pages)


def test_finds_heading_with_separate_number(tmp_path: Path) -> None:
    parts = [PlacedLine(72, 190, "2.1", 12, bold=True), PlacedLine(110, 190, "Mooring lines", 12, bold=True)]
    assert find_blocks(read(tmp_path, [*prose(100), *parts, *prose(215)]), "heading") == [("2.1 Mooring lines", 2)]


def test_separates_bold_heading_from_bold_line_after_gap(tmp_path: Path) -> None:
    """The gap separates them although most gaps are as wide: nearly every line is a paragraph."""
    lines = [PlacedLine(72, 250 + 26 * number, f"{PROSE[:30]} {number}") for number in range(9)]
    bold = [
        PlacedLine(72, 190, "DEFINITIONS", 12, bold=True),
        PlacedLine(72, 216, "The following meanings shall apply to this whole agreement:", 12, bold=True),
    ]
    assert headings(read(tmp_path, [*prose(100), *bold, *lines])) == ["DEFINITIONS"]


def test_finds_footers_by_page_number(tmp_path: Path) -> None:
    names = ["The Case", "The Case", "The Board", "The Keys"]
    layouts = [
        [*prose(100, 9), PlacedLine(72, 770, f"{number + 5} Chapter {number}. {name}", 15, bold=True)]
        for number, name in enumerate(names, start=1)
    ]
    pages = read(tmp_path, *layouts)
    assert headings(pages) == []
    assert find_blocks(pages, "footer")[0] == ("6 Chapter 1. The Case", 0)


def test_ignores_line_stamped_on_many_pages(tmp_path: Path) -> None:
    layouts = [
        [*prose(200), PlacedLine(250, 330, "EXECUTION COPY"), *prose(356, 4), *prose(450 + 7 * number)]
        for number in range(3)
    ]
    assert headings(read(tmp_path, *layouts[:2])) == ["EXECUTION COPY"] * 2
    assert headings(read(tmp_path, *layouts)) == []


def test_ignores_large_line_at_same_position_on_many_pages(tmp_path: Path) -> None:
    def page_with_line(top: float) -> list[PlacedLine]:
        return [PlacedLine(450, top, "Shift work", 16), *prose(200 + top, 9)]

    assert headings(read(tmp_path, *[page_with_line(150)] * 3)) == []
    assert headings(read(tmp_path, page_with_line(150), page_with_line(180), page_with_line(210))) == ["Shift work"] * 3


def test_ignores_labels_of_drawing(tmp_path: Path) -> None:
    labels = [PlacedLine(80, 60 + 45 * n, f"Valve {chr(97 + n)} outlet", 16 + 8 * (n % 2)) for n in range(15)]
    assert headings(read(tmp_path, labels, prose(100, 40))) == []
