"""Tests of the quality measures."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import agreement
from eval.corpus import samples
from eval.intervals import mean, share
from eval.quality_page import put_section
from eval.truth import true_text

short_texts = st.text(alphabet="abcä", max_size=30)


def textbook_distance(one: str, other: str) -> int:
    """Return the edit distance by the textbook algorithm."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(other, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]


@given(short_texts, short_texts)
def test_edit_distance_equals_the_textbook_algorithm(one: str, other: str) -> None:
    assert agreement.edit_distance(one, other) == textbook_distance(one, other)


def test_compares_words_and_characters_without_markup() -> None:
    found = agreement.compare_words("# The *Harbour*\n\n| Gate | 7 |", "the harbour gate 8")
    assert (found.recall, found.precision) == (0.75, 0.75)
    assert agreement.character_error_rate("A B\nC", "abd") == pytest.approx(1 / 3)


def test_counts_headings_and_tables() -> None:
    ours = "# One\n\ntext\n\n## Two *more*\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    assert agreement.compare_headings(ours, "## one\n\n# three") == (1, 2, 2)
    assert agreement.count_tables(ours) == agreement.count_tables("| a |\n| - |\n| b |") == 1


def test_confidence_intervals_of_shares_and_means() -> None:
    half = share(50, 100)
    assert (round(half.low, 3), round(half.high, 3)) == (0.404, 0.596)
    assert share(10, 10).low > 0.7
    assert str(share(0, 0)) == "–"
    spread = mean([0.0, 1.0] * 50)
    assert 0.3 < spread.low < 0.5 < spread.high < 0.7
    assert mean([0.0, 1.0] * 50) == spread


def test_manifest_separates_samples_from_ground_truths(tmp_path: Path) -> None:
    (tmp_path / "scans").mkdir()
    for name in ("scans/a.png", "scans/a.txt", "scans/notes.txt"):
        (tmp_path / name).write_text(name)
    lines = ["path,kind,truth", "scans/a.png,scan,scans/a.txt", "scans/a.txt,x,", "scans/notes.txt,ocr-truth,"]
    assert len(samples(tmp_path)) == 3
    (tmp_path / "manifest.csv").write_text("\n".join(lines))
    (only,) = samples(tmp_path)
    assert (only.path.name, only.kind, only.folder, true_text(only)) == ("a.png", "scan", "scans", "scans/a.txt")


def test_joins_boxes_to_lines_from_top_to_bottom(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "a.jpg").write_text("x")
    boxes = ["50,10,90,10,90,20,50,20,TOTAL, RM", "0,40,9,40,9,50,0,50,end", "0,11,9,11,9,21,0,21,the"]
    (tmp_path / "box" / "a.csv").write_text("\n".join(boxes))
    (tmp_path / "manifest.csv").write_text("path,kind,truth\na.jpg,receipt,box/a.csv\n")
    assert true_text(samples(tmp_path)[0]) == "the TOTAL, RM\nend"


def test_replaces_a_section_and_keeps_the_others(tmp_path: Path) -> None:
    page = tmp_path / "quality.md"
    put_section("one", "First", "stale figures", page)
    put_section("two", "Second", "stays \\1", page)
    put_section("one", "First", "new", page)
    text = page.read_text()
    assert "stale figures" not in text
    assert text.index("## First\n\nnew") < text.index("## Second\n\nstays \\1")
    assert text.count("## First") == 1
