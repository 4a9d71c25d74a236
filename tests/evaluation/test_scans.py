"""Clean scans are compared page by page with what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from docyard.pipeline.direct import Processed
from eval import agreement, scans
from eval.corpus import Sample
from eval.measurement import Run
from tests.making.given import extracted, fetched
from tests.making.pictures import LINES, drawn, pages_tiff

TRUE = "\n".join(LINES)


def test_copies_of_a_page_are_each_compared_with_its_truth() -> None:
    copies = [TRUE, TRUE.replace("cash", "card")]
    assert agreement.errors_by_page(copies, TRUE) == [0.0, pytest.approx(2 / len("".join(TRUE.split())))]
    assert agreement.errors_by_page(list(LINES), TRUE) == [0.0]
    assert agreement.errors_by_page([], TRUE) == [1.0]


def test_signs_that_truths_write_in_two_ways_are_made_alike() -> None:
    assert agreement.typewritten("“It’s ﬁne” — 3–4") == '"It\'s fine" - 3-4'


def test_each_page_of_a_scan_is_read_and_scored(tmp_path: Path) -> None:
    path, truth = tmp_path / "scan.tif", tmp_path / "scan.txt"
    path.write_bytes(pages_tiff(drawn(), drawn().rotate(180), Image.new("RGB", (300, 200), "white")))
    truth.write_text(TRUE)
    done = Processed(path, (fetched("image/tiff"), extracted(TRUE, TRUE, "")), None)
    told = scans.beside_tesseract(Run([(Sample(path, "scan", "scans", (truth,)), done)]))
    ours = next(line for line in told.splitlines() if line.startswith("| Docyard | 3 |"))
    assert "| 0.333 [0.000, 1.000] |" in ours
    assert scans.beside_tesseract(Run([(Sample(path, "photo", "x", (truth,)), done)])) == ""
