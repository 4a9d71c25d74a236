"""Layout of PDF pages: columns, headings, tables, lists, headers and footers."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docyard.model.text.blocks import Block, unpack_blocks
from docyard.model.text.markdown import document_markdown, page_markdown
from docyard.model.text.pages import Page, unpack_words
from docyard.readers.pdf import reader as pdf
from docyard.readers.pdf.text_runs import MAX_RUNS
from tests.builders.pdf.pdfs import PdfPage, PlacedLine, make_pdf

LEFT = [f"The left column has line {number} of its own" for number in range(12)]
RIGHT = [f"and the right one says other things {number}" for number in range(12)]


def read(folder: Path, *pages: list[PlacedLine]) -> tuple[Page, ...]:
    path = folder / "blob.pdf"
    path.write_bytes(make_pdf([PdfPage([], placed_lines=placed) for placed in pages]))
    return pdf.read(path, 100).pages


def outer_blocks(page: Page) -> list[tuple[str, str]]:
    return [
        (block.kind, page.text[block.start : block.end])
        for block in unpack_blocks(page.blocks)
        if block.kind not in ("row", "cell")
    ]


def prose(top: float, lines: int, left: float = 72) -> list[PlacedLine]:
    words = "Plain words run along the line as far as the margin lets them go"
    return [PlacedLine(left, top + 15 * number, words) for number in range(lines)]


def across(left: list[str], right: list[str], top: float = 200) -> list[PlacedLine]:
    """Return two columns as some programs write them: line by line across both columns."""
    found = []
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        found += [PlacedLine(60, top + 14 * number, one, 10), PlacedLine(330, top + 14 * number, other, 10)]
    return found


def test_reads_columns_in_sequence(tmp_path: Path) -> None:
    title = PlacedLine(60, 150, "A heading that reaches across both columns of this page", 16, bold=True)
    (page,) = read(tmp_path, [title, *across(LEFT, RIGHT)])
    assert page.text.split() == " ".join([title.text, *LEFT, *RIGHT]).split()
    words = list(unpack_words(page.words))
    assert [page.text[word.start : word.end] for word in words] == page.text.split()
    by_text = {page.text[word.start : word.end]: word for word in words}
    assert by_text["left"].left < 330 < by_text["right"].left
    assert words[len(title.text.split())].top < words[-1].top  # boxes move with their words


def test_keeps_columns_that_are_already_in_order(tmp_path: Path) -> None:
    lines = across(LEFT, RIGHT)
    (page,) = read(tmp_path, lines[::2] + lines[1::2])
    assert page.text.split() == " ".join([*LEFT, *RIGHT]).split()


def test_table_is_not_read_as_columns(tmp_path: Path) -> None:
    rows = [("Item", "Count", "Price"), ("Rope, blue", "12", "3.50"), ("Anchor", "1", "420.00"), ("Oil", "7", "9.99")]
    cells = [
        PlacedLine(left, 300 + 16 * number, text)
        for number, row in enumerate(rows)
        for left, text in zip((72, 250, 400), row, strict=True)
    ]
    (page,) = read(tmp_path, [*prose(100, 5), *cells, *prose(500, 3)])
    assert [kind for kind, _ in outer_blocks(page)] == ["paragraph", "table", "paragraph"]
    lines = page_markdown(page).splitlines()
    at = lines.index("| Item | Count | Price |")
    assert lines[at + 1 : at + 5] == [
        "| --- | --- | --- |",
        "| Rope, blue | 12 | 3.50 |",
        "| Anchor | 1 | 420.00 |",
        "| Oil | 7 | 9.99 |",
    ]


def test_joins_lines_of_one_cell(tmp_path: Path) -> None:
    cells = []
    for number, name in enumerate(["Rope", "Anchor", "Oil", "Paint"]):
        top = 200 + 40 * number
        cells += [
            PlacedLine(72, top, name),
            PlacedLine(250, top, "kept in the"),
            PlacedLine(250, top + 13, "upper store"),
            PlacedLine(420, top, "12"),
        ]
    (page,) = read(tmp_path, cells)
    assert "| Anchor | kept in the upper store | 12 |" in page_markdown(page).splitlines()


def test_list_is_not_a_table(tmp_path: Path) -> None:
    items = [
        placed
        for number in range(6)
        for placed in (
            PlacedLine(72, 200 + 16 * number, "•"),
            PlacedLine(100, 200 + 16 * number, f"point {number} of the list"),
        )
    ]
    (page,) = read(tmp_path, items)
    assert [kind for kind, _ in outer_blocks(page)] == ["item"] * 6
    assert page_markdown(page).splitlines()[2] == "- point 2 of the list"


def test_finds_headings_by_size_and_weight(tmp_path: Path) -> None:
    (page,) = read(
        tmp_path,
        [
            PlacedLine(72, 80, "The largest", 24),
            *prose(130, 6),
            PlacedLine(72, 250, "A smaller one", 16),
            *prose(280, 6),
            PlacedLine(72, 400, "Only bold", 12, bold=True),
            *prose(430, 6),
        ],
    )
    assert [
        (page.text[block.start : block.end], block.level)
        for block in unpack_blocks(page.blocks)
        if block.kind == "heading"
    ] == [("The largest", 1), ("A smaller one", 2), ("Only bold", 3)]
    assert page_markdown(page).startswith("# The largest\n\nPlain words run")


def test_keeps_repeated_labels_as_text(tmp_path: Path) -> None:
    labels = ([PlacedLine(72, 40, f"Parcel {number} of 4"), PlacedLine(72, 60, "To: Ann")] for number in range(1, 5))
    found = read(tmp_path, *labels)
    assert all(kind not in ("header", "footer") for page in found for kind, _ in outer_blocks(page))
    assert "Parcel 3 of 4" in page_markdown(found[2])


def test_finds_repeated_headers_and_footers(tmp_path: Path) -> None:
    layouts = [
        [PlacedLine(72, 40, "Annual report"), *prose(150 + number, 4), PlacedLine(300, 770, f"Page {number} of 5")]
        for number in range(1, 6)
    ]
    pages = read(tmp_path, *layouts)
    for number, page in enumerate(pages, start=1):
        assert outer_blocks(page)[0] == ("header", "Annual report")
        assert outer_blocks(page)[-1] == ("footer", f"Page {number} of 5")
    assert "Annual report" not in page_markdown(pages[1])
    shown = document_markdown(pages)
    assert shown.count("Annual report") == 1
    assert "of 5" not in shown
    assert "Plain words" in shown


def test_hyphenated_word_has_two_boxes(tmp_path: Path) -> None:
    (page,) = read(tmp_path, [PlacedLine(72, 100, "a long com-"), PlacedLine(72, 115, "pound word here")])
    assert page.text == "a long com-\npound word here"
    heights = [word.bottom - word.top for word in unpack_words(page.words)]
    assert max(heights) < 1.5 * min(heights)
    assert page_markdown(page) == "a long compound word here"


def test_blocks_cover_text_in_order(tmp_path: Path) -> None:
    (page,) = read(tmp_path, [*prose(100, 5), *across(LEFT, RIGHT), PlacedLine(72, 700, "The end", 18)])
    blocks = [block for block in unpack_blocks(page.blocks) if block.kind not in ("row", "cell")]
    ends = [0, *(block.end for block in blocks)]
    gaps = [page.text[end : block.start] for end, block in zip(ends, blocks, strict=False)]
    assert not "".join(gaps).strip()
    assert blocks[-1].end == len(page.text.rstrip())
    assert all(isinstance(block, Block) for block in blocks)


def test_reads_page_with_too_many_text_runs_without_blocks(tmp_path: Path) -> None:
    many = [PlacedLine(20 + 9 * (n % 60), 20 + 3 * (n // 60), "x", 2) for n in range(MAX_RUNS + 200)]
    (page,) = read(tmp_path, many)
    assert page.text.count("x") == len(many)
    assert page.blocks == b""


placed_lines = st.builds(
    PlacedLine,
    st.integers(0, 560),
    st.integers(20, 780),
    st.lists(st.sampled_from(["a", "words", "12.50", "•", "1.", "Longer-word", "x-"]), min_size=1, max_size=9).map(
        " ".join
    ),
    st.sampled_from([6, 10, 10, 10, 14, 30]),
    st.booleans(),
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(placed_lines, max_size=40), min_size=1, max_size=4))
def test_any_layout_keeps_all_text(tmp_path: Path, layouts: list[list[PlacedLine]]) -> None:
    pages = list(read(tmp_path, *layouts))
    assert len(pages) == len(layouts)
    for page in pages:
        words = list(unpack_words(page.words))
        assert [page.text[word.start : word.end] for word in words] == page.text.split()
        blocks = list(unpack_blocks(page.blocks))
        outer = [block for block in blocks if block.kind not in ("row", "cell")]
        covered = " ".join(page.text[block.start : block.end] for block in outer)
        assert covered.split() == page.text.split() or not blocks
        assert all(before.end <= after.start for before, after in pairwise(outer))
        cells = [block for block in blocks if block.kind == "cell"]
        tables = "".join(page.text[block.start : block.end] for block in outer if block.kind == "table")
        in_cells = "".join(page.text[block.start : block.end] for block in cells)
        assert Counter("".join(in_cells.split())) == Counter("".join(tables.split()))


def test_body_text_is_not_a_heading_if_notes_are_longer(tmp_path: Path) -> None:
    notes = [PlacedLine(72, 400 + 11 * n, "and the notes below it go on for many more lines", 8) for n in range(30)]
    spaced = [PlacedLine(72, 80 + 30 * n, "Text in a larger size, line by line", 12) for n in range(9)]
    (page,) = read(tmp_path, [PlacedLine(72, 40, "The only one", 18), *spaced, *notes])
    assert [words for kind, words in outer_blocks(page) if kind == "heading"] == ["The only one"]


def test_justified_text_is_not_a_table(tmp_path: Path) -> None:
    """Justified text has wide gaps, a few of which align by chance."""
    words = ["justified", "lines", "stretch", "their", "spaces", "until", "both", "edges", "meet"]
    lines = []
    for row in range(5):
        left = 60.0
        for number, word in enumerate(words[row:] + words[:row]):
            lines.append(PlacedLine(left, 200 + 14 * row, word, 10))
            left += 5 * len(word) + 14 + (row * 7 + number * 5) % 6
    (page,) = read(tmp_path, lines)
    assert "table" not in [kind for kind, _ in outer_blocks(page)]
